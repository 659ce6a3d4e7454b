import type { VisitorsRow, VisitorsTotals } from '../../service/schemas.ts';
import { counted } from '../../text/counts.ts';
import type { SiteWindows } from '../read/read-sites.ts';
import {
  type Cut,
  countUsable,
  hasPages,
  isRanked,
  isSilent,
  lackOf,
  minWeeks,
  type WindowRead,
} from '../read/window-read.ts';
import { changeFrom, type Fraction } from './numbers.ts';
import { byVisitors, pageFilter, sectionsByPath, sumSections } from './site-pages.ts';
import { rule } from './unusual-rows.ts';
import { slowChange, type UsualTotal, usualShare, usualTotal } from './usual.ts';
import { basisOf, usualPages } from './usual-pages.ts';

/** The result of comparing a site's windows. */
export type Findings = ReturnType<typeof findingsOf>;

/** Pages with fewer visitors are never called new or no longer visited, because many of them come and go every week. */
const minForNew = 10;

/** If an earlier window had this many visitors, a window without any is an alarm. */
const loudAfter = 100;

/** Since this day, the service counts reads of its Markdown pages as AI. Earlier counts aren't comparable. */
const aiRecountedOn = '2026-07-31';

/** Compares a site's windows. What an incomplete window leaves unknown is `undefined`. Lists are complete, largest first. */
export function findingsOf(
  { now, before, earlier }: Omit<SiteWindows, 'project'>,
  { pages, sectionDepth }: { readonly pages: readonly string[]; readonly sectionDepth: number },
) {
  const isChosen = pageFilter(pages);
  const chosen = (read: WindowRead | undefined) =>
    [...(read?.rows.values() ?? [])].filter(({ path }) => isChosen(path));
  const [rows, rowsBefore] = [chosen(now), chosen(before)];
  const isWhole = now.cut === undefined;
  const isRead = isWhole && !isSilent(now);
  const compared = isRead && before?.cut === undefined ? before : undefined;
  const basis = basisOf(now, earlier);
  const areFirst = basis?.rows !== undefined;
  const listed = (some: readonly VisitorsRow[], isListed: (path: string) => boolean) =>
    some.filter(({ path, total }) => total >= minForNew && isListed(path)).toSorted(byVisitors);
  const paths = earlier.reduce((all, past) => all.union(past.rows), new Set(now.rows.keys()));
  const sections = sectionsByPath(paths, sectionDepth);
  const found = basis && !isSilent(now) ? usualPages(now, earlier, basis, sections, isChosen) : [];
  const risen = found.filter((row) => row.pages === undefined && row.side === 'more');
  const crawled = risen.filter(({ isCrawled }) => isCrawled);
  const isCrawl = 2 * crawled.length > risen.length;
  return {
    change: changeFrom(before?.totals.total, now.totals.total),
    ...usualTotals(now, earlier),
    /** The latest window that had so many visitors that having none now is alarming. */
    lastBusy: isSilent(now) ? earlier.findLast(({ totals: { total = 0 } }) => total >= loudAfter) : undefined,
    /** What pages are compared with; `undefined` if too little was read. */
    basis,
    unusual: isCrawl ? found.filter(({ isCrawled }) => !isCrawled) : found,
    /** If AI, and not people, made most of the pages rise: those pages, and the sections that only AI made rise. */
    crawled: isCrawl ? found.filter(({ isCrawled }) => isCrawled) : [],
    /** Whether that may be AI that wasn't counted before. */
    isRecounted: earlier.some((past) => isRecounted(past, now)),
    /** Why the total has no usual range; `undefined` if it does. */
    whyNoRange: whyNoRange(now, earlier),
    /** If the window is incomplete, only pages that no unread page can outrank. */
    maxVisited: isWhole ? rows.filter(({ total }) => total > 0).toSorted(byVisitors) : certainTop(now, rows),
    sections: isRead ? sumSections(rows, sections).toSorted(byVisitors) : undefined,
    appeared: areFirst || !compared ? undefined : listed(rows, isNewAfter(earlier.filter(hasPages))),
    /** Pages with visitors in the previous window, but not in this one. */
    gone: areFirst || !compared ? undefined : listed(rowsBefore, (path) => !now.rows.get(path)?.total),
  };
}

