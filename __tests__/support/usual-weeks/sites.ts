import type { PageWeeks } from '../../../src/visitors/usual-pages.ts';
import { countOf, normal, type Random, swingOf } from './random.ts';

/** A made-up site, and what happens to it. Shares are fractions of 1. */
export interface SiteSetting {
  readonly pages: number;
  /** A page's typical relative deviation beyond counting noise. Each page has its own. */
  readonly spread: number;
  /** The relative deviation of the whole site. */
  readonly swing: number;
  /** How far all pages go up or down together at most. */
  readonly tide: number;
  /** Growth per week. */
  readonly growth: number;
  /**
   * What happens now: nothing, six pages × 1.5, × 2 or ÷ 2, or the largest page × 10, which about doubles a small site's total.
   */
  readonly moves: 'none' | 'six' | 'viral';
  /** How many weeks come before now; 8 by default. */
  readonly weeks?: number;
}

/** What a made-up site counted in one week. */
interface PlayedWeek {
  readonly ai: number;
  readonly total: number;
  readonly visitors: ReadonlyMap<string, number>;
}

export interface PlayedSite {
  readonly now: PlayedWeek;
  /** Oldest first. */
  readonly weeks: readonly PlayedWeek[];
  /** The week after now: what moved stays where it is. */
  readonly next: PlayedWeek;
  /** What really moved. */
  readonly moved: ReadonlySet<string>;
}

/** The share of a page's visitors that are AI. */
const aiPart = 0.3;

/** The mean over all pages. */
const meanVisitors = 8;

/** Draws a site: few pages have many visitors, many have few, each a negative binomial count with its own spread. */
export function playSite(setting: SiteSetting, random: Random): PlayedSite {
  const { pages, spread, swing, tide, growth, weeks: before = 8 } = setting;
  const means = Array.from({ length: pages }, (_, index) => (pages * meanVisitors) / (index + 1) ** 0.9);
  const spreads = means.map(() => spread ** 2 * Math.exp(0.6 * normal(random)));
  const factors = factorsOf(means, setting.moves, random);
  const drawWeek = (isNow: boolean, age: number): PlayedWeek => {
    const level = swingOf(swing ** 2, random) * (1 + tide * (2 * random() - 1)) * (1 + growth) ** -age;
    const visitors = new Map<string, number>();
    let [ai, total] = [0, 0];
    for (const [index, mean] of means.entries()) {
      const expected = mean * level * (isNow ? (factors.get(pathOf(index)) ?? 1) : 1);
      const draw = (part: number) => countOf(part * expected * swingOf(spreads[index] ?? 0, random), random);
      const [machines, people] = [draw(aiPart), draw(1 - aiPart)];
      ai += machines;
      total += machines + people;
      if (machines + people > 0) visitors.set(pathOf(index), machines + people);
    }
    return { ai, total, visitors };
  };
  const weeks = Array.from({ length: before }, (_, index) => drawWeek(false, before - index));
  const now = drawWeek(true, 0);
  return { now, weeks, next: drawWeek(true, -1), moved: new Set(factors.keys()) };
}

/** The same site, had its largest page not gone viral. */
export function withoutViral({ now, weeks }: PlayedSite): PageWeeks {
  const visitors = new Map(now.visitors).set(pathOf(0), Math.round((now.visitors.get(pathOf(0)) ?? 0) / 10));
  return pageWeeksOf({ now: { ...now, visitors }, weeks });
}

/** A site in the form that the gate takes. */
export function pageWeeksOf({ now, weeks }: Pick<PlayedSite, 'now' | 'weeks'>): PageWeeks {
  return { now: now.visitors, isNowWhole: true, weeks: weeks.map(({ visitors }) => visitors) };
}

/** The week after now, as the gate takes it once it has named these pages. */
export function nextPageWeeksOf({ now, weeks, next }: PlayedSite, movedLast: ReadonlySet<string>): PageWeeks {
  return { ...pageWeeksOf({ now: next, weeks: [...weeks.slice(1), now] }), movedLast };
}

function factorsOf(means: readonly number[], moves: SiteSetting['moves'], random: Random) {
  const factors = new Map<string, number>();
  if (moves === 'viral') factors.set(pathOf(0), 10);
  const many = means.filter((mean) => mean >= 20).length;
  while (moves === 'six' && factors.size < Math.min(6, many)) {
    factors.set(pathOf(Math.floor(random() * many)), [1.5, 2, 0.5][Math.floor(3 * random())] ?? 1);
  }
  return factors;
}

function pathOf(index: number): string {
  return `/page-${index}`;
}
