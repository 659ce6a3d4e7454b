import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { summaryLimit } from '../../../src/report/blocks.ts';
import type { WindowRead } from '../../../src/report/window-read.ts';
import { digestOf } from '../../../src/visitors/digest.ts';
import { renderReport } from '../../../src/visitors/render.ts';
import { reportResult } from '../../../src/visitors/result.ts';
import { earlier, parse, render, reportOf, rowsOf, type Settings, tablesOf } from './rendered.ts';
import { anyPath, hostilePaths, pagesOf, readOf, row, windowsOf } from './site.ts';

const runUrl = 'https://github.test/octo-org/docs/actions/runs/77';
const page = [row('/a', 30, 3)];
const many = pagesOf(30);
const budget = { kind: 'budget' } as const;
const now = (human: number, ai: number | undefined, total: number) =>
  readOf(page, { totals: ai === undefined ? { human, total } : { human, ai, total } });
const before = (human: number, ai: number, total: number) => earlier(page, { totals: { human, ai, total } });
const usual = now(900, 300, 1100);
const moved = [row('/up', 250, 0), row('/more', 200, 0), row('/down', 20, 0)];
const movedFrom = earlier([row('/up', 100, 0), row('/more', 100, 0), row('/down', 133, 0)]);

interface Case {
  readonly now: WindowRead;
  readonly before?: WindowRead;
  readonly more?: Settings;
  readonly says: string | readonly string[];
  readonly never?: RegExp;
}

/** What readers see of each kind of week, in the words they see. */
const weeks: Readonly<Record<string, Case>> = {
  'more visitors': {
    now: usual,
    before: earlier([row('/a', 33, 0)], { totals: { human: 950, ai: 0, total: 950 } }),
    says: '**1,100 visitors, up 15.8%** from the week before (950). AI was 27.3% of them, up 27.3 points.\n',
    never: /Largest/,
  },
  'about as many': {
    now: now(1000, 346, 1000),
    before: before(1000, 346, 1049),
    says: '**1,000 visitors,** about as many as in the week before (1,049). AI was 34.6% of them, up 1.6 points.',
  },
  'the same AI share': {
    now: now(1000, 346, 1000),
    before: before(1000, 346, 1000),
    says: 'AI was 34.6% of them, as in the week before.',
  },
  'nearly none left, by people alone': {
    now: now(1, 0, 1),
    before: before(100_000, 0, 100_000),
    says: '**1 visitor, down >99.9%** from the week before (100,000).',
  },
  'a total of 0 beside pages with visitors': {
    now: now(0, 0, 0),
    before: earlier([row('/a', 500, 0)]),
    says: [
      '**There were visitors, but the service gave no total above 0,** so nothing is said of the whole site.',
      '| AI share | – | – | 21.1% |',
    ],
    never: /down/,
  },
  'such a total in the week before': {
    now: usual,
    before: before(0, 0, 0),
    says: 'The service gave no total above 0 for the week before, though there were visitors.',
  },
  'no visits': {
    now: readOf([], { totals: { human: 0, ai: 0, total: 0 } }),
    before: earlier([row('/a', 500, 0)]),
    more: { rules: 'total < -30%' },
    says: [
      '**No visits were recorded:** nobody came, or the site was not counted.\n',
      '### Not checked\n\n- `total < -30%`: no visits were recorded.',
    ],
    never: /100(\.0)?%|^\| All visitors/m,
  },
  'pages that moved': {
    now: readOf(moved),
    before: movedFrom,
    says: '\nLargest rise: `/up` (+150); largest fall: `/down` (−113).\n',
  },
  'pages that moved, of those that are known': {
    now: readOf(moved, { cut: budget }),
    before: movedFrom,
    says: 'Largest known rise: `/up` (+150); largest known fall',
  },
  'pages that moved, of those that were chosen': {
    now: readOf(moved),
    before: movedFrom,
    more: { pages: ['/more'] },
    says: '\nOf the pages chosen, largest rise: `/more` (+100).\n',
  },
  'more AI visitors than visitors': {
    now: now(0, 20, 10),
    says: '**10 visitors.** The service gave 20 AI visitors, more than in all, which cannot be.\n',
    never: /200\.0%|visitors? came both|```/,
  },
  'more of both kinds than visitors': {
    now: now(30, 20, 10),
    says: 'The service gave 30 human and 20 AI visitors, more than in all, which cannot be.\n',
  },
  'more people than visitors': {
    now: now(12, 2, 10),
    says: 'AI was 20.0% of them. The service gave 12 human visitors, more than in all',
    never: /visitors? came both/,
  },
  'no kind of visitors counted': { now: now(0, 0, 5), says: '**5 visitors.**', never: /```/ },
  'a budget that is spent, and pages in no order': {
    now: readOf(many.toReversed(), { cut: budget }),
    before: earlier(many),
    says: [
      '> [!WARNING]\n> Incomplete: only 30 pages of this week were read. Totals are complete; top pages, sections, pages read mostly by AI, and new and vanished pages are left out.\n> Raise `max-requests` (now 40).\n\n',
      'Complete: no.',
    ],
    never: /### Top pages|Sections \(|Pages read mostly|New pages \(|Vanished pages \(/,
  },
  'a budget that is spent, and pages in their order': {
    now: readOf(many, { cut: budget }),
    says: [
      '### Top pages',
      'Totals are complete; sections and pages read mostly by AI are left out.',
      'Not all pages were read, but these are the most visited',
      'Pages with more than 4,971 visitors are all known; only they can be listed.',
    ],
    never: /\d more not listed/,
  },
  'one page of each week': {
    now: readOf([row('/a', 30, 0)], { cut: budget }),
    before: earlier([row('/a', 30, 0)], { cut: budget }),
    says: [
      'only 1 page of this week and 1 page of the week before were read.',
      '\n> Raise `max-requests` (now 40).\n\n',
      '1 page read, not all',
    ],
    never: /Raise.*Raise/s,
  },
  'one page of this week': {
    now: readOf([row('/a', 30, 0)], { cut: budget }),
    says: 'only 1 page of this week was read.',
  },
};

