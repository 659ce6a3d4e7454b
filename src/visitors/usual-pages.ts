import type { Side } from '../report/numbers.ts';
import { byPath } from './pages.ts';
import { mean, median, sum, tLimit, tTail, variance } from './statistics.ts';
import { fewestWeeks, sideOf } from './usual.ts';

/*
 * Finds pages that are further from usual than their own swings explain. A page varies by counting noise, whose variance is its
 * mean, and by its own swing; both are learned from earlier weeks. The constants were chosen with the simulation in
 * `__tests__/support/usual-weeks/`, which prints how often this is wrong and what it finds.
 */

/** The visitors of each page, by path, in a week and in those right before it. */
export interface PageWeeks {
  readonly now: ReadonlyMap<string, number>;
  /** Whether a page missing in `now` had no visitors. Otherwise, it is not judged. */
  readonly isNowWhole: boolean;
  /** Oldest first, only complete weeks, in which a missing page had no visitors. */
  readonly weeks: readonly ReadonlyMap<string, number>[];
  /** Pages with unusual traffic last week. It may stay that way, so that week isn't a usual one. */
  readonly movedLast?: ReadonlySet<string>;
}

/** What is usual for a page: 95 of 100 unchanged weeks have `low` to `high` visitors, inclusive. */
export interface UsualPage {
  readonly path: string;
  readonly now: number;
  /** The mean of its weeks, scaled to the site's current level. Not rounded. */
  readonly baseline: number;
  readonly low: number;
  readonly high: number;
  /** How far `now` is from the baseline, where 1 is the edge of the range. */
  readonly distance: number;
  /** `usual` unless it is a mover. With many pages, some are outside their range by chance, so that alone isn't enough. */
  readonly side: Side;
}

/** What is usual for a site's pages. */
export interface UsualPages {
  /** How many weeks it was learned from: none, at least 4, or 1 ("compared with one week only"). */
  readonly weeks: number;
  /** By path, pages with 20 visitors now or usually. With 4 or more weeks, a page needs at least 4 since its first visit. */
  readonly pages: ReadonlyMap<string, UsualPage>;
  /** Furthest from usual first, ties by path. */
  readonly movers: readonly UsualPage[];
}

/** Pages with fewer visitors, now and usually, aren't judged. */
const fewestVisitors = 20;

/** A page with a smaller difference is never a mover. */
const leastDifference = 10;

/** The share of a page's unchanged weeks that are outside its range. */
const outside = 0.05;

/** The share of movers that may be false. Benjamini and Hochberg, Controlling the False Discovery Rate (1995). */
const falseMovers = 0.1;

/** The site's level is learned from pages with this many visitors … */
const visitorsForLevel = 50;

/** … if there are this many. Fewer pages would mostly show their own moves, so then the weeks aren't scaled. */
const pagesForLevel = 10;

/**
 * The tenth of the pages that swings most doesn't count for the site's spread. Otherwise, a page that once went viral would
 * hide all movers.
 */
const keptPages = 0.9;

/** The mean variance of the remaining pages, relative to that of all pages. */
const keptVariance = 0.85;

/** The minimum swing of 10%, squared, if there are few pages to learn from. */
const leastSpread = 0.01;

/** For a page that varies only by its swing, the site's spread is worth this many weeks of the page's own data. */
const spreadWeeks = 4;

/** With this many degrees of freedom, Student's t is practically normal. */
const mostDegrees = 100;

/** A page since its first visited week. */
interface Page {
  readonly path: string;
  readonly now: number;
  /** The index of its first week. */
  readonly first: number;
  readonly visits: readonly number[];
}

type LeveledPage = ReturnType<typeof atLevels>;

/** Finds what is usual for each page, and which pages are movers. With fewer than four weeks, only the last one is used. */
export function usualPages({ now, isNowWhole, weeks: known, movedLast }: PageWeeks): UsualPages {
  const visited = known.filter((week) => week.values().some((visitors) => visitors > 0));
  const weeks = visited.length < fewestWeeks ? visited.slice(-1) : visited;
  const paths = new Set([now, ...(isNowWhole ? weeks : [])].flatMap(muchVisited));
  // Sorted, so that the order of the rows can't change how sums are rounded.
  const pages = [...paths]
    .toSorted()
    .flatMap((path) => pageOf(path, now, weeks, movedLast?.has(path) ?? false));
  const large = pages.filter((page) => page.now > 0 && mean(page.visits) >= visitorsForLevel);
  const levels = weeks.map((_, index) => levelOf(large, index));
  const leveled = pages
    .map((page) => atLevels(page, levels))
    .filter((page) => Math.max(page.now, page.baseline) >= fewestVisitors);
  const spread = Math.max(spreadOf(leveled), large.length < pagesForLevel ? leastSpread : 0);
  const judged = judge(leveled, spread);
  const movers = judged.filter(({ side }) => side !== 'usual');
  return {
    weeks: weeks.length,
    pages: new Map(judged.map((page) => [page.path, page])),
    movers: movers.toSorted((a, b) => b.distance - a.distance || byPath(a, b)),
  };
}

