import type { VisitorsTotals } from '../../service/schemas.ts';
import { hasNoVisits, type WindowRead } from '../read/window-read.ts';
import type { AlertOperator, AlertRule } from './alert-rules.ts';
import { aiShare, changePercent } from './figures.ts';
import { pageMatcher } from './globs.ts';

/** What made a rule fire: the site, or one page. */
export interface AlertHit {
  /** `undefined` for the site. */
  readonly path: string | undefined;
  /** The change or the share, in per cent. */
  readonly percent: number;
  /** Visitors that the rule is about (`ai-share`: all of them) in this window and in the one before. */
  readonly now: number;
  readonly before: number | undefined;
}

/** What a rule came to: it fired, it did not, or the data that it needs is missing. */
export type AlertResult =
  | FiredAlert
  | { readonly rule: AlertRule; readonly state: 'quiet' }
  | { readonly rule: AlertRule; readonly state: 'unchecked'; readonly why: string };

export interface FiredAlert {
  readonly rule: AlertRule;
  readonly state: 'fired';
  /** The most visited first. */
  readonly hits: readonly AlertHit[];
}

const nobody: VisitorsTotals = { human: 0, ai: 0, total: 0 };

/** Checks every rule against two windows. */
export function checkAlerts(
  rules: readonly AlertRule[],
  now: WindowRead,
  before: WindowRead | undefined,
): AlertResult[] {
  return rules.map((rule) => {
    const why = whyUnread(rule, now, before);
    if (why !== undefined) return { rule, state: 'unchecked', why };
    const places = placesOf(rule, now, before);
    if (places.length === 0) return { rule, state: 'unchecked', why: 'no page of either window matches' };
    // From nothing there is no change in per cent, however many come.
    const isShare = rule.subject === 'ai-share';
    const comparable = places.filter((place) => isShare || counts(rule, place).earlier !== 0);
    if (comparable.length === 0)
      return { rule, state: 'unchecked', why: 'there were none in the window before' };
    const hits = comparable.flatMap((place) => hit(rule, place) ?? []).sort((a, b) => larger(b) - larger(a));
    return hits.length === 0 ? { rule, state: 'quiet' } : { rule, state: 'fired', hits };
  });
}

/** What a rule is checked for: the site, or one page. */
interface Place {
  readonly path: string | undefined;
  readonly now: VisitorsTotals;
  /** `undefined` without a window before. */
  readonly earlier: VisitorsTotals | undefined;
}

/** Each page by itself, never their sum: unique visitors of several pages do not add up. */
function placesOf({ glob }: AlertRule, now: WindowRead, before: WindowRead | undefined): Place[] {
  if (glob === undefined) return [{ path: undefined, now: now.totals, earlier: before?.totals }];
  const paths = new Set([...now.rows.keys(), ...(before?.rows.keys() ?? [])]);
  return [...paths].filter(pageMatcher(glob)).map((path) => ({
    path,
    now: now.rows.get(path) ?? nobody,
    earlier: before && (before.rows.get(path) ?? nobody),
  }));
}

/** The visitors that a rule counts; of a share all of them. */
function counts({ subject }: AlertRule, { now, earlier }: Place) {
  const counted = subject === 'ai-share' ? 'total' : subject;
  return { now: now[counted], earlier: earlier?.[counted] };
}

/** Why a rule lacks the data that it needs. The totals are known even of a window cut short; the pages are not. */
function whyUnread(
  { glob, subject }: AlertRule,
  now: WindowRead,
  before: WindowRead | undefined,
): string | undefined {
  if (hasNoVisits(now)) return 'no visits were recorded';
  if (glob !== undefined && now.cut !== undefined) return 'not all pages were read';
  if (subject === 'ai-share') return undefined;
  if (before === undefined) return 'there is no window to compare with';
  if (hasNoVisits(before)) return 'no visits were recorded in the window before';
  if (glob !== undefined && before.cut !== undefined) return 'not all pages of the window before were read';
  return undefined;
}

/** Checks the rule for one place; `undefined` where it does not hold. */
function hit(rule: AlertRule, place: Place): AlertHit | undefined {
  const { now, earlier = 0 } = counts(rule, place);
  // A share is about this window alone.
  const isShare = rule.subject === 'ai-share';
  const percent = isShare ? aiShare(place.now) : changePercent(now, earlier);
  const isEnough = (isShare ? now : Math.max(now, earlier)) >= rule.min;
  if (!isEnough || percent === undefined || !holds[rule.operator](percent, rule.threshold)) return undefined;
  return { path: place.path, percent, now, before: place.earlier && earlier };
}

const holds: Readonly<Record<AlertOperator, (percent: number, threshold: number) => boolean>> = {
  '<': (percent, threshold) => percent < threshold,
  '<=': (percent, threshold) => percent <= threshold,
  '>': (percent, threshold) => percent > threshold,
  '>=': (percent, threshold) => percent >= threshold,
};

/** The visitors of the window that had more. */
function larger({ now, before }: AlertHit): number {
  return Math.max(now, before ?? 0);
}
