import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { directoryProblem, diskFiles } from '../../../src/runner/files.ts';
import { byVisitors } from '../../../src/visitors/judge/site-pages.ts';
import { csvText, filesOf, reportPaths } from '../../../src/visitors/write/report-files.ts';
import { folderPerTest } from '../../support/folder.ts';
import { calmTotals, render, reportOf, weeksWith } from './rendered.ts';
import { schemaProblems } from './schema.ts';
import { anyPath, hostilePaths, pagesOf, readOf, row, window, windowBefore } from './site.ts';

const before = readOf([row('/a', 8, 1), row('/gone', 3, 0)], { window: windowBefore });
const project = { id: 'acme', name: 'acme' };

describe('CSV', () => {
  test('follows RFC 4180, and has every page listed now or before: blank is not listed, 0 is a count', () => {
    const now = readOf([{ path: '/"b",', total: 1 }, row('/a', 7, 2, 8), row('/none', 0, 0)]);
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

const files = reportPaths('out', ['acme'], window.slug, []);
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
      ...{ fourPeriods: null, comparedPages: null, sections: [], pages: [], new: null, gone: null },
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
    expect(directoryProblem(join(folder(), 'new/deep'))).toBeUndefined();
    expect(directoryProblem(join(folder(), 'file'))).toMatch(/EEXIST/);
    expect(directoryProblem(join(folder(), 'file/below'))).toMatch(/ENOTDIR/);
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
