import type { PageWeeks } from '../../../src/visitors/judge/usual-pages.ts';
import { countOf, normal, type Random, swingOf } from './random.ts';

/** A simulated site. All shares are between 0 and 1. */
export interface SiteSetting {
  readonly pages: number;
  /** The typical relative deviation of a page beyond counting noise. Each page draws its own. */
  readonly spread: number;
  /** How much the whole site's traffic deviates from its mean, relative to the mean. */
  readonly swing: number;
  /** The largest change that affects all pages at once, up or down. */
  readonly tide: number;
  readonly growth: number;
  /** Changes in the current week: none, six pages × 1.5, × 2 or ÷ 2, or the largest page × 10. */
  readonly moves: 'none' | 'six' | 'viral';
  /** The number of weeks before the current one; 8 by default. */
  readonly weeks?: number;
}

type PlayedSite = ReturnType<typeof playSite>;

const aiPart = 0.3;
const meanVisitors = 8;

/** Draws a site with few large pages and many small ones. The counts are negative binomial. */
export function playSite(setting: SiteSetting, random: Random) {
  const { pages, spread, swing, tide, growth, weeks: before = 8 } = setting;
  const means = Array.from({ length: pages }, (_, index) => (pages * meanVisitors) / (index + 1) ** 0.9);
  const spreads = means.map(() => spread ** 2 * Math.exp(0.6 * normal(random)));
  const factors = factorsOf(means, setting.moves, random);
  const drawWeek = (isNow: boolean, age: number) => {
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
  const next = drawWeek(true, -1);
  return { now, weeks, next, moved: new Set(factors.keys()) };
}

/** The same site, but its largest page didn't go viral. */
export function withoutViral({ now, weeks }: PlayedSite): PageWeeks {
  const visitors = new Map(now.visitors).set(pathOf(0), Math.round((now.visitors.get(pathOf(0)) ?? 0) / 10));
  return pageWeeksOf({ now: { ...now, visitors }, weeks });
}

/** The weeks of a site, in the form that `usualPages` takes. */
export function pageWeeksOf({ now, weeks }: Pick<PlayedSite, 'now' | 'weeks'>): PageWeeks {
  return { now: now.visitors, isNowWhole: true, weeks: weeks.map(({ visitors }) => visitors) };
}

/** The next week, after a report that listed these pages. */
export function nextPageWeeksOf({ now, weeks, next }: PlayedSite, listed: ReadonlySet<string>): PageWeeks {
  return { ...pageWeeksOf({ now: next, weeks: [...weeks.slice(1), now] }), unusualLast: listed };
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
