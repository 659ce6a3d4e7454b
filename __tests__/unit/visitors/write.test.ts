import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { toString as textOf } from 'mdast-util-to-string';
import { ActionError } from '../../../src/core/errors.ts';
import type { Deps } from '../../../src/deps.ts';
import { diskFiles, findDirectoryProblem } from '../../../src/runner/files.ts';
import type { VisitorsRow } from '../../../src/service/schemas.ts';
import { startVisitors } from '../../../src/visitors/index.ts';
import type { ReportSettings } from '../../../src/visitors/judge/report.ts';
import { byVisitors } from '../../../src/visitors/judge/site-pages.ts';
import {
  maxCommentBytes,
  maxSummaryBytes,
  renderReport,
} from '../../../src/visitors/write/render.ts';
import { csvText, filesOf, reportPaths } from '../../../src/visitors/write/report-files.ts';
import {
  formatChange,
  formatPercent,
  formatPoints,
  toPercent,
} from '../../../src/visitors/write/words/figures.ts';
import { alertResults } from '../../../src/visitors/write/words/warnings.ts';
import { folderPerTest } from '../../support/folder.ts';
import { plain, plainAll } from '../../support/plain.ts';
import {
  asRead,
  calmTotals,
  earlier,
  expectOwnMarkdownOnly,
  render,
  reportOf,
  rowsOf,
  siteOf,
  tablesOf,
  weeksWith,
} from './rendered.ts';
import { schemaProblems } from './schema.ts';
import {
  anyPath,
  config,
  createdAt,
  depsOf,
  githubOf,
  honest,
  hostilePaths,
  pagesOf,
  readOf,
  row,
  serviceOf,
  window,
  windowBefore,
} from './site.ts';

describe('the chart', () => {
  const now = readOf([row('/a', 30, 3)]);
  const counted = (total: number) => ({ human: total - 300, ai: 300, total });
  const of = (
    totals: Parameters<typeof weeksWith>[0],
    charts: ReportSettings['charts'] = 'mermaid',
  ) => render(now, undefined, { charts, earlier: weeksWith(totals) });

  describe('the chart', () => {
    test('has bars for all visitors and, in front, for people', () => {
      const markdown = of([1000, 950].map(counted));
      const axes = 'xychart-beta\n  x-axis ["Oct 26", "Nov 2", "Nov 9"]\n  y-axis 0 --> 1144\n';
      const legend = '<sub>🟦 people, 🟧 only AI</sub>';
      expect(markdown).toContain(
        `${axes}  bar [1000, 950, 1100]\n  bar [700, 650, 900]\n\`\`\`\n\n${legend}\n`,
      );
    });

    test('has the ends of the usual range week by week, as two lines that slope with growth', () => {
      const growing = Array.from({ length: 8 }, (_, week) => Math.round(600 * 1.08 ** week));
      const markdown = of(growing.map(counted));
      const [low = [], high = []] = [...markdown.matchAll(/^ {2}line \[(.*)\]$/gm)].map(
        ([, values = '']) => values.split(', ').map(Number),
      );
      expect([low.length, high.length]).toEqual([8, 8]);
      for (const line of [low, high]) expect(line).toEqual(line.toSorted((a, b) => a - b));
      const shown = [...growing.slice(1), 1100];
      for (const [week, total] of shown.entries()) {
        expect(low[week]).toBeLessThan(total);
        expect(high[week]).toBeGreaterThan(total);
      }
      const usual = `${low.at(-1)?.toLocaleString('en-US')}–${high.at(-1)?.toLocaleString('en-US')}`;
      expect(asRead(markdown)).toContain(`**1,100 visitors, as usual** (${usual})`);
      expect(markdown).toContain('🟪 usual range for all visitors');
    });

    test('leaves out a week without a total or without humans', () => {
      const markdown = of([counted(900), {}, { total: 950 }, counted(1000)]);
      expect(markdown).toContain('["Oct 12", "Nov 2", "Nov 9"]');
    });

    test('has at most eight weeks, beginning with the first visitor', () => {
      expect(of(Array(12).fill(counted(1000))).match(/"[A-Z][a-z]+ \d+"/g)).toHaveLength(8);
      expect(of([0, 0, 500, 0, 400])).toContain('  bar [500, 0, 400, 1100]\n');
      for (const totals of [[], [400], [0, 0, 0, 400]]) expect(of(totals)).not.toContain('mermaid');
      expect(of([100, 400], 'none')).not.toContain('mermaid');
    });
  });
});

