import { expect, test } from '@jest/globals';
import { type Counts, isHeadline, newsGate } from '../../../src/visitors/chance.ts';

test.each([
  [10, 6, false],
  [1100, 1000, true],
  [1000, 1100, true],
  [1050, 1000, false],
  [1_004_999, 1_000_000, false],
  [1_005_000, 1_000_000, true],
])('%d after %d makes a headline: %p', (now, before, expected) => {
  expect(isHeadline({ now, before })).toBe(expected);
});

/*
 * What comes of the gates where it is known whether anything happened: all visitors are Poisson counts around a mean.
 */

const pages = 1000;
/** The first pages are those that something may have happened to. */
const changed = 20;
const means = [30, 200, 2000];
const weeks = 50;

/** The pages of one week after the other, each with so many visitors on average before. */
function weeksOf(mean: number, { times = 1, site = 1 }: { times?: number; site?: number } = {}): Counts[][] {
  const random = randomOf(mean);
  const before = visitorsOf(mean, random);
  const [now, nowChanged] = [visitorsOf(mean * site, random), visitorsOf(mean * site * times, random)];
  const page = (index: number) => ({ now: index < changed ? nowChanged() : now(), before: before() });
  return Array.from({ length: weeks }, () => Array.from({ length: pages }, (_, index) => page(index)));
}

/** How many movers there are in a week on average: of the pages that something may have happened to, and of the others. */
function moversOf(played: readonly Counts[][]): { found: number; others: number } {
  let [found, others] = [0, 0];
  for (const week of played) {
    const sum = (pick: (page: Counts) => number) => week.reduce((total, page) => total + pick(page), 0);
    const isMover = newsGate(week, { now: sum(({ now }) => now), before: sum(({ before }) => before) });
    for (const [index, page] of week.entries()) {
      if (!isMover(page)) continue;
      if (index < changed) found += 1;
      else others += 1;
    }
  }
  return { found: found / weeks, others: others / weeks };
}

test('of 1,000 unchanged pages at most one a week moves, and pages that changed are found', () => {
  const rates = means.map((mean) => {
    const of = (more: Parameters<typeof weeksOf>[1]) => moversOf(weeksOf(mean, more));
    const [still, tide, half, double] = [of({}), of({ site: 1.3 }), of({ times: 1.5 }), of({ times: 2 })];
    return { mean, still: still.found + still.others, tide: tide.found + tide.others, half, double };
  });
  for (const { still, tide, half, double } of rates) {
    for (const wrong of [still, tide, half.others, double.others]) expect(wrong).toBeLessThanOrEqual(1);
  }
  const [few, some, many] = rates;
  expect(few?.double.found).toBeGreaterThan(3);
  expect(some?.half.found).toBeGreaterThan(10);
  expect(some?.double.found).toBe(changed);
  expect(many?.half.found).toBe(changed);
});

test('with nothing changed the headline says more or fewer in at most 6 of 100 weeks', () => {
  const times = 2000;
  const rates = [8, 100, 1000, 10_000, 100_000].map((mean) => {
    const total = visitorsOf(mean, randomOf(mean));
    const said = Array.from({ length: times }, () => isHeadline({ now: total(), before: total() }));
    return [mean, (100 * said.filter(Boolean).length) / times] as const;
  });
  for (const [, percent] of rates) expect(percent).toBeLessThanOrEqual(6);
});

/** Numbers in [0, 1), always the same for the same seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let hash = Math.imul(state ^ (state >>> 15), state | 1);
    hash ^= hash + Math.imul(hash ^ (hash >>> 7), hash | 61);
    return ((hash ^ (hash >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** How many visitors come by chance where so many come on average: a Poisson count, drawn anew with every call. */
function visitorsOf(mean: number, random: () => number): () => number {
  const fewest = Math.max(0, Math.floor(mean - 12 * Math.sqrt(mean)));
  const most = Math.ceil(mean + 12 * Math.sqrt(mean));
  // How likely each count is, held against the first one; then how likely it is that at most so many come.
  const cumulated = [1];
  for (let count = fewest + 1, weight = 1, sum = 1; count <= most; count += 1) {
    weight *= mean / count;
    sum += weight;
    cumulated.push(sum);
  }
  const all = cumulated.at(-1) ?? 1;
  return () => {
    const drawn = random() * all;
    let [low, high] = [0, cumulated.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((cumulated[middle] ?? 0) > drawn) high = middle;
      else low = middle + 1;
    }
    return fewest + low;
  };
}
