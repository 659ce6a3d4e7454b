import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { toString as textOf } from 'mdast-util-to-string';
import type { VisitorsRow } from '../../../src/service/schemas.ts';
import { commentBytes, renderReport, summaryBytes } from '../../../src/visitors/write/render.ts';
import {
  calmTotals,
  earlier,
  expectOwnMarkdownOnly,
  render,
  reportOf,
  rowsOf,
  siteOf,
  tablesIn,
  tablesOf,
  weeksWith,
} from './rendered.ts';
import { anyPath, hostilePaths, pagesOf, readOf, row } from './site.ts';

describe('hostile paths', () => {
  const shownAs = (path: string) =>
    path
      .replace(/\r\n|\r|\n/g, '⏎')
      .replaceAll('\t', '\\u{9}')
      // If a path has an odd number of backslashes before a pipe, `cell` adds one that stays visible.
      .replace(/(\\*)\|/g, (all, before: string) => (before.length % 2 === 0 ? all : `\\${all}`));

  test('stay readable, each in its own table cell', () => {
    const rows = hostilePaths.map((path, index) => row(path, 1000, index, 1000 - index));
    const nodes = expectOwnMarkdownOnly(render(readOf(rows), earlier([]), { top: 1000 }));
    const top = tablesOf(nodes).find((table) => textOf(table.children[0]).includes('AI share'));
    const shown = rowsOf(top);
    expect(shown).toHaveLength(rows.length);
    expect(shown[hostilePaths.indexOf('')]?.[0]).toBe('(empty path)');
    for (const [index, path] of hostilePaths.entries()) {
      expect(shown[index]?.slice(1)).toEqual([
        new Intl.NumberFormat('en-US').format(1000 - index),
        expect.stringMatching(/^(<1|\d)%$/),
      ]);
      if (path.length > 160 || /[\p{C}]/u.test(path.replace(/[\n\r\t]/g, '')) || path.trim() === '') continue;
      expect(shown[index]?.[0]?.trim()).toBe(shownAs(path).trim());
    }
  });

  test('don’t change the rows of any table', () => {
    const figure = fc.integer({ min: 0, max: 200 });
    const rows = fc.uniqueArray(fc.tuple(anyPath, figure, figure), {
      selector: ([path]) => path,
      maxLength: 12,
    });
    fc.assert(
      fc.property(rows, rows, (a, b) => {
        const [now = [], before = []] = [a, b].map((list) => list.map((page) => row(...page)));
        const windows = [readOf(now), earlier(before)] as const;
        const { findings } = siteOf(...windows);
        const { unusual, maxVisited, sections, mostlyAi, appeared, gone } = findings;
        const nodes = expectOwnMarkdownOnly(render(...windows, { top: 100 }));
        const lengths = tablesOf(nodes).map((table) => rowsOf(table).length);
        // A single page is only named in the open.
        const several = [unusual, appeared, gone].map((list = []) => (list.length > 1 ? list : []));
        const [byWeek, ...others] = several;
        const lists = [unusual, byWeek, maxVisited, sections, mostlyAi, ...others];
        expect(lengths).toEqual([4, ...lists.flatMap((list) => list?.length || [])]);
      }),
      { numRuns: 40 },
    );
  });

  test('have no effect as a project ID, glob, or file name either', () => {
    const now = readOf([row('/a', 30, 3)]);
    const id = '@x <b> [a](https://b.c)';
    const data = new Map([[id, { csv: '@z/`a.csv', json: '@z/#1.json', gaps: '@z/#1.gaps.csv' }]]);
    const files = { markdown: '@z/a.md', data };
    const pages = ['/**', '!/@y/<b>`'];
    const report = { ...reportOf(now, earlier([]), { project: { id, name: 'x' }, pages }), files };
    expectOwnMarkdownOnly(renderReport(report));
  });
});

describe('a full report', () => {
  const now = readOf([row('/guides/a', 500, 10), row('/guides/b', 3, 90), row('/api/new', 40, 0)]);
  const before = earlier([row('/guides/a', 200, 10), row('/guides/b', 3, 20), row('/gone', 60, 0)]);
  const pages = { '/guides/a': 200, '/guides/b': 90 };
  const weeks = weeksWith(Array(8).fill({ human: 800, ai: 200, total: 950 }), () => pages);
  const rules = 'total > 5%\nhuman > 13%';
  const markdown = render(now, before, { charts: 'mermaid', rules, earlier: weeks });

  test('has its parts in the documented order', () => {
    const marks = [
      '## Docs visitors, Nov 9–15, 2026',
      '> [!CAUTION]\n> **1 of 2 alert rules fired:** `total > 5%` (+16% from the week before, 950 → 1,100).',
      '**1,100 visitors, more than usual**',
      '| **All** |',
      '```mermaid',
      '### 1 page stands out',
      'New: `/api/new` (40). No longer visited: `/gone` (60 the week before).',
      'Top pages (3)',
      'Sections (2)',
      'Read mostly by AI (1)',
      'How this report was made',
      ' counted as both human and AI, and once in the total.',
    ];
    const places = marks.map((mark) => markdown.indexOf(mark));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });

  test('shows each figure with its usual range, its change, and an arrow if it is unusual', () => {
    const tables = tablesIn(markdown);
    const range = expect.stringMatching(/^[\d,.]+–[\d,.]+%?$/);
    expect(tables).toContainEqual([
      ['All', '▲ 1,100', range, '+15.8%'],
      ['Human', '▲ 900', range, '+12.5%'],
      ['AI', '▲ 300', range, '+50.0%'],
      ['AI share', '▲ 27.3%', range, '+6.2'],
    ]);
    expect(tables).toContainEqual([['/guides/a', '▲ 510', range]]);
    expect(tables).toContainEqual([
      ['/guides, 2 pages', '603', '+159%'],
      ['/api, 1 page', '40', '–'],
    ]);
  });
});

