import { dirname, normalize } from 'node:path/posix';
import type { InputProblem } from '../core/errors.ts';
import type { Checked, RawInputs, Surroundings } from '../core/inputs/given.ts';
import { mistakesIn } from '../core/inputs/inputs.ts';
import type { VisitorsConfig } from './inputs.ts';
import { type AlertRule, isFor } from './judge/alert-rules.ts';
import { type PeriodKind, today } from './read/window.ts';
import { isReportFile } from './write/report-files.ts';

type Values = Partial<VisitorsConfig>;

/** Checks the inputs of visitors mode against each other, the calendar, and the disk. */
export function checkVisitors(values: Values, given: RawInputs, surroundings: Surroundings): Checked {
  const { period } = values;
  // Without a valid `period`, we don't know whether dates are allowed.
  const dates = period === undefined ? [] : datesFor(period, given);
  const window = period === 'custom' ? windowProblems(values, surroundings.now()) : [];
  return { problems: [...dates, ...window, ...unwritable(given, surroundings), ...unknownProjects(values)] };
}

function datesFor(period: PeriodKind, given: RawInputs): InputProblem[] {
  const isCustom = period === 'custom';
  const takes = isCustom
    ? '`period: custom` needs a date here, as YYYY-MM-DD'
    : 'a date only with `period: custom`. Remove it, or set `period: custom`';
  return ['date-from', 'date-to']
    .filter((name) => (given[name] === undefined) === isCustom)
    .map((name) => ({ input: name, got: given[name], takes }));
}

/** A window that is empty or not over yet. Bad dates and time zones are already reported. */
function windowProblems({ dateFrom, dateTo, timeZone }: Values, nowMs: number): InputProblem[] {
  if (dateFrom === undefined || dateTo === undefined) return [];
  const problem = (takes: string) => [{ input: 'date-to', got: dateTo, takes }];
  if (dateFrom >= dateTo)
    return problem(`a date after date-from (${dateFrom}), because date-to is exclusive`);
  if (timeZone === undefined) return [];
  const day = today(nowMs, timeZone);
  if (dateTo <= day) return [];
  return problem(
    `a date no later than today (${day} in ${timeZone}), because the period must be over. This one ends in the future`,
  );
}

/** Paths that the run must not write to. If the history file can't be written later, there is only a warning. */
function unwritable(given: RawInputs, { directoryProblem, linkProblem }: Surroundings): InputProblem[] {
  const check = (input: string, what: string, problemOf: (path: string) => string | undefined) => {
    const got = given[input];
    const problem = got === undefined ? undefined : problemOf(got);
    return problem === undefined ? [] : [{ input, got, takes: `${what} (${problem})` }];
  };
  return [
    ...check('report-dir', 'a writable directory', directoryProblem),
    ...check('history-file', 'a path with no symbolic links that lead outside the workspace', linkProblem),
    ...check('history-file', 'a separate file', (path) => {
      const isOfReport =
        isReportFile(path) && normalize(dirname(path)) === normalize(given['report-dir'] ?? '');
      return isOfReport ? 'this name could clash with a report file' : undefined;
    }),
  ];
}

function unknownProjects({ alerts = [], projects }: Values): InputProblem[] {
  if (projects === undefined) return [];
  const isUnknown = (rule: AlertRule) => !projects.some((project) => isFor(rule, project));
  const unknown = alerts.filter(isUnknown).flatMap(({ project = [] }) => project);
  if (unknown.length === 0) return [];
  const names = projects.map(({ name }) => name).join(', ');
  const takes = `before a rule’s colon, the name or ID of one of these projects: ${names}`;
  return [{ input: 'alerts', got: mistakesIn([...new Set(unknown)]), takes }];
}
