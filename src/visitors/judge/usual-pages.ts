import type { Side } from './numbers.ts';
import { byPath } from './site-pages.ts';
import { mean, median, tLimit, tTail } from './statistics.ts';
import { fewestWeeks } from './usual.ts';

/*
 * Finds pages with unusual traffic. A page's visitors vary by chance (counting noise, with a variance equal to the mean) and by
 * the page's own swings, which are learned from earlier weeks. docs/visitors-method.md explains every step.
 * `__tests__/support/usual-weeks/` measures false alarms and missed changes.
 */

/** The visitors of all pages of a site in one week, by path. */
export interface PageWeek {
  readonly pages: ReadonlyMap<string, number>;
  readonly people: () => ReadonlyMap<string, number>;
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

/** A page's visitors now, and in the weeks before, oldest first. */
interface Page {
  readonly path: string;
  readonly now: number;
  readonly visits: readonly number[];
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
  const pageOf = (path: string, counts: readonly PageWeek['pages'][]): Page => {
    const visits = all.map(({ scale }, week) => scale * (counts[week]?.get(path) ?? 0));
    return { path, now: visits.pop() ?? 0, visits };
  };
  const totals = all.map(({ pages }) => pages);
  /** The pages that had this many visitors in any week. Looking at all pages would take a while. */
  const pagesWith = (least: number) => {
    const paths = new Set<string>();
    for (const { pages, scale } of all)
      for (const [path, total] of pages) if (scale * total >= least) paths.add(path);
    return Array.from(paths, (path) => pageOf(path, totals));
  };
  const large = pagesWith(rule.visitorsForLevel).filter((page) => {
    return page.now >= 1 && mean(page.visits) >= rule.visitorsForLevel;
  });
  const hasLevel = large.length >= rule.pagesForLevel;
  const ratiosTo = (week: number) => large.map((page) => page.now / Math.max(1, page.visits[week] ?? 0));
  const levels = weeks.map((_, week) => (hasLevel ? median(ratiosTo(week)) : 1));
  const judged = pagesWith(rule.fewestVisitors / Math.max(1, ...levels)).filter((page) => {
    const isYoung = page.visits.slice(0, -rule.youngWeeks).every((visitors) => visitors === 0);
    return !isYoung && Math.max(page.now, lineUp(page, levels, 1).baseline) >= rule.fewestVisitors;
  });
  const counts = isNext ? ([1, 2] as const) : ([1] as const);
  const clear = counts.flatMap((count) =>
    clearlyOther(judged, levels, count, hasLevel ? 0 : rule.leastSpread),
  );
  const found = Array.from(Map.groupBy(clear, ({ path }) => path).values(), (compared) => {
    return { compared, tail: counts.length * Math.min(...compared.map(({ tail }) => tail)) };
  }).toSorted((a, b) => a.tail - b.tail);
  const last = found.findLastIndex(
    ({ tail }, rank) => tail <= (rule.falselyNamed * (rank + 1)) / judged.length,
  );
  let people: PageWeek['pages'][] | undefined;
  return found
    .slice(0, last + 1)
    .flatMap(({ compared: [first] }) => first ?? [])
    .map(({ tail: _, ...page }) => {
      people ??= all.map((week) => week.people());
      const human = lineUp(pageOf(page.path, people), levels, page.weeks);
      const least = rule.leastHuman * (page.visitors - page.baseline);
      /** Whether AI, and not people, made the page rise. */
      return { ...page, isCrawled: human.visitors - human.baseline < least };
    })
    .toSorted((a, b) => b.distance - a.distance || byPath(a, b));
}

/** The pages whose last weeks clearly differ from those before, with levels and without. */
function clearlyOther(pages: readonly Page[], levels: readonly number[], count: 1 | 2, least: number) {
  const compare = comparison(pages, levels, count, least);
  const flat = levels.map(() => 1);
  const compareRaw = comparison(pages, flat, count, least);
  return pages.flatMap((page) => {
    const compared = compare(page);
    const raw = compared && compareRaw(page);
    if (raw === undefined || page.now < 1 || !compared?.isOneSided) return [];
    const { isOneSided, difference, ...found } = compared;
    const side: Side = difference > 0 ? 'more' : 'fewer';
    const least = Math.min(Math.abs(difference), Math.sign(difference) * raw.difference);
    return least >= rule.leastDifference ? [{ ...found, side }] : [];
  });
}

/** Compares a page's last weeks with its own weeks before: `undefined` in 95 of 100 cases, from `low` to `high`, if nothing has changed. */
function comparison(pages: readonly Page[], levels: readonly number[], count: 1 | 2, least: number) {
  const excesses = pages.map((page) => {
    const { own, noise, baseline } = lineUp(page, levels, count);
    return (own - noise) / Math.max(1, baseline) ** 2;
  });
  const spread = Math.max(least, median(excesses) / rule.medianOfVariances);
  const before = levels.length + 1 - count;
  const degrees = rule.spreadWeeks + before - 1;
  const limit = tLimit(rule.outside, degrees);
  return (page: Page) => {
    const { own, noise, ...lined } = lineUp(page, levels, count);
    const { visitors, baseline } = lined;
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
      ...lined,
      difference,
      low: Math.max(0, Math.ceil(baseline - limit * Math.sqrt(uncertainty))),
      high: Math.floor(baseline + half + Math.sqrt(half ** 2 + limit ** 2 * uncertainty)),
      /** At the edge of the range, it is 1. */
      distance: deviations / limit,
      tail: tTail(deviations, degrees),
    };
  };
}

/** The mean of a page's last weeks, and the baseline before them, all at this week's level. Loops, because there are many pages. */
function lineUp({ path, now, visits }: Page, levels: readonly number[], weeks: 1 | 2) {
  const before = visits.length + 1 - weeks;
  const leveled = (week: number) => (visits[week] ?? 0) * (levels[week] ?? 1);
  let [total, counted, squares] = [0, 0, 0];
  for (let week = 0; week < before; week += 1) {
    total += leveled(week);
    counted += leveled(week) * (levels[week] ?? 1);
  }
  const baseline = total / before;
  for (let week = 0; week < before; week += 1) squares += (leveled(week) - baseline) ** 2;
  const last = weeks === 1 ? now : leveled(before);
  return {
    path,
    now,
    weeks,
    visitors: (now + last) / 2,
    baseline,
    isOneSided: Math.sign(now - baseline) === Math.sign(last - baseline),
    /** The variance of its weeks, and the part that counting noise explains. */
    own: squares / (before - 1),
    noise: Math.max(1, baseline, counted / before),
  };
}
