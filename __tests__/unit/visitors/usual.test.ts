import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { tLimit, tTail } from '../../../src/visitors/judge/statistics.ts';
import { slowChange, usualShare, usualTotal } from '../../../src/visitors/judge/usual.ts';
import type { WindowRead } from '../../../src/visitors/read/window-read.ts';
import { chooseQuarter, isLong } from '../../support/long.ts';
import { playTotals, sitesOf, totalSettings } from '../../support/usual-weeks/cells.ts';
import {
  firstRows,
  isCalledOut,
  isSlow,
  named as namedByModel,
} from '../../support/usual-weeks/model.ts';
import { randomOf } from '../../support/usual-weeks/random.ts';
import { namedIn, playEvent, playSite } from '../../support/usual-weeks/sites.ts';
import { siteOf, weeksWith } from './rendered.ts';
import { readOf, row } from './site.ts';

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
    expect(usualTotal(steady, 1000)).toMatchObject({
      low: 901,
      high: 1110,
      side: 'usual',
      periods: 8,
      leftOut: [],
    });
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
  const holidays = odd.with(3, 380);
  test.each([
    ['five weeks have a mean', growing.slice(0, 5), { 1611: 'usual', 3000: 'more' }],
    // These six weeks have a mean of 1,286, and the next week on their trend has 1,772 visitors.
    ['six weeks have a trend', growing, { 1772: 'usual', 1300: 'fewer' }],
    ['unknown weeks don’t shift the trend', known, { 2144: 'usual', 1600: 'fewer' }],
    ['weeks without visitors count', [0, 6, 0, 5, 0, 6, 0, 5], { 4: 'usual' }],
    ['weeks without any visitors count', Array<number>(8).fill(0), { 400: 'more' }],
    ['an odd week is left out, as it would hide a fall', odd, { 700: 'fewer' }],
    ['two odd weeks next to each other are left out', holidays, { 700: 'fewer', 1000: 'usual' }],
    ['two odd weeks on different sides are kept', odd.with(3, 2500), { 700: 'usual' }],
    ['two odd weeks apart are kept', odd.with(7, 380), { 700: 'usual' }],
    [
      'neighbors are neighbors in the calendar',
      [...odd.slice(0, 3), undefined, ...holidays.slice(3)],
      { 700: 'usual' },
    ],
    ['two odd weeks of five are kept', [1000, 400, 380, 1005, 995], { 700: 'usual' }],
    ['no visitors are fewer than usual', [100, 90, 110, 105], { 0: 'fewer' }],
    ['no visitors are usual after almost none', [1, 2, 1, 1], { 0: 'usual' }],
  ])('%s', (_, weeks, sides) => {
    for (const [now, side] of Object.entries(sides))
      expect(usualTotal(weeks, Number(now))?.side).toBe(side);
  });

  test('are called out as by the model', () => {
    const random = randomOf(7);
    const weeks = totalSettings.flatMap((setting) =>
      [1, 0.7].map((change) => playTotals(setting, change, random)),
    );
    const called = weeks.map(({ before, now }) => usualTotal(before, now)?.side !== 'usual');
    expect(called).toEqual(weeks.map(({ before, now }) => isCalledOut(before, now)));
    expect(called.filter((isCalled) => isCalled).length).toBeGreaterThan(20);
  });

  test('change slowly as by the model', () => {
    const random = randomOf(11);
    const falling = { total: 3000, swing: 0.05, growth: -0.05 };
    const weeks = Array.from({ length: 200 }, (_, index) =>
      playTotals(index % 2 === 0 ? falling : { total: 3000, swing: 0.05 }, 1, random),
    );
    const slow = weeks.map(({ before, now }) => slowChange(before, now) !== undefined);
    expect(slow).toEqual(weeks.map(({ before, now }) => isSlow(before, now)));
    expect(slow.filter((isShown) => isShown).length).toBeGreaterThan(30);
    expect(slowChange([1000, 1000, 1000, 1000, 800, 800, 800], 800)).toBeUndefined();
    const last = [2400, 2410, 2390, 2400, 1600, 1610, 1590];
    expect(slowChange([2400, ...last], 1600)).toEqual({ last: 1600, before: 2400 });
    expect(
      slowChange([2400, ...last.slice(0, 2), undefined, ...last.slice(3)], 1600),
    ).toBeUndefined();
  });

  test('the range is in order and doesn’t depend on the current week', () => {
    const count = fc.integer({ min: 1, max: 100_000 });
    fc.assert(
      fc.property(fc.array(count, { minLength: 4, maxLength: 12 }), count, count, (weeks, a, b) => {
        const [fewer, more] = [
          usualTotal(weeks, Math.min(a, b)),
          usualTotal(weeks, Math.max(a, b)),
        ];
        expect(fewer?.low).toBeLessThanOrEqual(fewer?.high ?? 0);
        expect([more?.low, more?.high]).toEqual([fewer?.low, fewer?.high]);
        const sides = ['fewer', 'usual', 'more'];
        expect(sides.indexOf(more?.side ?? '')).toBeGreaterThanOrEqual(
          sides.indexOf(fewer?.side ?? ''),
        );
      }),
    );
  });
});

