import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { VisitorsRow, VisitorsTotals } from '../../../src/service/schemas.ts';
import { parseAlertRules } from '../../../src/visitors/judge/alerts/alert-rules.ts';
import { createPageFinder } from '../../../src/visitors/judge/changes/changed-files.ts';
import { compareChangedPages } from '../../../src/visitors/judge/changes/changed-pages.ts';
import { compareWindows, type Findings } from '../../../src/visitors/judge/findings.ts';
import { pageFilter } from '../../../src/visitors/judge/site-pages.ts';
import type { MergedPull } from '../../../src/visitors/read/read-changes.ts';
import { shiftWindow, type Window } from '../../../src/visitors/read/window.ts';
import type { WindowRead } from '../../../src/visitors/read/window-read.ts';
import { alertResults } from '../../../src/visitors/write/words/warnings.ts';
import { plain } from '../../support/plain.ts';
import { type Change, marksOf, playChanges, type Site } from '../../support/usual-weeks/changed.ts';
import { randomOf } from '../../support/usual-weeks/random.ts';
import { calmTotals, siteOf, weeksWith } from './rendered.ts';
import { readOf, row, window } from './site.ts';

describe('findings', () => {
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
      expect(sides(usual(totals(1000), earlier, july))).toEqual([
        'usual',
        'usual',
        'usual',
        'usual',
      ]);
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
            (read) => find(read, undefined, { pages: chosen.map(plain) }).maxVisited,
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
});

