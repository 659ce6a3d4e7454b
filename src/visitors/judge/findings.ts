import type { PathFilter } from '../../core/globs.ts';
import type { VisitorsRow } from '../../service/schemas.ts';
import { ownWords, type Scrubbed } from '../../text/scrub.ts';
import type { SiteWindows } from '../read/read-sites.ts';
import {
  hasPages,
  hasVisitors,
  isRanked,
  isSilent,
  minWeeks,
  type WindowRead,
} from '../read/window-read.ts';
import { changeFrom } from './numbers.ts';
import { byVisitors, pageFilter, sectionsByPath } from './site-pages.ts';
import { sum } from './statistics.ts';
import { rule } from './unusual-rows.ts';
import { type Basis, basisOf, countsOf, type Unusual, usualPages } from './usual-pages.ts';
import { explainNoRange, isRecounted, isUnread, judgeTotals } from './usual-totals.ts';

/** The result of comparing a site's windows. */
export type Findings = ReturnType<typeof compareWindows>;

type Windows = Omit<SiteWindows, 'project'>;

/**
 * Pages with fewer visitors are never called new or no longer visited, because many of them come
 * and go every week.
 */
const minForNew = 10;

/** If an earlier window had this many visitors, a window without any is an alarm. */
const loudAfter = 100;

/**
 * Compares a site's windows. What an incomplete window leaves unknown is `undefined`. Lists are
 * complete, largest first.
 */
export function compareWindows(
  site: Windows,
  settings: { readonly pages: readonly string[]; readonly sectionDepth: number },
) {
  const { now, earlier } = site;
  const isChosen = pageFilter(settings.pages);
  const paths = new Set(
    [now, ...earlier].values().flatMap(({ rows }) => rows.values().map(({ path }) => path)),
  );
  const sectionOf = sectionsByPath(paths, settings.sectionDepth);
  const basis = basisOf(now, earlier);
  const comparable = earlier.filter((past) => now.cut === undefined && hasPages(past));
  const counts = countsOf(now, basis ?? { lists: comparable }, [...paths]);
  let standingOut: Unusual[] = [];
  if (basis !== undefined && !isSilent(now))
    standingOut = usualPages(counts, earlier, sectionOf, isChosen);
  return {
    change: changeFrom(site.before?.totals.total, now.totals.total),
    ...judgeTotals(now, earlier),
    /** Why the total has no usual range; `undefined` if it does. */
    whyNoRange: explainNoRange(now, earlier),
    /** How many earlier windows show what is usual for totals, and how many weren't read. */
    usable: earlier.filter(hasVisitors).length,
    unread: earlier.filter(isUnread).length,
    /** Whether AI may have visited before, too, but wasn't counted. */
    isRecounted: earlier.some((past) => isRecounted(past, now)),
    /** The latest window that had so many visitors that having none now is alarming. */
    lastBusy: findLastBusy(now, earlier),
    /** What pages are compared with; `undefined` if too little was read. */
    basis,
    /** What the pages that changed are compared by. */
    counts,
    ...separateCrawl(standingOut),
    maxVisited: listTop(now, isChosen),
    ...listPages(site, basis, isChosen, sectionOf),
  };
}

function findLastBusy(now: WindowRead, earlier: readonly WindowRead[]): WindowRead | undefined {
  if (!isSilent(now)) return undefined;
  return earlier.findLast(({ totals: { total = 0 } }) => total >= loudAfter);
}

/**
 * Tells a crawl apart: if AI, and not people, made most of the pages rise, those pages, and the
 * sections that only AI made rise.
 */
function separateCrawl(rows: readonly Unusual[]) {
  const risen = rows.filter((row) => row.pages === undefined && row.side === 'more');
  const isCrawl = 2 * risen.filter((page) => page.isCrawled).length > risen.length;
  const isOfCrawl = (row: Unusual) => isCrawl && row.isCrawled;
  return { unusual: rows.filter((row) => !isOfCrawl(row)), crawled: rows.filter(isOfCrawl) };
}

/** The most visited pages; of an incomplete window, those that no unread page can outrank. */
function listTop(now: WindowRead, isChosen: PathFilter): VisitorsRow[] | undefined {
  const rows = chooseRows(now, isChosen).toSorted(byVisitors);
  if (now.cut === undefined) return rows.filter(({ total }) => total > 0);
  // A page that wasn’t read may have as many visitors as the last one that was.
  const last = [...now.rows.values()].at(-1);
  if (last === undefined || !isRanked(now)) return undefined;
  const top = rows.filter(({ total }) => total > last.total);
  return top.length > 0 ? top : undefined;
}

/** The lists that need all pages of the window; two of them also need those of the one before. */
function listPages(
  site: Windows,
  basis: Basis | undefined,
  isChosen: PathFilter,
  sectionOf: ReadonlyMap<string, Scrubbed>,
) {
  const { now, before } = site;
  if (now.cut !== undefined || isSilent(now)) return {};
  const rows = chooseRows(now, isChosen);
  const rowsBySection = Map.groupBy(rows, ({ path }) => sectionOf.get(path) ?? ownWords('/'));
  const sections = Array.from(rowsBySection, ([path, pages]) => {
    // A person who reads several pages of a section is counted several times in its `total`.
    return { path, pages: pages.length, total: sum(pages.map(({ total }) => total)) };
  });
  sections.sort(byVisitors);
  if (before === undefined || before.cut !== undefined || basis?.rows !== undefined)
    return { sections };
  const isNew = isNewAfter(site.earlier.filter(hasPages));
  const isGone = (path: string) => !now.rows.get(path)?.total;
  return {
    sections,
    appeared: listLarge(rows, isNew),
    /** Pages with visitors in the previous window, but not in this one. */
    gone: listLarge(chooseRows(before, isChosen), isGone),
  };
}

/** The pages that are large enough to be called new or gone, if they are. */
function listLarge(
  rows: readonly VisitorsRow[],
  isListed: (path: string) => boolean,
): VisitorsRow[] {
  const large = rows.filter(({ path, total }) => total >= minForNew && isListed(path));
  return large.toSorted(byVisitors);
}

function chooseRows({ rows }: WindowRead, isChosen: PathFilter): VisitorsRow[] {
  return [...rows.values()].filter(({ path }) => isChosen(path));
}

/**
 * Whether a page is new: not visited before the last three weeks, and hardly in those. With few
 * weeks, not visited at all.
 */
function isNewAfter(weeks: readonly WindowRead[]) {
  const youngWeeks = weeks.length < minWeeks ? 0 : rule.youngWeeks;
  return (path: string) =>
    weeks.every(({ rows }, week) => {
      const visitors = rows.get(path)?.total ?? 0;
      const isYoung = week >= weeks.length - youngWeeks;
      return visitors === 0 || (isYoung && visitors < minForNew);
    });
}
