import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { toString as textOf } from 'mdast-util-to-string';
import { gfm } from 'micromark-extension-gfm';
import type { VisitorsRow } from '../../../src/service/schemas.ts';
import { parseAlertRules } from '../../../src/visitors/judge/alert-rules.ts';
import { checkAlerts } from '../../../src/visitors/judge/alerts.ts';
import { compare } from '../../../src/visitors/judge/compare.ts';
import { trendOf } from '../../../src/visitors/judge/trend.ts';
import type { WindowRead } from '../../../src/visitors/read/window-read.ts';
import { commentLimit, summaryLimit } from '../../../src/visitors/tell/blocks.ts';
import type { ReportContent } from '../../../src/visitors/tell/content.ts';
import { renderReport } from '../../../src/visitors/tell/report.ts';
import { reportedResult } from '../../../src/visitors/tell/reported.ts';
import {
  anyPath,
  config,
  hostilePaths,
  noOddities,
  pagesOf,
  readOf,
  row,
  windowBefore,
  windowsOf,
} from './site.ts';

interface Node {
  readonly type: string;
  readonly value?: string;
  readonly children?: readonly Node[];
}

interface Settings extends Partial<ReportContent> {
  /** Alert rules, one a line. */
  readonly rules?: string;
}

function contentOf(
  now: WindowRead,
  before?: WindowRead,
  { rules = '', ...more }: Settings = {},
): ReportContent {
  return {
    projectId: 'acme',
    timeZone: config.timeZone,
    findings: compare(now, before, { pages: more.pages ?? [], sectionDepth: 1 }),
    windows: windowsOf(now, before),
    alerts: checkAlerts(parseAlertRules(rules).rules, now, before),
    trend: [now, ...(before === undefined ? [] : [before])]
      .map(({ window: { slug }, totals }) => ({ label: slug, totals }))
      .reverse(),
    charts: 'none',
    pages: [],
    top: 10,
    maxRequests: 40,
    files: undefined,
    ...more,
  };
}

const render = (now: WindowRead, before?: WindowRead, more: Settings = {}) =>
  renderReport(contentOf(now, before, more), summaryLimit);
const earlier = (rows: readonly VisitorsRow[], more: Partial<WindowRead> = {}) =>
  readOf(rows, { window: windowBefore, totals: { human: 800, ai: 200, total: 950 }, ...more });

function parse(markdown: string): Node[] {
  const nodes: Node[] = [];
  const walk = (node: Node) => {
    nodes.push(node);
    for (const child of node.children ?? []) walk(child);
  };
  walk(fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] }));
  return nodes;
}

const ownHtml = /^(<details>\n<summary>[A-Za-z ]+( \([\d,]+\))?<\/summary>|<\/details>)$/;

