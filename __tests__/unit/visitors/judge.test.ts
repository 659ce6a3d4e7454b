import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { VisitorsRow, VisitorsTotals } from '../../../src/service/schemas.ts';
import { createPageFinder } from '../../../src/visitors/judge/changes/changed-files.ts';
import { judgeChanges } from '../../../src/visitors/judge/changes/changed-pages.ts';
import { compareWindows, type Findings } from '../../../src/visitors/judge/findings.ts';
import { pageFilter } from '../../../src/visitors/judge/site-pages.ts';
import type { MergedPull } from '../../../src/visitors/read/read-changes.ts';
import { shiftWindow, type Window } from '../../../src/visitors/read/window.ts';
import type { WindowRead } from '../../../src/visitors/read/window-read.ts';
import { plain } from '../../support/plain.ts';
import { readOf, row, window } from './site.ts';

const cut = { kind: 'budget' } as const;

/** A page's people in each week, oldest first; `null` if it wasn't listed. */
type Site = Readonly<Record<string, readonly (number | null)[]>>;

/** What was read of a site, oldest first. The totals are those of the pages. */
function readSite(site: Site): WindowRead[] {
  const weeks = Math.max(...Object.values(site).map((counts) => counts.length));
  const newestFirst = Array.from({ length: weeks }, (_, age) => {
    const rows = Object.entries(site).flatMap(([path, counts]) => {
      const people = counts.at(-1 - age) ?? null;
      return people === null ? [] : row(path, people, 0);
    });
    rows.sort((a, b) => b.total - a.total);
    const total = rows.reduce((sum, page) => sum + page.total, 0);
    return readOf(rows, {
      window: shiftWindow(window, -age),
      totals: { human: total, ai: 0, total },
    });
  });
  return newestFirst.toReversed();
}

/** What is found in windows, of which the last one is this week's. */
function find(
  reads: readonly WindowRead[],
  { pages = [], sectionDepth = 1 }: { pages?: readonly string[]; sectionDepth?: number } = {},
): Findings {
  const [now, ...before] = reads.toReversed();
  if (now === undefined) throw new Error('There are no windows');
  const earlier = before.toReversed();
  return compareWindows({ now, before: before[0], earlier }, { pages, sectionDepth });
}

/** Twelve pages that don't vary in 14 weeks. */
const calm: Site = Object.fromEntries(
  Array.from({ length: 12 }, (_, page) => [`/calm/p${page}`, Array<number>(14).fill(100 + page)]),
);
/** As many people as in other weeks, and then these. */
const then = (...last: readonly (number | null)[]) => [
  ...Array<number>(14 - last.length).fill(100),
  ...last,
];
const nothing: readonly (number | null)[] = Array(14).fill(null);
const pathsOf = (pages: readonly { readonly path: string }[] | undefined) =>
  pages?.map(({ path }) => path);