describe('numbers', () => {
  describe('a percentage', () => {
    test.each([
      [0, 7, '0%', '0%', '0.0'],
      [-1, 1, '100%', '−100%', '-100.0'],
      [-150, 10_000, '2%', '−2%', '-1.5'],
      [40, 100_000, '<1%', '<+1%', '0.1'],
      [-40, 100_000, '<1%', '>−1%', '-0.1'],
      [-99_999, 100_000, '>99%', '<−99%', '-99.9'],
      [99_999, 100_000, '>99%', '>+99%', '99.9'],
      [12_345, 10, '123,450%', '+123,450%', '123450.0'],
    ])(
      'of %d in %d is %s as a share, %s as a change, and %s as an output',
      (part, whole, ...expected) => {
        const ratio = { part, whole };
        const shown = [formatPercent(ratio), formatChange(ratio), toPercent(ratio).toFixed(1)];
        expect(shown).toEqual(expected);
      },
    );

    test('has one decimal in outputs, none in texts, and is 0 or 100 only if it is exact', () => {
      const whole = fc.integer({ min: 1, max: 1_000_000 });
      fc.assert(
        fc.property(fc.integer({ min: -3_000_000, max: 3_000_000 }), whole, (a, b) => {
          const ratio = { part: a, whole: b };
          const output = toPercent(ratio).toFixed(1);
          expect(output).toMatch(/^-?\d+\.\d$/);
          const said = formatChange(ratio)
            .replace(/[+,%<>]/g, '')
            .replace('−', '-');
          expect(said).toMatch(/^-?\d+$/);
          expect(Math.abs(Number(said) - Number(output))).toBeLessThanOrEqual(1);
          expect(Number(said) === 0).toBe(a === 0);
          expect(Math.abs(Number(said)) === 100 && Math.abs(a) < b).toBe(false);
          expect(formatPercent(ratio, 1).replace(/[,%<>]/g, '')).toBe(output.replace('-', ''));
          const tenths = Math.round(Number(output) * 10);
          expect(output === '0.0').toBe(a === 0);
          expect(Math.abs(tenths) === 1000 && Math.abs(a) < b).toBe(false);
          // Rounding changes a value by at most 0.05. Values near 0 and 100 may change by 0.1.
          const isBound = /[<>]/.test(formatPercent(ratio, 1));
          expect(Math.abs(2 * (1000 * a - tenths * b))).toBeLessThanOrEqual(isBound ? 2 * b : b);
        }),
        { numRuns: 1000 },
      );
    });
  });

  test('points are the difference of two shares', () => {
    const shares = [300, 311, 376].map((part) => ({ part, whole: 1000 }));
    const differences = shares.map((share) => formatPoints(share, shares[1]));
    expect(differences).toEqual(['−1 point', '0 points', '+7 points']);
    expect(formatPoints(shares[0], undefined)).toBe('–');
  });
});

