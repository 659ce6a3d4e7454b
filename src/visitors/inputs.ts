import * as z from 'zod/mini';
import * as inputs from '../core/common-inputs.ts';
import { dateIn, isTimeZone } from '../core/days.ts';
import type { InputProblem } from '../core/errors.ts';
import { mapped } from '../core/mapped.ts';
import { firstFew } from '../text/counts.ts';
import { shortCode } from '../text/markdown.ts';
import { type AlertRule, parseAlertRules } from './judge/alerts/alert-rules.ts';

const date = z.pipe(inputs.text, z.iso.date('must be a date, as YYYY-MM-DD'));

const timeZone = inputs.readAs('must be an IANA time zone, such as Europe/Berlin', (value) =>
  isTimeZone(value) ? value : undefined,
);

const alertRules = mapped(inputs.text, (value, context): readonly AlertRule[] => {
  const { rules, mistakes } = parseAlertRules(value);
  return mistakes.length === 0 ? rules : inputs.refuseItems(context, 'rule', mistakes);
});

/** A value of each project, or of all: `value`, or `Name: value`, one per line. `read` returns `undefined` for a wrong one. */
function perProject<T extends object>(
  noun: string,
  must: string,
  read: (value: string) => T | undefined,
) {
  return mapped(inputs.lines, (lines, context) => {
    const parsed = lines.map((line) => {
      const [, project, value = ''] = /^(?:(.+):\s+)?(\S+)$/.exec(line) ?? [];
      return { line, project, found: read(value) };
    });
    const mistakes = parsed.flatMap(({ line, found }) =>
      found ? [] : `${shortCode(line)}: it ${must}`,
    );
    if (mistakes.length > 0) return inputs.refuseItems(context, noun, mistakes);
    const hint = 'With several projects, write `Name: …`.';
    if (new Set(parsed.map(({ project }) => project)).size < parsed.length)
      return inputs.refuse(context, 'has two lines for the same project', hint);
    // A value of all projects applies only to those that have none of their own.
    const byName = parsed.toSorted(
      (a, b) => Number(a.project === undefined) - Number(b.project === undefined),
    );
    return byName.flatMap(({ project, found }) => (found ? { project, ...found } : []));
  });
}

const mustBeAddress =
  'must be a web address such as https://docs.example.com, or `Name: https://…`';
const docsUrls = perProject('address', mustBeAddress, (address) => {
  const url = URL.parse(address);
  const isSite =
    url !== null && /^https?:$/.test(url.protocol) && !`${url.username}${url.search}${url.hash}`;
  return isSite ? { url: `${url.origin}${url.pathname}`.replace(/\/+$/, '') } : undefined;
});

const mustBeRepository = 'must be a repository such as octo-org/docs, or `Name: octo-org/docs`';
const docsRepositories = perProject('repository', mustBeRepository, (name) => {
  const [, owner, repo] = /^([\w-]+)\/(?!\.\.?$)([\w.-]+)$/.exec(name) ?? [];
  return owner && repo ? { owner, repo } : undefined;
});

/** The inputs of visitors mode. */
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
  baseline: z.prefault(inputs.wholeNumber(0, 12), '8'),
  pages: z.prefault(inputs.globList(), ''),
  top: z.prefault(inputs.wholeNumber(1, 1000), '10'),
  'section-depth': z.prefault(inputs.wholeNumber(1, 10), '1'),
  charts: z.prefault(inputs.oneOf(['mermaid', 'none']), 'mermaid'),
  alerts: z.prefault(alertRules, ''),
  gaps: z.prefault(inputs.oneOf(['none', 'counts', 'words']), 'none'),
  'max-requests': z.prefault(inputs.wholeNumber(1, 1000), '40'),
  'report-dir': z.optional(inputs.text),
  'history-file': z.optional(inputs.text),
  thread: inputs.threadInput,
  'docs-url': z.prefault(docsUrls, ''),
  'docs-repository': z.prefault(docsRepositories, ''),
};

