import { medianOf } from '../../core/median.ts';
import type { Scrubbed } from '../../text/scrub.ts';
import { minWeeks } from '../read/window-read.ts';
import { mean, tLimit, tTail } from './statistics.ts';

/*
 * The steps of docs/visitors-method.md ("Pages and sections"), on numbers alone. A week is a period
 * of any length.
 */

/** A row's visitors by week, oldest first; this week is the last one. */
export type Counts = readonly number[];

/** A page, or a section with its pages. */
export interface Row {
  readonly path: Scrubbed;
  readonly counts: Counts;
  readonly pages?: readonly Row[];
}

/** The numbers of docs/visitors-method.md. The shares are of names that may be there by chance. */
export const rule = {
  minVisitors: 20,
  minDifference: 10,
  youngWeeks: 3,
  pagesForLevel: 10,
  visitorsForLevel: 50,
  oddFactor: 3,
  oddMore: 20,
  spreadWeeks: 8,
  minSpread: 0.01,
  medianOfVariances: 0.9,
  outside: 0.05,
  outsideUnleveled: 0.008,
  kept: 0.5,
  minTested: 14,
  minHuman: 0.1,
  maxSince: 4,
  shares: { pages: 0.15, sections: 0.05, firstRows: 0.1 },
} as const;

/** A row that stands out, with the comparison to show. */
export type NamedRow = ReturnType<typeof choose>[number];

/**
 * The sections and the pages that stand out. `isNext`: the last earlier week is the one right
 * before this one.
 */
export function standOut(
  pages: readonly Row[],
  sections: readonly Row[],
  isNext: boolean,
  share: number,
) {
  const levels = levelsOf(pages);
  const spans = isNext ? [1, 2] : [1];
  const judged = judge(sections, levels, spans).map((section) => {
    const { weeks = 1, difference = 0 } = section.deciding ?? {};
    const isMost = ({ counts }: Row) => {
      const { value, base } = meansOf(leveled(counts, levels), weeks);
      return (value - base) * Math.sign(difference) >= Math.abs(difference) / 2;
    };
    // If one page is the reason, it is the page that stands out.
    if (section.pages?.some(isMost)) return { ...section, deciding: undefined };
    return section;
  });
  const named = [
    choose(judged, rule.shares.sections),
    choose(judge(pages, levels, spans), share),
  ] as const;
  return { levels, named };
}

/**
 * A page that changed: how many weeks there are before the change, and how many since are compared
 * with them.
 */
type Span = Readonly<{ before: number; weeks: number }>;

/** Of a row's weeks, those that are compared because it changed. */
export function aroundChange(counts: Counts, { before, weeks }: Span): Counts {
  return [...counts.slice(0, before), ...counts.slice(-weeks)];
}

/**
 * What became of pages that are clearly different since they changed, by the same rule; `crawled`:
 * only AI made them rise.
 */
export function standOutSince(
  pages: readonly Row[],
  changes: readonly (Row & Span)[],
  humansOf: (row: Row) => Counts,
) {
  const levels = levelsOf(pages);
  // The others are never judged. Leaving them out here saves time.
  const isLarge = (count: number) => count >= rule.minVisitors;
  const large = pages.filter(({ counts }) => leveled(counts, levels).some(isLarge));
  const groups = Map.groupBy(changes, ({ before, weeks }) => `${before} ${weeks}`).values();
  const judged = [...groups].flatMap((group) => {
    const [span] = group;
    if (span === undefined || span.before < minWeeks) return [];
    const paths = new Set(group.map(({ path }) => path));
    const rows = large.map(({ path, counts }) => ({ path, counts: aroundChange(counts, span) }));
    return judge(rows, levels && aroundChange([...levels, 1], span), [span.weeks]).flatMap(
      (row) => {
        if (!paths.has(row.path)) return [];
        const humans = aroundChange(leveled(humansOf(row), levels), span);
        return isCrawled(row.deciding, humans)
          ? { ...row, deciding: undefined, isOfAi: true }
          : row;
      },
    );
  });
  const became = new Map<string, 'crawled' | 'more' | 'fewer'>();
  for (const row of judged) if ('isOfAi' in row) became.set(row.path, 'crawled');
  for (const { path, shown } of choose(judged, rule.shares.pages))
    became.set(path, shown.difference > 0 ? 'more' : 'fewer');
  return { levels, became };
}

/** Whether AI, and not people, made a row rise. `humans` are at this week’s level. */
export function isCrawled(
  row: { weeks: number; difference: number } | undefined,
  humans: Counts,
): boolean {
  if (row === undefined || row.difference <= 0) return false;
  const { value, base } = meansOf(humans, row.weeks);
  return value - base < rule.minHuman * row.difference;
}

/**
 * What each earlier week’s counts are multiplied by; `undefined` if there are too few large pages.
 */
function levelsOf(pages: readonly Row[]): number[] | undefined {
  const large = pages.filter(({ counts }) => {
    return (counts.at(-1) ?? 0) >= 1 && mean(counts.slice(0, -1)) >= rule.visitorsForLevel;
  });
  if (large.length < rule.pagesForLevel) return undefined;
  const weeks = [...(large[0]?.counts.slice(0, -1).keys() ?? [])];
  return weeks.map((week) => {
    const ratios = large.map(({ counts }) => (counts.at(-1) ?? 0) / Math.max(1, counts[week] ?? 0));
    return medianOf(ratios) ?? 1;
  });
}