describe('findings', () => {
  describe('what stands out', () => {
    test('has both weeks, the range before, and the counts of the service', () => {
      const { standingOut, judging, whyNotJudged } = find(
        readSite({ ...calm, '/up': then(240, 260), '/down': then(53, 48) }),
      );
      const shown = { low: 100, high: 100 };
      expect(standingOut).toMatchObject([
        { path: '/down', side: 'fewer', weeks: [53, 48], ...shown, counted: then(53, 48) },
        { path: '/up', side: 'more', weeks: [240, 260], ...shown, counted: then(240, 260) },
      ]);
      expect(standingOut.map(({ difference }) => difference)).toEqual([
        expect.closeTo(-49.5, 5),
        expect.closeTo(150, 5),
      ]);
      expect([judging?.pages, judging?.weeks.length, whyNotJudged]).toEqual([14, 14, undefined]);
    });

    test('is shown at this week’s level, and the service’s counts as they are', () => {
      const doubled = Object.entries(calm).map(([path, counts]) => [
        path,
        counts.map((count, week) => (week === 13 ? 2 * (count ?? 0) : count)),
      ]);
      const site = { ...Object.fromEntries(doubled), '/still': then(300, 600) };
      const { standingOut, judging } = find(readSite(site));
      expect(standingOut).toMatchObject([{ path: '/still', weeks: [600, 600], low: 200 }]);
      expect(standingOut[0]?.counted.slice(-3)).toEqual([100, 300, 600]);
      expect(judging?.weeks.slice(-2).map(({ level }) => Math.round(10 * level))).toEqual([20, 10]);
    });

    test('comes with sections first, and what fell first', () => {
      const fallen = Object.fromEntries(
        Array.from({ length: 6 }, (_, page) => [`/api/f${page}`, then(80, 80)]),
      );
      const { standingOut } = find(
        readSite({ ...calm, ...fallen, '/up': then(400, 400), '/x': then(0, 9) }),
      );
      expect(standingOut.map(({ path, pages }) => [path, pages]).slice(0, 2)).toEqual([
        ['/api', 6],
        ['/x', undefined],
      ]);
      expect(standingOut.at(-1)?.path).toBe('/up');
    });

    test('is listed only if it is chosen, and judged among all pages', () => {
      const site = readSite({ ...calm, '/up': then(240, 260), '/down': then(53, 48) });
      const { standingOut, judging, whyNotJudged } = find(site, { pages: ['/up', '/calm/p1'] });
      expect(pathsOf(standingOut)).toEqual(['/up']);
      expect([judging?.pages, whyNotJudged]).toEqual([2, undefined]);
      const hidden = find(site, { pages: ['/none'] });
      expect([hidden.judging?.pages, hidden.whyNotJudged]).toEqual([0, { cause: 'few-people' }]);
    });

    test('is about people: AI neither names a page nor hides it', () => {
      const reads = readSite({ ...calm, '/down': then(50, 50) }).map((read, week) => {
        const crawled = [...read.rows.values()].map((page) => {
          const ai = week > 11 ? 900 : 10;
          return [page.path, { ...page, ai, total: page.total + ai }] as const;
        });
        return { ...read, rows: new Map(crawled) };
      });
      expect(pathsOf(find(reads).standingOut)).toEqual(['/down']);
    });

    test('of months is compared as if they were equally long', () => {
      const lengths = [31, 30, 31, 30, 31, 31, 30, 31, 30, 31, 31, 28];
      const monthly = (path: string, perDay: readonly number[]) => ({
        [path]: lengths.map((days, month) => Math.round(days * (perDay[month] ?? 10))),
      });
      const reads = readSite({ ...monthly('/a', []), ...monthly('/b', [...Array(10), 4, 4]) });
      const months = reads.map((read, month) => {
        const days = lengths[month] ?? 30;
        const ofMonth: Window = { ...read.window, kind: 'last-month', days };
        return { ...read, window: ofMonth };
      });
      expect(find(months).standingOut).toMatchObject([
        { path: '/b', side: 'fewer', weeks: [112, 112], low: 280, high: 280 },
      ]);
    });

    test('a page whose path gained a slash is the same page', () => {
      const site = readSite({ ...calm, '/a': then(null), '/a/': nothing.with(13, 100) });
      const { standingOut, appeared, gone, moved, top } = find(site);
      expect([standingOut, appeared, gone, moved]).toEqual([[], [], [], []]);
      expect(top?.find(({ path }) => path.startsWith('/a'))).toMatchObject({
        path: '/a/',
        human: 100,
        change: 0,
      });
    });

    test('a page of a cut list has at most the last row’s visitors', () => {
      const site = { ...calm, '/up': [...Array<null>(12).fill(null), 400, 400] };
      const reads = readSite(site).map((read, week) => (week < 12 ? { ...read, cut } : read));
      const { standingOut, judging, sections, appeared } = find(reads);
      expect(standingOut).toMatchObject([{ path: '/up', weeks: [400, 400], low: 100, high: 100 }]);
      expect(standingOut[0]?.counted).toEqual([...Array(12), 400, 400]);
      expect([judging?.areWhole, appeared]).toEqual([false, undefined]);
      expect(pathsOf(sections)).toEqual(['/calm', '/']);
      const fallen = { ...calm, '/down': [...Array<number>(12).fill(400), null, null] };
      const later = readSite(fallen).map((read, week) => (week < 12 ? read : { ...read, cut }));
      const loss = { path: '/down', side: 'fewer', human: 300, isLeast: true };
      expect(find(later).checkFirst).toEqual(loss);
    });
  });

  describe('why no page is judged', () => {
    const site = readSite(calm);
    const unread = (read: WindowRead): WindowRead => ({
      ...read,
      rows: new Map(),
      totals: {},
      cut,
    });
    const empty = (read: WindowRead): WindowRead => ({
      ...read,
      rows: new Map(),
      totals: { human: 0, ai: 0, total: 0 },
    });
    const change = (weeks: readonly number[], by: (read: WindowRead) => WindowRead) =>
      site.map((read, week) => (weeks.includes(week) ? by(read) : read));
    const small = Object.fromEntries(
      Object.keys(calm).map((path) => [path, Array<number>(14).fill(14)]),
    );
    const until = (week: number) => [...Array(week).keys()];

    test.each([
      ['nothing is compared', site.slice(-1), { cause: 'not-compared' }],
      ['no one came', change([13], empty), { cause: 'no-people' }],
      ['no one came before', change([12], empty), { cause: 'no-people-before' }],
      ['no page has 15 people', readSite(small), { cause: 'few-people' }],
      ['`baseline` is 3', site.slice(-5), { cause: 'low-baseline', usable: 4, unread: 0 }],
      [
        'the site is young',
        change(until(11), empty),
        { cause: 'few-weeks', usable: 2, lacking: 3 },
      ],
      [
        'too few were read',
        change(until(9), unread),
        { cause: 'unread', usable: 4, unread: 9, cut },
      ],
      ['the week before wasn’t read', change([12], unread), { cause: 'unread', unread: 1, cut }],
      ['this week wasn’t read', change([13], unread), { cause: 'unread', unread: 1, cut }],
    ])('%s', (_, reads, expected) => {
      expect(find(reads).whyNotJudged).toMatchObject(expected);
    });

    test('with four weeks before the last two, they are judged', () => {
      expect(find(site.slice(-6)).whyNotJudged).toBeUndefined();
      expect(find(change(until(8), unread)).whyNotJudged).toBeUndefined();
    });
  });

  describe('how many people', () => {
    const totals = (human: number) => ({ human, ai: 300, total: human + 250 });
    const weeks = (counts: readonly VisitorsTotals[]) => {
      const newestFirst = counts.toReversed().map((given, age) => {
        return readOf([], { window: shiftWindow(window, -age), totals: given });
      });
      return newestFirst.toReversed();
    };
    const steady = Array(13).fill(totals(1000));

    test('has a verdict for people, and ranges of the others for alerts', () => {
      const { usual, change, whyNoRange } = find(weeks([...steady, totals(700)]));
      expect(usual).toMatchObject({
        human: { side: 'fewer', low: 939, high: 1065, weeks: 12 },
        ai: { side: 'usual' },
        total: { side: 'fewer' },
      });
      expect([change, whyNoRange]).toEqual([{ part: -300, whole: 1000 }, undefined]);
    });

    test('leaves out weeks without people, or without a total', () => {
      const known = steady.slice(0, 4);
      const none = { human: 0, ai: 10, total: 10 };
      const odd = { human: undefined, ai: 1, total: 1 };
      const { usual } = find(weeks([...known, none, odd, none, totals(1000)]));
      expect(usual.human).toMatchObject({ side: 'usual', weeks: 4 });
    });

    test('without this week’s people, there is no verdict', () => {
      const { usual, change } = find(weeks([...steady, { human: undefined, ai: 1, total: 900 }]));
      expect([usual.human, change, usual.total?.side]).toEqual([undefined, undefined, 'fewer']);
    });

    test('AI is compared only with weeks since the service counts its Markdown pages', () => {
      const august = { ...window, start: '2026-08-03', end: '2026-08-10' };
      const july = { ...window, start: '2026-07-20', end: '2026-07-27' };
      const reads = weeks([...steady, totals(1000)]);
      const inJuly = reads.map((read) => ({ ...read, window: july }));
      const now = { ...reads[13], window: august } as WindowRead;
      const { usual } = find([...inJuly.slice(0, 13), now]);
      expect([usual.human?.side, usual.ai, usual.total]).toEqual(['usual', undefined, undefined]);
      expect(find(inJuly).usual.ai?.side).toBe('usual');
    });

    const unread: VisitorsTotals = {};
    const none = { human: 0, ai: 0, total: 0 };
    test.each([
      ['`baseline` is too low', Array(3).fill(totals(9)), { cause: 'low-baseline', usable: 3 }],
      [
        'the site is young',
        [none, none, totals(9), totals(9)],
        { cause: 'few-weeks', usable: 2, lacking: 2 },
      ],
      [
        'weeks weren’t read',
        [unread, unread, totals(9), totals(9)],
        { cause: 'unread', usable: 2, unread: 2 },
      ],
      ['both', [unread, none, none, totals(9)], { cause: 'few-weeks', usable: 1, unread: 1 }],
    ])('there is no range because %s', (_, earlier, expected) => {
      const found = find(weeks([...earlier, totals(1000)]));
      expect(found.whyNoRange).toMatchObject(expected);
      expect(found.usual.human).toBeUndefined();
    });

    test('over four weeks, only a difference above half the range is said', () => {
      const slightly = find(weeks([...steady.slice(3), ...Array(4).fill(totals(1010))]));
      expect(slightly.fourWeeks).toBeUndefined();
      const clearly = find(weeks([...steady.slice(3), ...Array(4).fill(totals(2000))]));
      expect(clearly.fourWeeks).toEqual({ last: 2000, before: 1000 });
      const gap = weeks([...steady.slice(3), unread, ...Array(3).fill(totals(2000))]);
      expect(find(gap).fourWeeks).toBeUndefined();
    });

    test('over four weeks, one odd week is no difference', () => {
      const fourOf = (...last: readonly number[]) =>
        find(weeks([...steady.slice(3), ...last.map(totals)])).fourWeeks;
      expect(fourOf(1000, 4, 1000, 1000)).toBeUndefined();
      expect(fourOf(1000, 4, 1000, 1000, 1000, 1000, 1000)).toBeUndefined();
      // The mean is higher, but most weeks are lower.
      expect(fourOf(800, 800, 800, 4000)).toBeUndefined();
    });

    test('no visitors after a busy week are an alarm', () => {
      expect(find(weeks([totals(100), none])).lastBusy?.totals.human).toBe(100);
      expect(find(weeks([{ human: 50, ai: 49, total: 99 }, none])).lastBusy).toBeUndefined();
    });

    test.each([
      [{ human: 10, ai: 5, total: 15 }, 15, false],
      [{ human: 10, ai: 5, total: 15 }, 16, true],
      [{ human: 16, ai: 5, total: 15 }, 1, true],
      [{ human: 5, ai: 5, total: 15 }, 1, true],
      [{ human: undefined, ai: 5, total: 15 }, 1, false],
      [{ human: 5, ai: 5, total: undefined }, 99, false],
    ])('whether %j and a page of %d contradict each other: %j', (given, visitors, expected) => {
      const read = readOf([row('/a', visitors, 0)], { totals: given });
      expect(find([read]).isContradictory).toBe(expected);
    });
  });

  describe('facts about pages', () => {
    test('the biggest changes are counted, and leave out what stands out', () => {
      const site = {
        ...calm,
        '/stands out': then(300, 300),
        '/burst': then(100, 471),
        '/broken': then(100, 1),
        '/not clear': then(100, 128),
        '/clear': then(100, 131),
        '/small': then(0, 9),
      };
      const { changes } = find(readSite(site));
      expect(changes).toEqual([
        { path: '/burst', human: 471, change: 371 },
        { path: '/broken', human: 1, change: -99 },
        { path: '/clear', human: 131, change: 31 },
      ]);
      expect(find(readSite(site), { pages: ['/b*'] }).changes).toHaveLength(2);
      expect(find(readSite(site).slice(-1)).changes).toBeUndefined();
    });

    test('of cut lists, only pages that both have are compared', () => {
      const reads = readSite({ ...calm, '/left': then(500, null), '/burst': then(100, 471) });
      const partly = reads.map((read) => ({ ...read, cut }));
      expect(pathsOf(find(partly).changes)).toEqual(['/burst']);
      expect(find(partly).gone).toBeUndefined();
    });

    test('what is gone and didn’t move is to be checked first, if it lost most', () => {
      const site = {
        ...calm,
        '/down': then(70, 70),
        '/gone': then(31, null),
        '/guides/a': then(100, null),
        '/learn/a': nothing.with(13, 90),
      };
      const found = find(readSite(site));
      expect(found.moved).toEqual([{ from: '/guides/a', path: '/learn/a', human: 90 }]);
      expect(found.gone).toEqual([{ path: '/gone', human: 31, lastWindow: expect.anything() }]);
      expect(found.appeared).toEqual([]);
      expect(found.checkFirst).toEqual({
        path: '/gone',
        side: 'gone',
        human: 31,
        lastWindow: expect.anything(),
      });
      const worse = find(readSite({ ...site, '/down': then(60, 60) }));
      expect(worse.checkFirst).toEqual({ path: '/down', side: 'fewer', human: 40 });
      expect(find(readSite(calm)).checkFirst).toBeUndefined();
    });

    test('a page whose people are gone is gone, even if AI still reads it', () => {
      const reads = readSite({ ...calm, '/404': then(31, 0) }).map((read) => {
        const page = read.rows.get('/404');
        const rows = new Map(read.rows);
        if (page) rows.set('/404', { ...page, ai: 12, total: page.total + 12 });
        return { ...read, rows };
      });
      expect(pathsOf(find(reads).gone)).toEqual(['/404']);
    });

    test('a page that breaks in mid-week is named in the first week without people', () => {
      const weeks = [...Array<number>(12).fill(120), 8, 0, 0, 0];
      const pages = { ...calm, '/broken': weeks };
      const findIn = (count: number) => {
        const site = Object.entries(pages).map(([path, counts]) => {
          const all = [...counts, ...Array<number>(weeks.length - counts.length).fill(100)];
          return [path, all.slice(0, count)] as const;
        });
        return find(readSite(Object.fromEntries(site)));
      };
      expect(findIn(13).gone).toEqual([]);
      const lastWindow = expect.objectContaining({ start: '2026-10-26' });
      const broken = { path: '/broken', human: 120, lastWindow };
      expect(findIn(14).gone).toEqual([broken]);
      expect(findIn(14).checkFirst).toEqual({ ...broken, side: 'gone' });
      expect([findIn(15).gone, findIn(16).gone]).toEqual([[], []]);
    });

    test('what moved is told once', () => {
      const moved = (age: number) => {
        const from = then(...Array<null>(age).fill(null));
        const to = nothing.map((_, week) => (week >= 14 - age ? 90 : null));
        return find(readSite({ ...calm, '/guides/a': from, '/learn/a': to })).moved.length;
      };
      expect([1, 2, 3].map(moved)).toEqual([1, 0, 0]);
    });

    test('new pages are named, but not those of a young site', () => {
      const site = {
        ...calm,
        '/new': nothing.with(13, 40),
        '/slow': nothing.with(12, 3).with(13, 50),
      };
      expect(pathsOf(find(readSite(site)).appeared)).toEqual(['/slow', '/new']);
      const young = Object.entries(site).map(([path, counts]) => {
        return [path, counts.map((count, week) => (week < 11 ? null : count))];
      });
      expect(find(readSite(Object.fromEntries(young))).appeared).toBeUndefined();
      expect(find(readSite(site).slice(-2)).appeared).toBeUndefined();
    });

    test('sections have their people, and their change', () => {
      const names = { '/guides': 5, '/guides/a': 4, '/guides/b/c': 3, '/quickstart': 2, '/': 1 };
      const site = Object.fromEntries(
        Object.entries(names).map(([path, people]) => [path, [people, 2 * people]]),
      );
      const sections = (sectionDepth: number) =>
        find(readSite({ ...site, '/guides/gone': [7, null] }), { sectionDepth }).sections;
      expect(sections(1)).toEqual([
        { path: '/guides', pages: 3, human: 24, change: 5 },
        { path: '/', pages: 2, human: 6, change: 3 },
      ]);
      expect(pathsOf(sections(2))).toEqual(['/guides', '/', '/guides/b']);
      expect(find(readSite(site).slice(-1)).sections?.[0]?.change).toBeUndefined();
    });

    test('top pages are those with the most people', () => {
      const rows = [row('/a', 5, 90), row('/b', 9, 0), row('/none', 0, 0), row('/ai', 0, 9)];
      const { top } = find([readOf(rows)]);
      expect(pathsOf(top)).toEqual(['/b', '/a', '/ai']);
    });

    test('of an incomplete window contain the top pages of the complete one, in the same order', () => {
      const visitors = fc.tuple(fc.nat({ max: 6 }), fc.nat({ max: 6 }));
      const pages = fc.array(visitors, { minLength: 2, maxLength: 30 });
      const globs = fc.constantFrom<string[]>([], ['/a/*']);
      fc.assert(
        fc.property(pages, fc.nat({ max: 29 }), globs, (counts, read, chosen) => {
          const site = counts.map(([people, ai], index) =>
            row(`/${index % 3 === 0 ? 'a' : 'b'}/${index}`, people, ai),
          );
          // The service sorts by visitors, but the order of ties is unknown.
          const sent: VisitorsRow[] = site.toSorted(
            (a, b) => b.total - a.total || (a.path < b.path ? 1 : -1),
          );
          const partial = readOf(sent.slice(0, read + 1), { cut });
          const [whole, known] = [readOf(site), partial].map(
            (given) => find([given], { pages: chosen }).top,
          );
          expect(whole?.slice(0, known?.length ?? 0)).toEqual(known ?? []);
          expect(known).not.toEqual([]);
        }),
        { numRuns: 300 },
      );
    });

    test('a page whose people are unknown in a week isn’t judged, but listed', () => {
      const reads = readSite({ ...calm, '/down': then(50, 50), '/api/a': then() });
      const lacking = (age: number, path: string) =>
        reads.map((read, week) => {
          const page = read.rows.get(path);
          if (week !== 13 - age || page === undefined) return read;
          return { ...read, rows: new Map([...read.rows, [path, { ...page, human: undefined }]]) };
        });
      const before = find(lacking(5, '/down'));
      expect([before.standingOut, before.judging?.pages]).toEqual([[], 13]);
      expect(before.top?.at(-1)).toMatchObject({ path: '/down', human: 50, change: 0 });
      const now = find(lacking(0, '/api/a'));
      expect(pathsOf(now.standingOut)).toEqual(['/down']);
      expect([pathsOf(now.top), pathsOf(now.sections), pathsOf(now.gone)].flat()).not.toContain(
        '/api/a',
      );
      expect(pathsOf(now.sections)).toEqual(['/calm', '/']);
    });

    test('don’t depend on the order of the rows', () => {
      const site = readSite({ ...calm, '/up': then(240, 260), '/x': then(5), '/y': then(5) });
      const shuffled = site.map((read) => ({
        ...read,
        rows: new Map([...read.rows].toReversed()),
      }));
      const said = (reads: readonly WindowRead[]) => ({ ...find(reads), compared: undefined });
      expect(said(shuffled)).toEqual(said(site));
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
});

describe('changed pages', () => {
  /* Each layout: its files, the visited paths, and which path each file is (`''`: none was visited; 'shared'; or no page). */
  type Layout = readonly [
    name: string,
    files: string,
    visited: string,
    pages: Readonly<Record<string, string | undefined>>,
  ];

  const layouts: readonly Layout[] = [
    [
      'a site at the root',
      'docs.json index.mdx quickstart.mdx guides/auth.md guides/index.mdx README.md snippets/note.mdx logo.svg',
      '/ /quickstart/ /guides /guides/auth',
      {
        ...{ 'index.mdx': '/', 'quickstart.mdx': '/quickstart/', 'guides/index.mdx': '/guides' },
        ...{
          'guides/auth.md': '/guides/auth',
          'README.md': undefined,
          'snippets/note.mdx': 'shared',
        },
        ...{
          'logo.svg': undefined,
          'auth.md': '',
          'guides/License.md': undefined,
          'CONTRIBUTING.mdx': undefined,
        },
      },
    ],
    [
      'a site in docs/',
      'README.md docs/mint.json docs/index.mdx docs/api/errors.mdx docs/_snippets/x.jsx src/errors.md',
      '/ /api/errors /errors',
      {
        ...{
          'docs/api/errors.mdx': '/api/errors',
          'docs/index.mdx': '/',
          'src/errors.md': undefined,
        },
        ...{
          'docs/_snippets/x.jsx': 'shared',
          'README.md': undefined,
          'docs/deep/api/errors.mdx': '',
        },
      },
    ],
    [
      'a site in docs/docs',
      'docs/docs/docs.json docs/docs/docs/intro.mdx docs/docs/intro.mdx',
      '/intro /docs/intro',
      {
        'docs/docs/docs/intro.mdx': '/docs/intro',
        'docs/docs/intro.mdx': '/intro',
        'docs/intro.mdx': undefined,
      },
    ],
    [
      'a site in apps/docs that is published below /docs',
      'package.json apps/docs/docs.json apps/docs/index.mdx apps/docs/start.mdx apps/web/start.mdx',
      '/docs /docs/start',
      {
        'apps/docs/start.mdx': '/docs/start',
        'apps/docs/index.mdx': '/docs',
        'apps/web/start.mdx': undefined,
      },
    ],
    [
      'languages',
      'docs.json en/start.mdx fr/start.mdx ja/start.mdx',
      '/en/start /fr/start',
      {
        'en/start.mdx': '/en/start',
        'fr/start.mdx': '/fr/start',
        'ja/start.mdx': '',
        'start.mdx': '',
      },
    ],
    [
      'versions',
      'docs.json v1/api.mdx v2/api.mdx v2/index.mdx',
      '/v1/api /v2/api/index /v2',
      { 'v1/api.mdx': '/v1/api', 'v2/api.mdx': '/v2/api/index', 'v2/index.mdx': '/v2' },
    ],
    [
      'two sites in one repository',
      'api/docs.json api/index.mdx api/errors.mdx api/limits.mdx docs/docs.json docs/index.mdx docs/start.mdx',
      '/ /errors /limits',
      {
        ...{ 'api/index.mdx': '/', 'api/errors.mdx': '/errors', 'api/new.mdx': '' },
        ...{ 'docs/index.mdx': undefined, 'docs/start.mdx': undefined },
      },
    ],
    [
      'a site in another one',
      'docs.json start.mdx a.mdx b.mdx examples/site/docs.json examples/site/start.mdx',
      '/start /a /b',
      { 'start.mdx': '/start', 'examples/site/start.mdx': undefined, 'examples/x.mdx': '' },
    ],
  ];

  test.each(layouts)('%s: a file is exactly one page, or none', (_, files, visited, pages) => {
    const pageOf = createPageFinder(files.split(' '), visited.split(' ').map(plain));
    const found = Object.keys(pages).map((file) => {
      const page = pageOf(file);
      return [file, page?.isShared ? 'shared' : page && (page.visited ?? '')];
    });
    expect(Object.fromEntries(found)).toEqual(pages);
  });

  test('if GitHub doesn’t list all files, the site begins at the root', () => {
    expect(createPageFinder(undefined, [plain('/start')])('start.mdx')).toEqual({
      isShared: false,
      visited: '/start',
    });
  });

  const pullOf = (date: string, paths: readonly string[], number = 1): MergedPull => {
    return {
      number,
      url: `https://github.com/octo-org/docs/pull/${number}`,
      isBot: false,
      date,
      paths,
      isWhole: true,
    };
  };

  /** What became of the pages of a site whose weeks have these pull requests. */
  function judged(reads: readonly WindowRead[], pulls: readonly MergedPull[]) {
    const changes = { pulls, tree: ['docs.json'], unread: 0, isLeast: false };
    const result = judgeChanges(changes, find(reads), () => true);
    if (result?.rows === undefined) throw new Error('Nothing was compared');
    return result;
  }

  const startOf = (age: number) => shiftWindow(window, -age).start;
  const calmNine = (page: readonly (number | null)[]): Site => {
    const others = Object.entries(calm).map(([path, counts]) => [path, counts.slice(-9)]);
    return { ...Object.fromEntries(others), '/p0': page };
  };
  const of = (weeks: number, people: number) => Array<number>(weeks).fill(people);

  test.each([
    ['new', [...of(5, 0), ...of(4, 40)], [4], ['new', 0, 40, 1, 4]],
    ['no longer visited', [30, 30, 30, 30, 9, 0, 0, 0, 0], [4], ['gone', 30, 0, 1, 4]],
    ['read more', [...of(6, 40), 100, 100, 110], [3], ['more', 40, 103, 1, 3]],
    ['read less', [...of(6, 90), 60, 40, 50], [3], ['fewer', 90, 50, 1, 3]],
    // In one of the last two weeks, it had as many as once before.
    ['as before', [40, 40, 40, 100, 40, 40, 100, 100, 110], [3], ['same', 52, 103, 1, 3]],
    ['changed too early to judge', [...of(8, 30), 90], [5], ['early', 30, 45, 1, 4]],
    ['changed a week ago', [...of(8, 30), 90], [1], ['early', 30, 90, 1, 1]],
    ['changed again', of(9, 30), [4, 1], ['same', 30, 30, 2, 4]],
    ['changed first in the first week', [99, ...of(8, 30)], [8, 7], ['early', 99, 30, 1, 4]],
    ['changed this week', of(9, 30), [0], undefined],
  ])('a page that is %s', (_, people, ages, expected) => {
    const pulls = ages.map((age) =>
      pullOf(startOf(age), ['p0.mdx', 'p0.mdx', 'none.mdx', 'snippets/a.mdx']),
    );
    const { rows, unvisited, shared } = judged(readSite(calmNine(people)), pulls.toReversed());
    const said = rows.map((page) => [
      page.became,
      Math.round(page.before.human),
      Math.round(page.since.human),
      page.changes,
      page.weeksSince,
    ]);
    expect(said).toEqual(expected === undefined ? [] : [expected]);
    expect([unvisited, shared]).toEqual([1, 1]);
  });

  test('AI stands beside the people, and doesn’t judge them', () => {
    const reads = readSite(calmNine(of(9, 40))).map((read, week) => {
      const page = row('/p0', 40, week > 5 ? 300 : 10);
      return { ...read, rows: new Map([...read.rows, ['/p0', page]]) };
    });
    expect(judged(reads, [pullOf(startOf(3), ['p0.mdx'])]).rows).toMatchObject([
      { became: 'same', before: { ai: 10 }, since: { ai: 300 } },
    ]);
  });

  test('a page that moved keeps its readers, and has the changes of both files', () => {
    const guides = [...of(6, 60), ...Array<null>(3).fill(null)];
    const site = { ...calmNine(of(9, 40)), '/guides/a': guides, '/learn/a': guides.toReversed() };
    const moved = { ...site, '/learn/a': [...Array<null>(6).fill(null), ...of(3, 130)] };
    const pulls = [
      pullOf(startOf(2), ['learn/a.mdx'], 2),
      pullOf(startOf(3), ['guides/a.mdx', 'learn/a.mdx'], 1),
    ];
    expect(judged(readSite(moved), pulls).rows).toMatchObject([
      { path: '/learn/a', became: 'more', before: { human: 60 }, changes: 2 },
    ]);
  });

  test('small pages are only counted, and swings of the whole site are noted', () => {
    const pulls = [pullOf(startOf(3), ['p0.mdx'])];
    const small = judged(readSite(calmNine(of(9, 9))), pulls);
    expect([small.rows, small.few, small.hasSwings]).toEqual([[], 1, false]);
    const reads = readSite(calmNine(of(9, 40)));
    const swung = reads.map((read, week) =>
      week === 7 ? { ...read, totals: { human: 400, ai: 0, total: 400 } } : read,
    );
    expect(judged(reads, pulls).hasSwings).toBe(false);
    expect(judged(swung, pulls).hasSwings).toBe(true);
  });

  test('if lists are cut, a page that one of them lacks isn’t compared', () => {
    const reads = readSite(calmNine([...of(8, 400), null])).map((read) => ({ ...read, cut }));
    expect(judged(reads, [pullOf(startOf(3), ['p0.mdx'])]).rows).toEqual([]);
    expect(judged(reads, [pullOf(startOf(3), ['calm/p0.mdx'])]).rows).toHaveLength(1);
  });

  test('without another week, nothing is said', () => {
    const changes = { pulls: [], tree: [], unread: 0, isLeast: false };
    const [now] = readSite(calm).slice(-1);
    expect(judgeChanges(changes, find(now ? [now] : []), () => true)).toBeUndefined();
    expect(judgeChanges({ problem: 'no' }, find(readSite(calm)), () => true)).toEqual({
      problem: 'no',
    });
  });
});
