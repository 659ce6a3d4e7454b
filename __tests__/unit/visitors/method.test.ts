import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  compareWeeks,
  measureDistance,
  measureRestlessness,
  replaceOdd,
  standsOut,
} from '../../../src/visitors/judge/method/compare.ts';
import { findLevels, type Page } from '../../../src/visitors/judge/method/level.ts';
import { findMoves, hasLostAll, isNew } from '../../../src/visitors/judge/method/moved.ts';
import { judgeRows } from '../../../src/visitors/judge/method/stands-out.ts';
import { upperTail } from '../../../src/visitors/judge/method/statistics.ts';
import { findUsual } from '../../../src/visitors/judge/method/usual-count.ts';
import { plain } from '../../support/plain.ts';
import { row, window } from './site.ts';

/* The steps of docs/visitors-method.md against figures calculated by hand. `reference.test.ts` holds the whole to the reference. */

// The survival function of SciPy, `scipy.stats.t.sf`.
test.each([
  [5, 0.5, 0.31914943582046457],
  [5, 7, 0.00045837375719920225],
  [6, 2, 0.04621315576583756],
  [9, 4, 0.0015552141551929272],
  [13, 2, 0.03342017882412709],
  [13, 7, 4.670578612148225e-6],
  [30, 7, 4.434979333610325e-8],
])('Student’s t with %d degrees of freedom reaches %d with probability %d', (degrees, t, tail) => {
  expect(upperTail(t, degrees)).toBeCloseTo(tail, 14);
  expect(upperTail(0, degrees)).toBeCloseTo(0.5, 14);
});

describe('how many people', () => {
  const usual = (weeks: readonly number[], now = 0) =>
    findUsual(
      weeks.map((count) => ({ window, count })),
      now,
    );
  const of = (weeks: number, people: number) => Array<number>(weeks).fill(people);
  const range = (weeks: readonly number[]) => {
    const found = usual(weeks);
    return found && [found.low, found.high];
  };

  test('equal weeks vary by two standard errors of counting', () => {
    // 1,000.5 · e^±(2 ÷ √1,000) − 0.5 is 938.7 to 1,065.3.
    expect(range(of(12, 1000))).toEqual([939, 1065]);
    // 9.5 · e^±(2 ÷ 3) − 0.5 is 4.4 to 18.0.
    expect(range(of(4, 9))).toEqual([5, 18]);
    expect(range(of(4, 1))).toEqual([0, 10]);
  });

  test('four weeks reach 9.8 spreads, without the furthest of them', () => {
    // The logarithms of 100.5, 101.5, 102.5, and 150.5: the middle is ln 102; the three nearest are 0.0148, 0.0049, and 0.0049 from
    // it, so that the spread is 0.0094, and 9.8 spreads are 0.0923. Counting noise is more: 2 ÷ √101.5 = 0.1985.
    expect(range([100, 101, 102, 150])).toEqual([84, 123]);
    // With 1,000 people, the middle is ln 1,020.45: 0.0197, 0.0098, and 0.0098 give a spread of 0.0139, and 9.8 are 0.1364.
    expect(range([1000, 1010, 1030, 1500])).toEqual([890, 1169]);
  });

  test('from eight weeks on, two odd ones count for nothing', () => {
    const odd = (weeks: number) => range([...of(weeks - 2, 1000), 1, 9000]);
    expect(odd(8)).toEqual([939, 1065]);
    expect(odd(12)).toEqual([939, 1065]);
    expect(odd(7)).not.toEqual([939, 1065]);
  });

  test('only the newest twelve weeks count', () => {
    expect(usual([...of(12, 10), ...of(12, 1000)])).toMatchObject({ low: 939, weeks: 12 });
    expect(usual(of(3, 1000))).toBeUndefined();
  });

  test.each([
    ['fewer', of(12, 1000), 938],
    ['usual', of(12, 1000), 939],
    ['usual', of(12, 1000), 1065],
    ['more', of(12, 1000), 1066],
    // 0 to 10 says little, and neither does a range up to 316,743.
    ['varies', of(4, 1), 9],
    ['more', of(4, 1), 11],
    ['varies', [200, 3000, 900, 12_000], 600],
    ['fewer', [90, 100, 105, 110], 0],
  ])('says %s', (side, weeks, now) => {
    expect(usual(weeks, now)?.side).toBe(side);
  });

  test('the range is in order and doesn’t depend on this week', () => {
    const count = fc.integer({ min: 0, max: 100_000 });
    const weeks = fc.array(count, { minLength: 4, maxLength: 14 });
    fc.assert(
      fc.property(weeks, count, (past, now) => {
        const found = usual(past, now);
        expect(found?.low).toBeLessThanOrEqual(found?.high ?? -1);
        expect(range(past)).toEqual([found?.low, found?.high]);
      }),
    );
  });
});