test.each([100_000, 20_000])(
  'a report of too many pages shortens its lists to %d bytes, and counts what it leaves out',
  (maxBytes) => {
    // These limits are smaller than the real ones, because parsing a megabyte of Markdown takes half a minute.
    expect([summaryBytes, commentBytes]).toEqual([900 * 1024, 60_000]);
    const long = (count: number, offset: number) =>
      Array.from({ length: count }, (_, index) =>
        row(`/${index}-${'\u202e'.repeat(150)}${offset + index}/x`, 90 + ((index + offset) % 50), 400),
      );
    const report = reportOf(readOf(long(300, 0)), earlier(long(300, 150)), { top: 1000 });
    const markdown = renderReport(report, maxBytes);
    expect(Buffer.byteLength(markdown)).toBeLessThanOrEqual(maxBytes);
    expect(Buffer.byteLength(markdown)).toBeGreaterThan(maxBytes * 0.7);
    expect(rowsOf(tablesOf(expectOwnMarkdownOnly(markdown))[0])).toHaveLength(4);
    const lists = [...markdown.matchAll(/<summary>[^\n]* \((\d+)\)<\/summary>(.*?)<\/details>/gs)];
    expect(lists.length).toBeGreaterThan(3);
    for (const [, count, list = ''] of lists) {
      const left = Number(/\*(\d+) more not listed\.\*/.exec(list)?.[1]);
      expect((list.match(/^\| .* \|$/gm)?.length ?? 0) - 2 + left).toBe(Number(count));
    }
  },
);

test('the order of the rows doesn’t change the report', () => {
  const pages = pagesOf(30, (index) => 100 + (index % 3));
  const pagesBefore = pagesOf(40, (index) => 20 + 380 * (index % 2)).slice(5);
  const more = { charts: 'mermaid' } as const;
  const markdown = render(readOf(pages), earlier(pagesBefore), more);
  const anyOrder = (rows: VisitorsRow[]) => fc.shuffledSubarray(rows, { minLength: rows.length });
  fc.assert(
    fc.property(anyOrder(pages), anyOrder(pagesBefore), (a, b) => {
      expect(render(readOf(a), earlier(b), more)).toBe(markdown);
    }),
    { numRuns: 10 },
  );
});

describe('alerts', () => {
  const now = readOf([row('/a', 100, 0), row('/b', 10, 90), row('/new', 50, 0)]);
  const before = earlier([row('/a', 200, 0), row('/b', 100, 100)]);

  test('are listed if they fired, with the figures', () => {
    const rules = 'total > 5%\nhuman < 901\nai-share > 20%\nai > 900%\nai unusual';
    const markdown = render(now, before, { rules, earlier: weeksWith(calmTotals) });
    expect(markdown).toContain(
      `> [!CAUTION]
> **4 of 5 alert rules fired:**
> - \`total > 5%\` (+16% from the week before, 950 → 1,100).
> - \`human < 901\` (900).
> - \`ai-share > 20%\` (27%).
> - \`ai unusual\` (300; usual `,
    );
    expect(markdown).toMatch(/`ai unusual` \(300; usual \d+–\d+\)\.\n\n/);
    expect(render(now, before, { rules: 'total > 90%' })).toContain('- 0 of 1 alert rule fired.');
  });

  test('are listed with the reason if they could not be checked', () => {
    const why = '`compare: none` leaves out earlier periods';
    const markdown = render(now, undefined, { rules: `total < 90\n${'total > 90%\n'.repeat(2_000)}` });
    expect(markdown).toContain(
      `<summary>Alert rules not checked (2,000)</summary>\n\n- \`total > 90%\`: ${why}.\n`,
    );
    expect(markdown.match(/^- `total > 90%`: /gm)).toHaveLength(10);
    const young = weeksWith([0, 0, 0, 1000]);
    expect(render(now, before, { rules: 'human unusual', earlier: young })).toContain(
      '\n- `human unusual`: there is no usual range: it takes 4 earlier weeks with visitors; this site has 1.\n',
    );
    expect(markdown).toContain('\n- and 1,990 more\n');
  });
});
