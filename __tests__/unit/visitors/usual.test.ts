import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { aiShare } from '../../../src/visitors/judge/findings.ts';
import { tLimit, tTail } from '../../../src/visitors/judge/statistics.ts';
import { usualShare, usualTotal } from '../../../src/visitors/judge/usual.ts';
import { type PageWeeks, usualPages } from '../../../src/visitors/judge/usual-pages.ts';

/* Compares usual ranges with figures calculated by hand. `usual-simulation` counts false alarms. */

// Two-sided limits from published tables.
test.each([
  [1, 12.706, 636.619],
  [3, 3.182, 12.924],
  [6, 2.447, 5.959],
  [30, 2.042, 3.646],
  [100, 1.984, 3.39],
])('Student’s t with %d degrees of freedom', (degrees, at5, at01) => {
  expect(tLimit(0.05, degrees)).toBeCloseTo(at5, 3);
  expect(tLimit(0.001, degrees)).toBeCloseTo(at01, 2);
  expect(tTail(at5, degrees)).toBeCloseTo(0.05, 4);
});

describe('totals', () => {
  const steady = Array<number>(8).fill(1000);

  test('eight equal weeks vary by counting noise: 1,000.5 × e^±0.1047', () => {
    expect(usualTotal(steady, 1000)).toEqual({ low: 901, high: 1110, side: 'usual', weeks: 8 });
    expect(usualTotal(steady, 1110)?.side).toBe('usual');
    expect(usualTotal(steady, 1111)?.side).toBe('more');
    expect(usualTotal(steady, 900)?.side).toBe('fewer');
  });

  test('fewer than four known weeks have no range', () => {
    expect(usualTotal([1000, 1100, 1210], 1331)).toBeUndefined();
    expect(usualTotal([undefined, 900, 1000, 1100], 1000)).toBeUndefined();
  });

  const growing = [1000, 1100, 1210, 1331, 1464, 1611];
  const known = [undefined, undefined, 1000, 1100, undefined, 1331, 1464, undefined, 1772, 1949];
  const odd = [1010, 990, 400, 1005, 995, 1000, 1008, 992];
  test.each([
    ['five weeks have a mean', growing.slice(0, 5), { weeks: 5 }, { 1611: 'usual', 3000: 'more' }],
    // These six weeks have a mean of 1,286, and the next week on their trend has 1,772 visitors.
    ['six weeks have a trend', growing, { weeks: 6 }, { 1772: 'usual', 1300: 'fewer' }],
    ['unknown weeks don’t shift the trend', known, { weeks: 6 }, { 2144: 'usual', 1600: 'fewer' }],
    ['weeks without visitors count', [0, 6, 0, 5, 0, 6, 0, 5], { low: 0, weeks: 8 }, { 4: 'usual' }],
    ['weeks without any visitors count', Array<number>(8).fill(0), {}, { 400: 'more' }],
    ['an odd week is dropped, as it would hide a fall', odd, { weeks: 7 }, { 700: 'fewer' }],
    ['two odd weeks are kept', odd.with(7, 380), { weeks: 8 }, { 700: 'usual' }],
    ['no visitors are fewer than usual', [100, 90, 110, 105], {}, { 0: 'fewer' }],
    ['no visitors are usual after almost none', [1, 2, 1, 1], { low: 0 }, { 0: 'usual' }],
  ])('%s', (_, weeks, range, sides) => {
    for (const [now, side] of Object.entries(sides))
      expect(usualTotal(weeks, Number(now))).toMatchObject({ ...range, side });
  });

  test('the range is in order and doesn’t depend on the current week', () => {
    const count = fc.integer({ min: 1, max: 100_000 });
    fc.assert(
      fc.property(fc.array(count, { minLength: 4, maxLength: 12 }), count, count, (weeks, a, b) => {
        const [fewer, more] = [usualTotal(weeks, Math.min(a, b)), usualTotal(weeks, Math.max(a, b))];
        expect(fewer?.low).toBeLessThanOrEqual(fewer?.high ?? 0);
        expect([more?.low, more?.high]).toEqual([fewer?.low, fewer?.high]);
        const sides = ['fewer', 'usual', 'more'];
        expect(sides.indexOf(more?.side ?? '')).toBeGreaterThanOrEqual(sides.indexOf(fewer?.side ?? ''));
      }),
    );
  });
});

