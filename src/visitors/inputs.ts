import * as z from 'zod/mini';
import type { InputProblem } from '../core/errors.ts';
import { globProblem } from '../core/globs.ts';
import { commonInputs } from '../core/inputs/common.ts';
import type { RawInputs, Surroundings } from '../core/inputs/given.ts';
import { input, lines, mistakesIn, oneOf, text, wholeNumber } from '../core/inputs/inputs.ts';
import { maxRequestsInput } from '../core/inputs/max-requests.ts';
import { projectList } from '../core/inputs/projects.ts';
import { threadInput } from '../core/inputs/thread.ts';
import { isDate, isTimeZone, today } from '../report/window.ts';
import { periodKinds } from '../report/window-names.ts';
import { shortCode } from '../text/markdown.ts';
import { describeMistake, isFor, parseAlertRules } from './alert-rules.ts';

/** No service of this kind has counted anything before. */
const earliest = '2000-01-01';

const date = text.check(
  z.refine(isDate, 'a date that exists, as YYYY-MM-DD'),
  z.refine((value) => !isDate(value) || value >= earliest, `a date from ${earliest} on`),
);

const globs = z.pipe(
  lines,
  z.transform((patterns, context) => {
    for (const pattern of patterns) {
      const problem = globProblem(pattern) ?? listProblem(pattern);
      if (problem === undefined) continue;
      const message = `page globs, on separate lines, such as \`/guides/**\` or \`!/drafts/**\`; ${shortCode(pattern)} is none (${problem})`;
      context.issues.push({ code: 'custom', message, input: patterns });
      return z.NEVER;
    }
    return patterns;
  }),
);

/** What is wrong with several globs on one line. A comma and a space are meant in braces and brackets, and else a mistake. */
function listProblem(pattern: string): string | undefined {
  const outside = pattern.replace(/\{[^{}]*\}|\[[^\]]*\]/g, '');
  if (outside !== pattern) return listProblem(outside);
  return /,\s/.test(outside)
    ? 'several stand on separate lines; write `,?` for a comma and a space of a path'
    : undefined;
}

const alertRules = z.pipe(
  text,
  z.transform((value, context) => {
    const { rules, mistakes } = parseAlertRules(value);
    if (mistakes.length === 0) return rules;
    const message = `one rule a line, such as \`total < -30%\` or \`human /guides/** < -50% min 50\`; ${mistakesIn(mistakes.map(describeMistake))}`;
    context.issues.push({ code: 'custom', message, input: value });
    return z.NEVER;
  }),
);

/** The inputs of visitors mode. */
export const visitorsInputs = z.object({
  ...commonInputs,
  period: input(z.prefault(oneOf(periodKinds), 'last-week'), {
    description:
      'The window of the report: `last-week` (the last whole ISO week), `last-4-weeks`, `last-month`, or `custom` with `date-from` and `date-to`.',
  }),
  'date-from': input(z.optional(date), {
    description: 'First day of a custom window, `YYYY-MM-DD`, in 2000 at the earliest.',
  }),
  'date-to': input(z.optional(date), {
    description:
      'End of a custom window, `YYYY-MM-DD`, exclusive: the window ends before that day. At the latest today.',
  }),
  'time-zone': input(
    z.prefault(
      text.check(z.refine(isTimeZone, 'a time zone of the IANA database, such as Europe/Berlin')),
      'UTC',
    ),
    { description: 'Where weeks and months begin: an IANA time zone.' },
  ),
  compare: input(z.prefault(oneOf(['previous', 'none']), 'previous'), {
    description: 'Compare with the window before (`previous`), or with nothing (`none`).',
  }),
  pages: input(z.optional(globs), {
    description:
      'Globs of the pages the report is about, on separate lines; `!` excludes, the last match decides. The totals stay the site’s, and the files hold every page.',
  }),
  top: input(z.prefault(wholeNumber(1, 1000), '10'), {
    description: 'How many pages a list of pages has at most, 1 to 1000.',
  }),
  'section-depth': input(z.prefault(wholeNumber(1, 10), '1'), {
    description: 'How many path segments make a section, 1 to 10.',
  }),
  charts: input(z.prefault(oneOf(['mermaid', 'text', 'none']), 'mermaid'), {
    description: 'The chart of the report: `mermaid`, `text`, or `none`.',
  }),
  alerts: input(z.optional(alertRules), {
    description:
      'Alert rules, on separate lines: `total < -30%`, `ai-share > 60%`, `human /guides/** < -50% min 50`; of several projects for one alone: `Name: total < -30%`. A page’s change must be more than chance explains.',
  }),
  'max-requests': maxRequestsInput,
  'report-dir': input(z.optional(text), {
    description: 'A directory for the report as Markdown, CSV and JSON files.',
  }),
  'history-file': input(z.optional(text), {
    description:
      'A JSON Lines file of windows read before: they cost no requests again, and make the trend. Keep it in a cache or a branch.',
  }),
  thread: threadInput,
});

