import * as z from 'zod/mini';
import * as inputs from '../core/common-inputs.ts';
import { dateIn, isTimeZone } from '../core/days.ts';
import type { InputProblem } from '../core/errors.ts';
import { mapSchema } from '../core/mapped.ts';
import { firstFew } from '../text/counts.ts';
import { code } from '../text/markdown.ts';
import { parseAlertRules } from './judge/alerts/alert-rules.ts';

const date = z.pipe(inputs.text, z.iso.date('must be a date, as YYYY-MM-DD'));

const mustBeZone = 'must be an IANA time zone, such as Europe/Berlin';
const timeZone = inputs.text.check(z.refine(isTimeZone, mustBeZone));

const alertRules = mapSchema(inputs.text, (value, context) => {
  const { rules, mistakes } = parseAlertRules(value);
  if (mistakes.length > 0) return inputs.refuseItems(context, 'rule', mistakes);
  return rules;
});

/**
 * A value of each project, or of all: `value`, or `Name: value`, one per line. `parse` returns
 * `undefined` for a wrong one.
 */
function perProject<T extends object>(
  noun: string,
  must: string,
  parse: (text: string) => T | undefined,
) {
  return mapSchema(inputs.lines, (lines, context) => {
    const values: (T & { project: string | undefined })[] = [];
    const mistakes: string[] = [];
    for (const line of lines) {
      const parts = /^(?:(?<project>.+):\s+)?(?<text>\S+)$/.exec(line)?.groups;
      const value = parse(parts?.text ?? '');
      if (value === undefined) mistakes.push(`${code(line)}: it ${must}`);
      else values.push({ project: parts?.project, ...value });
    }
    if (mistakes.length > 0) return inputs.refuseItems(context, noun, mistakes);
    const hint = 'With several projects, write `Name: …`.';
    if (new Set(values.map(({ project }) => project)).size < values.length)
      return inputs.refuse(context, 'has two lines for the same project', hint);
    const ofOne = values.filter(({ project }) => project !== undefined);
    const ofAll = values.filter(({ project }) => project === undefined);
    // A value of all projects applies only to those that have none of their own.
    return [...ofOne, ...ofAll];
  });
}

const mustBeAddress =
  'must be a web address such as https://docs.example.com, or `Name: https://…`';
const docsUrls = perProject('address', mustBeAddress, (address) => {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  if (url.username !== '' || url.search !== '' || url.hash !== '') return undefined;
  return { url: `${url.origin}${url.pathname}`.replace(/\/+$/, '') };
});

const mustBeRepository = 'must be a repository such as octo-org/docs, or `Name: octo-org/docs`';
const docsRepositories = perProject('repository', mustBeRepository, (name) => {
  if (!/^[\w-]+\/(?!\.\.?$)[\w.-]+$/.test(name)) return undefined;
  const [owner = '', repo = ''] = name.split('/');
  return { owner, repo };
});

export const visitorsInputs = {
  ...inputs.commonInputs,
  'fail-on': inputs.failOnInput('incomplete', 'alert', 'no-visits'),
  period: z.prefault(
    inputs.oneOf(['last-week', 'last-4-weeks', 'last-month', 'custom']),
    'last-week',
  ),
  'date-from': z.optional(date),
  'date-to': z.optional(date),
  'time-zone': z.prefault(timeZone, 'UTC'),
  compare: z.prefault(inputs.oneOf(['previous', 'none']), 'previous'),
  baseline: z.prefault(inputs.wholeNumber(0, 12), '12'),
  pages: z.prefault(inputs.globList(), ''),
  top: z.prefault(inputs.wholeNumber(1, 1000), '10'),
  'section-depth': z.prefault(inputs.wholeNumber(1, 10), '1'),
  charts: z.prefault(inputs.oneOf(['mermaid', 'none']), 'mermaid'),
  alerts: z.prefault(alertRules, ''),
  gaps: z.prefault(inputs.oneOf(['none', 'counts', 'words']), 'none'),
  'max-requests': z.prefault(inputs.wholeNumber(1, 1000), '60'),
  'report-dir': z.optional(inputs.text),
  'history-file': z.optional(inputs.text),
  thread: inputs.threadInput,
  'report-comment': z.prefault(inputs.oneOf(['each', 'one']), 'each'),
  'docs-url': z.prefault(docsUrls, ''),
  'docs-repository': z.prefault(docsRepositories, ''),
};