/** A page that is listed in every week with a count. */
function page(path: string, counts: readonly (number | undefined)[]): Page {
  return {
    path: plain(path),
    counts: counts.map((count) => count ?? 0),
    rows: counts.map((count) => (count === undefined ? undefined : row(path, count, 0))),
  };
}

/** Pages whose people hardly vary, for that many weeks. */
const calm = (pages: number, weeks = 14, size = 100) =>
  Array.from({ length: pages }, (_, index) => {
    const counts = Array.from({ length: weeks }, (_, week) => size + ((index * 3 + week) % 5));
    return page(`/calm/${index}`, counts);
  });

const wholeLists = (pages: readonly Page[]) => ({
  pages,
  maxMissing: pages[0]?.counts.map(() => 0) ?? [],
});

describe('the level', () => {
  const before = Array<number>(5).fill(40);

  test('is the median of what pages rose by, if there are ten', () => {
    const tripled = Array.from({ length: 10 }, (_, index) => page(`/${index}`, [...before, 120]));
    expect(findLevels(wholeLists(tripled))).toEqual([3, 3, 3, 3, 3, 1]);
    expect(findLevels(wholeLists(tripled.slice(1)))).toEqual([1, 1, 1, 1, 1, 1]);
  });

  test('doesn’t come from pages with fewer than 20 people before, or none now', () => {
    const small = page('/small', [19, 20, 20, 20, 20, 60]);
    const gone = page('/gone', [...before, 0]);
    for (const unusable of [small, gone]) {
      const nine = Array.from({ length: 9 }, () => page('/', [...before, 120]));
      expect(findLevels(wholeLists([...nine, unusable]))[0]).toBe(1);
    }
  });
});

describe('comparing', () => {
  test('only a single count above 3 × the median + 20 is odd', () => {
    expect(replaceOdd([10, 10, 10, 51])).toEqual([10, 10, 10, 10]);
    expect(replaceOdd([10, 10, 10, 50])).toEqual([10, 10, 10, 50]);
    expect(replaceOdd([10, 10, 10, 10, 51, 52])).toEqual([10, 10, 10, 10, 51, 52]);
  });

  test('equal weeks have at least the noise of counting', () => {
    const before = Array<number>(12).fill(70);
    const comparison = compareWeeks({ before, since: [170, 170] });
    expect(comparison.usually).toBeCloseTo(70, 10);
    // d = ln(200 ÷ 100), the variance is 70 ÷ 100², and 1/2 + 1/12 of it is 0.0639².
    expect(measureDistance(comparison, 0)).toBeCloseTo(Math.LN2 / 0.0639, 2);
    // With a typical variance of 0.04, it is a quarter of that, and 1/2 + 1/12 of it is 0.0764².
    expect(measureDistance(comparison, 0.04)).toBeCloseTo(Math.LN2 / 0.0764, 1);
  });

  test('in a restless week, all distances are divided', () => {
    const distances = Array.from({ length: 20 }, (_, index) => index + 1);
    expect(measureRestlessness(distances)).toBeCloseTo(17 / 1.44, 10);
    expect(measureRestlessness(distances.slice(0, 9))).toBe(1);
    expect(measureRestlessness(Array(20).fill(1))).toBe(1);
  });

  const usually = Array<number>(12).fill(100);
  const calmWeek = { typicalVariance: 0, restlessness: 1 };
  test.each([
    ['both weeks above', usually, [200, 190], true],
    ['both below', usually, [50, 45], true],
    ['only this week above', usually, [100, 400], false],
    ['one above and one below', usually, [300, 50], false],
    ['this week hardly above', usually, [400, 130], false],
    ['as many as once before', usually.with(3, 190), [200, 190], false],
    ['fewer than ten more', Array<number>(12).fill(15), [25, 24], false],
  ])('%s: %j, %j', (_, before, since, expected) => {
    expect(standsOut(compareWeeks({ before, since }), calmWeek, 100)).toBe(expected);
  });

  test('among more pages, a difference must be larger', () => {
    // t is 3.75. With 13 degrees of freedom, chance reaches it on one side in 1 of 817; 0.1 ÷ m is less from 82 pages on.
    const comparison = compareWeeks({ before: usually, since: [132, 132] });
    expect(standsOut(comparison, calmWeek, 81)).toBe(true);
    expect(standsOut(comparison, calmWeek, 82)).toBe(false);
  });
});

