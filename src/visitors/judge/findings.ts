import type { VisitorsRow, VisitorsTotals } from '../../service/schemas.ts';
import type { NamedPage } from '../read/history.ts';
import type { SiteWindows } from '../read/read-sites.ts';
import type { Window } from '../read/window.ts';
import { type EarlierWindow, isSilent, type WindowRead } from '../read/window-read.ts';
import { changeFrom, compareToPercent, type Fraction } from './numbers.ts';
import { byVisitors, fewVisitors, pageFilter, sectionsByPath, sumSections } from './site-pages.ts';
import { sideOf, type Usual, usualShare, usualTotal } from './usual.ts';
import { usualPages } from './usual-pages.ts';

/** The result of comparing a site's windows. */
export type Findings = ReturnType<typeof findingsOf>;

/** Pages with fewer visitors are never called new or no longer visited, because many of them come and go every week. */
const fewestForNew = 10;

/** If an earlier window had this many visitors, a window without any is an alarm. */
const loudAfter = 100;

/** Since this day, the service counts reads of its Markdown pages as AI. Earlier counts aren't comparable. */
const aiRecountedOn = '2026-07-31';

/**
 * Compares a site's windows. If a window is incomplete, a result that can't be known is `undefined`. Lists are complete, with
 * the largest item first and ties sorted by path.
 * @param namedBefore the pages that the previous report listed.
 */
export function findingsOf(
  { windows, earlier }: Pick<SiteWindows, 'windows' | 'earlier'>,
  namedBefore: readonly NamedPage[],
  { pages, sectionDepth }: { readonly pages: readonly string[]; readonly sectionDepth: number },
) {
  const { now, before } = windows;
  const isChosen = pageFilter(pages);
  const chosen = (read: WindowRead | undefined) =>
    [...(read?.rows.values() ?? [])].filter(({ path }) => isChosen(path));
  const [rows, rowsBefore] = [chosen(now), chosen(before)];
  const isWhole = now.cut === undefined;
  const compared = isWhole && before?.cut === undefined ? before : undefined;
  const listed = (some: readonly VisitorsRow[], isListed: (path: string) => boolean) =>
    some.filter(({ path, total }) => total >= fewestForNew && isListed(path)).toSorted(byVisitors);
  const wasVisited = (path: string) =>
    compared?.rows.get(path)?.total || earlier.some(({ pages }) => pages?.get(path));
  const sectionOf = sectionsByPath([...rows, ...rowsBefore], sectionDepth);
  const isRead = isWhole && !isSilent(now);
  const { weeks, unusual } = unusualIn(now, earlier, namedBefore);
  return {
    change: changeFrom(before?.totals.total, now.totals.total),
    usual: {
      total: usualCount('total', now, earlier),
      human: usualCount('human', now, earlier),
      ai: usualCount('ai', now, earlier),
      share: usualAiShare(now, earlier),
    },
    /** The latest window that had so many visitors that having none now is alarming. */
    lastBusy: isSilent(now) ? earlier.findLast(({ totals: { total = 0 } }) => total >= loudAfter) : undefined,
    /** Includes pages that `pages` excludes, because what is usual is learned from the whole site. */
    named: unusual.flatMap(({ path, side }): NamedPage[] => (side === 'usual' ? [] : [[path, side]])),
    unusual: unusual.filter(({ path }) => isChosen(path)),
    /** The number of windows that pages are compared with; 1 if there is data for fewer than four. */
    windowsOfPages: weeks,
    /** If the window is incomplete, only pages that no unread page can outrank. */
    mostVisited: isWhole ? rows.filter(({ total }) => total > 0).toSorted(byVisitors) : certainTop(now, rows),
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

/** The relative change in a page's or a section's visitors; `undefined` if there were too few for a meaningful percentage. */
export function pageChange(before: number, now: number): Fraction | undefined {
  return before < fewVisitors ? undefined : changeFrom(before, now);
}

/**
 * The usual range of one of the site's totals. If windows differ in length, a second range is calculated per day, and a total
 * is unusual only if it is outside both.
 */
function usualCount(kind: keyof VisitorsTotals, now: WindowRead, earlier: readonly EarlierWindow[]) {
  const { window } = now;
  const count = now.totals[kind];
  if (count === undefined) return undefined;
  const measures = measuresOf(window, earlier, kind);
  const usualAt = (scaleOf: (past: EarlierWindow) => number) =>
    usualTotal(
      measures.map((past) => past?.totals[kind] && past.totals[kind] * scaleOf(past)),
      count,
    );
  const [raw, byDay] = [usualAt(() => 1), usualAt((past) => window.days / past.window.days)];
  if (raw === undefined || byDay === undefined) return undefined;
  const [low, high] = [Math.min(raw.low, byDay.low), Math.max(raw.high, byDay.high)];
  return { ...raw, low, high, side: sideOf(count, low, high) };
}

function usualAiShare({ window, totals }: WindowRead, earlier: readonly EarlierWindow[]): Usual | undefined {
  const weeks = measuresOf(window, earlier, 'ai').map((past) => past && aiShare(past.totals));
  const now = aiShare(totals);
  return now && usualShare(weeks, now);
}

/** The earlier windows. A window is `undefined` if it had no visitors or counted AI differently. */
function measuresOf(window: Window, earlier: readonly EarlierWindow[], kind: keyof VisitorsTotals) {
  const isOther = ({ start }: Window) => start < aiRecountedOn && window.end > aiRecountedOn;
  const isUnusable = (past: EarlierWindow) => isSilent(past) || (kind !== 'human' && isOther(past.window));
  return earlier.map((past) => (isUnusable(past) ? undefined : past));
}

function unusualIn(now: WindowRead, earlier: readonly EarlierWindow[], namedBefore: readonly NamedPage[]) {
  if (isSilent(now)) return { weeks: 0, unusual: [] };
  const counts = new Map(Array.from(now.rows.values(), ({ path, total }) => [path, total]));
  const isLastKnown = earlier.at(-1)?.pages !== undefined;
  const unusualLast = new Set(isLastKnown ? namedBefore.map(([path]) => path) : []);
  const judge = (scaleOf: (past: EarlierWindow) => number) =>
    usualPages({
      now: counts,
      isNowWhole: now.cut === undefined,
      unusualLast,
      weeks: earlier.flatMap((past) => (past.pages ? scaled(past.pages, scaleOf(past)) : [])),
    });
  const judged = judge(() => 1);
  const isOneLength = earlier.every(({ window }) => window.days === now.window.days);
  const byDay = isOneLength ? judged : judge(({ window }) => now.window.days / window.days);
  // A page without visitors is already listed as no longer visited.
  const unusual = judged.unusual.filter(
    ({ path, now: visitors, side }) => visitors > 0 && byDay.pages.get(path)?.side === side,
  );
  return {
    weeks: judged.weeks,
    unusual: unusual.map((page) => ({
      ...page,
      /** Whether the previous report also listed this page, on the same side. */
      isSecond: namedBefore.some(([path, side]) => path === page.path && side === page.side),
      /** Its visitors in each earlier window, oldest first; `undefined` if unknown. */
      visits: earlier.map(({ pages }) => pages && (pages.get(page.path) ?? 0)),
    })),
  };
}

function scaled(pages: ReadonlyMap<string, number>, scale: number): ReadonlyMap<string, number> {
  return scale === 1 ? pages : new Map(Array.from(pages, ([path, visitors]) => [path, visitors * scale]));
}

/**
 * The pages in an incomplete list that no unread page can outrank: those with more visitors than the last row. `undefined` if
 * there are none, or if the list isn't sorted by visitors.
 */
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