describe('the AI share', () => {
  const steady = Array(8).fill({ part: 300, whole: 1000 });

  test('is usual within counting noise', () => {
    const usual = usualShare(steady, { part: 310, whole: 1000 });
    expect(usual).toMatchObject({ side: 'usual' });
    // The log odds of the limits are ln(300.5 / 700.5) ± 0.2283.
    expect(usual?.low).toBeCloseTo(0.2545, 3);
    expect(usual?.high).toBeCloseTo(0.3503, 3);
    expect(usualShare(steady, { part: 720, whole: 2000 })?.side).toBe('more');
    expect(usualShare(steady, { part: 0, whole: 2000 })?.side).toBe('fewer');
  });

  test('is judged as it is shown, with few visitors, too', () => {
    // The logit of 0 of 10 is in the range of the logits (−3.0 in −5.2…1.5), and that of 0 of 9 above the other (−2.9 > −5.7).
    const few = usualShare(Array(8).fill({ part: 1, whole: 10 }), { part: 0, whole: 10 });
    expect(few).toMatchObject({ side: 'usual', low: 0 });
    const none = usualShare(Array(8).fill({ part: 0, whole: 4000 }), { part: 0, whole: 9 });
    expect(none).toMatchObject({ side: 'usual', low: 0, high: 0 });
  });
});

