import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Cut, WindowRead } from '../../../src/visitors/read/window-read.ts';
import { digestOf } from '../../../src/visitors/write/digest.ts';
import {
  asRead,
  calmTotals,
  earlier,
  render as rendered,
  reportOf,
  type Settings,
  tablesIn,
  weeksWith,
} from './rendered.ts';
import {
  anyPath,
  hostilePaths,
  noVisitors,
  pagesOf,
  readOf,
  row,
  runUrl,
  windowBefore,
} from './site.ts';
import { wrongSums } from './sums.ts';

const render = (...report: Parameters<typeof rendered>) => asRead(rendered(...report));
const page = [row('/a', 30, 3)];
const many = pagesOf(30, (index) => 500 - index);
const budget = { kind: 'budget' } as const;
const now = (human?: number, ai?: number, total?: number) =>
  readOf(page, { totals: { human, ai, total } });
const before = (human?: number, ai?: number, total?: number) =>
  earlier(page, { totals: { human, ai, total } });
const share30 = (total: number) => ({ human: 0.7 * total, ai: 0.3 * total, total });
const usual = now(900, 300, 1100);

interface Case {
  readonly now: WindowRead;
  readonly before?: WindowRead;
  readonly more?: Settings;
}

const calm = weeksWith(calmTotals.map(share30));
const afterCalm = { before: before(707, 303, 1010), more: { earlier: calm } };
/** A week with as many visitors as the week before. */
const level = { now: usual, before: before(700, 300, 1100) };
const silent = readOf([], { totals: noVisitors });

const largeSite = Array.from({ length: 260 }, (_, page) => row(`/p/${page}`, 300 - page, 0));
const pagesOfLargeSite = Object.fromEntries(largeSite.map(({ path, total }) => [path, total]));
const eightOf = (week: { human: number; ai: number; total: number }) =>
  weeksWith(Array(8).fill(week));
const unread = (weeks: number, cut: Cut) =>
  calm.map((week, index) => (index < weeks ? { ...week, totals: {}, cut } : week));
/** Each kind of week. */
const weeks: Readonly<Record<string, Case>> = {
  'a usual week': { now: now(700, 300, 1000), ...afterCalm },
  'fewer visitors than usual': { now: now(490, 210, 700), ...afterCalm },
  'more AI than usual': { now: now(500, 500, 1000), ...afterCalm },
  'a share that is hardly unusual': { now: now(655, 345, 1000), ...afterCalm },
  'people who halve while AI doubles': {
    now: now(1050, 1930, 2980),
    before: before(2100, 900, 3000),
    more: { earlier: eightOf({ human: 2100, ai: 900, total: 3000 }) },
  },
  'people who are still fewer': {
    now: now(1050, 900, 3000),
    before: before(1000, 900, 3000),
    more: { earlier: [...eightOf({ human: 2100, ai: 900, total: 3000 }).slice(1)] },
  },
  'a site that is still above its usual range': {
    now: now(1400, 600, 2000),
    before: before(1470, 630, 2100),
    more: { earlier: calm },
  },
  'one week before': {
    now: usual,
    before: earlier([row('/a', 33, 0)], { totals: { human: 950, ai: 0, total: 950 } }),
  },
  'a site’s first week': { now: usual, more: { earlier: weeksWith(Array(8).fill(0), () => ({})) } },
  'a young site': { ...level, more: { earlier: weeksWith([0, 0, 0, 0, 0, 0, 0, 1100]) } },
  'a week after too few of the earlier ones were read': {
    ...level,
    more: { earlier: unread(7, budget) },
  },
  'a week after more than a run may read': {
    ...level,
    more: { earlier: unread(5, budget), enough: { requests: 91, isLeast: false } },
  },
  'a week after the pages of too few weeks were read': {
    ...level,
    more: { earlier: calm.map((week) => ({ ...week, cut: budget })) },
  },
  'a week after four of eight were read': {
    now: now(700, 300, 1000),
    before: before(707, 303, 1010),
    more: { earlier: unread(4, budget) },
  },
  'a site that loses 5% a week': {
    now: now(1393, 597, 1990),
    before: before(1470, 630, 2100),
    more: { earlier: weeksWith([3000, 2850, 2710, 2570, 2440, 2320, 2210, 2100].map(share30)) },
  },
  'a site of which only the most-read pages were read': {
    now: readOf(
      largeSite.filter(({ path }) => path !== '/p/5'),
      { cut: budget },
    ),
    before: earlier(many, { cut: budget }),
    more: { earlier: weeksWith(Array(8).fill(share30(1000)), () => pagesOfLargeSite) },
  },
  'a site with more pages than were read': {
    now: readOf(many, { cut: budget }),
    more: { enough: { requests: 60, isLeast: true } },
  },
  'people without a total': { now: now(0, 0, undefined), ...afterCalm },
  'a total that is missing': {
    now: now(undefined, undefined, undefined),
    before: earlier([row('/a', 500, 0)]),
  },
  'no visitors after a busy week': {
    now: silent,
    before: earlier([row('/a', 500, 0)]),
    more: { rules: 'total < -30%' },
  },
  'no visitors for the second week': {
    now: silent,
    before: earlier([], { totals: noVisitors }),
    more: { earlier: weeksWith([share30(6800), share30(0)]) },
  },
  'more AI visitors than visitors': { now: now(0, 20, 10) },
  'a spent budget and unsorted pages': {
    now: readOf([...many.slice(15), ...many.slice(0, 15)], { cut: budget }),
    before: earlier(many),
  },
  'a spent budget and sorted pages': { now: readOf(many, { cut: budget }) },
  'a site that had visitors a year ago': {
    now: now(700, 300, 1000),
    ...afterCalm,
    more: { earlier: calm, lastYear: now(579, 900, 1400) },
  },
};