describe('files', () => {
  const before = readOf([row('/a', 8, 1), row('/gone', 3, 0)], { window: windowBefore });
  const project = plainAll({ id: 'acme', name: 'acme' });

  describe('CSV', () => {
    test('follows RFC 4180, and has every page listed now or before: blank is not listed, 0 is a count', () => {
      const now = readOf([
        { path: plain('/"b",'), total: 1 },
        row('/a', 7, 2, 8),
        row('/none', 0, 0),
      ]);
      expect(csvText({ project, now, before }).split('\r\n')).toEqual([
        '"period_start","period_end","project","path","human","ai","total","human_before","ai_before","total_before"',
        '"2026-11-09","2026-11-16","acme","/a",7,2,8,8,1,9',
        '"2026-11-09","2026-11-16","acme","/""b"",",,,1,,,',
        '"2026-11-09","2026-11-16","acme","/none",0,0,0,,,',
        '"2026-11-09","2026-11-16","acme","/gone",,,,3,0,3',
        '',
      ]);
    });

    test('of four weeks can be put under one another and joined by path', () => {
      const weeks = weeksWith(calmTotals, (week) => ({ '/a': 10 + week, [`/only-${week}`]: 5 }));
      const texts = weeks
        .slice(4)
        .map((now, index) => csvText({ project, now, before: weeks[3 + index] }));
      const [head = '', ...rest] = texts.map((text) => text.split('\r\n'));
      const all = [...head, ...rest.flatMap(([, ...lines]) => lines)].filter((line) => line !== '');
      const records: Record<string, string>[] = parse(all.join('\r\n'), {
        columns: true,
        cast: false,
      });
      const totals = Map.groupBy(records, ({ path }) => path);
      expect(totals.get('/a')?.map(({ period_start, total }) => [period_start, total])).toEqual(
        weeks.slice(4).map(({ window: { start } }, index) => [start, `${14 + index}`]),
      );
      expect(totals.get('/only-5')?.map((page) => [page.total, page.total_before])).toEqual([
        ['5', ''],
        ['', '5'],
      ]);
    });

    test('has every path and figure, and no formula', () => {
      const rows = fc.uniqueArray(fc.tuple(anyPath, fc.nat(), fc.nat()), {
        selector: ([path]) => path,
      });
      fc.assert(
        fc.property(rows, (list) => {
          const pages = list.map(([path, human, ai]) => row(path, human, ai));
          const [, ...records] = parse(
            csvText({ project, now: readOf(pages), before: undefined }),
          ) as string[][];
          pages.sort(byVisitors);
          expect(records).toHaveLength(pages.length);
          for (const [index, page] of pages.entries()) {
            const [, , , path = '', ...figures] = records[index] ?? [];
            expect(path).not.toMatch(/^[=+\-@\t\r]/);
            const formula = /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/.test(page.path);
            expect(path).toBe((formula ? `'${page.path}` : page.path).toWellFormed());
            expect(figures).toEqual([`${page.human}`, `${page.ai}`, `${page.total}`, '', '', '']);
          }
        }),
        { numRuns: 200, examples: [[hostilePaths.map((path) => [path, 1, 2])]] },
      );
    });
  });

  const files = reportPaths('out', [plain('acme')], window.slug, []);
  const written = (...report: Parameters<typeof reportOf>) => [
    ...filesOf({ ...reportOf(...report), files }, '# Report'),
  ];
  const jsonOf = (...report: Parameters<typeof reportOf>) =>
    JSON.parse(written(...report)[1]?.[1] ?? '');

  describe('JSON', () => {
    test('has all rows and findings', () => {
      const rows = [...hostilePaths.map((path, index) => row(path, index, 1)), ...pagesOf(4_500)];
      const now = readOf(rows);
      const past = { ...before, cut: { kind: 'budget' } } as const;
      const names = ['csv', 'json', 'md'].map((type) => `out/visitors-acme-2026-W46.${type}`);
      expect(written(now, past).map(([path]) => path)).toEqual(names);
      const periodBefore = {
        ...{
          kind: 'last-week',
          start: '2026-11-02',
          end: '2026-11-09',
          days: 7,
          label: 'Nov 2–8, 2026',
        },
        ...{ complete: false, cut: 'budget', totals: { ...before.totals, aiShare: 27.3 } },
      };
      expect(jsonOf(now, past, { rules: 'ai-share > 5%' })).toEqual({
        version: 1,
        project: 'acme',
        timeZone: 'UTC',
        period: {
          ...{
            kind: 'last-week',
            start: '2026-11-09',
            end: '2026-11-16',
            days: 7,
            label: 'Nov 9–15, 2026',
          },
          ...{ complete: true, cut: null, totals: { ...now.totals, aiShare: 27.3 } },
          pages: rows.toSorted(byVisitors),
        },
        before: { ...periodBefore, pages: [row('/a', 8, 1), row('/gone', 3, 0)] },
        baseline: [periodBefore],
        lastYear: null,
        usual: { total: null, human: null, ai: null, aiShare: null },
        ...{
          fourPeriods: null,
          comparedPages: null,
          sections: [],
          pages: [],
          new: null,
          gone: null,
        },
        alerts: [{ rule: 'ai-share > 5%', state: 'fired', why: '27%' }],
        gaps: null,
        changed: null,
      });
    });

    const share30 = (total: number) => ({ human: 0.7 * total, ai: 0.3 * total, total });
    const weeks = weeksWith(
      [...calmTotals.slice(0, 3), 300, ...calmTotals.slice(4)].map(share30),
      (week) => ({
        ...{ '/a': 500, ...(week === 7 ? { '/gone': 300 } : {}) },
        ...{ '/c/1': 90 + week, '/c/2': 90, '/c/3': 90, '/b': 40 },
      }),
    );
    const rows = [
      row('/a', 100, 1100),
      row('/c/1', 45, 0),
      row('/c/3', 45, 0),
      row('/c/2', 40, 0),
      row('/new', 30, 0),
    ];
    const now = readOf(rows, { totals: { human: 700, ai: undefined, total: 1010 } });

    test('has the ranges, how many periods they rest on, and what was left out', () => {
      const {
        usual,
        comparedPages,
        pages,
        sections,
        new: appeared,
        gone,
      } = jsonOf(now, weeks[7], { earlier: weeks });
      expect(usual.total).toEqual({
        ...{ low: expect.any(Number), high: expect.any(Number), side: 'usual', periods: 7 },
        leftOut: [weeks[3]?.window.start],
        trend: Array(9).fill({ low: expect.any(Number), high: expect.any(Number) }),
      });
      expect(usual.total).toMatchObject(usual.total.trend.at(-1));
      expect(usual.ai).toBeNull();
      expect(comparedPages).toEqual({ periods: 8, mostRead: null });
      expect(pages).toContainEqual(
        expect.objectContaining({
          path: '/a',
          visitors: 1200,
          side: 'more',
          isCrawled: true,
          isAtMost: false,
          periods: 1,
        }),
      );
      expect(sections).toMatchObject([{ path: '/c', pages: 3, visitors: 130, side: 'fewer' }]);
      expect([appeared, gone].map(([page]) => page.path)).toEqual(['/new', '/gone']);
    });

    test('is as visitors.schema.json describes it, without other fields', () => {
      const cut = { kind: 'budget' } as const;
      const first = weeks.map((week) => ({ ...week, cut }));
      const falling = weeksWith(
        [3000, 2850, 2710, 2570, 2440, 2320, 2210, 2100].map(share30),
        () => ({
          '/a': 1,
        }),
      );
      const reports = [
        jsonOf(now, weeks[7], { earlier: weeks, rules: 'total unusual\ntotal > 1%' }),
        jsonOf({ ...now, cut }, first[7], { earlier: first }),
        jsonOf({ ...now, totals: share30(1990) }, falling[7], {
          earlier: falling,
          lastYear: weeks[0],
        }),
        jsonOf(readOf([], { totals: { human: 0, ai: 0, total: 0 } })),
      ];
      expect(reports.map(({ fourPeriods }) => fourPeriods?.last)).toEqual([
        undefined,
        undefined,
        2154,
        undefined,
      ]);
      expect(reports.map(({ comparedPages }) => comparedPages?.mostRead)).toEqual([
        null,
        250,
        null,
        undefined,
      ]);
      for (const report of reports) expect(schemaProblems(report)).toEqual([]);
      expect(schemaProblems({ ...reports[0], more: 1 })).not.toEqual([]);
    });

    test('has the numbers to redraw the chart', () => {
      const { baseline, period, usual } = jsonOf(now, weeks[7], { earlier: weeks });
      const shown = [...baseline, period].slice(-8);
      const bars = (kind: 'total' | 'human') =>
        `  bar [${shown.map(({ totals }: { totals: Record<string, number> }) => totals[kind]).join(', ')}]`;
      const label = new Intl.DateTimeFormat('en-US', {
        month: 'short',
        day: 'numeric',
        timeZone: 'UTC',
      });
      const labels = shown.map(
        ({ start }: { start: string }) => `"${label.format(Date.parse(start))}"`,
      );
      const ends = (end: 'low' | 'high') =>
        `  line [${usual.total.trend
          .slice(-8)
          .map((range: Record<string, number>) => range[end])
          .join(', ')}]`;
      const chart = render(now, weeks[7], { earlier: weeks, charts: 'mermaid' });
      const lines = [bars('total'), bars('human'), ends('low'), ends('high')];
      for (const line of [`  x-axis [${labels.join(', ')}]`, ...lines])
        expect(chart).toContain(`\n${line}\n`);
    });
  });

  describe('on disk', () => {
    const folder = folderPerTest();

    test('checking whether a directory is writable leaves no file in it', () => {
      writeFileSync(join(folder(), 'file'), 'x');
      expect(findDirectoryProblem(join(folder(), 'new/deep'))).toBeUndefined();
      expect(findDirectoryProblem(join(folder(), 'file'))).toMatch(/EEXIST/);
      expect(findDirectoryProblem(join(folder(), 'file/below'))).toMatch(/ENOTDIR/);
      expect(readdirSync(folder()).toSorted()).toEqual(['file', 'new']);
      expect(readdirSync(join(folder(), 'new/deep'))).toEqual([]);
    });

    test('a folder is neither read nor replaced', () => {
      mkdirSync(join(folder(), 'dir'));
      expect(() => diskFiles.read(join(folder(), 'dir'))).toThrow(/EISDIR/);
      expect(() => diskFiles.write(join(folder(), 'dir'), 'x')).toThrow(/EISDIR/);
      expect(readdirSync(folder())).toEqual(['dir']);
    });
  });
});

