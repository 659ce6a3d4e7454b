import { globProblem, globsTake } from '../core/globs.ts';
import { mistakesIn } from '../core/inputs/inputs.ts';
import { type AlertRule, parseAlertRules } from './judge/alert-rules.ts';
import { isDate, isTimeZone } from './read/window.ts';

/*
 * Parses dates, time zones, globs, and alert rules. Each `…Takes` returns what its input accepts if the value is wrong, and
 * `undefined` if it is valid.
 */

/** No documentation had analytics of this kind before then. */
const earliest = '2000-01-01';

export function dateTakes(value: string): string | undefined {
  if (!isDate(value)) return 'a valid date, as YYYY-MM-DD';
  return value < earliest ? `a date no earlier than ${earliest}` : undefined;
}

export function zoneTakes(value: string): string | undefined {
  return isTimeZone(value) ? undefined : 'an IANA time zone, such as Europe/Berlin';
}

export function pagesTake(globs: readonly string[]): string | undefined {
  return globsTake(
    'page globs, one per line, such as `/guides/**` or `!/drafts/**`',
    globs,
    (glob) => globProblem(glob) ?? listProblem(glob),
  );
}

/** Several globs on one line are a mistake, but inside braces and brackets, a comma and a space belong to the glob. */
function listProblem(glob: string): string | undefined {
  const outside = glob.replace(/\{[^{}]*\}|\[[^\]]*\]/g, '');
  if (outside !== glob) return listProblem(outside);
  return /,\s/.test(outside)
    ? 'put each glob on its own line; if a path really contains a comma and a space, write `,?`'
    : undefined;
}

/** The alert rules, or what the input accepts. */
export function alertRulesIn(value: string): readonly AlertRule[] | string {
  const { rules, mistakes } = parseAlertRules(value);
  if (mistakes.length === 0) return rules;
  return `one rule per line, such as \`total unusual\` or \`human < -30%\`. Found: ${mistakesIn(mistakes)}`;
}