test.each(Object.entries(weeks))('the report of %s', (_, { now, before, more = {} }) => {
  const markdown = render(now, before, { charts: 'mermaid', ...more });
  expect(markdown).toMatchSnapshot();
  expect(markdown).not.toMatch(/\b1 (pages|rows|requests|visitors)\b|NaN|undefined|Infinity/);
  if (!markdown.includes('contradict')) expect(wrongSums(markdown)).toEqual([]);
  // The digest is for chats, and must not contradict the report.
  const digest = digestOf(reportOf(now, before, more), runUrl);
  const [verdict = ''] = digest.split('\n');
  const [, total, range = ''] =
    /\*\*(?:[▲▼] )?([\d,]+) visitors?\b[^(\n]*(\([\d,–]+\))?/.exec(markdown) ?? [];
  if (total !== undefined) expect(verdict).toContain(` ${total}`);
  if (range !== '') expect(verdict).toContain(range.slice(1));
  expect(verdict).toMatch(/^(🔴|🟠|🟢) /u);
  expect(verdict.startsWith('🟢')).toBe(!/▲|▼|WARNING|CAUTION/.test(markdown));
  expect(digest).not.toMatch(/[<>&\u2060]|\*\*/);
});

test.each([
  [budget, 'Raise `max-requests` to 60 (currently 40).'],
  [
    { kind: 'changed' } as const,
    'The list of pages changed while it was being read, so some may be missing. Re-run the workflow later.',
  ],
  [
    {
      kind: 'service',
      reason: 'rate-limited',
      what: 'No more',
      message: '@all',
      hint: 'Try again at six.',
    } as const,
    'No more. Try again at six.',
  ],
])('an incomplete report says why: %j', (cut, words) => {
  expect(render(readOf(many, { cut }))).toContain(` ${words}\n`);
  const read = readOf(many);
  const before = readOf([], { window: windowBefore, totals: {}, cut });
  const markdown = render(read, before, { rules: 'total > 1%' });
  expect(markdown).toContain('- `total > 1%`: it could not be read for Nov 2–8, 2026.');
  expect(markdown).toContain('> **The comparison with the week before is incomplete.** ');
  expect(markdown).toContain(words);
  const digest = digestOf(reportOf(readOf(many, { cut })), runUrl);
  expect(digest).toContain(words.replaceAll('`', ''));
  expect(markdown + digest).not.toContain('@all');
});

test.each([
  ['700 people', '701 people'],
  ['🟧', '🟦'],
  ['**30% AI', '**31% AI'],
  ['| **All** | 1,000', '| **All** | 1,001'],
  [', 1000]', ', 999]'],
  ['**1,000 visitors', '**1,010 visitors'],
  ['| AI | 300', '| AI | 310'],
])('a report with a wrong number doesn’t add up: %s, %s', (right, wrong) => {
  const { now, before, more } = weeks['a usual week'] ?? { now: usual };
  const markdown = render(now, before, { charts: 'mermaid', ...more });
  expect(markdown).toContain(right);
  expect(wrongSums(markdown)).toEqual([]);
  expect(wrongSums(markdown.replace(right, wrong))).not.toEqual([]);
});

describe('pages with unusual traffic', () => {
  const pages = (last: number) => (week: number) => ({
    '/sdk': 340 + ((week * 37) % 70),
    '/hook': week === 7 ? last : 530,
  });
  const moved = readOf([row('/sdk', 900, 0), row('/hook', 300, 0)]);
  const eight = weeksWith(calmTotals.map(share30), pages(530));

  test('have their visitors and usual range in a table, and the furthest is named first', () => {
    const markdown = render(moved, earlier(page), { earlier: eight });
    expect(markdown).toContain('\n### 2 pages stand out\n');
    const range = expect.stringMatching(/^\d+–\d+$/);
    expect(markdown).toMatch(
      / `\/hook` stands out most\.\n| `\/sdk` stands out most, and `\/hook` fell most\.\n/,
    );
    expect(tablesIn(markdown)[0]?.toSorted()).toEqual([
      ['/hook', '▼ 300', range],
      ['/sdk', '▲ 900', range],
    ]);
    const quiet = render(readOf([row('/sdk', 370, 0), row('/hook', 535, 0)]), earlier(page), {
      earlier: eight,
    });
    expect(quiet).toContain(' **No page stands out.**\n');
  });

  test('that changed two weeks ago have the mean of both weeks, and the range that it is outside of', () => {
    const steady = Object.fromEntries(
      Array.from({ length: 10 }, (_, index) => [`/p/${index}`, 1000]),
    );
    const weeks = weeksWith(calmTotals.map(share30), (week) => ({
      ...steady,
      '/errors': week < 7 ? 100 : 129,
    }));
    const rows = [...Object.keys(steady).map((path) => row(path, 1000, 0)), row('/errors', 129, 0)];
    const markdown = render(readOf(rows), earlier(page), { earlier: weeks });
    expect(markdown).toMatch(/\| `\/errors` \| ▲ 129\* \| \d\d–1[12]\d \|/);
    expect(markdown).toContain(
      '\n<sub>* Average of two weeks; this week alone isn’t clearly unusual.</sub>\n',
    );
    const report = reportOf(readOf(rows), earlier(page), { earlier: weeks });
    expect(digestOf(report, runUrl)).toMatch(
      /^\/errors: ▲ 129, averaged over two \(usual \d\d–1[12]\d\)$/m,
    );
  });

  test('come with a note if not all pages were read', () => {
    const unsorted = readOf([...moved.rows.values()].toReversed(), { cut: budget });
    const cut = render(unsorted, earlier(page), { earlier: eight });
    expect(cut).toContain('Not all pages were read, so others may have changed more.');
  });

  test.each([
    ['AI read most of them more often', 900, 0, true],
    ['people read them more often, too', 530, 600, false],
  ])('say whether that is a crawl: %s', (_, ai, human, isCrawl) => {
    const rows = ['/a', '/b', '/c'].map((path) => row(path, 100 + human, ai));
    const weeks = weeksWith(calmTotals.map(share30), () => ({ '/a': 100, '/b': 100, '/c': 100 }));
    const site = reportOf(readOf([...rows.slice(0, 2), row('/c', 1000, 0)]), earlier(page), {
      earlier: weeks,
    });
    const gained = '2 pages gained only AI visitors';
    const recounted = weeks.map((week) => ({
      ...week,
      window: { ...week.window, start: '2026-07-27' },
    }));
    const report = render(
      ...([readOf([...rows.slice(0, 2), row('/c', 1000, 0)]), earlier(page)] as const),
      {
        earlier: weeks,
      },
    );
    const july = render(readOf(rows), earlier(page), { earlier: recounted });
    expect(july).not.toContain('a crawl');
    if (isCrawl) {
      // The pages that AI read are folded, and the others come first.
      const [open] = tablesIn(report);
      expect(open?.map(([path]) => path)).toEqual(['/ (3 pages)', '/c']);
      expect(report).toContain('<summary>Pages that gained only AI visitors (2)</summary>');
      expect(report).toContain(' People: ▲ 900, more than usual. `/` (3 pages) stands out most.');
      expect(july).toContain('**People read pages as usual.**');
    }
    expect(july.includes('since July 31, 2026, the service has counted more reads as AI')).toBe(
      isCrawl,
    );
    expect(report.includes(`robably a crawl:** ${gained}.`)).toBe(isCrawl);
    const digest = digestOf(site, runUrl);
    expect([/^.*, probably a crawl\n/.test(digest), digest.includes(`\n\n${gained}\n`)]).toEqual([
      isCrawl,
      isCrawl,
    ]);
  });

  test('don’t include new pages and those no longer visited, which have their own lists', () => {
    const read = readOf([
      row('/new', 50, 0),
      row('/newer', 40, 0),
      row('/few', 9, 0),
      row('/a', 40, 0),
    ]);
    const markdown = render(
      read,
      earlier([row('/a', 40, 0), row('/gone', 60, 0), row('/left', 9, 0)]),
    );
    expect(markdown).toContain(
      '\nNew: 2 pages, most read `/new` (50). No longer visited: `/gone` (60 the week before).\n',
    );
    expect(markdown).toContain('<summary>New pages (2)</summary>');
    expect(markdown).not.toContain('<summary>Pages no longer visited');
  });
});

describe('the digest', () => {
  test('names a page that vanished', () => {
    const digest = digestOf(
      reportOf(readOf(page), earlier([...page, row('/gone', 300, 0)])),
      runUrl,
    );
    expect(digest).toContain('\nNo longer visited: /gone (300 the week before).\n');
  });

  test('has the verdict, three pages, the alerts, and a link to the run, in plain text', () => {
    const rows = [
      row('/up', 850, 0),
      row('/down', 20, 0),
      row('/more', 900, 0),
      row('/fourth', 40, 0),
    ];
    const pages = { '/up': 300, '/down': 400, '/more': 200, '/fourth': 40 };
    const more = { rules: 'total > 5%', earlier: weeksWith(Array(8).fill(1000), () => pages) };
    const digest = digestOf(reportOf(readOf(rows), earlier([]), more), runUrl);
    expect(digest.split('\n\n')).toEqual([
      expect.stringMatching(
        /^🔴 Docs visitors: 1,100, as usual \(901–1,110\)\nNov 9–15 · people ▼ 900, AI ▲ 300, ▲ 27% AI \(0–[12]%\)\nAlerts: total above 5%$/,
      ),
      expect.stringMatching(
        /^3 pages stand out:\n\/more: ▲ 900 \(usual \d+–\d+\)\n\/up: ▲ 850 \(usual \d+–\d+\)\n\/down: ▼ 20 \(usual \d+–\d+\)$/,
      ),
      runUrl,
    ]);
  });

  test('escapes paths so that they can’t become mentions, links, or markup', () => {
    const shown = (paths: readonly string[]) => {
      const rules = 'total > 1%\nai-share > 1%';
      const now = readOf(paths.map((path) => row(path, 1000, 0)));
      const pages = Object.fromEntries(paths.map((path) => [path, 100]));
      const more = { rules, earlier: weeksWith(Array(8).fill(1000), () => pages) };
      const text = digestOf(reportOf(now, earlier([]), more), runUrl);
      expect(text.length).toBeLessThanOrEqual(3_000);
      expect(text.endsWith(`\n\n${runUrl}`)).toBe(true);
      return text.split('\n\n')[1]?.split('\n') ?? [];
    };
    const check = (path: string) => {
      const [line = ''] = shown([path]);
      const written =
        /^(\(empty path\)|[\w/%-]{1,160}…?): ▲ 1,000 \(usual \d+–\d+\)$/.exec(line)?.[1] ?? '';
      const meant = path === '' ? '(empty path)' : Buffer.from(path).toString();
      if (path === '') expect(written).toBe(meant);
      else if (!written.endsWith('…')) expect(decodeURIComponent(written)).toBe(meant);
      else
        expect(meant.startsWith(decodeURIComponent(written.replace(/(?:%..)*%?.?…$/, '')))).toBe(
          true,
        );
    };
    fc.assert(fc.property(anyPath, check), {
      numRuns: 60,
      examples: hostilePaths.map((path) => [path]),
    });
    for (const path of [
      '/guides/get_started-2',
      '/llms.txt',
      `/${'é'.repeat(40)}`,
      '/<!channel>*~',
    ])
      check(path);
    expect(shown(['/a', '/b', '/c', '/d'])).toEqual([
      '1 section and 4 pages stand out:',
      ...['/ (4 pages)', '/a', '/b'].map((name) => expect.stringContaining(`${name}: ▲`)),
      'and 2 more',
    ]);
    expect(shown(['/llms.txt', '/@here']).join('\n')).toMatch(/\n\/%40here: .*\n\/llms%2Etxt: /);
  });
});