test.each(Object.entries(weeks))('%s', (_, { now, before, more = {}, says, never }) => {
  for (const charts of ['mermaid', 'text'] as const) {
    const markdown = render(now, before, { charts, ...more });
    for (const text of [says].flat()) expect(markdown).toContain(text);
    if (never !== undefined) expect(markdown).not.toMatch(never);
    expect(markdown).not.toMatch(/\b1 (pages|rows|requests|visitors)\b|NaN|undefined|Infinity/);
  }
  // A chat reads the same verdict.
  const verdict = render(now, before, more).split('\n\n')[1]?.split('\n')[0]?.replaceAll('**', '');
  expect(digestOf(reportOf(now, before, more), runUrl)).toContain(verdict);
});

test.each([
  [{ kind: 'changed' } as const, 'The list of pages changed while it was read, so some may be missing'],
  [
    { kind: 'service', reason: 'rate-limited', message: '@all', hint: 'Try again at six.' } as const,
    'The service refused (`rate-limited`). Try again at six. What it said is in the log.\n',
  ],
  [
    { kind: 'service', reason: 'timeout', message: '@all', hint: 'Check the proxy.' } as const,
    'The service gave no answer that could be used (`timeout`). Check the proxy. What it said is in the log.\n',
  ],
])('what an incomplete report lacks has its cause: %j', (cut, words) => {
  expect(render(readOf(many, { cut }))).toContain(`\n> ${words}`);
  const read = readOf(many);
  const markdown = render(read, undefined, { windows: { ...windowsOf(read), whyNoBefore: cut } });
  expect(markdown).toContain('Incomplete: nothing of the week before was read.');
  expect(markdown).toContain('all comparisons are left out.');
  expect(markdown).toContain(words);
  const digest = digestOf(reportOf(readOf(many, { cut })), runUrl);
  expect(digest).toContain(words.replaceAll('`', '').trim());
  expect(markdown + digest).not.toContain('@all');
});

