import type { SiteWindows } from '../../read/read-sites.ts';
import type { WindowRead } from '../../read/window-read.ts';
import type { Findings } from '../findings.ts';
import { aiShare, changeFrom, compareToPercent, type Fraction } from '../numbers.ts';
import type { Usual } from '../usual.ts';
import type { NoRange } from '../usual-totals.ts';
import type { AlertRule } from './alert-rules.ts';

/** The result of a rule: it fired, it didn't fire, or the data to check it is missing. */
export type AlertResult = Readonly<
  | ({ rule: AlertRule; state: 'fired' } & Compared)
  | { rule: AlertRule; state: 'quiet' }
  | { rule: AlertRule; state: 'unchecked'; why: WhyUnchecked }
>;

/** The figure, with the usual range or change that the rule is about. A count is a part of 1. */
type Compared = Readonly<{ now: Fraction; usual?: Usual; change?: Fraction }>;

/** Why a rule wasn't checked. `period` is the name of the window that lacks the figure. */
export type WhyUnchecked = Readonly<
  | { cause: 'unread-project' | 'not-compared' | 'no-visitors' | 'contradiction' }
  | { cause: 'unread-figure' | 'none-before'; period: string }
  | { cause: 'no-range'; reason: NoRange | 'not-compared' | 'too-few' }
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
  return rules.map((rule) => {
    const compared = compare(rule, site, findings);
    if ('cause' in compared) return { rule, state: 'unchecked', why: compared };
    if (isMet(rule, compared)) return { rule, state: 'fired', ...compared };
    return { rule, state: 'quiet' };
  });
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

function isMet(rule: AlertRule, compared: Compared): boolean {
  const { condition } = rule;
  const { now, usual } = compared;
  const visitors = rule.figure === 'ai-share' ? now.whole : now.part;
  const usualVisitors = usual?.high ?? 0;
  const visitorsBefore = compared.change?.whole ?? 0;
  if (Math.max(visitors, usualVisitors, visitorsBefore) < rule.min) return false;
  if (condition.of === 'range') return usual !== undefined && condition.sides.includes(usual.side);
  const { operator, percent } = condition;
  const difference = compareToPercent(compared.change ?? now, percent);
  if (difference === 0) return operator.endsWith('=');
  if (difference > 0) return operator.startsWith('>');
  return operator.startsWith('<');
}
