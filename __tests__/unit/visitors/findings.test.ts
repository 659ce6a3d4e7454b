import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { VisitorsRow, VisitorsTotals } from '../../../src/service/schemas.ts';
import type { Findings } from '../../../src/visitors/judge/findings.ts';
import { pageFilter } from '../../../src/visitors/judge/site-pages.ts';
import type { Window } from '../../../src/visitors/read/window.ts';
import type { WindowRead } from '../../../src/visitors/read/window-read.ts';
import { calmTotals, siteOf, weeksWith } from './rendered.ts';
import { readOf, row, window } from './site.ts';

const path = fc
  .array(fc.constantFrom('guides', 'api', 'a', 'b'), { maxLength: 4 })
  .map((segments) => `/${segments.join('/')}`);

const rows: fc.Arbitrary<VisitorsRow[]> = fc
  .uniqueArray(fc.tuple(path, fc.nat({ max: 30 })), { selector: ([name]) => name, maxLength: 25 })
  .map((pairs) => pairs.map(([name, total]) => row(name, total, 0)));

const cut = { kind: 'budget' } as const;
const find = (...site: Parameters<typeof siteOf>) => siteOf(...site).findings;

describe('unusual pages', () => {
  const namesOf = ({ unusual }: Findings) => unusual.map(({ path, side }) => [path, side]);

  test('of a month are compared per day', () => {
    const month = (start: string, days: number): Window => ({
      ...window,
      kind: 'last-month',
      start,
      days,
    });
    const weeks = weeksWith(Array(8).fill(9000), (week) => ({ '/a': 1000 + week, '/b': 5000 }));
    const earlier = weeks.map((week) => ({ ...week, window: month('2026-01-01', 31) }));
    const february = (first: number) =>
      readOf([row('/a', first, 0), row('/b', 4516, 0)], { window: month('2026-02-01', 28) });
    expect(namesOf(find(february(906), undefined, { earlier }))).toEqual([]);
    expect(namesOf(find(february(300), undefined, { earlier }))).toEqual([['/a', 'fewer']]);
    expect(find(february(300), undefined, { earlier }).unusual[0]?.baseline).toBeCloseTo(
      (1003.5 * 28) / 31,
      5,
    );
  });
});

describe('the usual range', () => {
  const totals = (total: number, ai = Math.round(0.3 * total)) => ({
    human: total - ai,
    ai,
    total,
  });
  const calm: WindowRead[] = weeksWith(calmTotals.map((total) => totals(total)));
  const usual = (now: VisitorsTotals, earlier = calm, which = window) =>
    find(readOf([], { window: which, totals: now }), undefined, { earlier }).usual;
  const sides = (found: Findings['usual']) => Object.values(found).map((range) => range?.side);

  test('of AI visitors ignores weeks before the service counted its Markdown pages', () => {
    const august = { ...window, start: '2026-08-03', end: '2026-08-10' };
    const july = { ...window, start: '2026-07-20', end: '2026-07-27' };
    const earlier = weeksWith(Array(8).fill(totals(1000))).map((week) => ({
      ...week,
      window: july,
    }));
    expect(sides(usual(totals(1000), earlier, august))).toEqual([
      undefined,
      'usual',
      undefined,
      undefined,
    ]);
    expect(sides(usual(totals(1000), earlier, july))).toEqual(['usual', 'usual', 'usual', 'usual']);
  });

  test('of a month depends on its length', () => {
    const side = (days: number, total: number, lengths: readonly number[]) => {
      const earlier = lengths.map((length) =>
        readOf([], { window: { ...window, days: length }, totals: totals(1000 * length), cut }),
      );
      return usual(totals(total), earlier, { ...window, days }).total?.side;
    };
    const months = [31, 31, 30, 31, 30, 31, 31];
    expect(side(28, 28_000, months)).toBe('usual');
    expect(side(31, 31_000, [...months, 28])).toBe('usual');
    expect(side(31, 20_000, [...months, 28])).toBe('fewer');
    expect(side(31, 28_000, Array<number>(8).fill(28))).toBe('fewer');
  });
});

