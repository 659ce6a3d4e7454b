import * as z from 'zod/mini';
import {
  type Checked,
  type ConfigOf,
  commonInputs,
  failOnInput,
  globList,
  maxRequestsInput,
  oneOf,
  type RawInputs,
  refuse,
  refuseItems,
  type Surroundings,
  text,
  threadInput,
  wholeNumber,
} from '../core/common-inputs.ts';
import type { InputProblem } from '../core/errors.ts';
import { mapped } from '../core/mapped.ts';
import { firstFew } from '../text/counts.ts';
import { shortCode } from '../text/markdown.ts';
import type { PeriodKind } from './read/window.ts';

/*
 * Every mode loads these inputs to recognize inputs that belong to a different mode. Only visitors mode loads the code that
 * knows time zones, globs, and alert rules.
 */

const date = z.pipe(text, z.iso.date('must be a date, as YYYY-MM-DD'));

const timeZone = mapped(text, async (value, context) => {
  const { isTimeZone } = await import('./read/window.ts');
  return isTimeZone(value) ? value : refuse(context, 'must be an IANA time zone, such as Europe/Berlin');
});

const alertRules = mapped(text, async (value, context) => {
  const { parseAlertRules } = await import('./judge/alert-rules.ts');
  const { rules, mistakes } = parseAlertRules(value);
  return mistakes.length === 0 ? rules : refuseItems(context, 'rule', mistakes);
});

/** The inputs of visitors mode. */
export const visitorsInputs = {
  ...commonInputs,
  'fail-on': failOnInput('incomplete', 'alert', 'no-visits'),
  period: z.prefault(oneOf(['last-week', 'last-4-weeks', 'last-month', 'custom']), 'last-week'),
  'date-from': z.optional(date),
  'date-to': z.optional(date),
  'time-zone': z.prefault(timeZone, 'UTC'),
  compare: z.prefault(oneOf(['previous', 'none']), 'previous'),
  baseline: z.prefault(wholeNumber(0, 12), '8'),
  pages: z.prefault(globList(), ''),
  top: z.prefault(wholeNumber(1, 1000), '10'),
  'section-depth': z.prefault(wholeNumber(1, 10), '1'),
  charts: z.prefault(oneOf(['mermaid', 'none']), 'mermaid'),
  alerts: z.prefault(alertRules, ''),
  gaps: z.prefault(oneOf(['none', 'counts', 'words']), 'none'),
  'max-requests': maxRequestsInput,
  'report-dir': z.optional(text),
  'history-file': z.optional(text),
  thread: threadInput,
};

/** The config of a visitors mode run. */
export type VisitorsConfig = ConfigOf<'visitors', typeof visitorsInputs>;

/** Checks the inputs of visitors mode against each other, the calendar, and the disk. */
export async function checkVisitors(
  values: Partial<VisitorsConfig>,
  given: RawInputs,
  surroundings: Surroundings,
): Promise<Checked> {
  const { period } = values;
  // Without a valid `period`, we don't know whether dates are allowed.
  const dates = period === undefined ? [] : datesFor(period, given);
  const window = period === 'custom' ? await windowProblems(values, surroundings.now()) : [];
  const unknown = await unknownProjects(values);
  return { problems: [...dates, ...window, ...unwritable(values, surroundings), ...unknown] };
}

function datesFor(period: PeriodKind, given: RawInputs): InputProblem[] {
  const isCustom = period === 'custom';
  const input = ['date-from', 'date-to'].filter((name) => (given[name] === undefined) === isCustom);
  if (input.length === 0) return [];
  const [is, needs, it, dates] =
    input.length === 1 ? ['is', 'needs', 'it', 'the date'] : ['are', 'need', 'them', 'the dates'];
  if (isCustom)
    return [{ input, problem: `${is} missing`, hint: `\`period: custom\` needs ${it}, as YYYY-MM-DD.` }];
  return [{ input, problem: `${needs} \`period: custom\``, hint: `Set the period, or remove ${dates}.` }];
}

/** A window that is empty or not over yet. Bad dates and time zones are already reported. */
async function windowProblems(
  { dateFrom, dateTo, timeZone }: Partial<VisitorsConfig>,
  nowMs: number,
): Promise<InputProblem[]> {
  if (dateFrom === undefined || dateTo === undefined) return [];
  const dateToIs = (problem: string, hint: string) => [{ input: 'date-to', got: dateTo, problem, hint }];
  if (dateFrom >= dateTo)
    return dateToIs(`must be after \`date-from\` (${dateFrom})`, 'The period ends the day before `date-to`.');
  if (timeZone === undefined) return [];
  const day = (await import('./read/window.ts')).today(nowMs, timeZone);
  return dateTo <= day ? [] : dateToIs('is in the future', `Use ${day} (today in ${timeZone}) or earlier.`);
}

/** Paths that the run must not write to. If the history file can't be written later, there is only a warning. */
function unwritable(
  { reportDir, historyFile }: Partial<VisitorsConfig>,
  { directoryProblem, linkProblem }: Surroundings,
): InputProblem[] {
  const found = {
    'report-dir': reportDir && directoryProblem(reportDir),
    'history-file': historyFile && linkProblem(historyFile),
  };
  return Object.entries(found).flatMap(([input, why]) =>
    why === undefined ? [] : { input, problem: `can’t be used: ${why}` },
  );
}

/** Alert rules for projects that the run doesn't report on. */
async function unknownProjects({ alerts = [], projects }: Partial<VisitorsConfig>): Promise<InputProblem[]> {
  if (alerts.length === 0 || projects === undefined) return [];
  const { isFor } = await import('./judge/alert-rules.ts');
  const unknown = alerts
    .filter((rule) => !projects.some((project) => isFor(rule, project)))
    .flatMap(({ project = [] }) => project);
  if (unknown.length === 0) return [];
  const strange = firstFew([...new Set(unknown)].map(shortCode), 5).join(', ');
  const problem = `names a project that \`project-id\` doesn’t list: ${strange}`;
  const hint = `Use one of these: ${projects.map(({ name }) => shortCode(name)).join(', ')}.`;
  return [{ input: 'alerts', problem, hint }];
}
