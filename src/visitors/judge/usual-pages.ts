import { medianOf } from '../../core/median.ts';
import type { VisitorsRow } from '../../service/schemas.ts';
import { minWeeks } from '../read/window-read.ts';
import type { Side } from './numbers.ts';
import { byPath } from './site-pages.ts';
import { mean, tLimit, tTail } from './statistics.ts';

/* The steps are in docs/visitors-method.md ("Pages"). `__tests__/support/usual-weeks/` measures false alarms and misses. */

/** The visitors of all pages of a site in one week. */
export interface PageWeek {
  readonly rows: ReadonlyMap<string, VisitorsRow>;
  /** What to multiply the counts by, if the week is longer or shorter than this one. */
  readonly scale: number;
}

/** A page's visitors by week, oldest first. */
type Page = Readonly<{ path: string; now: number; counts: readonly number[] }>;

/** A page outside its usual range. */
export type UnusualPage = ReturnType<typeof usualPages>[number];

/** A page in a week without visitors. */
const unvisited: Pick<VisitorsRow, 'human'> = { human: 0 };

/** The numbers in docs/visitors-method.md. `falselyNamed` is the share of names that may be there by chance. */
const rule = {
  minVisitors: 20,
  minDifference: 10,
  youngWeeks: 3,
  pagesForLevel: 10,
  visitorsForLevel: 50,
  spreadWeeks: 8,
  minSpread: 0.01,
  medianOfVariances: 0.9,
  outside: 0.05,
  falselyNamed: 0.25,
  minHuman: 0.1,
};

/**
 * Finds the pages outside their usual range, furthest first. `weeks` are earlier ones that were read completely and had visitors,
 * oldest first. `isNext`: the last of them is the week right before this one.
 */
export function usualPages(thisWeek: PageWeek, weeks: readonly PageWeek[], isNext: boolean) {
  if (weeks.length < minWeeks) return [];
  const all = [...weeks, thisWeek];
  // An unknown count is not a number, and neither is what follows from it.
  const humansOf = (path: string) =>
    all.map(({ rows, scale }) => scale * ((rows.get(path) ?? unvisited).human ?? Number.NaN));
  const pages = pagesOf(all);
  const large = pages.filter(
    ({ now, counts }) => now >= 1 && mean(counts.slice(0, -1)) >= rule.visitorsForLevel,
  );
  const hasLevel = large.length >= rule.pagesForLevel;
  const levelOf = (week: number) =>
    medianOf(large.map(({ now, counts }) => now / Math.max(1, counts[week] ?? 0))) ?? 1;
  const flat = all.map(() => 1);
  const levels = hasLevel ? all.map((_, week) => levelOf(week)) : flat;
  const judged = pages.filter(({ now, counts }) => {
    const isOld = counts.slice(0, -1 - rule.youngWeeks).some((count) => count > 0);
    const { minVisitors: fewest } = rule;
    return isOld && (now >= fewest || lineUp(counts, levels, 1).baseline >= fewest);
  });
  const comparisons = (isNext ? [1, 2] : [1]).map((last) => {
    const [leveled, raw] = [compare(judged, levels, last, hasLevel), compare(judged, flat, last, hasLevel)];
    return leveled.map((page, at) => (page?.isOneSided && page.side === raw[at]?.side ? page : undefined));
  });
  const ranked = judged
    .flatMap(({ path, now }, index) => {
      const [first, ...more] = comparisons.flatMap((compared) => compared[index] ?? []);
      if (first === undefined || now < 1) return [];
      const { isOneSided: _, tail, ...found } = first;
      const human = lineUp(humansOf(path), levels, first.weeks);
      const rise = first.visitors - first.baseline;
      /** Whether AI, and not people, made the page rise. */
      const isCrawled = rise > 0 && human.visitors - human.baseline < rule.minHuman * rise;
      const least = Math.min(tail, ...more.map((second) => second.tail));
      return { page: { path, now, ...found, isCrawled }, tail: comparisons.length * least };
    })
    .toSorted((a, b) => a.tail - b.tail);
  const last = ranked.findLastIndex(
    ({ tail }, rank) => tail <= (rule.falselyNamed * (rank + 1)) / judged.length,
  );
  const named = ranked.slice(0, last + 1).map(({ page }) => page);
  return named.toSorted((a, b) => b.distance - a.distance || byPath(a, b));
}

/** The visitors of every page of these weeks. */
function pagesOf(weeks: readonly PageWeek[]): Page[] {
  const countsByPath = new Map<string, number[]>();
  for (const [week, { rows, scale }] of weeks.entries()) {
    for (const { path, total } of rows.values()) {
      const counts = countsByPath.get(path) ?? weeks.map(() => 0);
      counts[week] = scale * total;
      countsByPath.set(path, counts);
    }
  }
  return Array.from(countsByPath, ([path, counts]) => ({ path, now: counts.at(-1) ?? 0, counts }));
}

/** Compares each page's last weeks with those before: `undefined` if they are within its range, or too close to its baseline. */
function compare(pages: readonly Page[], levels: readonly number[], weeks: number, hasLevel: boolean) {
  const before = levels.length - weeks;
  const degrees = rule.spreadWeeks + before - 1;
  const limit = tLimit(rule.outside, degrees);
  const lines = pages.map(({ counts }) => lineUp(counts, levels, weeks));
  const excess =
    medianOf(lines.map(({ own, noise, baseline }) => (own - noise) / Math.max(1, baseline) ** 2)) ?? 0;
  const spread = Math.max(hasLevel ? 0 : rule.minSpread, excess / rule.medianOfVariances);
  return lines.map(({ visitors, baseline, own, noise, isOneSided }) => {
    const shared = rule.spreadWeeks * (noise + spread * baseline ** 2);
    const variance = Math.max(noise, (shared + (before - 1) * own) / degrees);
    const uncertainty = variance * (1 / weeks + 1 / before);
    // The variance grows with the number of visitors.
    const growth = variance / (weeks * Math.max(1, baseline));
    const difference = visitors - baseline;
    const deviations = Math.abs(difference) / Math.sqrt(uncertainty + growth * Math.max(0, difference));
    if (deviations < limit || Math.abs(difference) < rule.minDifference) return undefined;
    const side: Side = difference > 0 ? 'more' : 'fewer';
    const low = Math.max(0, Math.ceil(baseline - limit * Math.sqrt(uncertainty)));
    const half = (limit ** 2 * growth) / 2;
    const high = Math.floor(baseline + half + Math.sqrt(half ** 2 + limit ** 2 * uncertainty));
    /** At the edge of the range, it is 1. */
    const distance = deviations / limit;
    const tail = tTail(deviations, degrees);
    return { visitors, baseline, low, high, distance, weeks, side, tail, isOneSided };
  });
}

/** The mean of a page's last weeks, and what those before say about it, all at this week's level. Counts are oldest first. */
function lineUp(counts: readonly number[], levels: readonly number[], weeks: number) {
  const before = counts.map((count, week) => count * (levels[week] ?? 1));
  const last = before.splice(-weeks);
  const baseline = mean(before);
  let [squares, noise] = [0, 0];
  for (const [week, count] of before.entries()) {
    squares += (count - baseline) ** 2;
    noise += count * (levels[week] ?? 1);
  }
  return {
    visitors: mean(last),
    baseline,
    /** Whether the last weeks are on the same side of the baseline. */
    isOneSided: last.every((count) => count > baseline) || last.every((count) => count < baseline),
    /** The variance of its weeks, and the part that counting noise explains. */
    own: squares / (before.length - 1),
    noise: Math.max(1, baseline, noise / before.length),
  };
}
