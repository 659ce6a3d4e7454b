import type { PageWeek } from '../../../src/visitors/judge/usual-pages.ts';
import { countOf, normal, type Random, swingOf } from './random.ts';

/** A simulated site. All shares are between 0 and 1. */
export interface SiteSetting {
  readonly pages: number;
  /** The relative deviation of a page beyond counting noise, and whether each page draws its own. */
  readonly spread: number;
  readonly isVaried?: boolean;
  /** How much the whole site's traffic deviates from its mean, relative to the mean. */
  readonly swing: number;
  /** The largest change that affects all pages at once, up or down. */
  readonly tide?: number;
  /** How many pages change in the last two weeks: × 1.5, × 2, or ÷ 2. */
  readonly moves?: number;
  /** Whether the largest page has ten times as many visitors in the last two weeks. */
  readonly isViral?: boolean;
  /** How many pages appear in the last two weeks, with 100 visitors each. */
  readonly launched?: number;
  /** The number of weeks before the last two; 8 by default. */
  readonly weeks?: number;
}

/** Draws the weeks of a site with few large pages and many small ones, oldest first, and says which pages really changed. */
export function playSite(setting: SiteSetting, random: Random) {
  const { pages, spread, isVaried, swing, tide = 0, moves = 0, isViral, launched = 0, weeks = 8 } = setting;
  const means = Array.from({ length: pages }, (_, page) => (8 * pages) / (page + 1) ** 0.9);
  const spreads = means.map(() => spread ** 2 * (isVaried ? Math.exp(0.6 * normal(random)) : 1));
  const factors = new Map<number, number>(isViral ? [[0, 10]] : []);
  const judged = means.filter((visitors) => visitors >= 20).length;
  while (factors.size < moves)
    factors.set(Math.floor(random() * judged), [1.5, 2, 0.5][Math.floor(3 * random())] ?? 1);
  const drawn = Array.from({ length: weeks + 2 }, (_, week) => {
    const level = swingOf(swing ** 2, random) * (1 + tide * (2 * random() - 1));
    const isLast = week >= weeks;
    return [
      ...means.map((visitors, page) => {
        const factor = isLast ? (factors.get(page) ?? 1) : 1;
        return countOf(visitors * factor * level * swingOf(spreads[page] ?? 0, random), random);
      }),
      ...Array.from({ length: launched }, () => (isLast ? countOf(100, random) : 0)),
    ];
  });
  return { weeks: drawn, changed: new Set(factors.keys()) };
}

/** The visitors of a week's pages, by path. All are people. */
export function pageWeekOf(week: readonly number[]): PageWeek {
  const rows = week.flatMap((total, page) => {
    const path = `/page-${page}`;
    return total > 0 ? [[path, { path, total, human: total, ai: 0 }] as const] : [];
  });
  return { rows: new Map(rows), scale: 1 };
}