export type VisitorsConfig = inputs.ConfigOf<'visitors', typeof visitorsInputs>;

/** Checks the inputs of visitors mode against each other, the calendar, and the disk. */
export const checkVisitors: inputs.Check<VisitorsConfig> = (values, texts, surroundings) => {
  const { projects } = values;
  const problems = [
    ...findDateProblems(values, texts, surroundings),
    ...findUnusable('report-dir', values.reportDir, surroundings.findDirectoryProblem),
    // If the history file can't be written later, there is only a warning.
    ...findUnusable('history-file', values.historyFile, surroundings.findLinkProblem),
    ...findUnknownProjects('alerts', values.alerts, projects),
    ...findUnknownProjects('docs-url', values.docsUrl, projects),
    ...findUnknownProjects('docs-repository', values.docsRepository, projects),
    ...findTooFewRequests(values, texts),
  ];
  return { problems };
};

function findUnusable(
  input: string,
  path: string | undefined,
  findProblem: (path: string) => string | undefined,
): InputProblem[] {
  if (path === undefined) return [];
  const why = findProblem(path);
  if (why === undefined) return [];
  return [{ inputs: [input], problem: `can’t be used: ${why}` }];
}

/** With fewer requests than projects, some project's totals could never be read. */
function findTooFewRequests(values: Partial<VisitorsConfig>, texts: inputs.RawInputs) {
  const got = texts['max-requests'];
  const min = values.projects?.length ?? 0;
  if (got === undefined || values.maxRequests === undefined) return [];
  if (values.maxRequests >= min) return [];
  const problem = `is less than one request for each of ${min} projects`;
  return [{ inputs: ['max-requests'], got, problem, hint: `Use ${min} or more.` }];
}

/** Dates that are missing or don't belong to the period. Bad values are already reported. */
function findDateProblems(
  values: Partial<VisitorsConfig>,
  texts: inputs.RawInputs,
  surroundings: inputs.Surroundings,
): InputProblem[] {
  if (values.period === undefined) return [];
  const isSet = (name: string) => texts[name] !== undefined;
  const dates = ['date-from', 'date-to'];
  if (values.period !== 'custom') {
    const needless = dates.filter(isSet);
    if (needless.length === 0) return [];
    const need = needless.length === 1 ? 'needs' : 'need';
    const problem = `${need} \`period: custom\``;
    return [{ inputs: needless, problem, hint: 'Set the period, or remove the dates.' }];
  }
  const missing = dates.filter((name) => !isSet(name));
  if (missing.length === 0) return findWindowProblems(values, surroundings);
  const problem = missing.length === 1 ? 'is missing' : 'are missing';
  return [{ inputs: missing, problem, hint: '`period: custom` needs both dates, as YYYY-MM-DD.' }];
}

/** A custom window that is empty or not over yet. */
function findWindowProblems(
  values: Partial<VisitorsConfig>,
  surroundings: inputs.Surroundings,
): InputProblem[] {
  const { dateFrom, dateTo } = values;
  if (dateFrom === undefined || dateTo === undefined) return [];
  if (dateFrom >= dateTo) {
    const problem = `must be after \`date-from\` (${dateFrom})`;
    const hint = 'The period ends the day before `date-to`.';
    return [{ inputs: ['date-to'], got: dateTo, problem, hint }];
  }
  if (values.timeZone === undefined) return [];
  const today = dateIn(surroundings.now(), values.timeZone);
  if (dateTo <= today) return [];
  const hint = `Use ${today} (today in ${values.timeZone}) or earlier.`;
  return [{ inputs: ['date-to'], problem: 'is in the future', hint }];
}

/** Projects that a line of an input names, but `project-id` doesn't. */
function findUnknownProjects(
  input: string,
  lines: readonly { readonly project: string | undefined }[] = [],
  projects: VisitorsConfig['projects'] | undefined,
): InputProblem[] {
  if (projects === undefined) return [];
  const known = projects.flatMap(({ id, name }) => [id, name]);
  const unknown = new Set<string>();
  for (const { project } of lines) {
    if (project !== undefined && !known.includes(project)) unknown.add(project);
  }
  if (unknown.size === 0) return [];
  const names = firstFew([...unknown].map(code), 5).join(', ');
  const problem = `names a project that \`project-id\` doesn’t list: ${names}`;
  const hint = `Use one of these: ${projects.map(({ name }) => code(name)).join(', ')}.`;
  return [{ inputs: [input], problem, hint }];
}
