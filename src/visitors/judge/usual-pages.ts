import type { Side } from './numbers.ts';
import { byPath } from './site-pages.ts';
import { mean, median, sum, tLimit, tTail, variance } from './statistics.ts';
import { fewestWeeks, sideOf } from './usual.ts';

/*
 * Finds pages with unusual traffic. A page's visitors vary by chance (counting noise, with a variance equal to the mean) and by
 * the page's own swings, which are learned from earlier weeks. The constants come from the simulation in
 * `__tests__/support/usual-weeks/`, which measures false alarms and missed changes.
 */

/** The visitors of each page, by path: now, and in the weeks before. */
export interface PageWeeks {
  readonly now: ReadonlyMap<string, number>;
  /** Whether `now` is complete, so that a missing page had no visitors. */
  readonly isNowWhole: boolean;
  /** Complete weeks, oldest first. A page that is missing had no visitors. */
  readonly weeks: readonly ReadonlyMap<string, number>[];
  /** The pages that were unusual last week. For them, last week doesn't count as usual. */
  readonly unusualLast?: ReadonlySet<string>;
}

/** A page is ignored if both its current and its usual number of visitors are below this. */
const fewestVisitors = 20;

/** A page whose visitors differ by less than this is never unusual. */
const leastDifference = 10;

/** The share of weeks that are outside a page's range although nothing has changed. */
const outside = 0.05;

/** The share of listed pages that may be listed by chance: Benjamini and Hochberg’s false discovery rate (1995). */
const falselyUnusual = 0.1;

/** Pages with at least this many visitors show how the traffic of the whole site has changed. */
const visitorsForLevel = 50;

/** With fewer such pages, the weeks aren't scaled, because a few pages mostly show their own changes. */
const pagesForLevel = 10;

/** The 10% of pages that vary the most don't count toward the site's spread. A viral page would hide all other changes. */
const keptPages = 0.9;

/** Without those 10%, the mean variance is 85% of what it would be with them. */
const keptVariance = 0.85;

/** The minimum spread (a swing of 10%, squared) if there are too few pages to learn it from. */
const leastSpread = 0.01;

/** The weight of the site's spread for a page, in weeks of the page's own data, if the page varies only by its own swings. */
const spreadWeeks = 4;

/** With this many degrees of freedom, Student's t is almost a normal distribution. */
const mostDegrees = 100;

type Page = ReturnType<typeof pageOf>[number];
type LeveledPage = ReturnType<typeof atLevels>;

/** Finds the usual range of each page, and the pages outside of it. With fewer than four weeks, only the last week is used. */
export function usualPages({ now, isNowWhole, weeks: known, unusualLast }: PageWeeks) {
  const visited = known.filter((week) => week.values().some((visitors) => visitors > 0));
  const weeks = visited.length < fewestWeeks ? visited.slice(-1) : visited;
  const paths = new Set([now, ...(isNowWhole ? weeks : [])].flatMap(muchVisited));
  // Sorting makes sums independent of the order of the rows.
  const pages = [...paths]
    .toSorted()
    .flatMap((path) => pageOf(path, now, weeks, unusualLast?.has(path) ?? false));
  const large = pages.filter((page) => page.now > 0 && mean(page.visits) >= visitorsForLevel);
  const levels = weeks.map((_, index) => levelOf(large, index));
  const leveled = pages
    .map((page) => atLevels(page, levels))
    .filter((page) => Math.max(page.now, page.baseline) >= fewestVisitors);
  const spread = Math.max(spreadOf(leveled), large.length < pagesForLevel ? leastSpread : 0);
  const judged = judge(leveled, spread);
  return {
    /** The number of weeks used: none, 1 (for "compared with only one week"), or at least 4. */
    weeks: weeks.length,
    /**
     * By path. Contains pages with at least 20 visitors now or usually. With 4 or more weeks of data, a page must have had its
     * first visit at least 4 weeks ago.
     */
    pages: new Map(judged.map((page) => [page.path, page])),
    /** The page furthest from usual comes first; ties are sorted by path. */
    unusual: judged
      .filter(({ side }) => side !== 'usual')
      .toSorted((a, b) => b.distance - a.distance || byPath(a, b)),
  };
}

