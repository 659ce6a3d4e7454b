import { globProblem, globsTake } from '../core/globs.ts';
import { mistakesIn } from '../core/inputs/inputs.ts';
import { isDate, isTimeZone } from '../report/window.ts';
import { type AlertRule, describeMistake, parseAlertRules } from './alert-rules.ts';

/*
 * What reads dates, time zones, globs and alert rules. Each `…Takes` gives what its input takes instead of a wrong value, and
 * `undefined` for a right one.
 */

/** No service of this kind has counted anything before. */
const earliest = '2000-01-01';

export function dateTakes(value: string): string | undefined {
  if (!isDate(value)) return 'a date that exists, as YYYY-MM-DD';
  return value < earliest ? `a date from ${earliest} on` : undefined;
}

export function zoneTakes(value: string): string | undefined {
  return isTimeZone(value) ? undefined : 'a time zone of the IANA database, such as Europe/Berlin';
}

export function pagesTake(globs: readonly string[]): string | undefined {
  return globsTake(
    'page globs, on separate lines, such as `/guides/**` or `!/drafts/**`',
    globs,
    (glob) => globProblem(glob) ?? listProblem(glob),
  );
}

/** Several globs on one line are a mistake. In braces and brackets a comma and a space are part of a glob. */
function listProblem(glob: string): string | undefined {
  const outside = glob.replace(/\{[^{}]*\}|\[[^\]]*\]/g, '');
  if (outside !== glob) return listProblem(outside);
  return /,\s/.test(outside)
    ? 'several stand on separate lines; write `,?` for a comma and a space of a path'
    : undefined;
}

/** The alert rules, or what the input takes instead. */
export function readAlertRules(value: string): readonly AlertRule[] | string {
  const { rules, mistakes } = parseAlertRules(value);
  if (mistakes.length === 0) return rules;
  return `one rule a line, such as \`total < -30%\` or \`human /guides/** < -50% min 50\`; ${mistakesIn(mistakes.map(describeMistake))}`;
}