describe('reports', () => {
  describe('hostile paths', () => {
    const shownAs = (path: string) => {
      const text = path.replace(/\r\n|\r|\n/g, '⏎').replaceAll('\t', '\\u{9}');
      return text.length > 44 ? `${text.slice(0, 24)}…${text.slice(-19)}` : text;
    };

    test('stay readable, each in its own table cell', () => {
      const rows = hostilePaths.map((path, index) => row(path, 1000, index, 1000 - index));
      const nodes = expectOwnMarkdownOnly(render(readOf(rows), earlier([]), { top: 1000 }));
      const top = tablesOf(nodes).find((table) => textOf(table.children[0]) === 'PageVisitorsAI');
      const shown = rowsOf(top);
      expect(shown).toHaveLength(rows.length);
      expect(shown[hostilePaths.indexOf('')]?.[0]).toBe('(empty path)');
      for (const [index, path] of hostilePaths.entries()) {
        expect(shown[index]?.slice(1)).toEqual([
          new Intl.NumberFormat('en-US').format(1000 - index),
          expect.stringMatching(/^(<1|\d)%$/),
        ]);
        if (/[\p{C}]/u.test(path.replace(/[\n\r\t]/g, '')) || path.trim() === '') continue;
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
          const { unusual, maxVisited, sections, appeared, gone } = findings;
          const nodes = expectOwnMarkdownOnly(render(...windows, { top: 100 }));
          const lengths = tablesOf(nodes).map((table) => rowsOf(table).length);
          // A single page is only named in the open.
          const several = [appeared, gone].map((list = []) => (list.length > 1 ? list : []));
          const lists = [maxVisited, sections, ...several];
          expect(lengths).toEqual([
            ...[unusual, Array(4), ...lists].flatMap((list) => list?.length || []),
          ]);
        }),
        { numRuns: 40 },
      );
    });

    test('have no effect as a project ID, glob, or file name either', () => {
      const now = readOf([row('/a', 30, 3)]);
      const id = '@x <b> [a](https://b.c)';
      const data = new Map([
        [id, { csv: '@z/`a.csv', json: '@z/#1.json', gaps: '@z/#1.gaps.csv' }],
      ]);
      const files = { markdown: '@z/a.md', data };
      const pages = ['/**', '!/@y/<b>`'].map(plain);
      const report = {
        ...reportOf(now, earlier([]), { project: { id, name: 'x' }, pages }),
        files,
      };
      expectOwnMarkdownOnly(renderReport(report));
    });
  });

  describe('paths', () => {
    const top = (paths: readonly string[], docsUrl?: string) => {
      const markdown = render(
        readOf(paths.map((path, index) => row(path, 900 - index, 0))),
        undefined,
        {
          docsUrl,
        },
      );
      return [...markdown.matchAll(/^\| (.*) \| \d+ \| 0% \|$/gm)].map(([, cell]) => cell);
    };

    test('may wrap after each slash and in long words, and are shortened in the middle', () => {
      const long = '/api/v1/organizations/{organizationId}/projects/{projectId}/environments';
      expect(top(['/', '/guides/quickstart', long, `/${'x'.repeat(30)}`])).toEqual([
        '<code>/</code>',
        '<code>/guides/<wbr>quickstart</code>',
        expect.stringMatching(
          /^<code>\/api\/<wbr>v1\/<wbr>organizations\/<wbr>&#123;<wbr>o….*environments<\/code>$/,
        ),
        expect.stringMatching(/^<code>\/(x{8}(<wbr>)?)*x*<\/code>$/),
      ]);
      for (const path of [long, `/${'x'.repeat(300)}`]) {
        const [cell = ''] = top([path]);
        const pieces = asRead(cell.replaceAll('<wbr>', '\n')).replaceAll('`', '').split('\n');
        expect(pieces.join('')).toHaveLength(44);
        for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(14);
      }
    });

    test('are links with `docs-url`, if they are ordinary', () => {
      const site = 'https://docs.example.com/en';
      expect(
        top(
          ['/', '/a/b%20c', '/文', 'x', '/../x', '//evil.example', '/a b', '/a)<b>', '/?x'],
          site,
        ),
      ).toEqual([
        `[<code>/</code>](<${site}/>)`,
        expect.stringContaining(`](<${site}/a/b%20c>)`),
        `[<code>/文</code>](<${site}/%E6%96%87>)`,
        '<code>x</code>',
        ...Array(5).fill(expect.not.stringContaining('](')),
      ]);
    });
  });

  describe('a full report', () => {
    const now = readOf([
      row('/guides/a', 500, 10),
      row('/guides/b', 3, 90),
      row('/api/new', 40, 0),
    ]);
    const before = earlier([
      row('/guides/a', 200, 10),
      row('/guides/b', 3, 20),
      row('/gone', 60, 0),
    ]);
    const pages = { '/guides/a': 200, '/guides/b': 90 };
    const weeks = weeksWith(Array(8).fill({ human: 800, ai: 200, total: 950 }), () => pages);
    const rules = 'total > 5%\nhuman > 13%';

    test('has its parts in the documented order, and each figure with its usual range and change', () => {
      const markdown = render(now, before, { charts: 'mermaid', rules, earlier: weeks });
      expect(asRead(markdown)).toMatchSnapshot();
    });
  });

  test('a report of too many pages shortens its lists, and counts what it leaves out', () => {
    const maxBytes = 20_000;
    // These limits are smaller than the real ones, because parsing a megabyte of Markdown takes half a minute.
    expect([maxSummaryBytes, maxCommentBytes]).toEqual([900 * 1024, 60_000]);
    const long = (count: number, offset: number) =>
      Array.from({ length: count }, (_, index) =>
        row(
          `/${index}-${'\u202e'.repeat(150)}${offset + index}/x`,
          90 + ((index + offset) % 50),
          400,
        ),
      );
    const report = reportOf(readOf(long(300, 0)), earlier(long(300, 150)), { top: 1000 });
    const markdown = renderReport(report, maxBytes);
    expect(Buffer.byteLength(markdown)).toBeLessThanOrEqual(maxBytes);
    expect(Buffer.byteLength(markdown)).toBeGreaterThan(maxBytes * 0.7);
    expectOwnMarkdownOnly(markdown);
    const lists = [
      ...markdown.matchAll(
        /<summary>(?:Top|New|Pages)[^\n]*? \((\d+)\)[^\n]*<\/summary>(.*?\*\d+ more.*?)\n/gs,
      ),
    ];
    expect(lists).toHaveLength(3);
    for (const [, count, list = ''] of lists) {
      const left = Number(/\*(\d+) more not listed\.\*/.exec(list)?.[1]);
      expect((list.match(/^\| .* \|$/gm)?.length ?? 0) - 2 + left).toBe(Number(count));
    }
  });

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

    test('are listed if they fired', () => {
      const rules = 'total > 5%\nhuman < 901\nai-share > 20%\nai > 900%\nai unusual';
      const markdown = render(now, before, { rules, earlier: weeksWith(calmTotals) });
      const fired =
        '`total > 5%` (+16%), `human < 901` (900), `ai-share > 20%` (27%), `ai unusual` (300)';
      expect(markdown).toContain(`<br>Alerts: ${fired}.\n\n`);
      expect(render(now, before, { rules: 'total > 90%' })).not.toMatch(/CAUTION|Alert/);
      const { alerts } = siteOf(now, before, { rules, earlier: weeksWith(calmTotals) });
      expect(alertResults(alerts, now.window).map(({ why }) => why)).toEqual([
        '+16% from the week before, 950 → 1,100',
        '900',
        '27%',
        undefined,
        expect.stringMatching(/^300; usual \d+–\d+$/),
      ]);
    });

    test('are listed with the reason if they could not be checked', () => {
      const why = '`compare: none` leaves out earlier periods';
      const markdown = render(now, undefined, {
        rules: `total < 90\n${'total > 90%\n'.repeat(2_000)}`,
      });
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
});