describe('alerts', () => {
  describe('parsing alert rules', () => {
    const value = (operator: string, percent: number) => ({ of: 'value', operator, percent });
    const change = (operator: string, percent: number) => ({ of: 'change', operator, percent });
    const range = (...sides: string[]) => ({ of: 'range', sides });
    test.each([
      [
        'total < -30%',
        { figure: 'total', condition: change('<', -30), min: 20, project: undefined },
      ],
      ['ai>=+12.5%', { figure: 'ai', condition: change('>=', 12.5) }],
      ['total <= -100%', { condition: change('<=', -100) }],
      ['human > usual min 100', { condition: range('more'), min: 100 }],
      ['ai-share < usual', { figure: 'ai-share', condition: range('fewer') }],
      ['total unusual', { condition: range('fewer', 'more') }],
      ['total < 1000', { condition: value('<', 100_000), min: 0 }],
      ['ai-share >= 100%', { condition: value('>=', 100), min: 20 }],
      [
        '  total   <=   0%  min 0  ',
        { condition: change('<=', 0), min: 0, text: 'total   <=   0%  min 0' },
      ],
      ['API: total < 5%', { project: 'API', text: 'total < 5%' }],
      ['  a: b:   human < -5% ', { project: 'a: b', text: 'human < -5%' }],
      ['total: total < 5%', { project: 'total', text: 'total < 5%' }],
      [': total < 5%', { project: '', text: 'total < 5%' }],
    ])('accepts %j', (line, expected) => {
      expect(parseAlertRules(line)).toEqual({
        rules: [expect.objectContaining(expected)],
        mistakes: [],
      });
    });

    test.each([
      [
        'a rule must begin with one of these: total, human, ai, ai-share',
        'totl < -30%|total-x < 5|totalunusual|A: x < 5',
      ],
      [
        'a number such as `< 1000`, or a change',
        'total|total < -30|total <= usual|ai < 5 max 5|ai < 5 min x|human /g/** < -5%',
      ],
      [
        'or a share such as `> 60%`',
        'ai-share > 60|ai-share > -5%|ai-share > +5%|ai-share >= usual',
      ],
      [
        'can never be',
        'total < -100%|ai <= -100.5%|total < 0|ai-share < 0%|ai-share >= 101%|ai-share > 100%',
      ],
    ])('says %j', (mistake, lines) => {
      for (const line of lines.split('|')) {
        const { rules, mistakes } = parseAlertRules(`\r\n${line}\ntotal < 9`);
        expect(rules.map(({ text }) => text)).toEqual(['total < 9']);
        expect(mistakes).toHaveLength(1);
        expect(mistakes[0]).toContain(`\`${line}\` (line 2): `);
        expect(mistakes[0]).toContain(mistake);
      }
    });
  });

  describe('checking alert rules', () => {
    const check = (
      rules: string,
      now: WindowRead,
      before?: WindowRead,
      earlier: WindowRead[] = [],
    ) => {
      expect(parseAlertRules(rules).mistakes).toEqual([]);
      return siteOf(now, before, { rules, earlier }).alerts;
    };
    const of = (human?: number, ai?: number, total?: number) =>
      readOf([], { totals: { human, ai, total } });
    const week = (total: number) => of(total, 0, total);
    const [now, before] = [of(60, 50, 100), of(150, 40, 170)];
    const calm = weeksWith(
      calmTotals.map((total) => ({ human: 0.7 * total, ai: 0.3 * total, total })),
    );
    const month = (days: number) => ({ ...week(1000 * days), window: { ...window, days } });

    test.each([
      ['human < -50% min 150', now, before, 'fired'],
      ['human < -50% min 151', now, before, 'quiet'],
      ['ai-share >= 50% min 100', now, undefined, 'fired'],
      ['ai-share >= 50% min 101', now, before, 'quiet'],
      ['total <= 100', now, undefined, 'fired'],
      ['total < 10', week(0), undefined, 'fired'],
      ['total < 10 min 1', week(0), before, 'quiet'],
      // The months are compared as the table shows them.
      ['total > 5%', month(31), month(28), 'fired'],
      ['total unusual', week(700), undefined, 'fired'],
      ['total < usual', week(700), undefined, 'fired'],
      ['total > usual', week(700), undefined, 'quiet'],
      ['total > usual', week(1500), undefined, 'fired'],
      ['total unusual', week(1000), undefined, 'quiet'],
      ['total < usual', week(0), undefined, 'fired'],
      ['total < usual min 2000', week(0), undefined, 'quiet'],
      ['ai-share unusual', of(400, 600, 1000), undefined, 'fired'],
      ['ai-share < usual', of(400, 600, 1000), undefined, 'quiet'],
      ['ai-share > usual', of(4, 6, 10), undefined, 'quiet'],
    ])('%s (%#)', (rule, latest, previous, state) => {
      expect(check(rule, latest, previous, calm)).toMatchObject([{ state }]);
    });

    test('is exact at the threshold', () => {
      const figure = fc.integer({ min: 1, max: 100_000 });
      const tenths = fc.integer({ min: -999, max: 3000 });
      fc.assert(
        fc.property(figure, figure, tenths, (a, b, t) => {
          const firing = ['<', '<=', '>', '>='].filter(
            (operator) =>
              check(`total ${operator} ${t / 10}% min 0`, week(a), week(b))[0]?.state === 'fired',
          );
          const [change, limit] = [(a - b) * 1000, t * b];
          const expected =
            change === limit ? ['<=', '>='] : change < limit ? ['<', '<='] : ['>', '>='];
          expect(firing).toEqual(expected);
        }),
        {
          numRuns: 300,
          examples: [
            [107, 100, 70],
            [129, 100, 290],
            [1, 3, -666],
          ],
        },
      );
    });

    const uncounted = of(30, undefined, 30);
    const label = 'Nov 9–15, 2026';
    test.each([
      ['ai < -1%', uncounted, before, `it could not be read for ${label}`],
      ['ai < -1%', now, uncounted, `it could not be read for ${label}`],
      ['ai-share < 1%', uncounted, undefined, `it could not be read for ${label}`],
      ['ai > 5%', now, week(100), 'there were none in the week before'],
      ['ai > 5%', now, undefined, '`compare: none` leaves out earlier periods'],
      [
        'total unusual',
        now,
        undefined,
        'there is no usual range: `compare: none` leaves out earlier periods',
      ],
      ['ai-share > 5%', week(0), before, 'there were no visitors'],
      [
        'ai-share > 1%',
        of(0, 20, 10),
        undefined,
        'the service counted more AI visitors than visitors in total',
      ],
    ])('says why it can’t: %s (%#)', (rule, latest, previous, why) => {
      const results = alertResults(check(rule, latest, previous), window);
      expect(results).toMatchObject([{ state: 'unchecked', why }]);
    });
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
    const pageOf = createPageFinder(files.split(' '), visited.split(' '));
    const found = Object.keys(pages).map((file) => {
      const page = pageOf(file);
      return [file, page?.isShared ? 'shared' : page && (page.visited ?? '')];
    });
    expect(Object.fromEntries(found)).toEqual(pages);
  });

  test('if GitHub doesn’t list all files, the site begins at the root', () => {
    expect(createPageFinder(undefined, ['/start'])('start.mdx')).toEqual({
      isShared: false,
      visited: '/start',
    });
  });

  /** What was read of a simulated site. */
  function windowsOf({ people, ai }: Site): WindowRead[] {
    let which = window;
    const newestFirst = people.toReversed().map((week, age) => {
      if (age > 0) which = shiftWindow(which, -1);
      const rows = week.map((human, page) => row(`/p${page}`, human, ai.at(-1 - age)?.[page] ?? 0));
      return readOf(rows, { window: which });
    });
    return newestFirst.toReversed();
  }

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
  const settings = { pages: [], sectionDepth: 1 };

  function judged(site: Site, pulls: readonly MergedPull[]) {
    const earlier = windowsOf(site);
    const now = earlier.pop() ?? readOf([]);
    const { counts } = compareWindows({ now, before: earlier.at(-1), earlier }, settings);
    const tree = ['docs.json'];
    return compareChangedPages({ pulls, tree, unread: 0, isLeast: false }, counts, () => true);
  }

  /** The marks of the report, in the order of the changes. */
  function marksIn(site: Site, changes: readonly Change[]): number[] {
    const weeks = windowsOf(site);
    const pulls = changes.map(([page, week]) =>
      pullOf(weeks[week]?.window.start ?? '', [`p${page}.mdx`]),
    );
    const rows = new Map(judged(site, pulls).rows.map((row) => [row.path, row.became]));
    const became = changes.map(([page]) => rows.get(plain(`/p${page}`)));
    return became.map((state) => Number(state === 'more') - Number(state === 'fewer'));
  }

  test('the report marks the same pages as the simulation', () => {
    const random = randomOf(49);
    const marks = { 1: 0, 0: 0, '-1': 0 };
    for (const since of [1, 2, 3, 4, 5])
      for (const spread of [0, 0.15, 0.3])
        for (const factor of [0.5, 1, 2]) {
          const [crawl, holiday] = [Math.floor(9 * random()), Math.floor(18 * random())];
          const { site, changes } = playChanges({ since, spread, factor, crawl, holiday }, random);
          const mixed = changes.map(
            ([page, week], index): Change => [page, index % 3 === 2 ? 7 : week],
          );
          for (const some of [changes, mixed]) {
            const expected = marksOf(site, some);
            expect(marksIn(site, some)).toEqual(expected);
            for (const mark of expected) marks[`${mark}` as '1'] += 1;
          }
        }
    expect(Math.min(marks[1], marks[-1])).toBeGreaterThan(10);
  });

  const calm = (visitors: readonly number[]): Site => ({
    people: visitors.map((count) => [count]),
    ai: visitors.map(() => [0]),
  });
  const [first, second, , fourth, fifth, , , eighth] = windowsOf(calm(Array(9).fill(50))).map(
    ({ window }) => window.start,
  );

  test.each([
    ['new', [0, 0, 0, 0, 0, 40, 40, 40, 40], [fifth], ['new', 0, 40, 1, 4]],
    ['no longer visited', [30, 30, 30, 30, 9, 0, 0, 0, 0], [fifth], ['gone', 30, 0, 1, 4]],
    ['too early to judge', [30, 30, 30, 30, 30, 30, 30, 30, 90], [fourth], ['early', 30, 45, 1, 4]],
    [
      'changed again',
      [30, 30, 30, 30, 30, 30, 30, 30, 30],
      [fifth, eighth],
      ['same', 30, 30, 2, 4],
    ],
    [
      'changed first in the first week',
      [99, 30, 30, 30, 30, 30, 30, 30, 30],
      [first, second],
      ['early', 99, 30, 1, 4],
    ],
    ['changed last week', [30, 30, 30, 30, 30, 30, 30, 30, 30], [window.start], undefined],
  ] as const)('a page that is %s', (_, visitors, dates, expected) => {
    const pulls = dates.map((date) =>
      pullOf(date ?? '', ['p0.mdx', 'p0.mdx', 'gone.mdx', 'snippets/a.mdx']),
    );
    const { rows, unvisited, shared } = judged(calm(visitors), pulls.toReversed());
    const [found] = rows;
    expect([rows.length, unvisited, shared]).toEqual([expected === undefined ? 0 : 1, 1, 1]);
    expect(
      found && [
        found.became,
        found.before.total,
        found.since.total,
        found.changes,
        found.weeksSince,
      ],
    ).toEqual(expected && [...expected]);
  });

  test('a page that wasn’t read this week is neither gone nor compared', () => {
    const earlier = windowsOf(calm(Array(9).fill(50)));
    const now = readOf([row('/other', 9, 0)], { cut: { kind: 'budget' }, mayLackRows: true });
    earlier.pop();
    const { basis, counts } = compareWindows({ now, before: earlier.at(-1), earlier }, settings);
    const read = { pulls: [pullOf(fifth ?? '', ['p0.mdx'])], tree: [], unread: 0, isLeast: false };
    expect(basis?.lists).toHaveLength(8);
    expect(compareChangedPages(read, counts, () => true).rows).toEqual([]);
  });

  test('a page that only AI made rise is no page with more readers', () => {
    const people = Array<number[]>(9).fill([50]);
    const risen = (week: number, by: number) => (week > 4 ? [10 + by] : [10]);
    const becameOf = (ofAi: number, ofPeople: number) => {
      const site = {
        people: people.map(([count = 0], week) => (week > 4 ? [count + ofPeople] : [count])),
        ai: people.map((_, week) => risen(week, ofAi)),
      };
      return judged(site, [pullOf(fifth ?? '', ['p0.mdx'])]).rows.map(({ became }) => became);
    };
    expect([becameOf(90, 0), becameOf(90, 8), becameOf(90, 20), becameOf(0, 90)].flat()).toEqual([
      'crawled',
      'crawled',
      'more',
      'more',
    ]);
  });
});