/** Adds up rows week by week. */
export function sumOf(rows: readonly Counts[]): Counts {
  return (rows[0] ?? []).map((_, week) =>
    rows.reduce((total, counts) => total + (counts[week] ?? 0), 0),
  );
}

/** Multiplies a row by the levels. This week has none. */
export function leveled(counts: Counts, levels: readonly number[] | undefined): Counts {
  if (levels === undefined) return counts;
  return counts.map((count, week) => count * (levels[week] ?? 1));
}

/**
 * Compares rows that are large and old enough, with levels and, to be sure, without. `spans`: how
 * many last weeks, least first.
 */
function judge(
  all: readonly Row[],
  levels: readonly number[] | undefined,
  spans: readonly number[],
) {
  const [least = 1] = spans;
  const judged = all.flatMap((row) => {
    const atLevel = leveled(row.counts, levels);
    const visitors = Math.max(mean(atLevel.slice(-least)), mean(atLevel.slice(0, -least)));
    const isOld = row.counts.slice(0, -least - rule.youngWeeks).some((count) => count > 0);
    return visitors >= rule.minVisitors && isOld ? { row, atLevel } : [];
  });
  const rows = judged.map(({ atLevel }) => atLevel);
  const comparisons = spans.map((weeks) => {
    if (!levels) return compare(rows, weeks, rule.minSpread);
    const unleveled = compare(
      judged.map(({ row }) => row.counts),
      weeks,
      0,
    );
    return compare(rows, weeks, 0).map((found, at) => {
      const { tail = 1, difference = 0 } = unleveled[at] ?? {};
      return found && tail <= rule.outsideUnleveled && difference * found.difference > 0
        ? found
        : undefined;
    });
  });
  return judged.map(({ row }, at) => {
    const counting = comparisons.flatMap((found) => found[at] ?? []);
    const [deciding] = counting.toSorted((a, b) => a.tail - b.tail);
    return { ...row, shown: counting[0], deciding };
  });
}

/**
 * Compares last weeks with those before: `undefined` within the range, whose edges have distance 1,
 * or if a change ends.
 */
function compare(rows: readonly Counts[], weeks: number, minSpread: number) {
  const before = (rows[0]?.length ?? 0) - weeks;
  const degrees = rule.spreadWeeks + before - 1;
  const limit = tLimit(rule.outside, degrees);
  const means = rows.map((counts) => meansOf(counts, weeks));
  const excess = medianOf(means.map(({ own, noise }) => (own - noise) / noise ** 2)) ?? 0;
  const spread = Math.max(minSpread, excess / rule.medianOfVariances);
  return means.map(({ value, base, noise, own, now, last }) => {
    const shared = rule.spreadWeeks * (noise + spread * base ** 2);
    const variance = Math.max(noise, (shared + (before - 1) * own) / degrees);
    const difference = value - base;
    const error = variance * (1 / before + Math.max(1, value / noise) / weeks);
    const deviations = Math.abs(difference) / Math.sqrt(error);
    if (now < 1 || Math.abs(difference) < rule.minDifference || deviations < limit)
      return undefined;
    const [is = 0, was = 0] = [now, last].map((count) => (count - base) * Math.sign(difference));
    if (weeks > 1 && !(was > 0 && is >= rule.kept * was)) return undefined;
    // Above the baseline, the error grows with the visitors, so the upper end solves d² = limit² ·
    // error(base + d).
    const half = (limit ** 2 * variance) / (2 * weeks * noise);
    const errorAbove = variance * (1 / before + base / noise / weeks);
    return {
      weeks,
      value,
      base,
      difference,
      low: base - limit * Math.sqrt(variance * (1 / before + 1 / weeks)),
      high: base + half + Math.sqrt(half ** 2 + limit ** 2 * errorAbove),
      distance: deviations / limit,
      tail: tTail(deviations, degrees),
    };
  });
}

/** Counts are at this week’s level. */
export function meansOf(counts: Counts, weeks: number) {
  const before = withoutOdd(counts.slice(0, -weeks));
  const base = mean(before);
  const squares = before.reduce((total, count) => total + (count - base) ** 2, 0);
  const [last = 0, now = 0] = counts.slice(-2);
  return {
    value: mean(counts.slice(-weeks)),
    base,
    noise: Math.max(1, base),
    own: squares / (before.length - 1),
    now,
    last,
  };
}

/**
 * If exactly one week is odd, it counts as the median. Otherwise, it would hide a fall for as long
 * as it is in the baseline.
 */
function withoutOdd(counts: Counts): Counts {
  const limitOf = (middle: number) => rule.oddFactor * middle + rule.oddMore;
  // The median isn’t below the minimum, and rarely needed.
  if (Math.max(...counts) <= limitOf(Math.min(...counts))) return counts;
  const median = medianOf(counts) ?? 0;
  const odd = counts.filter((count) => count > limitOf(median));
  if (odd.length !== 1) return counts;
  return counts.map((count) => (count === odd[0] ? median : count));
}

/** The procedure of Benjamini and Hochberg, as if at least `minTested` rows were judged. */
function choose<Row extends ReturnType<typeof judge>[number]>(
  judged: readonly Row[],
  share: number,
) {
  const ranked = judged
    .flatMap(({ shown, deciding, ...row }) =>
      shown && deciding ? { ...row, shown, deciding } : [],
    )
    .toSorted((a, b) => a.deciding.tail - b.deciding.tail);
  const unit = share / Math.max(rule.minTested, judged.length);
  return ranked.slice(
    0,
    1 + ranked.findLastIndex(({ deciding }, rank) => deciding.tail <= unit * (rank + 1)),
  );
}
