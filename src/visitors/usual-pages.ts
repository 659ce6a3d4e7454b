import { byPath } from './pages.ts';
import { discoveryLimit, mean, median, sum, tLimit, tTail, variance } from './statistics.ts';
import { falseAlarms, fewestWeeks, type Side, sideOf } from './usual.ts';

/*
 * Which pages are further from usual than their own swings explain. A page varies by counting noise, its variance is its mean, and
 * by a swing of its own; both are learned from the weeks before. The numbers below were chosen by the simulation of
 * `__tests__/support/usual-weeks/`, which shows how often this is wrong and what it finds.
 */

/** The visitors of pages, by path, in one week and in those right before it. */
export interface PageWeeks {
  readonly now: ReadonlyMap<string, number>;
  /** Whether a page that is not in `now` had no visitors. Otherwise it is not judged. */
  readonly isNowWhole: boolean;
  /** Oldest first, only weeks that were read whole: a page that is not in one had no visitors. */
  readonly weeks: readonly ReadonlyMap<string, number>[];
}

/** What is usual for a page. */
export interface UsualPage {
  readonly path: string;
  readonly now: number;
  /** The mean of its weeks, at the level of the whole site now. Not rounded. */
  readonly baseline: number;
  /** 95 of 100 unchanged weeks are from `low` to `high` visitors, both included. */
  readonly low: number;
  readonly high: number;
  /** How far `now` is from the baseline: 1 is the edge of the usual range. */
  readonly distance: number;
  /** `usual` unless it is a mover. Of many pages some are outside their range by chance, so that alone makes no mover. */
  readonly side: Side;
}

/** What is usual for the pages of a site. */
export interface UsualPages {
  /** How many weeks it was learned from: none, four or more, or 1, which means "against one week only". */
  readonly weeks: number;
  /** By path: those with 20 visitors, now or usually, that were first visited at least four weeks ago. */
  readonly pages: ReadonlyMap<string, UsualPage>;
  /** Furthest from usual first, ties by path. */
  readonly movers: readonly UsualPage[];
}

/** A page with fewer visitors, now and usually, is no mover. */
const fewestVisitors = 20;

/** A smaller difference makes no mover, however unusual it is. */
const leastDifference = 10;

/** Of all movers, how many may be false. */
const falseMovers = 0.1;

/** The site's level shows in pages with so many visitors. */
const visitorsForLevel = 50;

/** With fewer such pages the weeks are compared as they are: their level would be that of a few pages. */
const pagesForLevel = 10;

/** The site's spread shows in pages with so many visitors. */
const visitorsForSpread = 10;

/** How many of those count: the tenth that swings most does not, since one page that went viral would hide all movers. */
const keptPages = 0.9;

/** By how much the variances of the pages that are kept fall short of the variance of all. */
const keptVariance = 0.85;

/** A swing of 10%, the least where too few pages show the spread. */
const leastSpread = 0.01;

/** How many weeks of its own the site's spread is worth to a page that varies by its swing alone. */
const spreadWeeks = 4;

/** Student's t has no more degrees of freedom: it is nearly normal then. */
const mostDegrees = 200;

/** A page since its first visited week. */
interface Page {
  readonly path: string;
  readonly now: number;
  readonly visits: readonly number[];
}

/** A page with its weeks at the level of the whole site now. */
interface LeveledPage extends Page {
  readonly baseline: number;
  /** Of its weeks; of a single week, of that and now. */
  readonly variance: number;
  /** The part of the variance that is counting noise. */
  readonly noise: number;
}

/** Says what is usual for each page, and which pages are movers. With fewer than four weeks only the last one is used. */
export function usualPages({ now, isNowWhole, weeks: given }: PageWeeks): UsualPages {
  const visited = given.filter((week) => sum([...week.values()]) > 0);
  const weeks = visited.length < fewestWeeks ? visited.slice(-1) : visited;
  // The order of the rows must not change what sums of them round to.
  const paths = new Set([now, ...(isNowWhole ? weeks : [])].flatMap((week) => [...week.keys()]));
  const pages = [...paths].toSorted().flatMap((path) => pageOf(path, now, weeks));
  const large = pages.filter(({ now, visits }) => now > 0 && mean(visits) >= visitorsForLevel);
  const levels = weeks.map((_, week) => levelOf(large, week - weeks.length));
  const leveled = pages.map((page) => atLevels(page, levels));
  const spread = Math.max(spreadOf(leveled), large.length < pagesForLevel ? leastSpread : 0);
  const judged = judge(leveled.filter(isMuchVisited), spread);
  return {
    weeks: weeks.length,
    pages: new Map(judged.map((page) => [page.path, page])),
    movers: judged
      .filter(({ side }) => side !== 'usual')
      .toSorted((a, b) => b.distance - a.distance || byPath(a, b)),
  };
}

