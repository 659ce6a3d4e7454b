import type { VisitorsRow, VisitorsTotals } from '../../service/schemas.ts';
import { counted } from '../../text/counts.ts';
import type { SiteWindows } from '../read/read-sites.ts';
import type { Cut, WindowRead } from '../read/window-read.ts';
import {
  hasPages,
  hasVisitors,
  isRanked,
  isSilent,
  lackOf,
  minWeeks,
} from '../read/window-read.ts';
import { changeFrom, type Fraction } from './numbers.ts';
import { byVisitors, pageFilter, sectionsByPath } from './site-pages.ts';
import { sum } from './statistics.ts';
import { rule } from './unusual-rows.ts';
import { slowChange, type UsualTotal, usualShare, usualTotal } from './usual.ts';
import { basisOf, countsOf, type Unusual, usualPages } from './usual-pages.ts';

/** The result of comparing a site's windows. */
export type Findings = Omit<ReturnType<typeof findingsOf>, 'counts'>;

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
  const chosen = ({ rows }: WindowRead) => [...rows.values()].filter(({ path }) => isChosen(path));
  const rows = chosen(now);
  const isWhole = now.cut === undefined;
  const isRead = isWhole && !isSilent(now);
  const basis = basisOf(now, earlier);
  const compared =
    isRead && before?.cut === undefined && basis?.rows === undefined ? before : undefined;
  const listed = (some: readonly VisitorsRow[], isListed: (path: string) => boolean) =>
    some.filter(({ path, total }) => total >= minForNew && isListed(path)).toSorted(byVisitors);
  // A page that wasn’t read may have as many visitors as the last one that was.
  const last = isRanked(now)
    ? ([...now.rows.values()].at(-1)?.total ?? 0)
    : Number.POSITIVE_INFINITY;
  const top = rows.filter(({ total }) => total > (isWhole ? 0 : last));
  const paths = new Set([now, ...earlier].values().flatMap((read) => read.rows.keys()));
  const sections = sectionsByPath(paths, sectionDepth);
  const rowsIn = Map.groupBy(isRead ? rows : [], ({ path }) => sections.get(path) ?? '/');
  const counts = countsOf(now, basis ?? { lists: isWhole ? earlier.filter(hasPages) : [] }, [
    ...paths,
  ]);
  const found = basis && !isSilent(now) ? usualPages(counts, earlier, sections, isChosen) : [];
  const risen = found.filter((row) => row.pages === undefined && row.side === 'more');
  const isCrawl = 2 * risen.filter(({ isCrawled }) => isCrawled).length > risen.length;
  const isOfCrawl = ({ isCrawled }: Unusual) => isCrawl && isCrawled;
  return {
    change: changeFrom(before?.totals.total, now.totals.total),
    ...usualTotals(now, earlier),
    /** The latest window that had so many visitors that having none now is alarming. */
    lastBusy: isSilent(now)
      ? earlier.findLast(({ totals: { total = 0 } }) => total >= loudAfter)
      : undefined,
    /** What pages are compared with; `undefined` if too little was read. */
    basis,
    counts,
    unusual: found.filter((row) => !isOfCrawl(row)),
    /** If AI, and not people, made most of the pages rise: those pages, and the sections that only AI made rise. */
    crawled: found.filter(isOfCrawl),
    /** Whether that may be AI that wasn't counted before. */
    isRecounted: earlier.some((past) => isRecounted(past, now)),
    /** How many earlier windows show what is usual for totals, and how many might, but weren't read. */
    usable: earlier.filter(hasVisitors).length,
    unread: earlier.filter(isUnread).length,
    /** Why the total has no usual range; `undefined` if it does. */
    whyNoRange: whyNoRange(now, earlier),
    /** If the window is incomplete, only pages that no unread page can outrank. */
    maxVisited: isWhole || top.length > 0 ? top.toSorted(byVisitors) : undefined,
    /** A person who reads several pages of a section is counted several times in its `total`. */
    sections: isRead
      ? Array.from(rowsIn, ([path, rows]) => {
          return { path, pages: rows.length, total: sum(rows.map(({ total }) => total)) };
        }).toSorted(byVisitors)
      : undefined,
    appeared: compared && listed(rows, isNewAfter(earlier.filter(hasPages))),
    /** Pages with visitors in the previous window, but not in this one. */
    gone: compared && listed(chosen(compared), (path) => !now.rows.get(path)?.total),
  };
}

/** Whether a page is new: not visited before the last three weeks, and hardly in those. With few weeks, not visited at all. */
function isNewAfter(weeks: readonly WindowRead[]) {
  const firstYoung = weeks.length < minWeeks ? weeks.length : weeks.length - rule.youngWeeks;
  return (path: string) =>
    weeks.every(
      ({ rows }, week) => (rows.get(path)?.total ?? 0) < (week < firstYoung ? 1 : minForNew),
    );
}

/** The share of AI visitors; `undefined` if there are no visitors, or if the counts contradict each other. */
export function aiShare({ ai, total }: VisitorsTotals): Fraction | undefined {
  return total && ai !== undefined && ai <= total ? { part: ai, whole: total } : undefined;
}

/** The usual ranges of the site's totals. Months differ in length, so they are compared per day. */
function usualTotals(now: WindowRead, earlier: readonly WindowRead[]) {
  /** Leaves out a window that had no visitors, or counted AI differently. */
  const usable = (kind: keyof VisitorsTotals) =>
    earlier.map((past) =>
      isSilent(past) || (kind !== 'human' && isRecounted(past, now)) ? undefined : past,
    );
  const counts = (kind: keyof VisitorsTotals) =>
    usable(kind).map((past) => {
      const count = past?.totals[kind];
      return past && count && (count * now.window.days) / past.window.days;
    });
  const rangeOf = (kind: keyof VisitorsTotals): UsualTotal | undefined => {
    const count = now.totals[kind];
    const range = count === undefined ? undefined : usualTotal(counts(kind), count);
    const trend = range?.trend.map(({ low, high }, at) => {
      const scale = (earlier[at]?.window ?? now.window).days / now.window.days;
      return { low: Math.round(low * scale), high: Math.round(high * scale) };
    });
    return range && trend && { ...range, trend };
  };
  const [share, shares] = [
    aiShare(now.totals),
    usable('ai').map((past) => past && aiShare(past.totals)),
  ];
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

const isUnread = ({ totals }: WindowRead) => totals.total === undefined;
const isRecounted = (past: WindowRead, now: WindowRead) =>
  past.window.start < aiRecountedOn && now.window.end > aiRecountedOn;

/** Why there is no usual range: the end of a sentence, what was cut, or how many windows a young site lacks. */
function whyNoRange(
  now: WindowRead,
  earlier: readonly WindowRead[],
): { said: string; cut?: Cut | undefined; lacking?: number } | undefined {
  const { noun } = now.window;
  const same = earlier.filter((past) => !isRecounted(past, now));
  const [usable, unread] = [same.filter(hasVisitors).length, same.filter(isUnread)];
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
