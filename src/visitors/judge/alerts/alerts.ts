import type { SiteWindows } from '../../read/read-sites.ts';
import type { WindowRead } from '../../read/window-read.ts';
import type { Findings } from '../findings.ts';
import type { UsualCount } from '../method/usual-count.ts';
import { aiShare, changeFrom, compareToPercent, type Fraction } from '../numbers.ts';
import type { TooFew } from '../people.ts';
import type { AlertRule } from './alert-rules.ts';

/** The result of a rule: it fired, it didn't fire, or the data to check it is missing. */
export type AlertResult = Readonly<
  | ({ rule: AlertRule; state: 'fired' } & Compared)
  | { rule: AlertRule; state: 'quiet' }
  | { rule: AlertRule; state: 'unchecked'; why: WhyUnchecked }
>;

/** The figure, with the usual range or change that the rule is about. A count is a part of 1. */
type Compared = Readonly<{ now: Fraction; usual?: UsualCount; change?: Fraction }>;

/** Why a rule wasn't checked. `period` is the name of the window that lacks the figure. */
export type WhyUnchecked = Readonly<
  | { cause: 'unread-project' | 'not-compared' | 'no-visitors' | 'contradiction' | 'varies' }
  | { cause: 'unread-figure' | 'none-before'; period: string }
  | { cause: 'no-range'; reason: TooFew | 'not-compared' | 'too-few' }
>;

/**
 * Checks every rule. The window before is compared as it is, even if one month is longer than the
 * other.
 */
export function checkAlerts(
  rules: readonly AlertRule[],
  site: SiteWindows,
  findings: Findings,
): AlertResult[] {
  return rules.map((rule) => checkRule(rule, compare(rule, site, findings)));
}

function checkRule(rule: AlertRule, compared: Compared | WhyUnchecked): AlertResult {
  if ('cause' in compared) return { rule, state: 'unchecked', why: compared };
  if (countVisitors(rule, compared) < rule.min) return { rule, state: 'quiet' };
  if (compared.usual?.side === 'varies')
    return { rule, state: 'unchecked', why: { cause: 'varies' } };
  if (isMet(rule, compared)) return { rule, state: 'fired', ...compared };
  return { rule, state: 'quiet' };
}

function compare(rule: AlertRule, site: SiteWindows, findings: Findings): Compared | WhyUnchecked {
  const { figure, condition } = rule;
  const now = readFigure(figure, site.now);
  if ('cause' in now) return now;
  if (condition.of === 'value') return { now };
  if (condition.of === 'range') {
    const usual = figure === 'ai-share' ? undefined : findings.usual[figure];
    if (usual !== undefined) return { now, usual };
    if (site.before === undefined) return { cause: 'no-range', reason: 'not-compared' };
    return { cause: 'no-range', reason: findings.whyNoRange ?? 'too-few' };
  }
  if (site.before === undefined) return { cause: 'not-compared' };
  const before = readFigure(figure, site.before);
  if ('cause' in before) return before;
  const change = changeFrom(before.part, now.part);
  if (change !== undefined) return { now, change };
  return { cause: 'none-before', period: site.now.window.previousName };
}

function readFigure(
  figure: AlertRule['figure'],
  { totals, window }: WindowRead,
): Fraction | WhyUnchecked {
  const unread = { cause: 'unread-figure', period: window.label } as const;
  if (figure !== 'ai-share') {
    const count = totals[figure];
    return count === undefined ? unread : { part: count, whole: 1 };
  }
  if (totals.ai === undefined || totals.total === undefined) return unread;
  if (totals.total === 0) return { cause: 'no-visitors' };
  return aiShare(totals) ?? { cause: 'contradiction' };
}

/** The visitors of the period, or what they are compared with if that is more. */
function countVisitors({ figure }: AlertRule, { now, usual, change }: Compared): number {
  const visitors = figure === 'ai-share' ? now.whole : now.part;
  const usualVisitors = usual?.high ?? 0;
  const visitorsBefore = change?.whole ?? 0;
  return Math.max(visitors, usualVisitors, visitorsBefore);
}

function isMet({ condition }: AlertRule, { now, usual, change }: Compared): boolean {
  if (condition.of === 'range') return usual !== undefined && condition.sides.includes(usual.side);
  const { operator, percent } = condition;
  const difference = compareToPercent(change ?? now, percent);
  if (difference === 0) return operator.endsWith('=');
  if (difference > 0) return operator.startsWith('>');
  return operator.startsWith('<');
}