/** What only shows when inputs are looked at together, or with the disk: no window that is over, no place to write to. */
export function visitorsProblems(given: RawInputs, surroundings: Surroundings): InputProblem[] {
  return [
    ...windowProblems(given, surroundings),
    ...placeProblems(given, surroundings),
    ...strangerProblems(given),
  ];
}

/** Rules for a project that is none of the run's. Wrong projects and wrong rules are reported by their own schemas. */
function strangerProblems({ 'project-id': given, alerts = '' }: RawInputs): InputProblem[] {
  const projects = projectList.safeParse(given).data ?? [];
  if (projects.length === 0) return [];
  const strangers = parseAlertRules(alerts)
    .rules.filter((rule) => !projects.some((project) => isFor(rule, project)))
    .flatMap(({ project = [] }) => project);
  if (strangers.length === 0) return [];
  const names = projects.map(({ name }) => name).join(', ');
  return [
    {
      input: 'alerts',
      got: mistakesIn([...new Set(strangers)]),
      takes: `before the colon of a rule the name or the id of a project: ${names}`,
    },
  ];
}

function windowProblems(given: RawInputs, surroundings: Surroundings): InputProblem[] {
  const { period = 'last-week', 'date-from': from, 'date-to': to, 'time-zone': zone = 'UTC' } = given;
  const problem = (name: string, got: string | undefined, takes: string) => ({ input: name, got, takes });
  const dates = [
    { name: 'date-from', value: from },
    { name: 'date-to', value: to },
  ];
  if (period !== 'custom') {
    // A wrong `period` is reported by its own schema; whether dates belong to it is then unknown.
    if (!periodKinds.some((known) => known === period)) return [];
    return dates
      .filter(({ value }) => value !== undefined)
      .map(({ name, value }) =>
        problem(name, value, 'a date only with `period: custom`; leave it out, or set that'),
      );
  }
  const lacking = dates.filter(({ value }) => value === undefined);
  if (lacking.length > 0) {
    return lacking.map(({ name }) =>
      problem(name, undefined, '`period: custom` needs a date here, as YYYY-MM-DD'),
    );
  }
  // Wrong dates and time zones are reported by their own schemas.
  if (from === undefined || to === undefined || !isDate(from) || !isDate(to) || !isTimeZone(zone)) return [];
  if (from >= to) return [problem('date-to', to, `a date after date-from (${from}), since it is exclusive`)];
  const day = today(surroundings.now(), zone);
  if (to <= day) return [];
  return [
    problem(
      'date-to',
      to,
      `a date up to today (${day} in ${zone}), so that every day of the window is over; this window lies ${from > day ? '' : 'partly '}in the future`,
    ),
  ];
}

function placeProblems(given: RawInputs, surroundings: Surroundings): InputProblem[] {
  const { 'report-dir': directory, 'history-file': file } = given;
  const inDirectory = directory === undefined ? undefined : surroundings.directoryProblem(directory);
  const inFile = file === undefined ? undefined : surroundings.fileProblem(file);
  return [
    ...(inDirectory === undefined
      ? []
      : [{ input: 'report-dir', got: directory, takes: `a directory that can be written (${inDirectory})` }]),
    ...(inFile === undefined
      ? []
      : [{ input: 'history-file', got: file, takes: `a file that can be read and written (${inFile})` }]),
  ];
}