test.each([
  ['0 beside pages that have it', 0],
  ['missing', undefined],
])('of an AI total that is %s nothing is said, nor given', (_, ai) => {
  const pages = [row('/a', 500, 500, 1000)];
  const totals = ai === undefined ? { human: 1000, total: 1000 } : { human: 1000, ai, total: 1000 };
  const then = earlier(pages, { totals: { human: 1000, ai: 500, total: 1000 } });
  const report = reportOf(readOf(pages, { totals }), then, { charts: 'mermaid' });
  const markdown = renderReport(report, summaryLimit);
  const verdict = 'about as many as in the week before (1,000). The service gave no total of AI visitors.';
  expect(markdown).toContain(`**1,000 visitors,** ${verdict}`);
  expect(tablesOf(parse(markdown)).map(rowsOf)).toContainEqual([
    ['All visitors', '1,000', '0', '1,000'],
    ['Human', '1,000', '0', '1,000'],
    ['AI', '–', '–', '500'],
    ['AI share', '–', '–', '50.0%'],
  ]);
  expect(markdown).not.toMatch(/visitors? came both/);
  const delivery = { summary: '', commentUrl: undefined, requestsUsed: 2, runUrl, failOn: new Set<string>() };
  const { outputs } = reportResult(report, delivery);
  expect(outputs).toMatchObject({ total: '1000', human: '1000', ai: '', 'ai-share': '' });
  expect(outputs.digest).toContain(verdict);
});

describe('the digest', () => {
  test('is verdict, three movers, alerts and the run’s address, in plain text', () => {
    const rows = [row('/up', 250, 0), row('/down', 20, 0), row('/more', 90, 0), row('/fourth', 40, 0)];
    const then = earlier([row('/up', 100, 0), row('/down', 133, 0), row('/more', 20, 0)]);
    expect(digestOf(reportOf(readOf(rows), then, { rules: 'total > 5%' }), runUrl)).toBe(
      [
        'Docs visitors, 9–15 November 2026',
        '1,100 visitors, up 15.8% from the week before (950). AI was 27.3% of them, up 6.2 points.',
        '+150 /up\n−113 /down\n+70 /more',
        '1 of 1 rule fired, in 1 place.',
        runUrl,
      ].join('\n\n'),
    );
  });

  test('makes no mention, link or markup of a path, but what can be read back, each on its line, and leaves room', () => {
    const shown = (paths: readonly string[]) => {
      const rules = 'total /** > 1%\nai-share > 1%';
      const now = readOf(paths.map((path) => row(path, 900, 0)));
      const text = digestOf(reportOf(now, earlier([]), { rules }), runUrl);
      expect(text.length).toBeLessThanOrEqual(3_000);
      expect(text.endsWith(`\n\n${runUrl}`)).toBe(true);
      return text.split('\n\n')[2]?.split('\n') ?? [];
    };
    const check = (path: string) => {
      const [line = ''] = shown([path]);
      expect(line).toMatch(/^\+900 (\(empty path\)|[\w/%-]{1,160}…?)$/);
      const written = line.slice('+900 '.length);
      const meant = path === '' ? '(empty path)' : Buffer.from(path).toString();
      if (path === '') expect(written).toBe(meant);
      else if (!written.endsWith('…')) expect(decodeURIComponent(written)).toBe(meant);
      else expect(meant.startsWith(decodeURIComponent(written.slice(0, -1)))).toBe(true);
    };
    fc.assert(fc.property(anyPath, check), { numRuns: 200, examples: hostilePaths.map((path) => [path]) });
    for (const path of ['/guides/get_started-2', '/llms.txt', `/${'é'.repeat(40)}`, '/<!channel>*~'])
      check(path);
    expect(shown(['/a', '/b', '/c', '/d'])).toHaveLength(3);
    expect(shown(['/llms.txt', '/@here'])).toEqual(['+900 /%40here', '+900 /llms%2Etxt']);
  });
});
