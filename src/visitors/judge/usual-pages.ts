import type { VisitorsRow } from '../../service/schemas.ts';
import type { Side } from './numbers.ts';
import { byPath } from './site-pages.ts';
import { median, sum, tLimit, tTail } from './statistics.ts';
import { fewestWeeks } from './usual.ts';

/*
 * Finds pages with unusual traffic. A page's visitors vary by chance (counting noise, with a variance equal to the mean) and by
 * the page's own swings, which are learned from earlier weeks. docs/visitors-method.md explains every step.
 * `__tests__/support/usual-weeks/` measures false alarms and missed changes.
 */

/** The visitors of all pages of a site in one week. */
export interface PageWeek {
  readonly rows: ReadonlyMap<string, VisitorsRow>;
  /** What to multiply the counts by, if the week is longer or shorter than this one. */
  readonly scale: number;
}

const rule = {
  /** A page with fewer visitors, now and usually, isn't judged. One that differs by less is never unusual. */
  fewestVisitors: 20,
  leastDifference: 10,
  /** The share of weeks outside a page's range, and the share of named pages that may be named by chance (Benjamini and Hochberg, 1995). */
  outside: 0.05,
  falselyNamed: 0.25,
  /** This many pages of this size show how the traffic of the whole site has changed; fewer mostly show their own changes. */
  pagesForLevel: 10,
  visitorsForLevel: 50,
  /** A swing of 10%, squared, if there are too few pages to learn it from. */
  leastSpread: 0.01,
  /** A median of sample variances, relative to their mean. */
  medianOfVariances: 0.9,
  /** The weight of the site's spread in a page's variance. */
  spreadWeeks: 8,
  /** A page first visited in the last weeks isn't judged. A launch would fill the list. */
  youngWeeks: 3,
  /** If people make up less of a rise, it is a crawl. */
  leastHuman: 0.1,
};

/** A page's visitors by week, oldest first. The last week is this one. */
interface Page {
  readonly path: string;
  readonly visits: number[];
}

/** A page outside its usual range. */
export type UnusualPage = ReturnType<typeof usualPages>[number];

/**
 * Finds the pages outside their usual range, furthest first. Without four earlier weeks, there are none.
 * @param weeks the earlier weeks that were read completely and had visitors, oldest first.
 * @param isNext whether the last of them is the week right before this one.
 */
export function usualPages(now: PageWeek, weeks: readonly PageWeek[], isNext: boolean) {
  if (weeks.length < fewestWeeks) return [];
  const all = [...weeks, now];
  const pages = pagesIn(all);
  const large = pages.filter(({ visits }) => {
    return nowOf(visits) >= 1 && sum(visits) - nowOf(visits) >= rule.visitorsForLevel * weeks.length;
  });
  const hasLevel = large.length >= rule.pagesForLevel;
  const levels = weeks.map((_, week) =>
    hasLevel ? median(large.map(({ visits }) => nowOf(visits) / Math.max(1, visits[week] ?? 0))) : 1,
  );
  const judged = pages.filter(({ visits }) => {
    const isOld = visits.slice(0, -1 - rule.youngWeeks).some((visitors) => visitors > 0);
    return isOld && Math.max(nowOf(visits), lineUp(visits, levels, 1).baseline) >= rule.fewestVisitors;
  });
  const looks = (isNext ? ([1, 2] as const) : ([1] as const)).map((count) =>
    clearlyOther(judged, levels, count, hasLevel),
  );
  const found = judged
    .flatMap(({ path, visits }, index) => {
      const clear = looks.flatMap((look) => look[index] ?? []);
      const tail = looks.length * Math.min(...clear.map((compared) => compared.tail));
      return clear.slice(0, 1).map((first) => ({ path, now: nowOf(visits), ...first, tail }));
    })
    .toSorted((a, b) => a.tail - b.tail);
  const last = found.findLastIndex(
    ({ tail }, rank) => tail <= (rule.falselyNamed * (rank + 1)) / judged.length,
  );
  return found
    .slice(0, last + 1)
    .map(({ tail: _, ...page }) => {
      const people = all.map(({ rows, scale }) => {
        const row = rows.get(page.path);
        // An unknown count is not a number, and neither is what follows from it.
        return row ? scale * (row.human ?? Number.NaN) : 0;
      });
      const human = lineUp(people, levels, page.weeks);
      const least = rule.leastHuman * (page.visitors - page.baseline);
      /** Whether AI, and not people, made the page rise. */
      return { ...page, isCrawled: least > 0 && human.visitors - human.baseline < least };
    })
    .toSorted((a, b) => b.distance - a.distance || byPath(a, b));
}