test('a section includes its own page, and single pages belong to the section above', () => {
  const names = ['/guides', '/guides/a', '/guides/b/c', '/quickstart', '/'];
  const site = readOf(names.map((name) => row(name, 1, 0)));
  const sections = (sectionDepth: number) =>
    find(site, undefined, { sectionDepth }).sections?.map(
      ({ path: name, pages }) => `${name} ${pages}`,
    );
  expect(sections(1)?.toSorted()).toEqual(['/ 2', '/guides 3']);
  expect(sections(2)?.toSorted()).toEqual(['/ 2', '/guides 2', '/guides/b 1']);
});

describe('the lists of pages', () => {
  test('include new and vanished pages with ten visitors, if both windows are complete', () => {
    fc.assert(
      fc.property(
        rows,
        rows,
        rows,
        fc.boolean(),
        fc.boolean(),
        (after, last, older, nowWhole, lastWhole) => {
          const before = readOf(last, lastWhole ? {} : { cut });
          const known = readOf(older);
          const now = readOf(after, nowWhole ? {} : { cut });
          const found = find(now, before, { earlier: [known, before] });
          const paths = (list: readonly VisitorsRow[] | undefined) =>
            list && new Set(list.map(({ path }) => path));
          const without = (list: VisitorsRow[], ...others: VisitorsRow[][]) => {
            const isVisited = ({ path }: VisitorsRow) =>
              others.flat().some((page) => page.path === path && page.total > 0);
            return paths(list.filter((page) => page.total >= 10 && !isVisited(page)));
          };
          const whole = nowWhole && lastWhole;
          expect(paths(found.appeared)).toEqual(whole ? without(after, last, older) : undefined);
          expect(paths(found.gone)).toEqual(whole ? without(last, after) : undefined);
          expect(found.sections === undefined).toBe(!nowWhole);
        },
      ),
      { numRuns: 150 },
    );
  });

  test('leave out pages without visitors', () => {
    expect(find(readOf([row('/a', 1, 0), row('/none', 0, 0)])).maxVisited).toEqual([
      row('/a', 1, 0),
    ]);
  });

  test('of an incomplete window contain the top pages of the complete one, in the same order', () => {
    const pages = fc.array(fc.nat({ max: 6 }), { minLength: 2, maxLength: 30 });
    const globs = fc.constantFrom<string[]>([], ['/a/*']);
    fc.assert(
      fc.property(pages, fc.nat({ max: 29 }), globs, (visitors, read, chosen) => {
        const site = visitors.map((total, index) =>
          row(`/${index % 3 === 0 ? 'a' : 'b'}/${index}`, total, 0),
        );
        // The service sorts by visitors, but the order of ties is unknown.
        const sent = site.toSorted((a, b) => b.total - a.total || (a.path < b.path ? 1 : -1));
        const partial = readOf(sent.slice(0, read + 1), { cut });
        const [whole, known] = [readOf(site), partial].map(
          (read) => find(read, undefined, { pages: chosen }).maxVisited,
        );
        expect(whole?.slice(0, known?.length ?? 0)).toEqual(known ?? []);
        expect(known).not.toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});

const paths = [
  '/',
  '/guides',
  '/guides/a',
  '/guides/drafts/b',
  '/.well-known/x',
  'api/c',
  '/api/d\ne',
];

test.each([
  [['/guides/**'], ['/guides', '/guides/a', '/guides/drafts/b']],
  [['guides/*'], ['/guides/a']],
  [['/**'], paths],
  [['!/guides/**'], ['/', '/.well-known/x', 'api/c', '/api/d\ne']],
  [['/guides/**', '!/guides/**', '/guides/a'], ['/guides/a']],
  [['/api/*'], ['api/c', '/api/d\ne']],
  [['/{api,guides}/?'], ['/guides/a', 'api/c']],
  [[], paths],
])('the page globs %j match %j', (globs, expected) => {
  expect(paths.filter(pageFilter(globs))).toEqual(expected);
});
