import { compareWindows } from '../../../src/visitors/judge/findings.ts';
import { chooseWindow, shiftWindow } from '../../../src/visitors/read/window.ts';
import type { WindowRead } from '../../../src/visitors/read/window-read.ts';
import { plain } from '../plain.ts';
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
  const {
    pages,
    spread,
    isVaried,
    swing,
    tide = 0,
    moves = 0,
    isViral,
    launched = 0,
    weeks = 8,
  } = setting;
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

/** A site of 120 pages in 12 sections whose pages vary by 12%, for ten weeks. */
export interface EventSetting {
  /** The pages that something happens to. */
  readonly who?: readonly number[];
  /** Their mean number of visitors, and what it is multiplied by, week by week. */
  readonly size?: number;
  readonly change?: readonly number[];
  /** How many visitors a crawl adds to each of them in the ninth week. */
  readonly added?: number;
}

/** Draws the weeks of an event, oldest first: eight, that of the event, and the week after. */
export function playEvent(
  { who = [], size, change, added = 0 }: EventSetting,
  random: Random,
): number[][] {
  const means = meansOf(120, 7200);
  for (const page of who) means[page] = size ?? means[page] ?? 0;
  const weeks = drawWeeks(
    means,
    (page, week) => (who.includes(page) ? (change?.[week] ?? 1) : 1),
    random,
  );
  for (const page of who)
    weeks[8] = weeks[8]?.with(page, (weeks[8][page] ?? 0) + countOf(added, random)) ?? [];
  return weeks;
}

/** Draws ten weeks of a site of 12,000 pages. In the last two, page 900, with `size` visitors, has `change` times as many. */
export function playLarge(size: number | undefined, change: number, random: Random): number[][] {
  const means = meansOf(12_000, 144_000);
  if (size !== undefined) means[900] = size;
  return drawWeeks(means, (page, week) => (page === 900 && week >= 8 ? change : 1), random);
}

function meansOf(pages: number, total: number): number[] {
  const means = Array.from({ length: pages }, (_, page) => (page + 3) ** -0.85);
  const sum = means.reduce((all, mean) => all + mean, 0);
  return means.map((mean) => (mean * total) / sum);
}

function drawWeeks(
  means: readonly number[],
  factor: (page: number, week: number) => number,
  random: Random,
): number[][] {
  const spreads = means.map(() => (0.12 * Math.exp(0.4 * normal(random))) ** 2);
  return Array.from({ length: 10 }, (_, week) => {
    const level = swingOf(0.04 ** 2, random);
    return means.map((mean, page) =>
      countOf(mean * factor(page, week) * level * swingOf(spreads[page] ?? 0, random), random),
    );
  });
}

/** How the pages of a site were read. */
export interface Reading {
  /** The number of sections; page 14 of 12 sections is in the third one. */
  readonly sections?: number;
  /** Only so many of the most-read pages were read. */
  readonly rows?: number | undefined;
}

const lastWeek = chooseWindow({ period: 'last-week', timeZone: 'UTC' }, Date.parse('2026-11-17'));

/** What was read of consecutive weeks, oldest first. All visitors are people. */
export function windowsOf(
  weeks: readonly (readonly number[])[],
  { sections = 1, rows }: Reading = {},
): WindowRead[] {
  let window = lastWeek;
  const newestFirst = weeks.toReversed().map((week, age): WindowRead => {
    if (age > 0) window = shiftWindow(window, -1);
    const listed = week.flatMap((total, page) => {
      const path = plain(`/s${page % sections}/p${page}`);
      return total > 0 ? { path, human: total, ai: 0, total } : [];
    });
    listed.sort((a, b) => b.total - a.total);
    const read = listed.slice(0, rows);
    const human = listed.reduce((sum, { total }) => sum + total, 0);
    return {
      window,
      totals: { human, ai: 0, total: human },
      rows: new Map(read.map((row) => [row.path, row])),
      cut: read.length < listed.length ? { kind: 'budget' } : undefined,
      mayLackRows: false,
    };
  });
  return newestFirst.toReversed();
}

/** What a report on the last of these weeks names, by number: pages and sections that stand out, and new pages. */
export function namedIn(weeks: readonly (readonly number[])[], reading: Reading = {}) {
  const earlier = windowsOf(weeks, reading);
  const now = earlier.pop();
  if (now === undefined) throw new Error('There are no weeks');
  const settings = { pages: [], sectionDepth: 1 };
  const {
    unusual,
    appeared = [],
    basis,
  } = compareWindows({ now, before: earlier.at(-1), earlier }, settings);
  const numbers = (rows: readonly { readonly path: string }[]) =>
    rows.map(({ path }) => Number(/\d+$/.exec(path)?.[0])).toSorted((a, b) => a - b);
  return {
    pages: numbers(unusual.filter(({ pages }) => pages === undefined)),
    sections: numbers(unusual.filter(({ pages }) => pages !== undefined)),
    appeared: numbers(appeared),
    basis,
  };
}