describe('pages', () => {
  /** Finds the unusual pages and sections. Each list has a page's weekly visitors; the last one is the current week. */
  function find(
    visits: Readonly<Record<string, readonly number[]>>,
    isNext = true,
    human = visits,
  ) {
    const length = Object.values(visits)[0]?.length ?? 0;
    const pages = (week: number, of = visits) =>
      Object.fromEntries(Object.entries(of).map(([path, all]) => [path, all[week] ?? 0]));
    const unread = isNext ? [] : [undefined];
    const numbers = [...Array.from({ length: length - 1 }, (_, week) => week), ...unread];
    const earlier = weeksWith(
      numbers.map(() => 1000),
      (index) => (numbers[index] === undefined ? undefined : pages(numbers[index])),
    ).map((read, index) => ({
      ...read,
      rows: withHumans(read.rows, pages(numbers[index] ?? 0, human)),
    }));
    const rows = Object.entries(pages(length - 1)).map(([path, total]) => row(path, total, 0));
    const now = readOf(rows);
    const read = { ...now, rows: withHumans(now.rows, pages(length - 1, human)) };
    const { unusual, crawled } = siteOf(read, earlier.at(-1), { earlier }).findings;
    return [...unusual, ...crawled];
  }
  function withHumans(
    rows: WindowRead['rows'],
    humans: Readonly<Record<string, number>>,
  ): WindowRead['rows'] {
    const visited = [...rows.values()].filter(({ total }) => total > 0);
    return new Map(
      visited.map(({ path, total }) => [path, { path, human: humans[path], ai: 0, total }]),
    );
  }
  const named = (...site: Parameters<typeof find>) =>
    find(...site).flatMap(({ path, pages, side, periods }) =>
      pages ? [] : `${path} ${side} ${periods}`,
    );

  /** Pages whose visitors vary a little around 100 from week to week. */
  function calm(pages: number, weeks = 9): Record<string, number[]> {
    const swing = [4, -7, 9, -2, 11, -12, -5, 3, -1, 6, -9, 8, -4];
    const visits = (page: number) =>
      Array.from({ length: weeks }, (_, week) => 100 + (swing[(page * 5 + week * 3) % 13] ?? 0));
    return Object.fromEntries(
      Array.from({ length: pages }, (_, page) => [`/calm-${page}`, visits(page)]),
    );
  }

  /** Eight equal weeks, and then this number of visitors. */
  const then = (visitors: number, usual = 100) => [...Array<number>(8).fill(usual), visitors];

  test('that move further than they usually swing are named, furthest first', () => {
    const up = [100, 95, 105, 99, 101, 98, 102, 100, 240];
    const down = [400, 395, 405, 399, 401, 398, 402, 400, 150];
    const found = find({ ...calm(30), '/up': up, '/down': down });
    expect(found).toMatchObject([
      { path: '/down', side: 'fewer', periods: 1, visitors: 150 },
      { path: '/up', side: 'more', periods: 1, visitors: 240, mean: 240 },
    ]);
    for (const { baseline, low, high, distance } of found) {
      expect([low < baseline, baseline < high, distance > 1]).toEqual([true, true, true]);
    }
  });

  test('with eight equal weeks vary by counting noise and the minimum spread', () => {
    // The variance is 8 ÷ 15 of 400 + 0.01 × 400², or 1,067, and 1,067 × (1 + 1/8) = 34.6². With 15 degrees of freedom, the
    // lower limit is 400 − 2.131 × 34.6 = 326.2.
    expect(find({ '/only': then(600, 400) })).toMatchObject([{ low: 327, high: 480 }]);
  });

  const rising = Object.fromEntries(
    Object.entries(calm(10)).map(([path, visits]) => [path, visits.with(-1, 160)]),
  );
  const rare = { '/rare': [1, 0, 1, 1, 0, 1, 1, 0, 19], '/some': [1, 0, 1, 1, 0, 1, 1, 1, 20] };
  const later = [0, 0, 0, 0, 100, 99, 101, 100, 600];
  const launched = Object.fromEntries(
    Array.from({ length: 40 }, (_, page) => [`/launched-${page}`, [0, 0, 0, 0, 0, 0, 0, 100, 400]]),
  );
  test.each<[string, Record<string, readonly number[]>, readonly string[]]>([
    ['no page, if all rise', rising, []],
    ['no page that stays level, if all others rise', { ...rising, '/stays': then(100) }, []],
    [
      'a page that falls, if all others rise',
      { ...rising, '/falls': then(50) },
      ['/falls fewer 1'],
    ],
    ['no page that is missing', { '/gone': then(0), '/here': then(240) }, ['/here more 1']],
    ['a page that is new, after four weeks', { '/new': later }, ['/new more 1']],
    ['no page that is new, after three weeks', { '/new': later.with(4, 0) }, []],
    ['no page of a launch, and no other for it', launched, []],
    ['no page with few visitors', rare, ['/some more 1']],
    ['no page with a small difference', { '/nine': then(24, 15) }, []],
    [
      'a small change that lasts, in its second week',
      { '/errors': then(131).with(7, 131) },
      ['/errors more 2'],
    ],
    ['no page for two weeks on different sides', { '/errors': then(131).with(7, 69) }, []],
    ['no page in the week after its only odd week', { '/spike': then(100).with(7, 500) }, []],
    [
      'a page that halves four weeks after an odd week',
      { '/spike': then(40).with(4, 500) },
      ['/spike fewer 1'],
    ],
  ])('the report names %s', (_, visits, expected) => {
    expect(named({ ...calm(10), ...visits })).toEqual(expected);
  });

  test('are compared as the mean of two weeks only if the week before is known', () => {
    const site = { ...calm(10), '/errors': then(131).with(7, 131) };
    expect(find(site)).toMatchObject([{ periods: 2, visitors: 131, side: 'more' }]);
    const [errors] = find(site);
    expect(errors?.mean).toBeCloseTo(131, 0);
    expect(errors?.high).toBeLessThan(131);
    expect(named(site, false)).toEqual([]);
  });

  test('are not judged with fewer than four weeks', () => {
    expect(named({ ...calm(30, 4), '/far': [100, 100, 100, 900] })).toEqual([]);
    expect(named({ ...calm(30, 5), '/far': [100, 100, 100, 100, 900] })).toEqual(['/far more 1']);
  });

  test('were crawled if people make up less than a tenth of their rise', () => {
    const site = { ...calm(30), '/a': then(300) };
    const crawled = (people: number) =>
      find(site, true, { ...site, '/a': then(people) })[0]?.isCrawled;
    expect([300, 125, 115, 60].map(crawled)).toEqual([false, false, true, true]);
    expect(crawled(Number.NaN)).toBe(false);
  });

  test('are named as by the model, with sections', () => {
    const random = randomOf(8);
    const ten = Array.from({ length: 10 }, (_, index) => 2 + 12 * index);
    const fall = [1, 1, 1, 1, 1, 1, 1, 1, 0.6, 0.6];
    const sites = chooseQuarter(sitesOf([20, 100])).flatMap((site) => [
      playSite(site, random).weeks,
      playSite({ ...site, weeks: 4 }, random).weeks,
      playSite({ ...site, weeks: 12 }, random).weeks,
      playEvent({ who: ten, size: 40, change: fall }, random),
    ]);
    const names = { pages: 0, sections: 0 };
    for (const weeks of sites.flatMap((all) => [all.slice(0, -1), all.slice(1)])) {
      const [now, before] = [weeks.at(-1) ?? [], weeks.slice(0, -1)];
      const { pages, sections } = namedIn(weeks, { sections: 12 });
      const sectionOf = now.map((_, page) => page % 12);
      expect({ pages, sections }).toEqual(namedByModel(now, before, sectionOf));
      names.pages += pages.length;
      names.sections += sections.length;
    }
    // By day, some quarters of the sites have fewer names.
    expect(names.pages).toBeGreaterThan(isLong ? 100 : 12);
    expect(names.sections).toBeGreaterThan(isLong ? 50 : 0);
  });

  test('of a site that is too large are named as by the model, too', () => {
    const random = randomOf(9);
    let names = 0;
    for (const site of sitesOf([600]).filter(({ moves }) => moves === 6)) {
      for (let round = 0; round < 3; round += 1) {
        const weeks = playSite(site, random).weeks.slice(0, -1);
        const { kept, weeks: read } = firstRows(weeks, 250);
        const now = read.at(-1) ?? [];
        const alone = now.map((_, page) => page);
        const { pages } = namedByModel(now, read.slice(0, -1), alone, 0.1);
        const found = namedIn(weeks, { rows: 250 });
        expect(found.pages).toEqual(pages.map((page) => kept[page]));
        expect([found.basis?.rows, found.sections, found.appeared]).toEqual([250, [], []]);
        names += pages.length;
      }
    }
    expect(names).toBeGreaterThan(5);
  });

  test('form a section that falls, although no page of it does, and one page is not a section', () => {
    const pages = (path: string, all: readonly number[]) =>
      Object.fromEntries(Array.from({ length: 8 }, (_, page) => [`${path}/${page}`, all]));
    const calmPages = { ...calm(20), ...pages('/other', then(40, 40)) };
    expect(find({ ...calmPages, ...pages('/guides', then(27, 40)) })).toMatchObject([
      { path: '/guides', pages: 8, side: 'fewer', visitors: 216, periods: 1 },
    ]);
    const alone = { ...calmPages, ...pages('/guides', then(40, 40)), '/guides/0': then(240, 40) };
    expect(find(alone)).toMatchObject([{ path: '/guides/0', pages: undefined }]);
  });

  test('that are named are outside the range shown, also after rounding', () => {
    const page = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 9, maxLength: 9 });
    const site = fc
      .array(page, { minLength: 1, maxLength: 20 })
      .map((pages) => Object.fromEntries(pages.map((visits, index) => [`/${index}`, visits])));
    fc.assert(
      fc.property(site, (visits) => {
        for (const { mean, low, high, side, distance } of find(visits)) {
          expect(side === 'more' ? Math.ceil(mean) > high : Math.floor(mean) < low).toBe(true);
          expect(distance).toBeGreaterThan(1);
        }
      }),
    );
  });
});