/** The config of a visitors mode run. */
export type VisitorsConfig = inputs.ConfigOf<'visitors', typeof visitorsInputs>;

/** Checks the inputs of visitors mode against each other, the calendar, and the disk. */
export const checkVisitors: inputs.Check<VisitorsConfig> = (values, given, surroundings) => {
  const { projects, reportDir, historyFile } = values;
  const { now, directoryProblem, linkProblem } = surroundings;
  // If the history file can't be written later, there is only a warning.
  const folderProblem = reportDir && directoryProblem(reportDir);
  const fileProblem = historyFile && linkProblem(historyFile);
  const unwritable = Object.entries({ 'report-dir': folderProblem, 'history-file': fileProblem });
  const problems = [
    ...dateProblems(values, given, (timeZone) => dateIn(now(), timeZone)),
    ...unwritable.flatMap(([input, why]) =>
      why ? { input, problem: `can’t be used: ${why}` } : [],
    ),
    ...unknownProjects('alerts', values.alerts, projects),
    ...unknownProjects('docs-url', values.docsUrl, projects),
    ...unknownProjects('docs-repository', values.docsRepository, projects),
    ...tooFew(values, given),
  ];
  return { problems };
};

/** With fewer requests than projects, some project's totals could never be read. */
function tooFew({ projects, maxRequests }: Partial<VisitorsConfig>, given: inputs.RawInputs) {
  const [got, min] = [given['max-requests'], projects?.length ?? 0];
  if (got === undefined || maxRequests === undefined || maxRequests >= min) return [];
  const problem = `is less than one request for each of ${min} projects`;
  return [{ input: 'max-requests', got, problem, hint: `Use ${min} or more.` }];
}

/** Dates that are missing or don't fit, and a window that is empty or not over yet. Bad values are already reported. */
function dateProblems(
  { period, dateFrom, dateTo: got, timeZone }: Partial<VisitorsConfig>,
  given: inputs.RawInputs,
  todayIn: (timeZone: string) => string,
): InputProblem[] {
  if (period === undefined) return [];
  const isCustom = period === 'custom';
  const input = ['date-from', 'date-to'].filter((name) => (given[name] === undefined) === isCustom);
  if (input.length > 0) {
    const [is, needs] = input.length === 1 ? ['is', 'needs'] : ['are', 'need'];
    return isCustom
      ? [
          {
            input,
            problem: `${is} missing`,
            hint: '`period: custom` needs both dates, as YYYY-MM-DD.',
          },
        ]
      : [
          {
            input,
            problem: `${needs} \`period: custom\``,
            hint: 'Set the period, or remove the dates.',
          },
        ];
  }
  if (dateFrom === undefined || got === undefined) return [];
  if (dateFrom >= got) {
    const problem = `must be after \`date-from\` (${dateFrom})`;
    return [{ input: 'date-to', got, problem, hint: 'The period ends the day before `date-to`.' }];
  }
  const day = timeZone === undefined ? got : todayIn(timeZone);
  const hint = `Use ${day} (today in ${timeZone}) or earlier.`;
  return got <= day ? [] : [{ input: 'date-to', problem: 'is in the future', hint }];
}

/** Projects that a line of an input names, but `project-id` doesn't. */
function unknownProjects(
  input: string,
  lines: readonly { readonly project: string | undefined }[] = [],
  projects: VisitorsConfig['projects'] | undefined,
): InputProblem[] {
  const known = projects?.flatMap(({ id, name }) => [id, name]);
  const unknown = lines.flatMap(({ project }) =>
    project === undefined || known?.includes(project) ? [] : project,
  );
  if (projects === undefined || unknown.length === 0) return [];
  const names = [...new Set(unknown)].map(shortCode);
  const problem = `names a project that \`project-id\` doesn’t list: ${firstFew(names, 5).join(', ')}`;
  const hint = `Use one of these: ${projects.map(({ name }) => shortCode(name)).join(', ')}.`;
  return [{ input, problem, hint }];
}
