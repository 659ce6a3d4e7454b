import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Window } from '../../../src/report/window.ts';
import { asEarlier, type EarlierWindow, type WindowRead } from '../../../src/report/window-read.ts';
import type { VisitorsRow } from '../../../src/service/schemas.ts';
import { type Findings, findingsOf, type Known } from '../../../src/visitors/findings.ts';
import { pageFilter } from '../../../src/visitors/pages.ts';
import { weeksWith } from './rendered.ts';
import { readOf, row, window, windowsOf } from './site.ts';

/** Rows as a service could count them: distinct visitors, so the total is between the larger kind and the sum. */
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
const compare = (
  now: WindowRead,
  before: WindowRead | undefined,
  options: Parameters<typeof findingsOf>[1],
) =>
  findingsOf(
    { windows: windowsOf(now, before), earlier: before ? [asEarlier(before)] : [], namedBefore: [] },
    options,
  );

/** A site of 40 pages whose first page has different visitors in this week and in the one before. */
function judged(more: { now?: number; before?: number; read?: Partial<WindowRead>; known?: Partial<Known> }) {
  const { now = 200, before = 200, read = {}, known = {} } = more;
  const countOf = (page: number, week: number) => 200 + page + ((page * 7 + week * 5) % 13);
  const pages = (first: number, week: number) =>
    Object.fromEntries(
      Array.from({ length: 40 }, (_, page) => [`/p/${page}`, page === 0 ? first : countOf(page, week)]),
    );
  const rows = Object.entries(pages(now, 8)).map(([one, total]) => row(one, total, 0));
  const earlier = weeksWith(Array(8).fill(1000), (week) => pages(week === 7 ? before : 200, week));
  const site = { windows: windowsOf(readOf(rows, read)), earlier, namedBefore: [], ...known };
  return findingsOf(site, { pages: [], sectionDepth: 1 });
}

describe('movers', () => {
  const namesOf = ({ movers }: Findings) => movers.map(({ path, side }) => [path, side]);

  test('are pages that are further from usual than their own swings, and the visits of their weeks go with them', () => {
    expect(namesOf(judged({}))).toEqual([]);
    const { movers, named, windowsOfPages } = judged({ now: 400 });
    expect(movers).toMatchObject([{ path: '/p/0', now: 400, side: 'more', isSecond: false }]);
    expect(movers[0]?.visits).toEqual(Array(8).fill(200));
    expect([named, windowsOfPages]).toEqual([[['/p/0', 'more']], 8]);
    expect(namesOf(judged({ now: 90, read: { cut } }))).toEqual([['/p/0', 'fewer']]);
  });

  test('that were named a week ago on the same side are there for the second time', () => {
    const isSecond = (side: 'more' | 'fewer') =>
      judged({ now: 400, known: { namedBefore: [['/p/0', side]] } }).movers[0]?.isSecond;
    expect([isSecond('more'), isSecond('fewer')]).toEqual([true, false]);
  });

  test('are not judged by weeks without visitors, nor in one', () => {
    const silent = judged({ now: 400, read: { totals: { human: 0, ai: 0, total: 0 } } });
    expect(namesOf(silent)).toEqual([]);
    const outage = asEarlier(readOf([row('/p/0', 0, 0)], { totals: { human: 0, ai: 0, total: 0 } }));
    expect(outage.pages).toBeUndefined();
  });

  test('of a month have to move by day as well', () => {
    const month = (start: string, days: number): Window => ({ ...window, kind: 'last-month', start, days });
    const pages = (first: number) => ({ '/a': first, '/b': 5000 });
    const february = readOf([row('/a', 850, 0), row('/b', 5000, 0)], { window: month('2026-02-01', 28) });
    const earlier = weeksWith(Array(8).fill(9000), (week) => pages(1000 + week)).map((one) => ({
      ...one,
      window: month('2026-01-01', 31),
    }));
    const site = (now: WindowRead) => findingsOf({ windows: windowsOf(now), earlier, namedBefore: [] }, all);
    expect(namesOf(site(february))).toEqual([]);
    expect(namesOf(site(readOf([row('/a', 300, 0), row('/b', 5000, 0)], february)))).toEqual([]);
  });
});