function muchVisited(week: ReadonlyMap<string, number>): string[] {
  const much = week.entries().filter(([, visitors]) => visitors >= fewestVisitors);
  return Array.from(much, ([path]) => path);
}

function pageOf(path: string, now: PageWeeks['now'], weeks: PageWeeks['weeks'], hasMoved: boolean): Page[] {
  const all = weeks.map((week) => week.get(path) ?? 0);
  const first = all.findIndex((visitors) => visitors > 0);
  const known = all.length - first;
  if (first === -1 || known < Math.min(fewestWeeks, weeks.length)) return [];
  const last = hasMoved && known > fewestWeeks ? -1 : undefined;
  return [{ path, now: now.get(path) ?? 0, first, visits: all.slice(first, last) }];
}

/** The factor between a typical page's visitors now and in an earlier week. */
function levelOf(large: readonly Page[], week: number): number {
  const ratios = large.flatMap(({ now, first, visits }) => {
    const visitors = visits[week - first];
    return visitors === undefined ? [] : now / Math.max(1, visitors);
  });
  return ratios.length < pagesForLevel ? 1 : median(ratios);
}

function atLevels(page: Page, levels: readonly number[]) {
  const { now, first, visits } = page;
  const ownLevels = levels.slice(first, first + visits.length);
  const leveled = ownLevels.map((level, index) => level * (visits[index] ?? 0));
  return {
    ...page,
    baseline: mean(leveled),
    /** Of its weeks; if there is only one, of that week and now. */
    variance: variance(leveled.length === 1 ? [...leveled, now] : leveled),
    /** The variance from counting noise alone. */
    noise: mean(leveled.map((visitors, index) => visitors * (ownLevels[index] ?? 1))),
  };
}

/** How much the site's pages swing: the square of their relative deviation beyond counting noise. */
function spreadOf(pages: readonly LeveledPage[]): number {
  const kept = pages
    .map((page) => ({
      weight: page.baseline,
      excess: (page.variance / keptVariance - page.noise) / Math.max(1, page.baseline),
    }))
    .toSorted((a, b) => a.excess / a.weight - b.excess / b.weight)
    .slice(0, Math.floor(keptPages * pages.length));
  return sum(kept.map(({ excess }) => excess)) / Math.max(1, sum(kept.map(({ weight }) => weight)));
}

function judge(pages: readonly LeveledPage[], spread: number): UsualPage[] {
  const compared = pages.map((page) => compare(page, spread));
  const tails = compared.map(({ tail }) => tail).toSorted((a, b) => a - b);
  // Count one page fewer. Otherwise, a page that went viral would let others through.
  const limitAt = (index: number) => (falseMovers * Math.max(1, index)) / tails.length;
  const limit = tails.findLast((tail, index) => tail <= limitAt(index)) ?? 0;
  return compared.map(({ tail, ...page }) => {
    const isMover = tail <= Math.min(limit, outside);
    return { ...page, side: isMover ? sideOf(page.now, page.baseline, page.baseline) : 'usual' };
  });
}

/** What is usual for a page, and the probability that an unchanged page is this far off; 1 if it can't be a mover anyway. */
function compare(page: LeveledPage, spread: number) {
  const { path, now, visits, baseline } = page;
  const { variance: expected, degrees } = varianceOf(page, spread);
  const difference = now - baseline;
  const uncertainty = expected * (1 + 1 / visits.length);
  // A larger page varies more.
  const growth = expected / Math.max(1, baseline);
  const deviations = Math.abs(difference) / Math.sqrt(uncertainty + growth * Math.max(0, difference));
  const limit = tLimit(outside, degrees);
  const half = (limit ** 2 * growth) / 2;
  const unleveled = Math.sign(difference) * (now - mean(visits));
  return {
    path,
    now,
    baseline,
    low: Math.max(0, Math.ceil(baseline - limit * Math.sqrt(uncertainty))),
    high: Math.floor(baseline + half + Math.sqrt(half ** 2 + limit ** 2 * uncertainty)),
    distance: deviations / limit,
    tail: Math.min(Math.abs(difference), unleveled) < leastDifference ? 1 : tTail(deviations, degrees),
  };
}

/**
 * How much a page varies, from its own weeks and the site's spread. The less of this is swing, the more weight the spread gets,
 * because counting noise needn't be learned. Based on Smyth, Linear Models and Empirical Bayes Methods (2004), which uses one
 * weight for all pages.
 */
function varianceOf({ visits, baseline, noise, variance: ownVariance }: LeveledPage, spread: number) {
  const ownDegrees = visits.length - 1;
  const counted = Math.max(1, noise, baseline);
  const expected = noise + spread * baseline ** 2;
  const swing = ownDegrees === 0 ? 1 : Math.max(0, 1 - counted / Math.max(expected, ownVariance));
  const spreadDegrees = Math.min(mostDegrees, Math.round(spreadWeeks / swing ** 2));
  const degrees = spreadDegrees + ownDegrees;
  const pooled = (spreadDegrees * expected + ownDegrees * ownVariance) / degrees;
  return { variance: Math.max(pooled, counted), degrees };
}
