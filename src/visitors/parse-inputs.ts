import { globProblem, globsProblem } from '../core/globs.ts';
import { mistakesIn } from '../core/inputs/inputs.ts';
import { type AlertRule, parseAlertRules } from './judge/alert-rules.ts';
import { isTimeZone } from './read/window.ts';

/* Each `…Problem` says what is wrong with an input, or returns `undefined`. */

export function zoneProblem(value: string): string | undefined {
  return isTimeZone(value) ? undefined : 'must be an IANA time zone, such as Europe/Berlin';
}

export function pagesProblem(globs: readonly string[]): string | undefined {
  return globsProblem(globs, globProblem);
}

/** The alert rules, or what is wrong with them. */
export function alertRulesIn(value: string): readonly AlertRule[] | string {
  const { rules, mistakes } = parseAlertRules(value);
  return mistakes.length === 0 ? rules : mistakesIn('rule', mistakes);
}
