import { dirname, normalize } from 'node:path/posix';
import type { InputProblem } from '../core/errors.ts';
import type { Checked, RawInputs, Surroundings } from '../core/inputs/given.ts';
import { mistakesIn } from '../core/inputs/inputs.ts';
import { isReportFile } from '../report/files.ts';
import { today } from '../report/window.ts';
import type { PeriodKind } from '../report/window-names.ts';
import { isFor } from './alert-rules.ts';
import type { VisitorsConfig } from './inputs.ts';

type Values = Partial<VisitorsConfig>;

/** Checks the inputs of visitors mode together, and against the calendar and the disk. */
export function checkVisitors(values: Values, given: RawInputs, surroundings: Surroundings): Checked {
  const { period, timeZone } = values;
  // If `period` itself is wrong, it is unknown whether the dates belong to it.
  const dates = period === undefined ? [] : datesFor(period, given);
  const day = timeZone === undefined ? undefined : today(surroundings.now(), timeZone);
  const window = period === 'custom' ? windowProblems(values, day) : [];
  return { problems: [...dates, ...window, ...unwritable(given, surroundings), ...unknownProjects(values)] };
}

/** Dates that are missing, or that no other window than a custom one uses. */
function datesFor(period: PeriodKind, given: RawInputs): InputProblem[] {
  const isCustom = period === 'custom';
  const takes = isCustom
    ? '`period: custom` needs a date here, as YYYY-MM-DD'
    : 'a date only with `period: custom`; leave it out, or set that';
  return ['date-from', 'date-to']
    .filter((name) => (given[name] === undefined) === isCustom)
    .map((name) => ({ input: name, got: given[name], takes }));
}

/** A window that is empty or not over today; wrong dates and time zones were reported before. */
function windowProblems({ dateFrom, dateTo, timeZone }: Values, day: string | undefined): InputProblem[] {
  if (dateFrom === undefined || dateTo === undefined) return [];
  const problem = (takes: string) => [{ input: 'date-to', got: dateTo, takes }];
  if (dateFrom >= dateTo) return problem(`a date after date-from (${dateFrom}), since it is exclusive`);
  if (day === undefined || dateTo <= day) return [];
  const how = dateFrom > day ? '' : 'partly ';
  return problem(
    `a date up to today (${day} in ${timeZone}), so that every day of the window is over; this window lies ${how}in the future`,
  );
}

/** Places that the run may not write to. A history that merely can't be written is only a warning, later. */
function unwritable(given: RawInputs, { directoryProblem, linkProblem }: Surroundings): InputProblem[] {
  const check = (input: string, what: string, problemOf: (path: string) => string | undefined) => {
    const got = given[input];
    const problem = got === undefined ? undefined : problemOf(got);
    return problem === undefined ? [] : [{ input, got, takes: `${what} (${problem})` }];
  };
  return [
    ...check('report-dir', 'a directory that can be written', directoryProblem),
    ...check('history-file', 'a file that no link leads away from', linkProblem),
    ...check('history-file', 'a file of its own', (path) => {
      const isOfReport =
        isReportFile(path) && normalize(dirname(path)) === normalize(given['report-dir'] ?? '');
      return isOfReport ? 'a file of the report may have this name' : undefined;
    }),
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
