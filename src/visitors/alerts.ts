import type { VisitorsTotals } from '../service/schemas.ts';
import type { AlertOperator, AlertRule } from './alert-rules.ts';
import { hasNoVisits } from './compare.ts';
import type { WindowRead } from './export.ts';
import { aiShare, changePercent } from './figures.ts';
import { pageGlob } from './globs.ts';

/** Something that a rule found: the site, or one page. */
export interface AlertHit {
  readonly path: string | undefined;
  /** The change or the share, in per cent. */
  readonly percent: number;
  /** Visitors of the rule's subject, for `ai-share` of all. */
  readonly now: number;
  readonly before: number | undefined;
}

/** What became of a rule. `unchecked` is not `quiet`: what it asks about is not known. */
export type AlertVerdict =
  | { readonly rule: AlertRule; readonly state: 'fired'; readonly hits: readonly AlertHit[] }
  | { readonly rule: AlertRule; readonly state: 'quiet' }
  | { readonly rule: AlertRule; readonly state: 'unchecked'; readonly why: string };

const nobody: VisitorsTotals = { human: 0, ai: 0, total: 0 };

/** Holds every rule against two windows, and says nothing where the data that it needs is missing. */
export function checkAlerts(
  rules: readonly AlertRule[],
  now: WindowRead,
  before: WindowRead | undefined,
): AlertVerdict[] {
  return rules.map((rule) => {
    const why = missing(rule, now, before);
    if (why !== undefined) return { rule, state: 'unchecked', why };
    const hits =
      rule.glob === undefined ? siteHits(rule, now, before) : pageHits(rule, now, before, rule.glob);
    return hits.length === 0 ? { rule, state: 'quiet' } : { rule, state: 'fired', hits };
  });
}

/** Why a rule cannot be checked. The totals are known even of a window cut short; the pages are not. */
function missing(rule: AlertRule, now: WindowRead, before: WindowRead | undefined): string | undefined {
  if (hasNoVisits(now)) return 'no visits were recorded';
  if (rule.glob !== undefined && now.cut !== undefined) return 'not all pages were read';
  if (rule.subject === 'ai-share') return undefined;
  if (before === undefined) return 'there is no window to compare with';
  if (hasNoVisits(before)) return 'no visits were recorded in the window before';
  if (rule.glob !== undefined && before.cut !== undefined)
    return 'not all pages of the window before were read';
  return undefined;
}

function siteHits(rule: AlertRule, now: WindowRead, before: WindowRead | undefined): AlertHit[] {
  const found = hit(rule, undefined, now.totals, before?.totals);
  return found === undefined ? [] : [found];
}

/** Page by page, never as a sum: unique visitors of several pages do not add up. The largest pages first. */
function pageHits(
  rule: AlertRule,
  now: WindowRead,
  before: WindowRead | undefined,
  glob: string,
): AlertHit[] {
  const matches = pageGlob(glob);
  const gone = before === undefined ? [] : [...before.rows.keys()].filter((path) => !now.rows.has(path));
  return [...now.rows.keys(), ...gone]
    .filter(matches)
    .flatMap((path) => hit(rule, path, now.rows.get(path) ?? nobody, before?.rows.get(path)) ?? [])
    .sort((a, b) => weight(b) - weight(a));
}

function hit(
  { subject, operator, threshold, min }: AlertRule,
  path: string | undefined,
  now: VisitorsTotals,
  before: VisitorsTotals | undefined,
): AlertHit | undefined {
  const counted = subject === 'ai-share' ? 'total' : subject;
  const [visitors, earlier] = [now[counted], before?.[counted]];
  const enough = Math.max(visitors, subject === 'ai-share' ? 0 : (earlier ?? 0)) >= min;
  const percent = subject === 'ai-share' ? aiShare(now) : changePercent(visitors, earlier ?? 0);
  if (!enough || percent === undefined || !holds(percent, operator, threshold)) return undefined;
  return { path, percent, now: visitors, before: earlier };
}

function holds(value: number, operator: AlertOperator, threshold: number): boolean {
  switch (operator) {
    case '<':
      return value < threshold;
    case '<=':
      return value <= threshold;
    case '>':
      return value > threshold;
    case '>=':
      return value >= threshold;
  }
}

function weight({ now, before }: AlertHit): number {
  return Math.max(now, before ?? 0);
}
