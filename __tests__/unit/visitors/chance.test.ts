import { describe, expect, test } from '@jest/globals';
import { type Counts, isHeadline, newsGate } from '../../../src/visitors/chance.ts';
import { printTable } from '../../support/cases.ts';
import { randomOf, visitorsOf } from './by-chance.ts';

describe('the gate', () => {
  test.each([
    [29, 10, true],
    [20, 10, false],
    [19, 0, false],
    [20, 0, true],
    [0, 20, true],
    [1000, 1080, false],
    [1000, 1100, true],
    [25, 15, false],
  ])('for a page alone: %d after %d is %p', (now, before, expected) => {
    expect(newsGate([{ now, before }])({ now, before })).toBe(expected);
  });

  test('asks the more of a page the more pages there are, not counting those with few visitors', () => {
    const page = { now: 1100, before: 1000 };
    const others = (count: number, visitors: number) =>
      Array.from({ length: count }, () => ({ now: visitors, before: visitors }));
    expect(newsGate([page, ...others(6, 20)])(page)).toBe(true);
    expect(newsGate([page, ...others(30, 20)])(page)).toBe(false);
    expect(newsGate([page, ...others(30, 19)])(page)).toBe(true);
  });

  test('lets no page through for what the whole site did, nor one that only lags behind', () => {
    const through = (now: number, before: number, trend: number) =>
      newsGate([{ now, before }], { now: 1000 * trend, before: 1000 })({ now, before });
    expect(through(1300, 1000, 1)).toBe(true);
    expect(through(1300, 1000, 1.3)).toBe(false);
    expect(through(1150, 1000, 1.3)).toBe(false);
    expect(through(1000, 1000, 1.3)).toBe(false);
    expect(through(800, 1000, 1.3)).toBe(true);
    expect(through(2000, 1000, 1.3)).toBe(true);
  });
});

describe('the headline', () => {
  test.each([
    [10, 6, false],
    [1100, 1000, true],
    [1000, 1100, true],
    [1050, 1000, false],
    [1_004_999, 1_000_000, false],
    [1_005_000, 1_000_000, true],
  ])('%d after %d says more or fewer: %p', (now, before, expected) => {
    expect(isHeadline({ now, before })).toBe(expected);
  });
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
  printTable(`Movers a week, of ${pages} pages of which ${changed} may change`, [
    ['visitors', 'unchanged', 'site +30%', 'found at ×1.5', 'at ×2', 'others at ×2'],
    ...rates.map(({ mean, still, tide, half, double }) => [
      mean,
      still,
      tide,
      half.found,
      double.found,
      double.others,
    ]),
  ]);
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
  printTable('Of 100 weeks with nothing changed, said to have more or fewer', [
    ['visitors', 'weeks'],
    ...rates,
  ]);
  for (const [, percent] of rates) expect(percent).toBeLessThanOrEqual(6);
});
