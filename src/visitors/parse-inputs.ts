import { globProblem, globsProblem } from '../core/globs.ts';
import { mistakesIn } from '../core/inputs/inputs.ts';
import { type AlertRule, parseAlertRules } from './judge/alert-rules.ts';
import { isDate, isTimeZone } from './read/window.ts';

/*
 * Parses dates, time zones, globs, and alert rules. Each `…Problem` says what is wrong with an input, or returns
 * `undefined`.
 */

/** No documentation had analytics of this kind before then. */
const earliest = '2000-01-01';

export function dateProblem(value: string): string | undefined {
  if (!isDate(value)) return 'must be a date, as YYYY-MM-DD';
  return value < earliest ? `must be ${earliest} or later` : undefined;
}

export function zoneProblem(value: string): string | undefined {
  return isTimeZone(value) ? undefined : 'must be an IANA time zone, such as Europe/Berlin';
}

export function pagesProblem(globs: readonly string[]): string | undefined {
  return globsProblem(globs, (glob) => globProblem(glob) ?? listProblem(glob));
}

/** Several globs on one line are a mistake, but inside braces and brackets, a comma and a space belong to the glob. */
function listProblem(glob: string): string | undefined {
  const outside = glob.replace(/\{[^{}]*\}|\[[^\]]*\]/g, '');
  if (outside !== glob) return listProblem(outside);
  return /,\s/.test(outside)
    ? 'put each glob on its own line; if a path really contains a comma and a space, write `,?`'
    : undefined;
}

/** The alert rules, or what is wrong with them. */
export function alertRulesIn(value: string): readonly AlertRule[] | string {
  const { rules, mistakes } = parseAlertRules(value);
  if (mistakes.length === 0) return rules;
  return `must have one rule per line, such as \`total unusual\` or \`human < -30%\`\nFound: ${mistakesIn(mistakes)}.`;
}
