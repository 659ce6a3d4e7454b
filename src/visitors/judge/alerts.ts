import type { VisitorsTotals } from '../../service/schemas.ts';
import { isSilent, type WindowRead, type Windows } from '../read/window-read.ts';
import type { AlertRule } from './alert-rules.ts';
import { aiShare, type Findings } from './findings.ts';
import { changeFrom, compareToPercent, type Fraction } from './numbers.ts';
import { byPath, pageMatcher } from './site-pages.ts';
import type { Usual } from './usual.ts';

/** The result of a rule: it fired, it didn't fire, or the data to check it is missing. */
export type AlertResult =
  | FiredAlert
  | { readonly rule: AlertRule; readonly state: 'unchecked'; readonly why: string }
  | { readonly rule: AlertRule; readonly state: 'quiet' };

export interface FiredAlert {
  readonly rule: AlertRule;
  readonly state: 'fired';
  /** The page with the most visitors comes first; ties are sorted by path. */
  readonly hits: readonly AlertHit[];
}

/** The site or the page that made a rule fire. */
export interface AlertHit {
  /** `undefined` for the site. */
  readonly path: string | undefined;
  /** The rule's change or share; `undefined` if it can't be computed. */
  readonly figure: Fraction | undefined;
  /** The visitors that the rule counts in this window. For `ai-share`, all visitors. */
  readonly now: number;
  /** The same count in the previous window, if there is one. */
  readonly before: number | undefined;
  readonly usual?: Usual;
}

/** Checks every rule against this window and the previous one. Only rules with `usual` use earlier windows. */
export function checkAlerts(
  rules: readonly AlertRule[],
  { now, before }: Windows,
  usual: Findings['usual'],
): AlertResult[] {
  return rules.map((rule) => {
    const hits =
      whyUnread(rule, now, before) ??
      whyUncounted(rule, now, '') ??
      (rule.threshold === 'usual' ? checkUsual(rule, now.totals, usual) : check(rule, now, before));
    if (typeof hits === 'string') return { rule, state: 'unchecked', why: hits };
    return hits.length === 0 ? { rule, state: 'quiet' } : { rule, state: 'fired', hits };
  });
}

/** Marks all rules as unchecked, for a project that could not be read. */
export function leaveUnchecked(rules: readonly AlertRule[]): AlertResult[] {
  return rules.map((rule) => ({ rule, state: 'unchecked', why: 'the project could not be read' }));
}

/** Checks a rule with `usual`. Returns the site if the rule fires, or why it can't be checked. */
function checkUsual(rule: AlertRule, totals: VisitorsTotals, ranges: Findings['usual']) {
  const { subject, operator, min } = rule;
  // Rules about `ai-share` can't use `usual`.
  const kind = subject === 'ai-share' ? 'total' : subject;
  const [usual, now = 0] = [ranges[kind], totals[kind]];
  if (usual === undefined) return 'there is no usual range yet';
  const isPast = usual.side === (operator === '<' ? 'fewer' : 'more') && Math.max(now, usual.high) >= min;
  return isPast ? [{ path: undefined, figure: undefined, now, before: undefined, usual }] : [];
}

/** Checks any other rule. Returns the site or the pages that make it fire, or why it can't be checked. */
function check(rule: AlertRule, now: WindowRead, before: WindowRead | undefined): AlertHit[] | string {
  const places = placesOf(rule, now, before);
  if (places.length === 0) return 'no page in either period matches';
  const isShare = rule.subject === 'ai-share';
  // A change from zero visitors and a share of zero visitors are undefined.
  if (places.every(({ figure }) => figure === undefined))
    return isShare
      ? 'there were no visitors, or more AI visitors than visitors in total, which is impossible'
      : 'there were none in the previous period';
  // Months differ in length, so a change must also exceed the threshold per day.
  const byDay = (place: AlertHit) =>
    isShare || before === undefined
      ? place.figure
      : changeFrom((place.before ?? 0) * now.window.days, place.now * before.window.days);
  return places
    .filter((place) => (isShare ? place.now : larger(place)) >= rule.min)
    .filter((place) => exceeds(rule, place.figure) && exceeds(rule, byDay(place)))
    .sort((a, b) => larger(b) - larger(a) || byPath(a, b));
}

/** Pages are checked one by one. Their visitors can't be added up, because one visitor may read several pages. */
function placesOf({ glob, subject }: AlertRule, now: WindowRead, before: WindowRead | undefined): AlertHit[] {
  const isShare = subject === 'ai-share';
  const kind = isShare ? 'total' : subject;
  const placeOf = (path: string | undefined, after: VisitorsTotals, earlier: VisitorsTotals | undefined) => {
    const counts = { now: after[kind] ?? 0, before: earlier && (earlier[kind] ?? 0) };
    const figure = isShare ? aiShare(after) : changeFrom(counts.before, counts.now);
    return { path, figure, ...counts };
  };
  if (glob === undefined) return [placeOf(undefined, now.totals, before?.totals)];
  const countsIn = ({ rows }: WindowRead, path: string) => rows.get(path) ?? { human: 0, ai: 0, total: 0 };
  return [...new Set([...now.rows.keys(), ...(before?.rows.keys() ?? [])])]
    .filter(pageMatcher(glob))
    .map((path) => placeOf(path, countsIn(now, path), before && countsIn(before, path)));
}

/** Why a rule can't be checked, if pages or the previous window are missing. */
function whyUnread(rule: AlertRule, now: WindowRead, before: WindowRead | undefined): string | undefined {
  const isOfPages = rule.glob !== undefined;
  if (isOfPages && now.cut !== undefined) return 'not all pages were read';
  if (rule.subject === 'ai-share') return isSilent(now) ? 'there were no visitors' : undefined;
  if (rule.threshold === 'usual') return undefined;
  if (before === undefined) return 'there is no previous period to compare with';
  if (isOfPages && before.cut !== undefined) return 'not all pages of the previous period were read';
  return whyUncounted(rule, before, ' for the previous period');
}

/** Why a rule can't be checked, if the service didn't count what the rule is about. */
function whyUncounted({ glob, subject }: AlertRule, read: WindowRead, which: string): string | undefined {
  const kinds = subject === 'ai-share' ? (['ai', 'total'] as const) : [subject];
  const counts = glob === undefined ? [read.totals] : [...read.rows.values()];
  if (counts.every((count) => kinds.every((kind) => count[kind] !== undefined))) return undefined;
  return `the service did not count it${glob === undefined ? '' : ' on every page'}${which}`;
}

function exceeds({ operator, threshold }: AlertRule, figure: Fraction | undefined): boolean {
  if (figure === undefined || threshold === 'usual') return false;
  const above = compareToPercent(figure, threshold);
  if (above === 0) return operator.endsWith('=');
  return operator.startsWith(above > 0 ? '>' : '<');
}

function larger({ now, before = 0 }: AlertHit): number {
  return Math.max(now, before);
}
