import type { VisitorsRow, VisitorsTotals } from '../../service/schemas.ts';
import { counted } from '../../text/counts.ts';
import type { SiteWindows } from '../read/read-sites.ts';
import {
  type Cut,
  countUsable,
  hasPages,
  isSilent,
  lackOf,
  minWeeks,
  type RangeOf,
  type WindowRead,
} from '../read/window-read.ts';
import { changeFrom, compareToPercent, type Fraction } from './numbers.ts';
import { byVisitors, fewVisitors, pageFilter, sectionsByPath, sumSections } from './site-pages.ts';
import { usualShare, usualTotal } from './usual.ts';
import { usualPages } from './usual-pages.ts';

/** The result of comparing a site's windows. */
export type Findings = ReturnType<typeof findingsOf>;

/** Why there is no usual range: the end of a sentence, and the cut if there might be a range without it. */
export interface NoRange {
  readonly said: string;
  readonly cut?: Cut | undefined;
}

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
  const compared = isWhole && before?.cut === undefined ? before : undefined;
  const listed = (some: readonly VisitorsRow[], isListed: (path: string) => boolean) =>
    some.filter(({ path, total }) => total >= minForNew && isListed(path)).toSorted(byVisitors);
  const wasVisited = (path: string) =>
    compared?.rows.get(path)?.total || earlier.some((past) => hasPages(past) && past.rows.get(path)?.total);
  const sectionOf = sectionsByPath([...rows, ...rowsBefore], sectionDepth);
  const isRead = isWhole && !isSilent(now);
  const unusual = isSilent(now) ? [] : unusualIn(now, earlier).filter(({ path }) => isChosen(path));
  const risen = unusual.filter(({ side }) => side === 'more');
  return {
    change: changeFrom(before?.totals.total, now.totals.total),
    usual: usualTotals(now, earlier),
    /** The latest window that had so many visitors that having none now is alarming. */
    lastBusy: isSilent(now) ? earlier.findLast(({ totals: { total = 0 } }) => total >= loudAfter) : undefined,
    unusual,
    /** Whether AI, and not people, made most of the pages rise: AI that came, or AI that wasn't counted before. */
    risenByAi:
      2 * risen.filter(({ isCrawled }) => isCrawled).length > risen.length &&
      (earlier.some((past) => isRecounted(past, now)) ? ('recounted' as const) : ('crawl' as const)),
    /** Why the total has no usual range, and why no page has one; `undefined` if they do. */
    whyNoRange: whyNoRange(now, earlier, 'totals'),
    whyNoPages: whyNoRange(now, earlier, 'pages'),
    /** If the window is incomplete, only pages that no unread page can outrank. */
    maxVisited: isWhole ? rows.filter(({ total }) => total > 0).toSorted(byVisitors) : certainTop(now, rows),
    sections: isRead ? [...sumSections(rows, sectionOf).values()].toSorted(byVisitors) : undefined,
    sectionsBefore: compared && sumSections(rowsBefore, sectionOf),
    /** The page with the largest AI share comes first. */
    mostlyAi: isRead ? mostlyAiOf(rows) : undefined,
    /** Pages that had no visitors in any earlier window for which there is data. */
    appeared: compared && listed(rows, (path) => !wasVisited(path)),
    /** Pages with visitors in the previous window, but not in this one. */
    gone: compared && listed(rowsBefore, (path) => !now.rows.get(path)?.total),
  };
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
  const rangeOf = (kind: keyof VisitorsTotals) => {
    const count = now.totals[kind];
    const counts = earlier.map((past) => {
      const then = isOther(kind, past, now) ? undefined : past.totals[kind];
      return then && then * scaleOf(past, now);
    });
    return count === undefined ? undefined : usualTotal(counts, count);
  };
  const share = aiShare(now.totals);
  const shares = earlier.map((past) => (isOther('ai', past, now) ? undefined : aiShare(past.totals)));
  return {
    total: rangeOf('total'),
    human: rangeOf('human'),
    ai: rangeOf('ai'),
    share: share && usualShare(shares, share),
  };
}

