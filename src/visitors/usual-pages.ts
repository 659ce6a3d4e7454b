import type { Side } from '../report/numbers.ts';
import { byPath } from './pages.ts';
import { mean, median, sum, tLimit, tTail, variance } from './statistics.ts';
import { fewestWeeks, sideOf } from './usual.ts';

/*
 * Which pages are further from usual than their own swings explain. A page varies by counting noise, whose variance is its mean, and
 * by a swing of its own: both are learned from the weeks before. The numbers were chosen by the simulation in
 * `__tests__/support/usual-weeks/`, which prints how often this is wrong and what it finds.
 */

/** The visitors of pages, by path, in a week and in those right before it. */
export interface PageWeeks {
  readonly now: ReadonlyMap<string, number>;
  /** Whether a page that is not in `now` had no visitors; otherwise it is not judged. */
  readonly isNowWhole: boolean;
  /** Oldest first, only weeks that were read whole: a page that is not in one had no visitors. */
  readonly weeks: readonly ReadonlyMap<string, number>[];
  /** Pages whose last week is no measure for them: they moved then, and may have moved for good. */
  readonly movedLast?: ReadonlySet<string>;
}

/** What is usual for a page: 95 of 100 unchanged weeks are from `low` to `high` visitors, both included. */
export interface UsualPage {
  readonly path: string;
  readonly now: number;
  /** The mean of its weeks, at the level of the site now. Not rounded. */
  readonly baseline: number;
  readonly low: number;
  readonly high: number;
  /** How far `now` is from the baseline; 1 is the edge of the range. */
  readonly distance: number;
  /** `usual` unless it is a mover. Of many pages some are outside their range by chance, so that is not enough. */
  readonly side: Side;
}

/** What is usual for the pages of a site. */
export interface UsualPages {
  /** How many weeks it was learned from: none, 4 or more, or 1, "against one week only". */
  readonly weeks: number;
  /** By path, those with 20 visitors now or usually. With 4 weeks or more, a page needs as many since it was first visited. */
  readonly pages: ReadonlyMap<string, UsualPage>;
  /** Furthest from usual first, ties by path. */
  readonly movers: readonly UsualPage[];
}

/** A page with fewer visitors, now and usually, says too little. */
const fewestVisitors = 20;

/** A smaller difference makes no mover. */
const leastDifference = 10;

/** How many unchanged weeks of a page are outside its range. */
const outside = 0.05;

/** How many of all movers may be false. Benjamini and Hochberg, Controlling the False Discovery Rate (1995). */
const falseMovers = 0.1;

/** The level of the site is learned from pages with so many visitors … */
const visitorsForLevel = 50;

/** … if there are so many of them. Of fewer it would be their own moves; then the weeks are taken as they are. */
const pagesForLevel = 10;

/** The tenth of the pages that swings most does not count for the site's spread: a page that once went viral would hide all movers. */
const keptPages = 0.9;

/** How large the mean variance of the pages that are kept is, beside that of all. */
const keptVariance = 0.85;

/** A swing of 10%: the least, squared, where few pages show it. */
const leastSpread = 0.01;

/** To a page that varies by its swing alone, the site's spread is worth so many weeks of its own. */
const spreadWeeks = 4;

/** With so many degrees of freedom, Student's t is as good as normal. */
const mostDegrees = 100;

/** A page since the week it was first visited in. */
interface Page {
  readonly path: string;
  readonly now: number;
  /** The place of its first week among all. */
  readonly first: number;
  readonly visits: readonly number[];
}

type LeveledPage = ReturnType<typeof atLevels>;

/** Says what is usual for the pages, and which are movers. With fewer than four weeks only the last of them is used. */
export function usualPages({ now, isNowWhole, weeks: known, movedLast }: PageWeeks): UsualPages {
  const visited = known.filter((week) => week.values().some((visitors) => visitors > 0));
  const weeks = visited.length < fewestWeeks ? visited.slice(-1) : visited;
  const paths = new Set([now, ...(isNowWhole ? weeks : [])].flatMap(muchVisited));
  // In one order, since that of the rows must not change how sums are rounded.
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

/** How many times as many visitors the typical page has now as in a week. */
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
    /** Of its weeks; of a single one, of that and now. */
    variance: variance(leveled.length === 1 ? [...leveled, now] : leveled),
    /** The variance by counting noise alone. */
    noise: mean(leveled.map((visitors, index) => visitors * (ownLevels[index] ?? 1))),
  };
}

/** How much the pages of the site swing: the square of their relative deviation, beyond counting noise. */
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
  // One page fewer is counted: else a page that went viral would let others through.
  const limitAt = (index: number) => (falseMovers * Math.max(1, index)) / tails.length;
  const limit = tails.findLast((tail, index) => tail <= limitAt(index)) ?? 0;
  return compared.map(({ tail, ...page }) => {
    const isMover = tail <= Math.min(limit, outside);
    return { ...page, side: isMover ? sideOf(page.now, page.baseline, page.baseline) : 'usual' };
  });
}

/** What is usual for a page, and how likely it is that an unchanged page is so far off: 1 if that makes no mover anyway. */
function compare(page: LeveledPage, spread: number) {
  const { path, now, visits, baseline } = page;
  const { variance: expected, degrees } = varianceOf(page, spread);
  const difference = now - baseline;
  const uncertainty = expected * (1 + 1 / visits.length);
  // More visitors vary more.
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
 * How much a page varies, from its own weeks and the site's spread. The less of that is swing, the more the spread is worth: counting
 * noise need not be learned. Smyth, Linear Models and Empirical Bayes Methods (2004), with such weights for one weight for all.
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