/** A report holds tables of the columns meant, and nothing that somebody else put there. */
function expectOwnMarkdownOnly(markdown: string): Node[] {
  const nodes = parse(markdown);
  const types = new Set(nodes.map(({ type }) => type));
  for (const type of [
    'link',
    'linkReference',
    'image',
    'imageReference',
    'definition',
    'footnoteReference',
    'delete',
  ]) {
    expect([...types]).not.toContain(type);
  }
  for (const node of nodes) {
    if (node.type === 'html') expect(node.value).toMatch(ownHtml);
    if (node.type !== 'table') continue;
    const [head, ...rows] = node.children ?? [];
    for (const one of rows) expect(one.children).toHaveLength(head?.children?.length ?? 0);
  }
  // GitHub finds mentions and references in text, never in code.
  const prose = nodes.filter(({ type }) => type === 'text').map(({ value }) => value ?? '');
  for (const text of prose) expect(text).not.toMatch(/@|#\d|GH-|https?:|www\./);
  return nodes;
}

const tablesOf = (nodes: readonly Node[]) => nodes.filter(({ type }) => type === 'table');
const rowsOf = (table: Node | undefined) =>
  (table?.children ?? []).slice(1).map((one) => (one.children ?? []).map((cell) => textOf(cell)));

describe('hostile paths', () => {
  const shownAs = (path: string) =>
    path
      .replace(/\r\n|\r|\n/g, '⏎')
      .replaceAll('\t', '\\u{9}')
      // An odd number of backslashes before a pipe is shown with one more (`cell` says why).
      .replace(/(\\*)\|/g, (all, before: string) => (before.length % 2 === 0 ? all : `\\${all}`));

  test('stay each in one cell of one row, readable', () => {
    const rows = hostilePaths.map((path, index) => row(path, 1000, index, 1000 - index));
    const nodes = expectOwnMarkdownOnly(render(readOf(rows), earlier([]), { top: 1000 }));
    const top = tablesOf(nodes).find((table) => textOf(table.children?.[0]).includes('AI share'));
    const shown = rowsOf(top);
    expect(shown).toHaveLength(rows.length);
    expect(shown[hostilePaths.indexOf('')]?.[0]).toBe('(empty path)');
    for (const [index, path] of hostilePaths.entries()) {
      expect(shown[index]?.slice(1)).toEqual([
        new Intl.NumberFormat('en-US').format(1000 - index),
        `${((index / (1000 - index)) * 100).toFixed(1)}%`,
      ]);
      if (path.length > 160 || /[\p{C}]/u.test(path.replace(/[\n\r\t]/g, '')) || path.trim() === '') continue;
      expect(shown[index]?.[0]?.trim()).toBe(shownAs(path).trim());
    }
  });

  test('whatever they are, leave every table as it was meant', () => {
    const figure = fc.integer({ min: 0, max: 200 });
    const rows = fc.uniqueArray(fc.tuple(anyPath, figure, figure), {
      selector: ([path]) => path,
      maxLength: 12,
    });
    fc.assert(
      fc.property(rows, rows, (a, b) => {
        const [now, before] = [a, b].map((list) => list.map(([path, human, ai]) => row(path, human, ai)));
        const content = contentOf(readOf(now ?? []), earlier(before ?? []), {
          top: 100,
          rules: 'total /** < -10% min 0',
        });
        const { findings } = content;
        const nodes = expectOwnMarkdownOnly(renderReport(content, summaryLimit));
        const lengths = tablesOf(nodes).map((table) => rowsOf(table).length);
        const [alert] = content.alerts;
        const expected = [
          alert?.state === 'fired' ? Math.min(10, alert.hits.length) : 0,
          5,
          findings.movers?.length ?? 0,
          findings.mostVisited?.length ?? 0,
          findings.sections?.length ?? 0,
          findings.mostlyAi?.length ?? 0,
          findings.appeared?.length ?? 0,
          findings.vanished?.length ?? 0,
        ];
        expect(lengths).toEqual(expected.filter((length) => length > 0));
      }),
      { numRuns: 150 },
    );
  });

  test('a project’s name and globs are no prose either', () => {
    const now = readOf([row('/a', 30, 3)]);
    expectOwnMarkdownOnly(
      render(now, earlier([]), {
        projectId: '@x <b> [a](https://b.c)',
        pages: ['/**', '!/@y/<b>`'],
        files: { markdown: '@z/a.md', csv: '@z/`a.csv', json: '@z/#1.json' },
      }),
    );
  });
});

describe('the verdict', () => {
  const first = (markdown: string) => markdown.split('\n\n')[1];
  const now = readOf([row('/a', 30, 3)]);
  const totals = (total: number) => ({ human: total, ai: 0, total });

  test.each([
    [950, '**15.8% more** than in the week before (950)'],
    [1050, 'about as many as in the week before (1,050)'],
    [2000, '**45.0% fewer** than in the week before (2,000)'],
    [1099, 'about as many as in the week before (1,099)'],
  ])('after %d says how it changed', (before, words) => {
    expect(first(render(now, earlier([row('/a', 1, 0)], { totals: totals(before) })))).toBe(
      `\`acme\` had **1,100 visitors** in week 2026-W46, ${words}; AI was 27.3% of them.`,
    );
  });

  test('names no chance as news, and no fall as a whole one that is none', () => {
    const verdict = (after: number, before: number) =>
      first(
        render(
          readOf([row('/a', 1, 0)], { totals: totals(after) }),
          earlier([row('/a', 1, 0)], { totals: totals(before) }),
        ),
      );
    expect(verdict(10, 6)).toContain(
      '**10 visitors** in week 2026-W46, about as many as in the week before (6)',
    );
    expect(verdict(1, 100_000)).toContain('**1 visitor** in week 2026-W46, **>99.9% fewer**');
  });

  test('of a total of 0 beside pages with visitors says nothing of the whole site', () => {
    const uncounted = { totals: totals(0) };
    const markdown = render(readOf([row('/a', 30, 3)], uncounted), earlier([row('/a', 500, 0)]));
    expect(first(markdown)).toBe(
      '`acme` had visitors in week 2026-W46, but the service gave a total of 0, so nothing is said of the whole site.',
    );
    expect(markdown).not.toContain('fewer');
    expect(tablesOf(parse(markdown)).map((table) => rowsOf(table).length)).toContain(5);
    expect(first(render(now, earlier([row('/a', 30, 3)], uncounted)))).toContain(
      '(the service gave a total of 0 for the week before, though there were visitors)',
    );
  });

  test('without a comparison says how many', () => {
    expect(first(render(now))).toBe('`acme` had **1,100 visitors** in week 2026-W46; AI was 27.3% of them.');
  });

  test('of no data is that no visits were recorded, and no fall of 100%', () => {
    const nothing = readOf([], { totals: totals(0) });
    const markdown = render(nothing, earlier([row('/a', 500, 0)]), { rules: 'total < -30%' });
    expect(first(markdown)).toBe('No visits were recorded for `acme` in week 2026-W46.');
    expect(markdown).not.toMatch(/100(\.0)?%/);
    expect(tablesOf(parse(markdown))).toHaveLength(0);
    expect(markdown).toContain('could not be checked: no visits were recorded');
  });

  test('after a window without data compares with nothing', () => {
    const markdown = render(now, earlier([], { totals: totals(0) }));
    expect(first(markdown)).toContain('(no visits were recorded in the week before)');
    expect(markdown).not.toContain('new');
  });
});

describe('the order', () => {
  const now = readOf([row('/guides/a', 500, 10), row('/guides/b', 3, 90), row('/api/new', 40, 0)]);
  const before = earlier([row('/guides/a', 200, 10), row('/guides/b', 3, 20), row('/gone', 60, 0)]);
  const markdown = render(now, before, { charts: 'mermaid', rules: 'total > 5%' });

  test('is verdict, alerts, totals, chart, movers, top, sections, AI-heavy, new, vanished, how it was made', () => {
    const marks = [
      '## Visitors, week 2026-W46',
      '`acme` had **1,100',
      '### Alerts',
      '**All visitors**',
      '```mermaid',
      '### Pages that moved',
      '### Top pages',
      'Sections (2)',
      'Pages read mostly by AI (1)',
      'New pages (1)',
      'Vanished pages (1)',
      'How this report was made',
    ];
    const places = marks.map((mark) => markdown.indexOf(mark));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });

  test('has humans, AI and both, each with its change', () => {
    const tables = tablesOf(parse(markdown)).map(rowsOf);
    expect(tables).toContainEqual([
      ['All visitors', '1,100', '950', '+150 (+15.8%)'],
      ['Humans', '900', '800', '+100 (+12.5%)'],
      ['AI', '300', '200', '+100 (+50.0%)'],
      ['Both', '100', '50', '+50 (+100.0%)'],
      ['AI share', '27.3%', '21.1%', '+6.2 points'],
    ]);
    expect(tables).toContainEqual([
      ['/guides/a', '510', '210', '+300 (+142.9%)'],
      ['/guides/b', '93', '23', '+70 (+304.3%)'],
      ['/gone', '0', '60', '−60 (−100.0%)'],
      ['/api/new', '40', '0', 'new'],
    ]);
  });

  test('says that sections are upper bounds, and that globs leave the totals alone', () => {
    expect(markdown).toContain('**at most** that many visitors');
    expect(render(now, before, { pages: ['/guides/**'] })).toContain('whole site’s, unfiltered');
  });
});

describe('a report that is incomplete', () => {
  const rows = pagesOf(30);
  const cut = { kind: 'budget' } as const;

  test('says so, what it lacks, and why, and shows nothing it cannot know', () => {
    const markdown = render(readOf(rows, { cut }), earlier(rows));
    expect(markdown).toContain('**This report is incomplete.** Only 30 pages of week 2026-W46 were read');
    expect(markdown).toContain('the budget of 40 requests was spent (`max-requests`)');
    expect(markdown).toContain('Left out, since not all pages are known: top pages, sections, AI-heavy');
    for (const part of [
      '### Top pages',
      'Sections (',
      'Pages read mostly',
      'New pages (',
      'Vanished pages (',
    ]) {
      expect(markdown).not.toContain(part);
    }
    expect(markdown).toContain('Complete: no.');
  });

  test('shows the top when the order was seen', () => {
    const markdown = render(readOf(rows, { cut, descending: true }));
    expect(markdown).toContain('### Top pages');
    expect(markdown).toContain(
      'those with more than 4,971 visitors are all known, and only they can be listed.',
    );
    expect(markdown).not.toContain('pages, top pages');
    expect(markdown).not.toMatch(/\d more not listed/);
  });

  test('speaks of one page and of one row as such', () => {
    const now = readOf([row('/a', 30, 0)], {
      cut,
      oddities: { ...noOddities, repeatedRows: 1, shortPages: 1, driftedPages: 1, unusableRows: 1 },
    });
    const markdown = render(now, earlier([row('/a', 30, 0)], { cut }));
    expect(markdown).toContain('Only 1 page of week 2026-W46 was read, since');
    expect(markdown).toContain('Of the week before, only 1 page was read, since');
    expect(markdown).toContain('1 page read, not all');
    expect(markdown).toContain('1 row came again and counts once.');
    expect(markdown).toContain('1 request brought fewer rows');
    expect(markdown).toContain('1 row had no path or no total.');
    expect(markdown).toContain('The totals changed on 1 page while it was read');
    expect(markdown).not.toMatch(/\b1 (pages|rows|requests|visitors)\b/);
  });

  test('has movers of pages that are known in both windows, also as new ones', () => {
    const markdown = render(readOf([row('/new', 90, 0)], { cut }), earlier([row('/a', 30, 0)]));
    expect(markdown).toContain('Only pages whose visitors are known for both windows can be here');
    expect(tablesOf(parse(markdown)).map(rowsOf)).toContainEqual([['/new', '90', '0', 'new']]);
  });

  test.each([
    [
      { kind: 'repeated-rows' } as const,
      'rows came again while the list was read, so that others may never have come',
    ],
    [
      { kind: 'short-page' } as const,
      'after a page that was not full, so that rows may have been passed over',
    ],
    [{ kind: 'service', reason: 'rate-limited', message: 'x' } as const, 'hourly limit was reached'],
    [
      { kind: 'service', reason: 'timeout', message: '@all' } as const,
      'no answer that could be used (`timeout`)',
    ],
    [{ kind: 'changed-totals' } as const, 'the totals changed while the list was read'],
    [{ kind: 'unusable-rows' } as const, 'rows without a path or without a total'],
    [{ kind: 'empty-page' } as const, 'sent an empty page'],
    [{ kind: 'repeated-page' } as const, 'only rows that it had sent before'],
  ])('tells the cause %j', (cause, words) => {
    expect(render(readOf(rows, { cut: cause }))).toContain(words);
    const now = readOf(rows);
    const markdown = render(now, undefined, { windows: { ...windowsOf(now), whyNoBefore: cause } });
    expect(markdown).toContain('Nothing is compared with the week before, since');
    expect(markdown).toContain(words);
    expect(markdown).not.toContain('@all');
  });
});

describe('figures that cannot be trusted', () => {
  const pages = [row('/a', 500, 500, 1000)];
  const with500Ai = earlier(pages, { totals: { human: 1000, ai: 500, total: 1000 } });

  test.each([
    ['0 beside pages that have it', { human: 1000, ai: 0, total: 1000 }],
    ['missing', { human: 1000, total: 1000 }],
  ])('an AI total that is %s: nothing is said of AI', (_, totals) => {
    const content = contentOf(readOf(pages, { totals }), with500Ai, { charts: 'mermaid' });
    const markdown = renderReport(content, summaryLimit);
    expect(markdown).toContain(
      'about as many as in the week before (1,000); how many of them were AI is not known.',
    );
    expect(tablesOf(parse(markdown)).map(rowsOf)).toContainEqual([
      ['All visitors', '1,000', '1,000', '0 (0.0%)'],
      ['Humans', '1,000', '1,000', '0 (0.0%)'],
      ['AI', '–', '500', '–'],
      ['Both', '–', '500', '–'],
      ['AI share', '–', '50.0%', '–'],
    ]);
    expect(outputsOf(content)).toMatchObject({ total: '1000', human: '1000', ai: '', 'ai-share': '' });
  });

  test('a total of 0 beside visitors is no output either', () => {
    const content = contentOf(readOf(pages, { totals: { human: 0, ai: 0, total: 0 } }));
    expect(outputsOf(content)).toMatchObject({ total: '', human: '', ai: '', 'ai-share': '' });
  });

  test('of a window without the one before has no chart where its kinds are not known', () => {
    for (const charts of ['mermaid', 'text'] as const) {
      for (const totals of [
        { human: 0, ai: 0, total: 5 },
        { human: 0, ai: 20, total: 10 },
      ]) {
        const markdown = render(readOf([], { totals }), undefined, { charts });
        expect(markdown).not.toMatch(/```/);
      }
    }
  });

  test('more AI visitors than visitors: that it cannot be is said, and no share', () => {
    const content = contentOf(readOf(pages, { totals: { human: 0, ai: 20, total: 10 } }));
    const markdown = renderReport(content, summaryLimit);
    expect(markdown).toContain(
      '; how many of them were AI is not known. The service gave 20 AI visitors, more than in all, which cannot be.',
    );
    expect(markdown).not.toContain('200.0%');
    expect(outputsOf(content)).toMatchObject({ 'ai-share': '' });
  });

  test('are shown exactly where they are fractions, and no change is 0.0%', () => {
    const now = readOf([row('/a', 50.55, 0)], { totals: { human: 1, ai: 2, total: 2 } });
    const before = earlier([row('/a', 20, 0)], { totals: { human: 1.111, ai: 1, total: 1.111 } });
    const tables = tablesOf(parse(render(now, before))).map(rowsOf);
    expect(tables[0]).toContainEqual(['Both', '1', '1', '0 (0.0%)']);
    expect(tables).toContainEqual([['/a', '50.6', '20', '+30.6 (+152.8%)']]);
    expect(tables).toContainEqual([['/', '1', '50.6', '+30.6 (+152.8%)']]);
  });

  function outputsOf(content: ReportContent) {
    const delivery = { summary: '', commentUrl: undefined, requestsUsed: 2, failOn: new Set<string>() };
    return reportedResult(content, delivery).outputs;
  }
});

describe('the chart', () => {
  const now = readOf([row('/a', 30, 3)]);
  const before = earlier([row('/a', 30, 3)]);

  test('is a trend in Mermaid', () => {
    expect(render(now, before, { charts: 'mermaid' })).toContain(
      [
        'xychart-beta',
        '  title "Visitors by window (bars: all, line: AI)"',
        '  x-axis ["2026-W45", "2026-W46"]',
        '  y-axis "Visitors" 0 --> 1100',
        '  bar [950, 1100]',
        '  line [200, 300]',
      ].join('\n'),
    );
  });

  test('of one window shows who the visitors were', () => {
    expect(render(now, undefined, { charts: 'mermaid' })).toContain(
      'pie showData\n  title Visitors in 2026-W46\n  "Humans only" : 800\n  "AI only" : 200\n  "Both" : 100\n',
    );
  });

  test('has no line of AI where a window lacks it', () => {
    const untold = earlier([], { totals: { human: 800, total: 950 } });
    const content = contentOf(now, untold, { charts: 'mermaid' });
    const trend = trendOf(content.windows, () => undefined);
    const markdown = renderReport({ ...content, trend }, summaryLimit);
    expect(markdown).toContain('  title "Visitors by window"\n');
    expect(markdown).toContain('  bar [950, 1100]\n```');
  });

  test('as text fits a narrow column', () => {
    const markdown = render(now, before, { charts: 'text' });
    expect(markdown).toContain(`2026-W46 ${'█'.repeat(20)} 1,100`);
    expect(markdown).toContain(`2026-W45 ${'█'.repeat(17)} 950`);
    expect(render(now, undefined, { charts: 'text' })).toContain('Humans only ████');
  });

  test('can be left out', () => {
    expect(render(now, before)).not.toMatch(/mermaid|█/);
  });
});

describe('limits', () => {
  test('a list has as many rows as were asked for, the first of them, and counts the others', () => {
    const markdown = render(readOf(pagesOf(300)), undefined, { top: 3 });
    const [, top] = tablesOf(parse(markdown)).map(rowsOf);
    expect(top?.map(([path]) => path)).toEqual(pagesOf(3).map(({ path }) => path));
    expect(markdown).toContain('*297 more not listed.*');
  });

  const long = (count: number, offset: number) =>
    Array.from({ length: count }, (_, index) =>
      row(`/${index % 1500}-${'\u202e'.repeat(150)}${offset + index}/x`, 90 + ((index + offset) % 50), 400),
    );
  const content = contentOf(readOf(long(100_000, 0)), earlier(long(100_000, 60_000)), { top: 1000 });

  test.each([
    ['summary', summaryLimit, 900 * 1024],
    ['comment', commentLimit, 60_000],
  ] as const)(
    'a %s of 100,000 pages stays within its limit, by whole rows, and says how many it left out',
    (_, limit, most) => {
      const markdown = renderReport(content, limit);
      expect(limit.measure(markdown)).toBeLessThanOrEqual(most);
      expect(limit.measure(markdown)).toBeGreaterThan(most * 0.9);
      const nodes = expectOwnMarkdownOnly(markdown);
      const listed = tablesOf(nodes).reduce((sum, table) => sum + rowsOf(table).length, 0) - 5;
      const leftOut = [...markdown.matchAll(/\*([\d,]+) more not listed\.\*/g)].reduce(
        (sum, match) => sum + Number(match[1]?.replaceAll(',', '')),
        0,
      );
      const { movers, mostVisited, sections, mostlyAi, appeared, vanished } = content.findings;
      const lists = [movers, mostVisited, sections, mostlyAi, appeared, vanished];
      const all = lists.map((list) => list?.length ?? 0);
      expect(listed + leftOut).toBe(all.reduce((a, b) => a + b));
      // The most useful stays longest.
      expect(rowsOf(tablesOf(nodes)[0])).toHaveLength(5);
      expect(markdown).toContain('How this report was made');
    },
  );
});

test('the same rows in any order give the same report to the byte', () => {
  const pages = pagesOf(30, (index) => 100 + (index % 3));
  const pagesBefore = pagesOf(40, (index) => 20 + 380 * (index % 2)).slice(5);
  const more = { charts: 'mermaid', rules: 'total /** > 20%\ntotal /** < -20%\nai-share /** > 5%' } as const;
  const one = render(readOf(pages), earlier(pagesBefore), more);
  expect(one).toContain('3 rules of 3 fired');
  const anyOrder = (rows: VisitorsRow[]) => fc.shuffledSubarray(rows, { minLength: rows.length });
  fc.assert(
    fc.property(anyOrder(pages), anyOrder(pagesBefore), (a, b) => {
      expect(render(readOf(a), earlier(b), more)).toBe(one);
    }),
    { numRuns: 30 },
  );
});

test('a rule that could not be checked for some pages says for how many, and why', () => {
  const now = readOf([row('/a', 100, 0), row('/new', 50, 0)]);
  expect(render(now, earlier([row('/a', 100, 0)]), { rules: 'total /** < -50%' })).toContain(
    'No alert: 1 rule checked, none fired.\n\n- `total /** < -50%` could not be checked for 1 page: there were none in the window before.',
  );
});