describe('what is usual', () => {
  const totals = (total: number, ai = Math.round(0.3 * total)) => ({ human: total - ai, ai, total });
  const usual = (
    now: ReturnType<typeof totals>,
    earlier = weeksWith([980, 1010, 1000, 990, 1005, 995, 1000, 1010].map((one) => totals(one))),
  ) => findingsOf({ windows: windowsOf(readOf([], { totals: now })), earlier, namedBefore: [] }, all).usual;
  const sides = (found: Findings['usual']) => Object.values(found).map((range) => range?.side);

  test('is a range for each total and for the share', () => {
    expect(sides(usual(totals(1000)))).toEqual(['usual', 'usual', 'usual', 'usual']);
    expect(sides(usual(totals(700)))).toEqual(['fewer', 'fewer', 'fewer', 'usual']);
    expect(sides(usual(totals(1000, 500)))).toEqual(['usual', 'fewer', 'more', 'more']);
  });

  test('takes four weeks with visitors', () => {
    const few = weeksWith([0, 0, 1000, 990, 1005].map((one) => totals(one)));
    expect(sides(usual(totals(700), few))).toEqual([undefined, undefined, undefined, undefined]);
    expect(sides(usual(totals(700), weeksWith([1000, 990, 1005, 995].map((one) => totals(one)))))[0]).toBe(
      'fewer',
    );
  });

  test('of AI is not learned from weeks before the service counted its Markdown pages, of humans it is', () => {
    const [august, july] = [
      { ...window, start: '2026-08-03', end: '2026-08-10' },
      { ...window, start: '2026-07-20', end: '2026-07-27' },
    ];
    const earlier = weeksWith(Array(8).fill(totals(1000))).map((one) => ({ ...one, window: july }));
    const of = (which: Window) =>
      sides(
        findingsOf(
          {
            windows: windowsOf(readOf([], { window: which, totals: totals(1000) })),
            earlier,
            namedBefore: [],
          },
          all,
        ).usual,
      );
    expect(of(august)).toEqual([undefined, 'usual', undefined, undefined]);
    expect(of(july)).toEqual(['usual', 'usual', 'usual', 'usual']);
  });

  test('of a month allows for its length: 1,000 a day are as usual in February and in March', () => {
    const lengths = [31, 31, 30, 31, 30, 31, 31, 28, 31];
    const month = (days: number, total = 1000 * days) => ({
      window: { ...window, days },
      totals: totals(total),
    });
    const months = (from: number, to: number) =>
      lengths.slice(from, to).map((days) => ({ ...month(days), pages: undefined }));
    const side = (now: ReturnType<typeof month>, earlier: readonly EarlierWindow[]) =>
      findingsOf({ windows: windowsOf(readOf([], now)), earlier, namedBefore: [] }, all).usual.total?.side;
    expect(side(month(28), months(0, 7))).toBe('usual');
    expect(side(month(31), months(0, 8))).toBe('usual');
    expect(side(month(31, 20_000), months(0, 8))).toBe('fewer');
  });
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

  test('new and gone pages need both windows whole, ten visitors, and a look at every week that is known', () => {
    fc.assert(
      fc.property(rows, rows, rows, fc.boolean(), fc.boolean(), (after, last, older, nowWhole, lastWhole) => {
        const before = readOf(last, lastWhole ? {} : { cut });
        const known = readOf(older);
        const found = findingsOf(
          {
            windows: windowsOf(readOf(after, nowWhole ? {} : { cut }), before),
            earlier: [asEarlier(known), asEarlier(before)],
            namedBefore: [],
          },
          all,
        );
        const paths = (list: readonly VisitorsRow[] | undefined) =>
          list && new Set(list.map((one) => one.path));
        const without = (list: VisitorsRow[], ...others: VisitorsRow[][]) => {
          const isVisited = ({ path }: VisitorsRow) =>
            others.flat().some((one) => one.path === path && one.total > 0);
          return paths(list.filter((one) => one.total >= 10 && !isVisited(one)));
        };
        const whole = nowWhole && lastWhole;
        expect(paths(found.appeared)).toEqual(whole ? without(after, last, older) : undefined);
        expect(paths(found.gone)).toEqual(whole ? without(last, after) : undefined);
        expect(found.sectionsBefore === undefined).toBe(!whole);
        expect(found.sections === undefined).toBe(!nowWhole);
        expect(found.mostlyAi === undefined).toBe(!nowWhole);
      }),
      { numRuns: 150 },
    );
  });

  test('pages of 0 visitors are none of the top pages', () => {
    expect(compare(readOf([row('/a', 1, 0), row('/none', 0, 0)]), undefined, all).mostVisited).toEqual([
      row('/a', 1, 0),
    ]);
  });

  test.each([
    [[9, 5, 5, 1], 3],
    [[9, 5, 6], undefined],
    [[3, 3, 3], undefined],
    [[], undefined],
  ])(
    'of a window cut short there is a ranking only where its rows never rise and do fall: %j',
    (visitors, count) => {
      const read = readOf(
        visitors.map((total, index) => row(`/${index}`, total, 0)),
        { cut },
      );
      expect(compare(read, undefined, all).mostVisited?.length).toBe(count);
    },
  );

  test('of a window cut short the ranking is that of the whole, as far as it goes, whatever pages are asked for', () => {
    const pages = fc.array(fc.nat({ max: 6 }), { minLength: 2, maxLength: 30 });
    fc.assert(
      fc.property(
        pages,
        fc.nat({ max: 29 }),
        fc.constantFrom<string[]>([], ['/a/*']),
        (visitors, read, globs) => {
          const site = visitors.map((total, index) =>
            row(`/${index % 3 === 0 ? 'a' : 'b'}/${index}`, total, 0),
          );
          // The service sorts by visitors, and breaks ties in its own way.
          const sent = site.toSorted((a, b) => b.total - a.total || (a.path < b.path ? 1 : -1));
          const partial = readOf(sent.slice(0, read + 1), { cut });
          const [whole, known] = [readOf(site), partial].map(
            (one) => compare(one, undefined, { ...all, pages: globs }).mostVisited,
          );
          expect(whole?.slice(0, known?.length ?? 0)).toEqual(known ?? []);
          expect(known).not.toEqual([]);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('silence after a hundred visitors is an alarm, whichever window they came in', () => {
    const silent = readOf([], { totals: { human: 0, ai: 0, total: 0 } });
    const heard = (totals: number[]) =>
      findingsOf({ windows: windowsOf(silent), earlier: weeksWith(totals), namedBefore: [] }, all).lastBusy
        ?.totals.total;
    expect([heard([6800, 5000, 0]), heard([99, 3]), heard([100])]).toEqual([5000, undefined, 100]);
  });
});

describe('page globs', () => {
  const chosen = (globs: string[], paths: string[]) => paths.filter(pageFilter(globs));
  const paths = ['/', '/guides', '/guides/a', '/guides/drafts/b', '/.well-known/x', 'api/c', '/api/d\ne'];

  test.each([
    [['/guides/**'], ['/guides', '/guides/a', '/guides/drafts/b']],
    [['guides/*'], ['/guides/a']],
    [['/**'], paths],
    [['/g*/**'], ['/guides', '/guides/a', '/guides/drafts/b']],
    [['/{guides,v2}/**'], ['/guides', '/guides/a', '/guides/drafts/b']],
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