/** A page that was first visited long enough ago. */
function pageOf(path: string, now: ReadonlyMap<string, number>, weeks: PageWeeks['weeks']): Page[] {
  const visits = weeks.map((week) => week.get(path) ?? 0);
  const first = visits.findIndex((visitors) => visitors > 0);
  const isLong = first >= 0 && visits.length - first >= Math.min(fewestWeeks, weeks.length);
  return isLong ? [{ path, now: now.get(path) ?? 0, visits: visits.slice(first) }] : [];
}

/** How many times as many visitors came to the typical page now as in a week, which is counted from the end: -1 is the last one. */
function levelOf(large: readonly Page[], week: number): number {
  const ratios = large.flatMap(({ now, visits }) => {
    const visitors = visits.at(week);
    return visitors === undefined ? [] : now / Math.max(1, visitors);
  });
  return ratios.length < pagesForLevel ? 1 : median(ratios);
}

function atLevels(page: Page, levels: readonly number[]): LeveledPage {
  const { now, visits } = page;
  const ownLevels = levels.slice(-visits.length);
  const leveled = ownLevels.map((level, index) => level * (visits[index] ?? 0));
  return {
    ...page,
    baseline: mean(leveled),
    variance: variance(leveled.length === 1 ? [...leveled, now] : leveled),
    noise: mean(ownLevels.map((level, index) => level ** 2 * (visits[index] ?? 0))),
  };
}

function isMuchVisited({ now, baseline }: LeveledPage): boolean {
  return Math.max(now, baseline) >= fewestVisitors;
}

/** How much the pages of the site swing: the square of the relative deviation that counting noise does not explain. */
function spreadOf(pages: readonly LeveledPage[]): number {
  const swings = pages
    .filter(({ baseline }) => baseline >= visitorsForSpread)
    .map(({ baseline, noise, variance }) => ({
      weight: baseline,
      spread: (variance / keptVariance - noise) / baseline ** 2,
    }))
    .toSorted((a, b) => a.spread - b.spread);
  const kept = swings.slice(0, Math.floor(keptPages * swings.length));
  return (
    sum(kept.map(({ weight, spread }) => weight * spread)) /
    Math.max(1, sum(kept.map(({ weight }) => weight)))
  );
}

function judge(pages: readonly LeveledPage[], spread: number): UsualPage[] {
  const compared = pages.map((page) => compare(page, spread));
  const limit = discoveryLimit(
    compared.map(({ tail }) => tail),
    falseMovers,
  );
  return compared.map(({ tail, ...page }) => {
    const isMover = tail <= Math.min(limit, falseAlarms);
    return { ...page, side: isMover ? sideOf(page.now, page.baseline, page.baseline) : 'usual' };
  });
}

/** A page beside what is usual; `tail` is the chance that an unchanged page is so far off, and 1 for what is no mover anyway. */
function compare(page: LeveledPage, spread: number): Omit<UsualPage, 'side'> & { readonly tail: number } {
  const { path, now, visits, baseline } = page;
  const { variance, degrees } = varianceOf(page, spread);
  const difference = now - baseline;
  // More visitors than usual vary more by themselves.
  const growth = variance / Math.max(1, baseline);
  const certain = variance * (1 + 1 / visits.length);
  const deviations = Math.abs(difference) / Math.sqrt(certain + growth * Math.max(0, difference));
  const limit = tLimit(falseAlarms, degrees);
  const slope = limit ** 2 * growth;
  const high = baseline + (slope + Math.sqrt(slope ** 2 + 4 * limit ** 2 * certain)) / 2;
  return {
    path,
    now,
    baseline,
    low: Math.max(0, Math.ceil(baseline - limit * Math.sqrt(certain))),
    high: Math.floor(high),
    distance: deviations / limit,
    tail: canMove(page) ? tTail(deviations, degrees) : 1,
  };
}

/** Whether the difference is large enough, at the site's level now and without regard to it. */
function canMove({ now, visits, baseline }: LeveledPage): boolean {
  const [leveled, plain] = [now - baseline, now - mean(visits)];
  return leveled * plain > 0 && Math.min(Math.abs(leveled), Math.abs(plain)) >= leastDifference;
}

/**
 * By how much a page varies: its own weeks and the site's spread, which counts for more weeks the less of the variance is swing,
 * since counting noise needs not be learned.
 */
function varianceOf({ visits, baseline, noise, variance: ownVariance }: LeveledPage, spread: number) {
  const ownDegrees = visits.length - 1;
  const counting = Math.max(1, noise, baseline);
  const expected = noise + spread * baseline ** 2;
  const swing = Math.max(0, 1 - counting / Math.max(expected, ownDegrees === 0 ? 0 : ownVariance));
  const lent = Math.min(mostDegrees, Math.round(spreadWeeks / swing ** 2));
  const degrees = lent + ownDegrees;
  const mixed = (lent * expected + ownDegrees * ownVariance) / degrees;
  return { variance: Math.max(mixed, counting), degrees };
}
