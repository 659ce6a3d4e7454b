import type { InputProblem } from '../core/errors.ts';
import type { Checked, RawInputs, Surroundings, ToCheck } from '../core/inputs/given.ts';
import { mistakesIn } from '../core/inputs/inputs.ts';
import type { VisitorsConfig } from './inputs.ts';
import { isFor } from './judge/alert-rules.ts';
import { today } from './read/period.ts';

/** Checks the inputs of visitors mode together, and against the calendar and the disk. */
export function checkVisitors({
  values,
  given,
  surroundings,
}: ToCheck<VisitorsConfig>): Checked<VisitorsConfig> {
  const window =
    values.period === 'custom' ? customWindow(values, surroundings) : datesWithout(values, given);
  return { problems: [...window, ...unwritable(given, surroundings), ...unknownProjects(values)] };
}

type Values = Partial<VisitorsConfig>;

/** A date that the window would not use. If `period` itself is wrong, the dates may be right. */
function datesWithout({ period }: Values, given: RawInputs): InputProblem[] {
  if (period === undefined) return [];
  const takes = 'a date only with `period: custom`; leave it out, or set that';
  return ['date-from', 'date-to']
    .filter((name) => given[name] !== undefined)
    .map((name) => ({ input: name, got: given[name], takes }));
}

function customWindow({ dateFrom, dateTo, timeZone }: Values, { now }: Surroundings): InputProblem[] {
  if (dateFrom === undefined || dateTo === undefined) {
    const takes = '`period: custom` needs a date here, as YYYY-MM-DD';
    const lacking = [
      ...(dateFrom === undefined ? ['date-from'] : []),
      ...(dateTo === undefined ? ['date-to'] : []),
    ];
    return lacking.map((name) => ({ input: name, got: undefined, takes }));
  }
  const problem = (takes: string) => [{ input: 'date-to', got: dateTo, takes }];
  if (dateFrom >= dateTo) return problem(`a date after date-from (${dateFrom}), since it is exclusive`);
  if (timeZone === undefined) return [];
  const day = today(now(), timeZone);
  if (dateTo <= day) return [];
  const how = dateFrom > day ? '' : 'partly ';
  return problem(
    `a date up to today (${day} in ${timeZone}), so that every day of the window is over; this window lies ${how}in the future`,
  );
}

function unwritable(given: RawInputs, { directoryProblem, fileProblem }: Surroundings): InputProblem[] {
  const check = (input: string, what: string, problemOf: (path: string) => string | undefined) => {
    const got = given[input];
    const problem = got === undefined ? undefined : problemOf(got);
    return problem === undefined ? [] : [{ input, got, takes: `${what} (${problem})` }];
  };
  return [
    ...check('report-dir', 'a directory that can be written', directoryProblem),
    ...check('history-file', 'a file that can be read and written', fileProblem),
  ];
}

/** Alert rules for projects that the report does not have. */
function unknownProjects({ alerts = [], projects }: Values): InputProblem[] {
  if (projects === undefined) return [];
  const unknown = alerts
    .filter((rule) => !projects.some((project) => isFor(rule, project)))
    .flatMap(({ project = [] }) => project);
  if (unknown.length === 0) return [];
  const names = projects.map(({ name }) => name).join(', ');
  const takes = `before the colon of a rule the name or the id of a project: ${names}`;
  return [{ input: 'alerts', got: mistakesIn([...new Set(unknown)]), takes }];
}
