import type { InputProblem } from '../core/errors.ts';
import type { Checked, RawInputs, Surroundings } from '../core/inputs/given.ts';
import { firstFew } from '../text/counts.ts';
import { shortCode } from '../text/markdown.ts';
import type { VisitorsConfig } from './inputs.ts';
import { type AlertRule, isFor } from './judge/alert-rules.ts';
import { type PeriodKind, today } from './read/window.ts';

type Values = Partial<VisitorsConfig>;

/** Checks the inputs of visitors mode against each other, the calendar, and the disk. */
export function checkVisitors(values: Values, given: RawInputs, surroundings: Surroundings): Checked {
  const { period } = values;
  // Without a valid `period`, we don't know whether dates are allowed.
  const dates = period === undefined ? [] : datesFor(period, given);
  const window = period === 'custom' ? windowProblems(values, surroundings.now()) : [];
  const others = [...unwritable(given, surroundings), ...unknownProjects(values), ...tooFew(values, given)];
  return { problems: [...dates, ...window, ...others] };
}

/** With fewer requests than projects, some project's totals could never be read. */
function tooFew({ projects, maxRequests }: Values, given: RawInputs): InputProblem[] {
  const got = given['max-requests'];
  const least = projects?.length ?? 0;
  if (got === undefined || maxRequests === undefined || maxRequests >= least) return [];
  const problem = `is less than one request for each of ${least} projects\nUse ${least} or more.`;
  return [{ input: 'max-requests', got, problem }];
}

function datesFor(period: PeriodKind, given: RawInputs): InputProblem[] {
  const isCustom = period === 'custom';
  const input = ['date-from', 'date-to'].filter((name) => (given[name] === undefined) === isCustom);
  if (input.length === 0) return [];
  const [is, needs, it, dates] =
    input.length === 1 ? ['is', 'needs', 'it', 'the date'] : ['are', 'need', 'them', 'the dates'];
  const problem = isCustom
    ? `${is} missing\n\`period: custom\` needs ${it}, as YYYY-MM-DD.`
    : `${needs} \`period: custom\`\nSet the period, or remove ${dates}.`;
  return [{ input, problem }];
}

/** A window that is empty or not over yet. Bad dates and time zones are already reported. */
function windowProblems({ dateFrom, dateTo, timeZone }: Values, nowMs: number): InputProblem[] {
  if (dateFrom === undefined || dateTo === undefined) return [];
  const wrong = (problem: string) => [{ input: 'date-to', got: dateTo, problem }];
  if (dateFrom >= dateTo)
    return wrong(`must be after \`date-from\` (${dateFrom})\nThe period ends the day before \`date-to\`.`);
  if (timeZone === undefined) return [];
  const day = today(nowMs, timeZone);
  if (dateTo <= day) return [];
  return wrong(`is in the future\nUse ${day} (today in ${timeZone}) or earlier.`);
}

/** Paths that the run must not write to. If the history file can't be written later, there is only a warning. */
function unwritable(given: RawInputs, { directoryProblem, linkProblem }: Surroundings): InputProblem[] {
  const check = (input: string, what: string, problemOf: (path: string) => string | undefined) => {
    const got = given[input];
    const problem = got === undefined ? undefined : problemOf(got);
    return problem === undefined ? [] : [{ input, got, problem: `${what}: ${problem}` }];
  };
  return [
    ...check('report-dir', 'can’t be used', directoryProblem),
    ...check('history-file', 'can’t be used', linkProblem),
  ];
}

function unknownProjects({ alerts = [], projects }: Values): InputProblem[] {
  if (projects === undefined) return [];
  const isUnknown = (rule: AlertRule) => !projects.some((project) => isFor(rule, project));
  const unknown = alerts.filter(isUnknown).flatMap(({ project = [] }) => project);
  if (unknown.length === 0) return [];
  const names = projects.map(({ name }) => shortCode(name)).join(', ');
  const strange = firstFew([...new Set(unknown)].map(shortCode), 5).join(', ');
  const problem = `names a project that \`project-id\` doesn’t list: ${strange}\nUse one of these: ${names}.`;
  return [{ input: 'alerts', problem }];
}
