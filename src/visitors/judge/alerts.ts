import type { SiteWindows } from '../read/read-sites.ts';
import type { WindowRead } from '../read/window-read.ts';
import type { AlertRule } from './alert-rules.ts';
import { aiShare, type Findings } from './findings.ts';
import { changeFrom, compareToPercent, type Fraction } from './numbers.ts';
import type { Usual } from './usual.ts';

/** The result of a rule: it fired, it didn't fire, or the data to check it is missing. */
export type AlertResult =
  | FiredAlert
  | { readonly rule: AlertRule; readonly state: 'unchecked'; readonly why: string }
  | { readonly rule: AlertRule; readonly state: 'quiet' };

export type FiredAlert = Compared & { readonly rule: AlertRule; readonly state: 'fired' };

/** What a rule compares: its figure, with the usual range or the window before if the rule is about that. */
interface Compared {
  /** A count is a part of 1. */
  readonly now: Fraction;
  readonly usual?: Usual;
  readonly change?: Fraction;
}

/** The counts that a figure needs, beginning with the one that `min` is about, and its usual range. */
const figures = {
  total: { needs: ['total'], range: 'total' },
  human: { needs: ['human'], range: 'human' },
  ai: { needs: ['ai'], range: 'ai' },
  'ai-share': { needs: ['total', 'ai'], range: 'share' },
} as const;

const withoutBefore = '`compare: none` leaves out earlier periods';

/** Checks every rule. The window before is compared as it is, even if one month is longer than the other. */
export function checkAlerts(
  rules: readonly AlertRule[],
  site: Pick<SiteWindows, 'now' | 'before'>,
  findings: Findings,
) {
  return rules.map((rule): AlertResult => {
    const compared = compare(rule, site, findings);
    if (typeof compared === 'string') return { rule, state: 'unchecked', why: compared };
    const isFired = isMet(rule, compared, site.now);
    return isFired ? { rule, state: 'fired', ...compared } : { rule, state: 'quiet' };
  });
}

/** Marks all rules as unchecked, for a project that could not be read. */
export function leaveUnchecked(rules: readonly AlertRule[]): AlertResult[] {
  return rules.map((rule) => ({ rule, state: 'unchecked', why: 'the project could not be read' }));
}

/** Returns what the rule compares, or why that is unknown. */
function compare(
  rule: AlertRule,
  { now, before }: Pick<SiteWindows, 'now' | 'before'>,
  findings: Findings,
): Compared | string {
  const { figure, condition } = rule;
  const value = figureIn(figure, now);
  if (typeof value === 'string') return value;
  if (condition.of === 'value') return { now: value };
  if (condition.of === 'range') {
    const usual = findings.usual[figures[figure].range];
    if (usual) return { now: value, usual };
    const why = findings.whyNoRange?.said ?? 'too few earlier periods have this figure';
    return `there is no usual range: ${before === undefined ? withoutBefore : why}`;
  }
  const { previousName } = now.window;
  if (before === undefined) return withoutBefore;
  const earlier = figureIn(figure, before);
  if (typeof earlier === 'string') return earlier;
  const change = changeFrom(earlier.part, value.part);
  return change === undefined ? `there were none in ${previousName}` : { now: value, change };
}

/** A figure of a window, or why it has none. */
function figureIn(figure: AlertRule['figure'], { totals, window }: WindowRead): Fraction | string {
  const { needs, range } = figures[figure];
  if (needs.some((kind) => totals[kind] === undefined)) return `it could not be read for ${window.label}`;
  if (range !== 'share') return { part: totals[range] ?? 0, whole: 1 };
  if (totals.total === 0) return 'there were no visitors';
  return aiShare(totals) ?? 'the service counted more AI visitors than visitors in total';
}

function isMet(rule: AlertRule, { now, usual, change }: Compared, { totals }: WindowRead): boolean {
  const { figure, condition, min } = rule;
  const [kind] = figures[figure].needs;
  const visitors = Math.max(totals[kind] ?? 0, usual?.high ?? 0, change?.whole ?? 0);
  if (visitors < min) return false;
  if (condition.of === 'range') return usual !== undefined && condition.sides.includes(usual.side);
  const above = compareToPercent(change ?? now, condition.percent);
  return above === 0
    ? condition.operator.endsWith('=')
    : condition.operator.startsWith(above > 0 ? '>' : '<');
}
