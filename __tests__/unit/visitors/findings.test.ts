import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { WindowRead } from '../../../src/report/window-read.ts';
import type { VisitorsRow } from '../../../src/service/schemas.ts';
import { type FindingsOptions, findingsOf } from '../../../src/visitors/findings.ts';
import { pageFilter } from '../../../src/visitors/pages.ts';
import { readOf, row } from './site.ts';

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
const compare = (now: WindowRead, before: WindowRead | undefined, options: FindingsOptions) =>
  findingsOf({ now, before }, options);

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
});

describe('what cannot be known is not said', () => {
  const now = [row('/a', 30, 0), row('/b', 25, 26, 50), row('/c', 1, 9)];

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

  test('of a window cut short the ranking is that of the whole, as far as it goes, whatever pages are asked for', () => {
    const pages = fc.array(fc.nat({ max: 6 }), { minLength: 2, maxLength: 30 });
    fc.assert(
      fc.property(pages, fc.nat({ max: 29 }), fc.constantFrom([], ['/a/*']), (visitors, read, globs) => {
        const site = visitors.map((total, index) =>
          row(`/${index % 3 === 0 ? 'a' : 'b'}/${index}`, total, 0),
        );
        // The service sorts by visitors, and ties by something of its own.
        const sent = site.toSorted((a, b) => b.total - a.total || (a.path < b.path ? 1 : -1));
        const partial = readOf(sent.slice(0, read + 1), { cut });
        const [whole, known] = [readOf(site), partial].map(
          (one) => compare(one, undefined, { ...all, pages: globs }).mostVisited,
        );
        expect(whole?.slice(0, known?.length ?? 0)).toEqual(known ?? []);
        expect(known).not.toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test('nothing is compared with a window in which nothing was recorded', () => {
    const nothing = readOf([], { totals: { human: 0, ai: 0, total: 0 } });
    for (const found of [compare(readOf(now), nothing, all), compare(nothing, readOf(now), all)]) {
      expect(found).toMatchObject({ before: undefined, change: undefined });
      expect([found.movers, found.appeared, found.vanished]).toEqual([undefined, undefined, undefined]);
    }
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
  });
});
