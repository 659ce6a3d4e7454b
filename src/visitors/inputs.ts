import * as z from 'zod/mini';
import { commonInputs, failOnInput, maxRequestsInput, threadInput } from '../core/inputs/common.ts';
import type { ConfigOf } from '../core/inputs/given.ts';
import { checked, input, lines, oneOf, refuse, text, wholeNumber } from '../core/inputs/inputs.ts';
import { periodKinds } from '../report/window-names.ts';

/*
 * Every mode knows these inputs, to say which mode they belong to. So only visitors mode loads what reads dates, globs and alert
 * rules.
 */

const readers = () => import('./read-inputs.ts');

const date = checked(text, async (value) => (await readers()).dateTakes(value));
const timeZone = checked(text, async (value) => (await readers()).zoneTakes(value));
const globs = checked(lines, async (value) => (await readers()).pagesTake(value));

const alertRules = z.pipe(
  text,
  z.transform(async (value, context) => {
    const rules = (await readers()).readAlertRules(value);
    return typeof rules === 'string' ? refuse(context, rules) : rules;
  }),
);

/** The inputs of visitors mode. */
export const visitorsInputs = z.object({
  ...commonInputs,
  'fail-on': failOnInput('incomplete', 'alert'),
  period: input(oneOf(periodKinds), {
    description:
      'The window of the report: `last-week` (the last whole ISO week), `last-4-weeks`, `last-month`, or `custom` with `date-from` and `date-to`.',
    default: 'last-week',
  }),
  'date-from': input(date, {
    description: 'First day of a custom window, `YYYY-MM-DD`, in 2000 at the earliest.',
  }),
  'date-to': input(date, {
    description:
      'End of a custom window, `YYYY-MM-DD`, exclusive: the window ends before that day. At the latest today.',
  }),
  'time-zone': input(timeZone, {
    description: 'Where weeks and months begin: an IANA time zone.',
    default: 'UTC',
  }),
  compare: input(oneOf(['previous', 'none']), {
    description: 'Compare with the window before (`previous`), or with nothing (`none`).',
    default: 'previous',
  }),
  pages: input(globs, {
    description:
      'Globs of the pages the report is about, on separate lines; `!` excludes, the last match decides. The totals stay the site’s, and the files hold every page.',
    default: '',
  }),
  top: input(wholeNumber(1, 1000), {
    description: 'How many pages a list of pages has at most, 1 to 1000.',
    default: '10',
  }),
  'section-depth': input(wholeNumber(1, 10), {
    description: 'How many path segments make a section, 1 to 10.',
    default: '1',
  }),
  charts: input(oneOf(['mermaid', 'text', 'none']), {
    description: 'The chart of the report: `mermaid`, `text`, or `none`.',
    default: 'mermaid',
  }),
  alerts: input(alertRules, {
    description:
      'Alert rules, on separate lines: `total < -30%`, `ai-share > 60%`, `human /guides/** < -50% min 50`; of several projects for one alone: `Name: total < -30%`. A page’s change must be more than chance explains.',
    default: '',
  }),
  'max-requests': maxRequestsInput,
  'report-dir': input(text, {
    description: 'A directory for the report as Markdown, CSV and JSON files.',
  }),
  'history-file': input(text, {
    description:
      'A JSON Lines file of windows read before: they cost no requests again, and make the trend. Keep it in a cache or a branch.',
  }),
  thread: threadInput,
});

/** What a run of visitors mode was asked to do. */
export type VisitorsConfig = ConfigOf<'visitors', typeof visitorsInputs>;