/** Whether a page is new: not visited before the last three weeks, and hardly in those. With few weeks, not visited at all. */
function isNewAfter(weeks: readonly WindowRead[]) {
  const firstYoung = weeks.length < minWeeks ? weeks.length : weeks.length - rule.youngWeeks;
  return (path: string) =>
    weeks.every(({ rows }, week) => (rows.get(path)?.total ?? 0) < (week < firstYoung ? 1 : minForNew));
}

/** The share of AI visitors; `undefined` if there are no visitors, or if the counts contradict each other. */
export function aiShare({ ai, total }: VisitorsTotals): Fraction | undefined {
  if (ai === undefined || total === undefined || total === 0 || ai > total) return undefined;
  return { part: ai, whole: total };
}

/** Visitors who count both as human and as AI, but only once in the total; 0 if the totals don't say. */
export function countBoth({ human = 0, ai = 0, total = human + ai }: VisitorsTotals): number {
  return total < Math.max(human, ai) ? 0 : Math.max(0, human + ai - total);
}

/** The usual ranges of the site's totals. Months differ in length, so they are compared per day. */
function usualTotals(now: WindowRead, earlier: readonly WindowRead[]) {
  const counts = (kind: keyof VisitorsTotals) =>
    earlier.map((past) => {
      const then = isOther(kind, past, now) ? undefined : past.totals[kind];
      return then && (then * now.window.days) / past.window.days;
    });
  const rangeOf = (kind: keyof VisitorsTotals): UsualTotal | undefined => {
    const count = now.totals[kind];
    const range = count === undefined ? undefined : usualTotal(counts(kind), count);
    if (range === undefined) return undefined;
    const trend = range.trend.map(({ low, high }, at) => {
      const scale = (earlier[at]?.window ?? now.window).days / now.window.days;
      return { low: Math.round(low * scale), high: Math.round(high * scale) };
    });
    return { ...range, trend };
  };
  const share = aiShare(now.totals);
  const shares = earlier.map((past) => (isOther('ai', past, now) ? undefined : aiShare(past.totals)));
  return {
    usual: {
      total: rangeOf('total'),
      human: rangeOf('human'),
      ai: rangeOf('ai'),
      share: share && usualShare(shares, share),
    },
    slow: now.totals.total ? slowChange(counts('total'), now.totals.total) : undefined,
  };
}

/** Whether an earlier window can't be used: it had no visitors, or counted AI differently. */
function isOther(kind: keyof VisitorsTotals, past: WindowRead, now: WindowRead): boolean {
  return isSilent(past) || (kind !== 'human' && isRecounted(past, now));
}

function isRecounted(past: WindowRead, now: WindowRead): boolean {
  return past.window.start < aiRecountedOn && now.window.end > aiRecountedOn;
}

/**
 * Why there is no usual range: the end of a sentence; the cut if there might be one without it; how many windows with visitors
 * a young site lacks. `undefined` if there is one, or if nothing is compared.
 */
function whyNoRange(
  now: WindowRead,
  earlier: readonly WindowRead[],
): { said: string; cut?: Cut | undefined; lacking?: number } | undefined {
  const { noun } = now.window;
  const same = earlier.filter((past) => !isRecounted(past, now));
  const { usable, unread } = countUsable(same);
  if (earlier.length === 0 || usable >= minWeeks) return undefined;
  const takes = `it takes ${minWeeks} earlier ${noun}s`;
  if (earlier.length < minWeeks) return { said: `${takes}, and \`baseline\` is lower` };
  if (usable + unread.length >= minWeeks) {
    const said = `${counted(unread.length, `earlier ${noun}`)} ${unread.length === 1 ? 'wasn’t' : 'weren’t'} read`;
    return { said, cut: unread.map(lackOf)[0] };
  }
  if (same.length < earlier.length)
    return { said: `${takes} since July 31, 2026, when the service began to count AI differently` };
  const said = `${takes} with visitors; this site has ${unread.length > 0 ? 'at most ' : ''}${usable + unread.length}`;
  return unread.length > 0 ? { said } : { said, lacking: minWeeks - usable };
}

/** The pages that no unread page can outrank: in a list sorted by visitors, those with more than its last row. */
function certainTop(read: WindowRead, chosen: readonly VisitorsRow[]): VisitorsRow[] | undefined {
  const last = [...read.rows.values()].at(-1)?.total ?? 0;
  const certain = isRanked(read) ? chosen.filter(({ total }) => total > last) : [];
  return certain.length === 0 ? undefined : certain.toSorted(byVisitors);
}
