import { changeFrom, compareToPercent, type Fraction } from '../report/numbers.ts';
import { hasNoVisits, totalOf, type WindowRead } from '../report/window-read.ts';
import type { VisitorsTotals } from '../service/schemas.ts';
import type { AlertRule } from './alert-rules.ts';
import { type Counts, newsGate } from './chance.ts';
import { aiShare } from './figures.ts';
import { byPath, pageMatcher } from './pages.ts';

/** The result of a rule: it fired, it did not, or the data that it needs is missing. */
export type AlertResult =
  | FiredAlert
  | { readonly rule: AlertRule; readonly state: 'quiet'; readonly uncheckedPages: number }
  | { readonly rule: AlertRule; readonly state: 'unchecked'; readonly why: string };

export interface FiredAlert {
  readonly rule: AlertRule;
  readonly state: 'fired';
  /** Pages with as many visitors as the rule asks for, but without a figure to check. */
  readonly uncheckedPages: number;
  /** The most visited first, ties by path. */
  readonly hits: readonly AlertHit[];
}

/** What made a rule fire: the site, or one page. */
export interface AlertHit extends Place {
  readonly figure: Fraction;
}

/** What a rule is checked for: the site, or one page. */
interface Place {
  /** `undefined` for the site. */
  readonly path: string | undefined;
  /** The change or the share that the rule is about, if it can be computed. */
  readonly figure: Fraction | undefined;
  /** Visitors that the rule is about (`ai-share`: all of them) in this window. */
  readonly now: number;
  /** The same in the window before, if there is one. */
  readonly before: number | undefined;
}

/** Checks every rule against two windows. */
export function checkAlerts(
  rules: readonly AlertRule[],
  now: WindowRead,
  before: WindowRead | undefined,
): AlertResult[] {
  return rules.map((rule) => {
    const why = whyUnread(rule, now, before);
    return why === undefined ? check(rule, placesOf(rule, now, before)) : { rule, state: 'unchecked', why };
  });
}

/** The results of rules for a project of which nothing was read. */
export function leaveUnchecked(rules: readonly AlertRule[]): AlertResult[] {
  return rules.map((rule) => ({ rule, state: 'unchecked', why: 'nothing of the project could be read' }));
}

/** Why places of a rule have no figure that it could be checked for. */
export function whyNoFigure({ subject }: AlertRule): string {
  return subject === 'ai-share'
    ? 'there were no visitors, or more AI visitors than that, which cannot be'
    : 'there were none in the window before';
}

function check(rule: AlertRule, places: readonly Place[]): AlertResult {
  if (places.length === 0) return { rule, state: 'unchecked', why: 'no page of either window matches' };
  const checked = places.filter((place): place is AlertHit => place.figure !== undefined);
  // From nothing there is no change in per cent, however many come, and of no visitors there is no share.
  if (checked.length === 0) {
    const isEmpty = rule.subject === 'ai-share' && places.every(({ now }) => now === 0);
    return { rule, state: 'unchecked', why: isEmpty ? 'there were no visitors' : whyNoFigure(rule) };
  }
  const uncheckedPages = places.filter((one) => one.figure === undefined && hasEnough(rule, one)).length;
  // Of many pages some get past any threshold by chance. The site is one, and a share is no change: those are taken as they are.
  const isGated = rule.glob !== undefined && rule.subject !== 'ai-share';
  const isNews = newsGate(checked.map(countsOf));
  const hits = checked
    .filter((place) => hasEnough(rule, place) && exceeds(rule, place.figure))
    .filter((place) => !isGated || isNews(countsOf(place)))
    .sort((a, b) => larger(b) - larger(a) || byPath(a, b));
  return hits.length === 0
    ? { rule, state: 'quiet', uncheckedPages }
    : { rule, state: 'fired', uncheckedPages, hits };
}

/** Each page by itself, never their sum: unique visitors of several pages do not add up. */
function placesOf({ glob, subject }: AlertRule, now: WindowRead, before: WindowRead | undefined): Place[] {
  const isShare = subject === 'ai-share';
  const counted = isShare ? 'total' : subject;
  const placeOf = (path: string | undefined, after: VisitorsTotals, earlier: VisitorsTotals | undefined) => {
    const counts = { now: after[counted] ?? 0, before: earlier && (earlier[counted] ?? 0) };
    const figure = isShare ? aiShare(after) : changeFrom(counts.before ?? 0, counts.now);
    return { path, figure, ...counts };
  };
  if (glob === undefined) return [placeOf(undefined, now.totals, before?.totals)];
  const countsIn = ({ rows }: WindowRead, path: string) => rows.get(path) ?? { human: 0, ai: 0, total: 0 };
  return [...new Set([...now.rows.keys(), ...(before?.rows.keys() ?? [])])]
    .filter(pageMatcher(glob))
    .map((path) => placeOf(path, countsIn(now, path), before && countsIn(before, path)));
}

/** Why a rule lacks the data that it needs. The totals are known even of a window cut short; the pages are not. */
function whyUnread(rule: AlertRule, now: WindowRead, before: WindowRead | undefined): string | undefined {
  const isOfPages = rule.glob !== undefined;
  if (hasNoVisits(now)) return 'no visits were recorded';
  if (isOfPages && now.cut !== undefined) return 'not all pages were read';
  const uncounted = whyUncounted(rule, now, '');
  if (uncounted !== undefined || rule.subject === 'ai-share') return uncounted;
  if (before === undefined) return 'there is no window to compare with';
  if (hasNoVisits(before)) return 'no visits were recorded in the window before';
  if (isOfPages && before.cut !== undefined) return 'not all pages of the window before were read';
  return whyUncounted(rule, before, ' for the window before');
}

/** Why the service's figures for a window do not say what the rule is about. */
function whyUncounted({ glob, subject }: AlertRule, read: WindowRead, which: string): string | undefined {
  const kinds = subject === 'ai-share' ? (['ai', 'total'] as const) : [subject];
  const isCounted =
    glob === undefined
      ? kinds.every((kind) => totalOf(read, kind) !== undefined)
      : [...read.rows.values()].every((row) => kinds.every((kind) => row[kind] !== undefined));
  return isCounted
    ? undefined
    : `the service did not count it${glob === undefined ? '' : ' on every page'}${which}`;
}

/** Whether a place has the rule's `min`: of a share, which is about this window alone, in this window, otherwise in either. */
function hasEnough({ subject, min }: AlertRule, place: Place): boolean {
  return (subject === 'ai-share' ? place.now : larger(place)) >= min;
}

/** Whether a figure is past the rule's threshold. */
function exceeds({ operator, threshold }: AlertRule, figure: Fraction): boolean {
  const above = compareToPercent(figure, threshold);
  if (above === 0) return operator.endsWith('=');
  return operator.startsWith(above > 0 ? '>' : '<');
}

function countsOf({ now, before = 0 }: Place): Counts {
  return { now, before };
}

/** The visitors of the window that had more. */
function larger({ now, before = 0 }: Place): number {
  return Math.max(now, before);
}