describe('the AI share', () => {
  const steady = Array(8).fill({ part: 300, whole: 1000 });

  test('is usual within counting noise', () => {
    const usual = usualShare(steady, { part: 310, whole: 1000 });
    expect(usual).toMatchObject({ side: 'usual', weeks: 8 });
    // The log odds of the limits are ln(300.5 / 700.5) ± 0.2283.
    expect(usual?.low).toBeCloseTo(0.2545, 3);
    expect(usual?.high).toBeCloseTo(0.3503, 3);
    expect(usualShare(steady, { part: 720, whole: 2000 })?.side).toBe('more');
    expect(usualShare(steady, { part: 0, whole: 2000 })?.side).toBe('fewer');
  });

  test('ignores weeks without visitors, or with more AI visitors than visitors', () => {
    expect(aiShare({ ai: 1001, total: 1000 })).toBeUndefined();
    expect(aiShare({ ai: 0, total: 0 })).toBeUndefined();
    const broken = [aiShare({ ai: 2, total: 1 }), aiShare({ ai: 0, total: 0 }), undefined, ...steady];
    expect(usualShare(broken, { part: 310, whole: 1000 })?.weeks).toBe(8);
    expect(
      usualShare([...broken.slice(0, 3), ...steady.slice(0, 3)], { part: 3, whole: 10 }),
    ).toBeUndefined();
  });
});