/** Whether an earlier window can't be used: it had no visitors, or counted AI differently. */
function isOther(kind: keyof VisitorsTotals, past: WindowRead, now: WindowRead): boolean {
  return isSilent(past) || (kind !== 'human' && isRecounted(past, now));
}

function isRecounted(past: WindowRead, now: WindowRead): boolean {
  return past.window.start < aiRecountedOn && now.window.end > aiRecountedOn;
}

/** What to multiply an earlier window's counts by, because months differ in length. */
function scaleOf(past: WindowRead, now: WindowRead): number {
  return now.window.days / past.window.days;
}

function unusualIn(now: WindowRead, earlier: readonly WindowRead[]) {
  const weeks = earlier.filter(hasPages).map((past) => ({ rows: past.rows, scale: scaleOf(past, now) }));
  const before = earlier.at(-1);
  const isNext = before !== undefined && hasPages(before);
  return usualPages({ rows: now.rows, scale: 1 }, weeks, isNext).map((page) => ({
    ...page,
    /** Its visitors in each earlier window, oldest first; `undefined` if unknown. */
    visits: earlier.map((past) => (hasPages(past) ? (past.rows.get(page.path)?.total ?? 0) : undefined)),
  }));
}

/** Why there is no usual range; `undefined` if there is one, or if nothing is compared. */
function whyNoRange(now: WindowRead, earlier: readonly WindowRead[], range: RangeOf): NoRange | undefined {
  const { noun } = now.window;
  const same = range === 'totals' ? earlier.filter((past) => !isRecounted(past, now)) : earlier;
  const { usable, unread } = countUsable(same, range);
  if (earlier.length === 0 || usable >= minWeeks) return undefined;
  const takes = `it takes ${minWeeks} earlier ${noun}s`;
  if (earlier.length < minWeeks) return { said: `${takes}, and \`baseline\` is lower` };
  if (usable + unread.length >= minWeeks) {
    const weeks = counted(unread.length, `earlier ${noun}`);
    const what = range === 'pages' ? `the pages of ${weeks}` : weeks;
    return {
      said: `${what} ${weeks === what && unread.length === 1 ? 'wasn’t' : 'weren’t'} read`,
      cut: unread.map(lackOf)[0],
    };
  }
  const since =
    same === earlier || same.length === earlier.length
      ? ''
      : ' since July 31, 2026, when the service began to count AI differently';
  const has = `${unread.length > 0 ? 'at most ' : ''}${usable + unread.length}${since}`;
  return { said: `${takes} with visitors; this site has ${has}` };
}

/** The pages that no unread page can outrank: in a list sorted by visitors, those with more than its last row. */
function certainTop(read: WindowRead, chosen: readonly VisitorsRow[]): VisitorsRow[] | undefined {
  const totals = Array.from(read.rows.values(), ({ total }) => total);
  const isRanked = !read.mayLackRows && totals.every((total, index) => total <= (totals[index - 1] ?? total));
  const last = totals.at(-1) ?? 0;
  const certain = isRanked ? chosen.filter(({ total }) => total > last) : [];
  return certain.length === 0 ? undefined : certain.toSorted(byVisitors);
}

/** Pages with at least 20 visitors, more than half of them AI; `undefined` if the service didn't count AI on every page. */
function mostlyAiOf(rows: readonly VisitorsRow[]): VisitorsRow[] | undefined {
  if (rows.some(({ ai }) => ai === undefined)) return undefined;
  const sizeOf = ({ ai = 0, total }: VisitorsRow) => ai / total;
  const isMostlyAi = (row: VisitorsRow) => {
    const share = row.total < fewVisitors ? undefined : aiShare(row);
    return share !== undefined && compareToPercent(share, 50) > 0;
  };
  return rows.filter(isMostlyAi).toSorted((a, b) => sizeOf(b) - sizeOf(a) || byVisitors(a, b));
}