describe('pages and sections', () => {
  const namesIn = (pages: readonly Page[], maxMissing?: readonly number[]) => {
    const lists = { ...wholeLists(pages), ...(maxMissing && { maxMissing }) };
    return judgeRows(lists, []).pages.map(({ row }) => row.path);
  };
  const then = (...last: readonly number[]) => [
    ...Array<number>(14 - last.length).fill(100),
    ...last,
  ];

  test('are named in their second week', () => {
    expect(namesIn([...calm(20), page('/up', then(250))])).toEqual([]);
    expect(namesIn([...calm(20), page('/up', then(250, 240))])).toEqual(['/up']);
    expect(namesIn([...calm(20), page('/down', then(40, 50))])).toEqual(['/down']);
    expect(namesIn([...calm(20), page('/none', then(40, 0))])).toEqual([]);
  });

  test('a section isn’t named if one page makes half of its change', () => {
    const sectionOf = (pages: readonly Page[]) => {
      const counts = then(0).map((_, week) =>
        pages.reduce((sum, { counts }) => sum + (counts[week] ?? 0), 0),
      );
      return { path: plain('/section'), pages, counts };
    };
    const fallen = (...last: readonly number[]) => page('/fallen', then(...last));
    const judged = (...pages: Page[]) =>
      judgeRows(wholeLists([...calm(20), ...pages]), [sectionOf(pages)]).sections.length;
    expect(judged(fallen(60, 60), fallen(60, 60), fallen(60, 60))).toBe(1);
    expect(judged(fallen(40, 40), fallen(90, 90), fallen(80, 80), fallen(80, 80))).toBe(0);
  });

  test('a page that a cut list lacks has at most the last row’s visitors there', () => {
    const bounds = Array<number>(14).fill(30);
    /** A page that isn't listed in these weeks. */
    const lacking = (path: string, counts: readonly number[], ...weeks: number[]): Page => ({
      path: plain(path),
      counts: counts.map((count, week) => (weeks.includes(week) ? 30 : count)),
      rows: counts.map((count, week) => (weeks.includes(week) ? undefined : row(path, count, 0))),
    });
    const before = [...Array(12).keys()];
    const rows = [
      lacking('/risen', then(300, 300), ...before),
      lacking('/fallen', then(0, 0), 12, 13),
      // These may have had as many people as now, or have as many as before.
      lacking('/uncertain rise', [...Array<number>(12).fill(300), 300, 300], 12, 13, ...before),
      lacking('/uncertain fall', then(2, 2).fill(90, 0, 12), 3),
    ];
    expect(namesIn([...calm(20), ...rows], bounds)).toEqual(['/risen', '/fallen']);
  });
});

describe('new, gone, and moved pages', () => {
  const none = undefined;

  test.each([
    [[none, none, 9, 10], true],
    [[none, none, none, 10], true],
    [[none, none, none, 9], false],
    [[none, none, 10, 10], false],
    [[none, 0, none, 10], false],
  ])('%j is new: %j', (counts, expected) => {
    expect(isNew(page('/', counts))).toBe(expected);
  });

  test.each([
    [[50, 50, 10, none], true],
    // AI may still read it.
    [[50, 50, 10, 0], true],
    [[50, 50, 9, 0], false],
    [[50, 50, 10, 1], false],
    // It broke in the middle of the week before, and in one of the others, too few came.
    [[50, 9, 50, 50, 1, 0], true],
    [[50, 9, 50, 9, 1, 0], false],
    [[50, 50, 50, 1, 0], false],
    [[50, 50, 50, 50, 1, 0, 0], false],
    [[50, 50, 50, 50, 9, 1], false],
  ])('%j is gone: %j', (counts, expected) => {
    expect(hasLostAll(page('/', counts))).toBe(expected);
  });

  const old = page('/guides/a', [50, 50, 50, none]);
  test.each([
    ['in the next week', [page('/learn/a', [none, none, none, 50])], '/learn/a'],
    ['in its last week', [page('/learn/a', [none, none, 20, 50])], '/learn/a'],
    ['too early', [page('/learn/a', [none, 20, 50, 50])], undefined],
    ['with another name', [page('/learn/b', [none, none, none, 50])], undefined],
    ['as one of two', ['/x/a', '/y/a'].map((p) => page(p, [none, none, none, 50])), undefined],
    ['with few people', [page('/learn/a', [none, none, none, 9])], undefined],
  ])('a page took another’s place %s', (_, others, expected) => {
    expect(findMoves([old, ...others]).map(({ to }) => to.path)).toEqual(
      expected ? [expected] : [],
    );
  });

  test('a page took another’s place a week late', () => {
    const left = page('/guides/a', [50, 50, none, none, none]);
    expect(findMoves([left, page('/learn/a', [none, none, none, 50, 50])])).toEqual([]);
    expect(findMoves([left, page('/learn/a', [none, none, 50, 50, 50])])).toHaveLength(1);
  });
});
