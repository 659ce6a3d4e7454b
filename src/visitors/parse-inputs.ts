import { mistakesIn } from '../core/inputs/inputs.ts';
import { type AlertRule, parseAlertRules } from './judge/alert-rules.ts';
import { isTimeZone } from './read/window.ts';

/** What is wrong with a time zone; `undefined` if nothing is. */
export function zoneProblem(value: string): string | undefined {
  return isTimeZone(value) ? undefined : 'must be an IANA time zone, such as Europe/Berlin';
}

/** The alert rules, or what is wrong with them. */
export function alertRulesIn(value: string): readonly AlertRule[] | string {
  const { rules, mistakes } = parseAlertRules(value);
  return mistakes.length === 0 ? rules : mistakesIn('rule', mistakes);
}