function pagesIn(weeks: readonly PageWeek[]): Page[] {
  const found = new Map<string, Page>();
  for (const [week, { rows, scale }] of weeks.entries()) {
    for (const { path, total } of rows.values()) {
      const page = found.get(path) ?? { path, visits: Array<number>(weeks.length).fill(0) };
      page.visits[week] = scale * total;
      found.set(path, page);
    }
  }
  return [...found.values()];
}

function nowOf(visits: readonly number[]): number {
  return visits.at(-1) ?? 0;
}

/** Each page's comparison if its last weeks clearly differ from those before, with levels and without. */
function clearlyOther(pages: readonly Page[], levels: readonly number[], weeks: 1 | 2, hasLevel: boolean) {
  const flat = levels.map(() => 1);
  const raw = compare(pages, flat, weeks, hasLevel);
  return compare(pages, levels, weeks, hasLevel).map((compared, index) => {
    if (!compared?.isOneSided || nowOf(pages[index]?.visits ?? []) < 1) return undefined;
    const { difference, isOneSided: _, ...found } = compared;
    const least = Math.min(Math.abs(difference), Math.sign(difference) * (raw[index]?.difference ?? 0));
    const side: Side = difference > 0 ? 'more' : 'fewer';
    return least >= rule.leastDifference ? { ...found, weeks, side } : undefined;
  });
}

/**
 * Compares each page's last weeks with its own weeks before: `undefined` in 95 of 100 cases, from `low` to `high`, if nothing has
 * changed.
 */
function compare(pages: readonly Page[], levels: readonly number[], count: 1 | 2, hasLevel: boolean) {
  const lines = pages.map(({ visits }) => lineUp(visits, levels, count));
  const excess = median(lines.map((line) => (line.own - line.noise) / Math.max(1, line.baseline) ** 2));
  const spread = Math.max(hasLevel ? 0 : rule.leastSpread, excess / rule.medianOfVariances);
  const before = levels.length + 1 - count;
  const degrees = rule.spreadWeeks + before - 1;
  const limit = tLimit(rule.outside, degrees);
  return lines.map(({ own, noise, visitors, baseline, isOneSided }) => {
    const shared = rule.spreadWeeks * (noise + spread * baseline ** 2);
    const expected = Math.max(noise, (shared + (before - 1) * own) / degrees);
    const uncertainty = expected * (1 / count + 1 / before);
    // The variance grows with the number of visitors.
    const growth = expected / (count * Math.max(1, baseline));
    const difference = visitors - baseline;
    const deviations = Math.abs(difference) / Math.sqrt(uncertainty + growth * Math.max(0, difference));
    if (deviations < limit) return undefined;
    const half = (limit ** 2 * growth) / 2;
    return {
      visitors,
      baseline,
      difference,
      isOneSided,
      low: Math.max(0, Math.ceil(baseline - limit * Math.sqrt(uncertainty))),
      high: Math.floor(baseline + half + Math.sqrt(half ** 2 + limit ** 2 * uncertainty)),
      /** At the edge of the range, it is 1. */
      distance: deviations / limit,
      tail: tTail(deviations, degrees),
    };
  });
}

/** The mean of a page's last weeks, and the baseline before them, all at this week's level. Loops, because there are many pages. */
function lineUp(visits: readonly number[], levels: readonly number[], weeks: 1 | 2) {
  const before = visits.length - weeks;
  const now = nowOf(visits);
  let [total, counted, squares] = [0, 0, 0];
  for (let week = 0; week < before; week += 1) {
    const level = levels[week] ?? 1;
    const leveled = level * (visits[week] ?? 0);
    total += leveled;
    squares += leveled ** 2;
    counted += level * leveled;
  }
  const baseline = total / before;
  const last = weeks === 1 ? now : (visits[before] ?? 0) * (levels[before] ?? 1);
  return {
    visitors: (now + last) / 2,
    baseline,
    isOneSided: Math.sign(now - baseline) === Math.sign(last - baseline),
    /** The variance of its weeks, and the part that counting noise explains. */
    own: (squares - before * baseline ** 2) / (before - 1),
    noise: Math.max(1, baseline, counted / before),
  };
}