describe('visitors mode', () => {
  const site = honest((from) => pagesOf(from === window.start ? 600 : 300));

  test('the report covers the week before the run was created, or before two hours ago if that is unknown', async () => {
    const { service, queries } = serviceOf(honest(() => []));
    const report = async (github: Deps['github'], now: number) => {
      const { deps, log } = depsOf(service, { github });
      const clock = { ...deps.clock, now: () => now };
      await startVisitors({ ...config, compare: 'none' }, { ...deps, clock });
      return log.join('\n');
    };
    const refusal = new ActionError('github-error', '403: actions: read is missing');
    const monday = Date.parse('2026-11-16T01:59:00Z');
    const created = githubOf(async () => Date.parse('2026-11-09T00:00:00Z'));
    await report(created, createdAt);
    await report(undefined, monday);
    const refusing = githubOf(() => Promise.reject(refusal));
    const log = await report(refusing, monday);
    expect(log).toMatch(
      /^warning: .*the report assumes that it was created two hours ago.*actions: read is missing$/m,
    );
    expect(queries.map(({ dateFrom }) => dateFrom)).toEqual([
      '2026-11-02',
      '2026-11-02',
      '2026-11-02',
    ]);
  });

  test('a file that can’t be written fails the step, but not the report', async () => {
    const { service } = serviceOf(site);
    const whole = await startVisitors({ ...config, reportDir: undefined }, depsOf(service).deps);
    const write = (path: string) => {
      if (path.endsWith('.json'))
        throw new ActionError('file-error', `Writing ${path} failed`, { hint: 'Free some space.' });
    };
    const { deps } = depsOf(service, { files: { read: () => undefined, write } });
    const result = await startVisitors(config, deps);
    const error = 'Writing out/visitors-acme-2026-W46.json failed.\nFree some space.';
    const failed = { outcome: 'failed', reason: 'file-error', error };
    expect(result.result).toEqual({ mode: 'visitors', ...failed, requestsUsed: 5 });
    expect(result.red).toBe(true);
    expect(result.outputs).toEqual({ 'requests-used': '5' });
    expect(result.summary).toBe(
      `### ❌ ${error.replace('.\n', '\n\n')}\n\nThe files could not be written, but here is the report:\n\n${whole.summary}`,
    );
    expect(result.message).toMatchObject({ level: 'error', text: error });
  });

  test('the history is saved before the files, so a run that is killed between them keeps what it has read', async () => {
    const written: string[] = [];
    const files = { read: () => undefined, write: (path: string) => void written.push(path) };
    await startVisitors(
      { ...config, historyFile: 'h.jsonl' },
      depsOf(serviceOf(site).service, { files }).deps,
    );
    expect(written[0]).toBe('h.jsonl');
  });
});
