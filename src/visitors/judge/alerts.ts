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
    const why = whyUnchecked(rule, now, before);
    if (why !== undefined) return { rule, state: 'unchecked', why };
    const hits =
      rule.glob === undefined ? siteHits(rule, now, before) : pageHits(rule, now, before, rule.glob);
    return hits.length === 0 ? { rule, state: 'quiet' } : { rule, state: 'fired', hits };
  });
}

/** Why a rule cannot be checked. The totals are known even of a window cut short; the pages are not. */
function whyUnchecked(
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

function siteHits(rule: AlertRule, now: WindowRead, before: WindowRead | undefined): AlertHit[] {
  const found = hit(rule, undefined, now.totals, before?.totals);
  return found === undefined ? [] : [found];
}

/** Checks each page by itself, never their sum: unique visitors of several pages do not add up. */
function pageHits(
  rule: AlertRule,
  now: WindowRead,
  before: WindowRead | undefined,
  glob: string,
): AlertHit[] {
  const paths = new Set([...now.rows.keys(), ...(before?.rows.keys() ?? [])]);
  return [...paths]
    .filter(pageMatcher(glob))
    .flatMap((path) => hit(rule, path, now.rows.get(path) ?? nobody, before?.rows.get(path)) ?? [])
    .sort((a, b) => larger(b) - larger(a));
}

/** Checks the rule for one page, or for the site (no `path`); `undefined` where it does not hold. */
function hit(
  { subject, operator, threshold, min }: AlertRule,
  path: string | undefined,
  now: VisitorsTotals,
  before: VisitorsTotals | undefined,
): AlertHit | undefined {
  const isShare = subject === 'ai-share';
  const counted = isShare ? 'total' : subject;
  const [visitors, earlier] = [now[counted], before?.[counted]];
  // A share is about this window alone.
  const most = isShare ? visitors : Math.max(visitors, earlier ?? 0);
  const percent = isShare ? aiShare(now) : changePercent(visitors, earlier ?? 0);
  if (most < min || percent === undefined || !holds[operator](percent, threshold)) return undefined;
  return { path, percent, now: visitors, before: earlier };
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