function muchVisited(week: ReadonlyMap<string, number>): string[] {
  const much = week.entries().filter(([, visitors]) => visitors >= fewestVisitors);
  return Array.from(much, ([path]) => path);
}

function pageOf(path: string, now: PageWeeks['now'], weeks: PageWeeks['weeks'], wasUnusual: boolean) {
  const all = weeks.map((week) => week.get(path) ?? 0);
  /** The week in which the page was first visited. `visits` starts there. */
  const first = all.findIndex((visitors) => visitors > 0);
  const known = all.length - first;
  if (first === -1 || known < Math.min(fewestWeeks, weeks.length)) return [];
  const last = wasUnusual && known > fewestWeeks ? -1 : undefined;
  return [{ path, now: now.get(path) ?? 0, first, visits: all.slice(first, last) }];
}

/** How many visitors a typical page has now for each visitor it had in an earlier week. */
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
    /** The mean of its weeks, scaled to the site's current traffic. */
    baseline: mean(leveled),
    /** The variance of its weeks. A single week is compared with `now`. */
    variance: variance(leveled.length === 1 ? [...leveled, now] : leveled),
    /** The part of the variance that counting noise explains. */
    noise: mean(leveled.map((visitors, index) => visitors * (ownLevels[index] ?? 1))),
  };
}

/** The spread of the site: the squared relative deviation of its pages that counting noise doesn't explain. */
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

function judge(pages: readonly LeveledPage[], spread: number) {
  const compared = pages.map((page) => compare(page, spread));
  const tails = compared.map(({ tail }) => tail).toSorted((a, b) => a - b);
  // The rank is one lower than in the original procedure. Otherwise, one viral page would let other pages through.
  const limitAt = (index: number) => (falselyUnusual * Math.max(1, index)) / tails.length;
  const limit = tails.findLast((tail, index) => tail <= limitAt(index)) ?? 0;
  return compared.map(({ tail, ...page }) => {
    const isUnusual = tail <= Math.min(limit, outside);
    /** `usual` for most pages outside their range, too: of many pages, some are outside by chance. */
    const side: Side = isUnusual ? sideOf(page.now, page.baseline, page.baseline) : 'usual';
    return { ...page, side };
  });
}

/** The usual range of a page: if nothing changes, 95 of 100 weeks have `low` to `high` visitors. */
function compare(page: LeveledPage, spread: number) {
  const { path, now, visits, baseline } = page;
  const { variance: expected, degrees } = varianceOf(page, spread);
  const difference = now - baseline;
  const uncertainty = expected * (1 + 1 / visits.length);
  // The variance grows with the number of visitors.
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
    /** How far `now` is from the baseline. At the edge of the range, it is 1. */
    distance: deviations / limit,
    /** The probability of the difference by chance; 1 for a small difference. */
    tail: Math.min(Math.abs(difference), unleveled) < leastDifference ? 1 : tTail(deviations, degrees),
  };
}

/**
 * The expected variance of a page, from its own weeks and the site's spread. If most of it is counting noise, the spread gets
 * more weight, because counting noise doesn't have to be learned. Based on Smyth, Linear Models and Empirical Bayes Methods
 * (2004), which uses the same weight for all pages.
 */
function varianceOf({ visits, baseline, noise, variance: ownVariance }: LeveledPage, spread: number) {
  const ownDegrees = visits.length - 1;
  const least = Math.max(1, noise, baseline);
  const expected = noise + spread * baseline ** 2;
  const swing = ownDegrees === 0 ? 1 : Math.max(0, 1 - least / Math.max(expected, ownVariance));
  const spreadDegrees = Math.min(mostDegrees, Math.round(spreadWeeks / swing ** 2));
  const degrees = spreadDegrees + ownDegrees;
  const pooled = (spreadDegrees * expected + ownDegrees * ownVariance) / degrees;
  return { variance: Math.max(pooled, least), degrees };
}
