import * as z from 'zod/mini';
import { commonInputs, failOnInput, maxRequestsInput, threadInput } from '../core/inputs/common.ts';
import type { ConfigOf } from '../core/inputs/given.ts';
import { checked, lines, oneOf, refuse, text, wholeNumber } from '../core/inputs/inputs.ts';
import { mapped } from '../core/mapped.ts';

/*
 * Every mode loads these inputs to recognize inputs that belong to a different mode. Only visitors mode loads the code that
 * parses dates, globs, and alert rules.
 */

const parsers = () => import('./parse-inputs.ts');

const date = checked(text, async (value) =>
  z.iso.date().safeParse(value).success ? undefined : 'must be a date, as YYYY-MM-DD',
);
const timeZone = checked(text, async (value) => (await parsers()).zoneProblem(value));
const globs = checked(lines, async (value) => (await import('../core/globs.ts')).globsProblem(value));

const alertRules = mapped(text, async (value, context) => {
  const rules = (await parsers()).alertRulesIn(value);
  return typeof rules === 'string' ? refuse(context, rules) : rules;
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
  pages: z.prefault(globs, ''),
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