describe('pages', () => {
  /** Turns a list of weekly visitors for each page into one map for each week. The last week is the current one. */
  function pageWeeks(visits: Record<string, readonly number[]>): PageWeeks {
    const length = Object.values(visits)[0]?.length ?? 0;
    const weeks = Array.from({ length }, (_, week) => {
      const counts = Object.entries(visits).map(([path, all]) => [path, all[week] ?? 0] as const);
      return new Map(counts.filter(([, visitors]) => visitors > 0));
    });
    return { weeks: weeks.slice(0, -1), now: weeks.at(-1) ?? new Map(), isNowWhole: true };
  }

  /** Pages whose visitors vary a little around 100 from week to week. */
  function calm(pages: number, weeks = 9): Record<string, number[]> {
    const swing = [4, -7, 9, -2, 11, -12, -5, 3, -1, 6, -9, 8, -4];
    const visits = (page: number) =>
      Array.from({ length: weeks }, (_, week) => 100 + (swing[(page * 5 + week * 3) % 13] ?? 0));
    return Object.fromEntries(Array.from({ length: pages }, (_, page) => [`/calm-${page}`, visits(page)]));
  }

  /** Eight equal weeks, and then this number of visitors. */
  const then = (visitors: number, usual = 100) => [...Array<number>(8).fill(usual), visitors];
  const named = (visits: Record<string, readonly number[]>, more: Partial<PageWeeks> = {}) =>
    usualPages({ ...pageWeeks(visits), ...more }).unusual.map(({ path, side }) => `${path} ${side}`);

  test('pages that move further than they usually swing are named, furthest first', () => {
    const moved = {
      ...calm(30),
      '/up': [100, 95, 105, 99, 101, 98, 102, 100, 240],
      '/down': [400, 395, 405, 399, 401, 398, 402, 400, 150],
    };
    expect(named(moved)).toEqual(['/down fewer', '/up more']);
    const { weeks, pages } = usualPages(pageWeeks(moved));
    expect(weeks).toBe(8);
    const up = pages.get('/up');
    expect(up?.baseline).toBeGreaterThan(95);
    expect(up?.baseline).toBeLessThan(105);
    expect(up?.distance).toBeGreaterThan(1);
    expect(pages.get('/calm-3')).toMatchObject({ side: 'usual' });
    expect(pages.size).toBe(32);
  });

  test('a page with eight equal weeks varies by counting noise and the minimum spread', () => {
    // The expected variance is 400 + 0.01 × 400² = 2,000, with 6 degrees of freedom. The page's own variance is 0, with
    // 7 degrees. The pooled variance is 923, and 923 × (1 + 1/8) = 32.2². The lower limit is 400 − 2.16 × 32.2 = 330.4.
    const { pages } = usualPages(pageWeeks({ '/only': then(400, 400) }));
    expect(pages.get('/only')).toMatchObject({ low: 331, high: 475 });
  });

  const rising = Object.fromEntries(
    Object.entries(calm(30)).map(([path, visits]) => [path, visits.with(-1, 160)]),
  );
  const rare = { '/rare': [1, 0, 1, 1, 0, 1, 1, 0, 19], '/some': [1, 0, 1, 1, 0, 1, 1, 1, 20] };
  test.each<[string, Record<string, readonly number[]>, readonly string[]]>([
    ['no page, if all rise', rising, []],
    ['no page that stays level, if all others rise', { ...rising, '/stays': then(100) }, []],
    ['a page that falls, if all others rise', { ...rising, '/falls': then(50) }, ['/falls fewer']],
    ['a page that is missing', { '/gone': then(0) }, ['/gone fewer']],
    ['a page that is new, after four weeks', { '/new': [0, 0, 0, 0, 100, 99, 101, 100, 300] }, ['/new more']],
    ['no page with few visitors', rare, ['/some more']],
    ['no page with a small difference', { '/nine': then(24, 15) }, []],
  ])('the report names %s', (_, visits, expected) => {
    expect(named({ ...calm(30), ...visits })).toEqual(expected);
  });

  test('a page that was named last week is named again if it stays there, because its last week isn’t usual', () => {
    const fallen = { ...calm(30), '/fell': [...Array(7).fill(400), 200, 200] };
    const young = { ...calm(30), '/fell': [0, 0, 0, 0, 400, 400, 400, 200, 200] };
    const unusualLast = new Set(['/fell']);
    expect(named(fallen)).toEqual([]);
    expect(named(fallen, { unusualLast })).toEqual(['/fell fewer']);
    expect(named(young, { unusualLast })).toEqual(named(young));
  });

  test('a page is unknown if it is younger, or missing from an incomplete list', () => {
    const younger = usualPages(pageWeeks({ ...calm(30), '/younger': [0, 0, 0, 0, 0, 99, 101, 100, 300] }));
    expect(younger.pages.has('/younger')).toBe(false);
    const cut = usualPages({ ...pageWeeks({ ...calm(30), '/gone': then(0) }), isNowWhole: false });
    expect([cut.unusual, cut.pages.has('/gone'), cut.pages.has('/calm-1')]).toEqual([[], false, true]);
  });

  test('with fewer than four weeks, pages are compared with the last one, and only large moves are named', () => {
    const two = { ...calm(30, 3), '/far': [100, 100, 900], '/near': [100, 100, 150] };
    expect(named(two)).toEqual(['/far more']);
    expect(usualPages(pageWeeks(two)).weeks).toBe(1);
    const none = { weeks: 0, pages: new Map(), unusual: [] };
    expect(usualPages({ weeks: [], now: new Map([['/a', 100]]), isNowWhole: true })).toEqual(none);
  });

  test('weeks in which no page was visited are left out', () => {
    const site = pageWeeks({ ...calm(30), '/up': then(300) });
    const weeks = [new Map(), ...site.weeks.slice(0, 4), new Map([['/up', 0]]), ...site.weeks.slice(4)];
    expect(usualPages({ ...site, weeks })).toEqual(usualPages(site));
  });

  test('the order of the rows changes nothing, not even by rounding', () => {
    const site = pageWeeks({ ...calm(40), '/up': then(300) });
    const turned = (week: ReadonlyMap<string, number>) => new Map([...week].toReversed());
    const reversed = usualPages({ ...site, now: turned(site.now), weeks: site.weeks.map(turned) });
    expect([...reversed.pages]).toEqual([...usualPages(site).pages]);
  });

  test('an unusual page is outside its range, and one with more visitors is also named with even more', () => {
    const page = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 9, maxLength: 9 });
    const site = fc
      .array(page, { minLength: 1, maxLength: 20 })
      .map((pages) => Object.fromEntries(pages.map((visits, index) => [`/${index}`, visits])));
    fc.assert(
      fc.property(site, fc.integer({ min: 1, max: 500 }), (visits, extra) => {
        for (const { path, now, low, high, side, distance } of usualPages(pageWeeks(visits)).unusual) {
          expect(side === 'more' ? now > high : now < low).toBe(true);
          expect(distance).toBeGreaterThan(1);
          if (side !== 'more') continue;
          const raised = visits[path]?.with(-1, now + extra) ?? [];
          expect(named({ ...visits, [path]: raised })).toContain(`${path} more`);
        }
      }),
    );
  });
});
