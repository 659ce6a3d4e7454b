import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { VisitorsRow } from '../../../src/service/schemas.ts';
import { compare } from '../../../src/visitors/judge/compare.ts';
import {
  aiShare,
  aiShareOf,
  both,
  contradictions,
  mixOf,
  relativeChange,
  totalOf,
} from '../../../src/visitors/judge/figures.ts';
import { pageFilter } from '../../../src/visitors/judge/globs.ts';
import { compareRatios, ratioOf, sum } from '../../../src/visitors/judge/ratio.ts';
import { readOf, row, windowBefore } from './site.ts';

/** Rows as a service could count them: distinct visitors, so the total lies between the larger kind and the sum. */
const counts = fc
  .record({
    human: fc.nat({ max: 400 }),
    ai: fc.nat({ max: 400 }),
    shared: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  .map(({ human, ai, shared }) => ({
    human,
    ai,
    total: human + ai - Math.floor(Math.min(human, ai) * shared),
  }));

const path = fc
  .array(fc.constantFrom('guides', 'api', 'a', 'b'), { maxLength: 4 })
  .map((segments) => `/${segments.join('/')}`);

const rows: fc.Arbitrary<VisitorsRow[]> = fc
  .uniqueArray(fc.tuple(path, counts), { selector: ([name]) => name, maxLength: 25 })
  .map((pairs) => pairs.map(([name, figures]) => ({ path: name, ...figures })));

const cut = { kind: 'budget' } as const;
const all = { pages: [], sectionDepth: 1 };

describe('totals', () => {
  test('are the service’s own, whatever the rows', () => {
    fc.assert(
      fc.property(rows, rows, counts, counts, (now, before, a, b) => {
        fc.pre(a.total > 0 && b.total > 0);
        const found = compare(readOf(now, { totals: a }), readOf(before, { totals: b }), all);
        expect(found.now.totals).toEqual(a);
        expect(found.change).toEqual({ part: BigInt(a.total - b.total), whole: BigInt(b.total) });
      }),
      { numRuns: 200 },
    );
  });

  test('part into humans only, AI only and both', () => {
    fc.assert(
      fc.property(counts, (figures) => {
        const shared = both(figures);
        expect(figures.human - shared + (figures.ai - shared) + shared).toBe(figures.total);
        expect(shared).toBeGreaterThanOrEqual(0);
        expect(shared).toBeLessThanOrEqual(Math.min(figures.human, figures.ai));
      }),
      { numRuns: 300 },
    );
  });

  test('that contradict each other have no negative overlap', () => {
    expect(both({ human: 3, ai: 4, total: 10 })).toBe(0);
  });

  test('that cannot be have no share and no mix, and are named', () => {
    const of = (human: number, ai: number, total: number) => readOf([], { totals: { human, ai, total } });
    for (const [read, kinds] of [
      [of(0, 20, 10), ['ai']],
      [of(30, 20, 10), ['human', 'ai']],
    ] as const) {
      expect([contradictions(read), aiShareOf(read), mixOf(read)]).toEqual([kinds, undefined, undefined]);
    }
    expect([contradictions(of(12, 2, 10)), aiShareOf(of(12, 2, 10)), mixOf(of(12, 2, 10))]).toEqual([
      ['human'],
      ratioOf(2, 10),
      undefined,
    ]);
    expect(contradictions(of(7, 5, 10))).toEqual([]);
  });

  test.each([
    ['a total of 0 beside pages that have it', { human: 1000, ai: 0, total: 1000 }, row('/a', 500, 500)],
    ['a total that is missing', { human: 1000, total: 1000 }, row('/a', 500, 0)],
    ['visitors of no kind', { human: 0, ai: 0, total: 5 }, row('/a', 0, 0)],
  ])('%s is one that the service did not count', (_, totals, page) => {
    const read = readOf([page], { totals });
    expect([totalOf(read, 'ai'), aiShareOf(read), mixOf(read)]).toEqual([undefined, undefined, undefined]);
    expect(totalOf(read, 'total')).toBe(totals.total);
  });

  test('are exact where the service tells fractions', () => {
    const mix = mixOf(readOf([], { totals: { human: 219, ai: 388.107, total: 388.107 } }));
    expect(mix).toEqual({ humanOnly: 0, aiOnly: 169.107, both: 219 });
  });

  test('give a share and a change only where there is something to divide by', () => {
    expect(aiShare({ human: 3, ai: 1, total: 4 })).toEqual(ratioOf(1, 4));
    expect(aiShare({ human: 0, ai: 0, total: 0 })).toBeUndefined();
    expect(relativeChange(30, 40)).toEqual(ratioOf(-10, 40));
    expect(relativeChange(30, 0)).toBeUndefined();
  });
});

describe('movers', () => {
  test('are those that pass the gate, of pages known in both windows, ranked by the change', () => {
    const total = fc.integer({ min: 1, max: 2000 });
    fc.assert(
      fc.property(
        rows,
        rows,
        fc.boolean(),
        fc.boolean(),
        total,
        total,
        (now, before, nowWhole, beforeWhole, a, b) => {
          const found = compare(
            readOf(now, { totals: { human: a, ai: 0, total: a }, ...(nowWhole ? {} : { cut }) }),
            readOf(before, { totals: { human: b, ai: 0, total: b }, ...(beforeWhole ? {} : { cut }) }),
            all,
          ).movers;
          const figure = (list: VisitorsRow[], whole: boolean, name: string) =>
            list.find((one) => one.path === name)?.total ?? (whole ? 0 : undefined);
          const known = [...new Set([...now, ...before].map((one) => one.path))].flatMap((name) => {
            const [after, earlier] = [figure(now, nowWhole, name), figure(before, beforeWhole, name)];
            return after === undefined || earlier === undefined ? [] : [{ path: name, after, earlier }];
          });
          const many = known.filter(({ after, earlier }) => after >= 20 || earlier >= 20).length;
          const expected = known
            .filter(({ after, earlier }) => passes(after, earlier, many, a < 100 || b < 100 ? 1 : a / b))
            .map(({ path: name, after, earlier }) => ({ path: name, delta: after - earlier }));
          expected.sort((x, y) => Math.abs(y.delta) - Math.abs(x.delta) || (x.path < y.path ? -1 : 1));
          expect(found?.map(({ path: name, delta }) => ({ path: name, delta }))).toEqual(expected);
          for (const mover of found ?? []) {
            expect(mover.change === undefined).toBe(mover.before < 20);
            expect(mover.isNew).toBe(!before.some((one) => one.path === mover.path && one.total > 0));
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  /** The gate as the documentation has it, written with roots where the code has squares. */
  function passes(now: number, before: number, pages: number, trend: number): boolean {
    if ((now < 20 && before < 20) || Math.abs(now - before) < 10) return false;
    const z = Math.max(2, Math.sqrt(2 * Math.log(pages)));
    const isUp = now > before;
    const [rise, ownRise] = [now - before, now - trend * before].map((change) => (isUp ? change : -change));
    return (
      (rise ?? 0) >= z * Math.sqrt(now + before) &&
      (ownRise ?? 0) >= z * Math.sqrt(now + trend * trend * before)
    );
  }
});

describe('sections', () => {
  test('hold every page once, and are bounded by their largest page and by the sum of all', () => {
    fc.assert(
      fc.property(rows, fc.integer({ min: 1, max: 3 }), (now, sectionDepth) => {
        const found = compare(readOf(now), undefined, { ...all, sectionDepth }).sections ?? [];
        const sum = (list: readonly { total: number }[]) => list.reduce((total, one) => total + one.total, 0);
        expect(found.reduce((pages, section) => pages + section.pages, 0)).toBe(now.length);
        expect(sum(found)).toBe(sum(now));
        for (const section of found) {
          expect(section.path.split('/').filter(Boolean).length).toBeLessThanOrEqual(sectionDepth);
          const inside = now.filter(({ path: name }) =>
            name.startsWith(`${section.path.replace(/\/$/, '')}/`),
          );
          expect(section.total).toBeLessThanOrEqual(
            sum(inside) + sum(now.filter(({ path: name }) => name === section.path)),
          );
          if (section.path.split('/').filter(Boolean).length < sectionDepth || section.path === '/') continue;
          for (const page of inside) expect(section.total).toBeGreaterThanOrEqual(page.total);
        }
      }),
      { numRuns: 200 },
    );
  });

  test('take in their front page, and leave single pages where they lie', () => {
    const names = ['/guides', '/guides/a', '/guides/b/c', '/quickstart', '/'];
    const pages = names.map((name) => row(name, 1, 0));
    const of = (sectionDepth: number) =>
      Object.fromEntries(
        (compare(readOf(pages), undefined, { ...all, sectionDepth }).sections ?? []).map((section) => [
          section.path,
          section.pages,
        ]),
      );
    expect(of(1)).toEqual({ '/guides': 3, '/': 2 });
    expect(of(2)).toEqual({ '/guides/b': 1, '/guides': 2, '/': 2 });
  });

  test('take in their front page at any depth, and add up fractions exactly', () => {
    const pages = [
      row('/x', 5, 0),
      row('/x/y', 7, 0),
      row('/x/y/z', 11, 0),
      row('/x/q', 0.1, 0),
      row('/x/r', 0.2, 0),
    ];
    const found = compare(readOf(pages), undefined, { ...all, sectionDepth: 2 }).sections;
    expect(found).toEqual([
      { path: '/x/y', pages: 2, total: 18 },
      { path: '/x', pages: 3, total: 5.3 },
    ]);
  });

  test('are the same in both windows, even if a page has its section only from the other', () => {
    const found = compare(
      readOf([row('/guides', 30, 0)]),
      readOf([row('/guides', 40, 0), row('/guides/a', 5, 0)], { window: windowBefore }),
      all,
    );
    expect(found.sections).toEqual([{ path: '/guides', pages: 1, total: 30 }]);
    expect(found.sectionsBefore?.get('/guides')?.total).toBe(45);
  });
});

describe('what cannot be known is not said', () => {
  const now = [row('/a', 30, 0), row('/b', 25, 26, 50), row('/c', 1, 9)];
  const before = [row('/a', 30, 0), row('/d', 9, 0)];

  test('with both windows whole, everything is', () => {
    const found = compare(readOf(now), readOf(before), all);
    expect(found.appeared?.map((one) => one.path)).toEqual(['/b', '/c']);
    expect(found.vanished?.map((one) => one.path)).toEqual(['/d']);
    expect(found.mostVisited?.map((one) => one.path)).toEqual(['/b', '/a', '/c']);
    expect(found.mostlyAi?.map((one) => one.path)).toEqual(['/b']);
  });

  test('AI-heavy is more than half, of 20 visitors or more, the largest share first', () => {
    const pages = [
      row('/half', 20, 20),
      row('/few', 1, 18),
      row('/most', 11, 12),
      row('/all', 0, 20),
      row('/all2', 0, 20),
    ];
    expect(compare(readOf(pages), undefined, all).mostlyAi?.map((one) => one.path)).toEqual([
      '/all',
      '/all2',
      '/most',
    ]);
  });

  test('new and vanished pages need both windows whole', () => {
    fc.assert(
      fc.property(rows, rows, fc.boolean(), fc.boolean(), (after, earlier, nowWhole, beforeWhole) => {
        const found = compare(
          readOf(after, nowWhole ? {} : { cut }),
          readOf(earlier, beforeWhole ? {} : { cut }),
          all,
        );
        const isVisit = ({ total }: VisitorsRow) => total > 0;
        const paths = (list: readonly VisitorsRow[] | undefined) =>
          list && new Set(list.map((one) => one.path));
        const without = (list: VisitorsRow[], other: VisitorsRow[]) =>
          paths(
            list
              .filter(isVisit)
              .filter((one) => !other.filter(isVisit).some(({ path }) => path === one.path)),
          );
        const whole = nowWhole && beforeWhole;
        expect(paths(found.appeared)).toEqual(whole ? without(after, earlier) : undefined);
        expect(paths(found.vanished)).toEqual(whole ? without(earlier, after) : undefined);
        expect(found.sectionsBefore === undefined).toBe(!whole);
        expect(found.sections === undefined).toBe(!nowWhole);
        expect(found.mostlyAi === undefined).toBe(!nowWhole);
      }),
      { numRuns: 150 },
    );
  });

  test('the most visited pages are all there are, in order, ties by path', () => {
    fc.assert(
      fc.property(rows, (pages) => {
        const expected = pages.toSorted((a, b) => b.total - a.total || (a.path < b.path ? -1 : 1));
        expect(compare(readOf(pages), undefined, all).mostVisited).toEqual(expected);
      }),
      { numRuns: 200 },
    );
  });

  test('a ranking needs all rows, or an order that was seen', () => {
    expect(compare(readOf(now, { cut }), undefined, all).mostVisited).toBeUndefined();
    expect(compare(readOf(now, { cut, descending: true }), undefined, all).mostVisited).toHaveLength(2);
  });

  test('of a window cut short the ranking is that of the whole, as far as it goes, whatever pages are asked for', () => {
    const pages = fc.array(fc.nat({ max: 6 }), { minLength: 2, maxLength: 30 });
    fc.assert(
      fc.property(pages, fc.nat({ max: 29 }), fc.constantFrom([], ['/a/*']), (visitors, read, globs) => {
        const site = visitors.map((total, index) =>
          row(`/${index % 3 === 0 ? 'a' : 'b'}/${index}`, total, 0),
        );
        // The service sorts by visitors, and ties by something of its own.
        const sent = site.toSorted((a, b) => b.total - a.total || (a.path < b.path ? 1 : -1));
        const partial = readOf(sent.slice(0, read + 1), { cut, descending: true });
        const [whole, known] = [readOf(site), partial].map(
          (one) => compare(one, undefined, { ...all, pages: globs }).mostVisited,
        );
        expect(whole?.slice(0, known?.length ?? 0)).toEqual(known ?? []);
        expect(known).not.toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test('a page with a row of 0 visitors was not visited: it is neither new nor gone', () => {
    const found = compare(
      readOf([row('/k', 50, 0), row('/zero', 0, 0), row('/back', 90, 0), row('/gone', 0, 0)]),
      readOf([row('/k', 50, 0), row('/also', 0, 0), row('/back', 0, 0), row('/gone', 90, 0)]),
      all,
    );
    expect(found.appeared?.map(({ path: name }) => name)).toEqual(['/back']);
    expect(found.vanished?.map(({ path: name }) => name)).toEqual(['/gone']);
    expect(found.movers?.map(({ path: name, isNew }) => [name, isNew])).toEqual([
      ['/back', true],
      ['/gone', false],
    ]);
  });

  test('AI-heavy pages are listed only where every page has a number of AI visitors, and of no page are more than all', () => {
    const untold = { path: '/untold', total: 90 };
    expect(compare(readOf([...now, untold]), undefined, all).mostlyAi).toBeUndefined();
    const impossible = { path: '/impossible', human: 0, ai: 60, total: 30 };
    expect(compare(readOf([...now, impossible]), undefined, all).mostlyAi).toEqual([row('/b', 25, 26, 50)]);
  });

  test('nothing is compared with a window in which nothing was recorded', () => {
    const nothing = readOf([], { totals: { human: 0, ai: 0, total: 0 } });
    for (const found of [compare(readOf(now), nothing, all), compare(nothing, readOf(now), all)]) {
      expect(found).toMatchObject({ before: undefined, change: undefined });
      expect([found.movers, found.appeared, found.vanished]).toEqual([undefined, undefined, undefined]);
    }
  });
});

test('nothing is said of the site where the service gave a total of 0 beside visitors', () => {
  const counted = readOf([row('/a', 90, 0), row('/b', 30, 0)]);
  const uncounted = readOf([row('/a', 300, 0), row('/b', 30, 0)], { totals: { human: 0, ai: 0, total: 0 } });
  for (const found of [compare(uncounted, counted, all), compare(counted, uncounted, all)]) {
    expect(found.change).toBeUndefined();
    expect(found.movers?.map(({ path: name }) => name)).toEqual(['/a']);
  }
  expect(compare(uncounted, counted, { ...all, pages: ['/nowhere'] }).change).toBeUndefined();
});

describe('ratios', () => {
  test('compare as the exact fractions do, whatever division in binary says', () => {
    const figure = fc.nat({ max: 100_000 });
    const whole = fc.integer({ min: 1, max: 100_000 });
    fc.assert(
      fc.property(figure, whole, figure, whole, (a, b, c, d) => {
        expect(Math.sign(compareRatios(ratioOf(a, b), ratioOf(c, d)))).toBe(Math.sign(a * d - c * b));
      }),
      { numRuns: 300 },
    );
  });

  test('sums are those of the decimal numbers, of which binary ones fall short', () => {
    expect([sum(50.55, -20), sum(0.1, 0.2), sum(20.2, -10.2), sum(1e-7, 1), sum(), sum(2, -3)]).toEqual([
      30.55, 0.3, 10, 1.0000001, 0, -1,
    ]);
    const thousandths = fc.integer({ min: -1_000_000_000, max: 1_000_000_000 });
    fc.assert(
      fc.property(fc.array(thousandths, { maxLength: 6 }), (figures) => {
        const expected = figures.reduce((all, figure) => all + figure, 0) / 1000;
        expect(sum(...figures.map((figure) => figure / 1000)) + 0).toBe(expected + 0);
      }),
    );
  });

  test.each([
    [107 - 100, 100, 7, 100],
    [129 - 100, 100, 29, 100],
    [0.3, 1, 3, 10],
    [1e-7, 1, 1, 10_000_000],
    [-12.5, 100, -1, 8],
    [1e300, 1e300, 1, 1],
  ])('%d of %d is %d of %d', (a, b, c, d) => {
    expect(compareRatios(ratioOf(a, b), ratioOf(c, d))).toBe(0);
  });
});

describe('page globs', () => {
  const chosen = (globs: string[], paths: string[]) => paths.filter(pageFilter(globs));
  const paths = ['/', '/guides', '/guides/a', '/guides/drafts/b', '/.well-known/x', 'api/c', '/api/d\ne'];

  test.each([
    [['/guides/**'], ['/guides', '/guides/a', '/guides/drafts/b']],
    [['guides/*'], ['/guides/a']],
    [['/**'], paths],
    [['!/guides/**'], ['/', '/.well-known/x', 'api/c', '/api/d\ne']],
    [
      ['/guides/**', '!/guides/drafts/**'],
      ['/guides', '/guides/a'],
    ],
    [['/guides/**', '!/guides/**', '/guides/a'], ['/guides/a']],
    [['/api/*'], ['api/c', '/api/d\ne']],
    [['/{api,guides}/?'], ['/guides/a', 'api/c']],
    [[], paths],
  ])('%j choose %j', (globs, expected) => {
    expect(chosen(globs, paths)).toEqual(expected);
  });

  test('narrow the lists and not the totals', () => {
    const now = readOf([row('/guides/a', 50, 0), row('/api/b', 90, 0)]);
    const found = compare(now, undefined, { ...all, pages: ['/guides/**'] });
    expect(found.mostVisited?.map((one) => one.path)).toEqual(['/guides/a']);
    expect(found.sections?.map(({ path }) => path)).toEqual(['/guides']);
    expect(found.now.totals.total).toBe(1100);
  });
});
