import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { diskFiles, findDirectoryProblem } from '../../../src/runner/files.ts';
import type { VisitorsRow } from '../../../src/service/schemas.ts';
import type { Changed } from '../../../src/visitors/judge/changes/changed-pages.ts';
import { listGaps } from '../../../src/visitors/judge/gaps.ts';
import { isRead } from '../../../src/visitors/judge/report.ts';
import { byPath, pageFilter } from '../../../src/visitors/judge/site-pages.ts';
import { shiftWindow } from '../../../src/visitors/read/window.ts';
import type { WindowRead } from '../../../src/visitors/read/window-read.ts';
import { csvText, filesOf, reportPaths } from '../../../src/visitors/write/report-files.ts';
import { folderPerTest } from '../../support/folder.ts';
import { plain, plainAll } from '../../support/plain.ts';
import { reportOf, type Settings, weeksWith } from './rendered.ts';
import { schemaProblems } from './schema.ts';
import { anyPath, hostilePaths, pagesOf, readOf, row, window, windowBefore } from './site.ts';

const project = plainAll({ id: 'acme', name: 'acme' });
const before = readOf([row('/a', 8, 1), row('/gone', 3, 0)], { window: windowBefore });

const byHuman = (a: VisitorsRow, b: VisitorsRow) => (b.human ?? 0) - (a.human ?? 0) || byPath(a, b);

describe('CSV', () => {
  test('follows RFC 4180, and has every page listed now or before: blank is not listed, 0 is a count', () => {
    const now = readOf([
      { path: plain('/"b",'), total: 1 },
      row('/ai', 2, 90),
      row('/a', 7, 2, 8),
      row('/none', 0, 0),
    ]);
    expect(csvText({ project, now, before }).split('\r\n')).toEqual([
      '"period_start","period_end","project","path","human","ai","total","human_before","ai_before","total_before"',
      '"2026-11-09","2026-11-16","acme","/a",7,2,8,8,1,9',
      '"2026-11-09","2026-11-16","acme","/ai",2,90,92,,,',
      '"2026-11-09","2026-11-16","acme","/""b"",",,,1,,,',
      '"2026-11-09","2026-11-16","acme","/none",0,0,0,,,',
      '"2026-11-09","2026-11-16","acme","/gone",,,,3,0,3',
      '',
    ]);
  });

  test('of four weeks can be put under one another and joined by path', () => {
    const weeks = weeksWith(Array(8).fill(1000), (week) => ({
      '/a': 10 + week,
      [`/only-${week}`]: 5,
    }));
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

  test('has every path and figure, most people first, and no formula', () => {
    const rows = fc.uniqueArray(fc.tuple(anyPath, fc.nat(), fc.nat()), {
      selector: ([path]) => path,
    });
    fc.assert(
      fc.property(rows, (list) => {
        const pages = list.map(([path, human, ai]) => row(path, human, ai));
        const [, ...records] = parse(
          csvText({ project, now: readOf(pages), before: undefined }),
        ) as string[][];
        pages.sort(byHuman);
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

/** The files of a report, by the end of their names. */
function filesWith(now: WindowRead, previous?: WindowRead, more: Settings & Found = {}) {
  const { gapsFound, changed, ...settings } = more;
  const report = reportOf(now, previous, settings);
  const sites = report.sites.filter(isRead).map((site) => ({ ...site, gaps: gapsFound, changed }));
  return new Map(filesOf({ ...report, sites, files }, '# Report'));
}

interface Found {
  readonly gapsFound?: ReturnType<typeof listGaps>;
  readonly changed?: Changed;
}

const jsonOf = (...report: Parameters<typeof filesWith>) =>
  JSON.parse(filesWith(...report).get('out/visitors-acme-2026-W46.json') ?? '');

/**
 * A site of 14 weeks: traffic rose this week, one page fell for good, another rose, a section fell,
 * one page is gone, one is new, and one moved.
 */
function eventful() {
  const weeks = Array.from({ length: 14 }, (_, age) => 13 - age).map((age) => {
    const isLast = age === 0;
    const isLastTwo = age < 2;
    const scale = isLast ? 1.2 : 1;
    const swing = [0, 3, -2, 4, -3, 1, 2][age % 7] ?? 0;
    const pages: VisitorsRow[] = [];
    const add = (path: string, people: number, ai = 5) =>
      pages.push(row(path, Math.round(people * scale), ai));
    for (let page = 0; page < 16; page += 1) add(`/docs/${page}`, 60 + 5 * page + swing);
    add('/sdk/go', isLastTwo ? 44 : 110 + swing);
    add('/guides/agents', isLastTwo ? 240 : 120 + 2 * swing, 90);
    for (let page = 0; page < 8; page += 1) add(`/api/${page}`, isLastTwo ? 5 : 11);
    if (isLast) pages.push(row('/concepts/billing', 0, 40));
    else add('/concepts/billing', 31, 40);
    if (isLast) add('/changelog', 25);
    add(isLast ? '/learn/setup' : '/guides/setup', 40 + swing);
    const human = Math.round(pages.reduce((sum, page) => sum + (page.human ?? 0), 0) * 0.7);
    return readOf(pages, {
      window: shiftWindow(window, -age),
      totals: { human, ai: 300, total: human + 260 },
    });
  });
  const [now, previous] = [weeks.at(-1), weeks.at(-2)];
  if (now === undefined || previous === undefined) throw new Error('there are no weeks');
  const asked = { missed: 7, asked: 9, isOfAgent: false };
  const gapsFound = listGaps(
    [
      { list: 'feedback/by-page', rows: [{ ...asked, page: { path: '/sdk/go' } }], cut: undefined },
    ] as never,
    { withWords: false, isChosen: pageFilter([]), visited: now.rows },
  );
  const changed: Changed = {
    rows: [
      {
        path: plain('/guides/agents'),
        became: 'more',
        before: { human: 121.4, ai: 90 },
        since: { human: 264, ai: null },
        weeksBefore: 11,
        weeksSince: 2,
        pullRequest: {
          number: 12,
          url: 'https://github.com/acme/docs/pull/12',
          isBot: false,
          date: '2026-10-28',
        },
        changes: 2,
      },
    ],
    touched: 2,
    few: 1,
    shared: 0,
    unvisited: 2,
    isTruncated: false,
    hasSwings: true,
    pullRequests: { read: 3, partly: 0, unread: 0, isLeast: false },
  };
  return [now, previous, { earlier: weeks.slice(0, -1), gapsFound, changed }] as const;
}

describe('JSON', () => {
  test('has all rows and findings', () => {
    const rows = [...hostilePaths.map((path, index) => row(path, index, 1)), ...pagesOf(4_500)];
    const now = readOf(rows);
    const past = { ...before, cut: { kind: 'budget' } } as const;
    const names = ['csv', 'json', 'md'].map((type) => `out/visitors-acme-2026-W46.${type}`);
    expect([...filesWith(now, past).keys()]).toEqual(names);
    const periodBefore = {
      ...{ kind: 'last-week', start: '2026-11-02', end: '2026-11-09', days: 7 },
      ...{ label: 'Nov 2–8, 2026', complete: false, cut: 'budget' },
      totals: { ...before.totals, aiShare: 27.3 },
    };
    expect(jsonOf(now, past, { rules: 'ai-share > 5%' })).toEqual({
      version: 1,
      project: 'acme',
      timeZone: 'UTC',
      period: {
        ...{ kind: 'last-week', start: '2026-11-09', end: '2026-11-16', days: 7 },
        ...{ label: 'Nov 9–15, 2026', complete: true, cut: null },
        totals: { ...now.totals, aiShare: 27.3 },
        pages: rows.toSorted(byHuman),
      },
      before: { ...periodBefore, pages: [row('/a', 8, 1), row('/gone', 3, 0)] },
      earlier: [periodBefore],
      lastYear: null,
      usual: { human: null, ai: null, total: null },
      fourWeeks: null,
      judged: null,
      standingOut: [],
      checkFirst: null,
      changes: expect.anything(),
      new: null,
      gone: null,
      moved: [],
      alerts: [{ rule: 'ai-share > 5%', state: 'fired', why: '27%' }],
      gaps: null,
      changed: null,
    });
  });

  test('has what stands out, with both weeks, the range before, and what the service counted', () => {
    const { judged, standingOut, checkFirst, ...data } = jsonOf(...eventful());
    expect(judged).toMatchObject({ pages: 19, areWhole: true });
    expect(judged.weeks.map(({ start }: { start: string }) => start)).toEqual(
      [...eventful()[2].earlier, eventful()[0]].map((week) => week.window.start),
    );
    const levels = judged.weeks.map(({ level }: { level: number }) => level);
    expect(levels.at(-1)).toBe(1);
    expect(levels.at(-2)).toBeCloseTo(1.2, 1);
    const [section, fallen, risen] = standingOut;
    expect(section).toMatchObject({ path: '/api', pages: 8, side: 'fewer' });
    expect(fallen).toMatchObject({ path: '/sdk/go', side: 'fewer', weeks: [51, 53] });
    expect(risen).toMatchObject({ path: plain('/guides/agents'), side: 'more', weeks: [280, 288] });
    expect(risen).toMatchObject({ low: expect.any(Number), high: expect.any(Number) });
    expect(fallen.counted.slice(-4)).toEqual([114, 108, 44, 53]);
    expect(fallen.low).toBeGreaterThan(53);
    expect(checkFirst).toEqual({ path: '/sdk/go', side: 'fewer', human: expect.any(Number) });
    expect([data.gone, data.new, data.moved]).toEqual([
      [{ path: '/concepts/billing', human: 31, lastPeriod: '2026-11-02' }],
      [{ path: '/changelog', human: 30 }],
      [{ from: '/guides/setup', path: '/learn/setup', human: 48 }],
    ]);
    expect(data.gaps.list).toEqual([
      { what: 'feedback', page: '/sdk/go', missed: 7, asked: 9, human: 53 },
    ]);
  });

  test('has the usual range of people, its weeks, and those that it leaves out', () => {
    const [now, previous, found] = eventful();
    const earlier = found.earlier.with(3, {
      ...readOf([], { window: shiftWindow(window, -10) }),
      totals: { human: 9000, ai: 1, total: 9001 },
    });
    const { usual } = jsonOf(now, previous, { earlier });
    const range = { low: expect.any(Number), high: expect.any(Number), weeks: 12 };
    expect(usual.human).toMatchObject({ ...range, side: 'more' });
    expect(usual.human.leftOut).toContain('2026-08-31');
    expect(usual.human.leftOut).toHaveLength(2);
    expect(Object.keys(usual)).toEqual(['human', 'ai', 'total']);
  });

  test('has the numbers to redraw the chart', () => {
    const { earlier, period } = jsonOf(...eventful());
    expect(earlier).toHaveLength(13);
    for (const { totals } of [...earlier, period])
      expect(totals).toEqual({
        human: expect.any(Number),
        ai: 300,
        total: totals.human + 260,
        aiShare: expect.any(Number),
      });
  });

  const cut = { kind: 'budget' } as const;
  const scenes: [string, () => Parameters<typeof filesWith>][] = [
    ['an eventful week', () => [...eventful()]],
    [
      'a week of whose lists only the first rows were read',
      () => {
        const [now, previous, { earlier }] = eventful();
        const ranked = (read: WindowRead) => {
          const rows = [...read.rows.values()].toSorted((a, b) => b.total - a.total);
          return { ...readOf(rows.slice(0, 20)), window: read.window, totals: read.totals, cut };
        };
        return [ranked(now), ranked(previous), { earlier: earlier.map(ranked) }];
      },
    ],
    [
      'a week with alerts and the same week last year',
      () => {
        const [now, previous, { earlier }] = eventful();
        const rules = 'human unusual\nai < 5\ntotal > 1%';
        return [now, previous, { earlier, rules, lastYear: earlier[0] }];
      },
    ],
    ['a first week', () => [readOf([row('/a', 30, 2)])]],
    ['a silent week', () => [readOf([], { totals: { human: 0, ai: 0, total: 0 } }), before]],
    ['a week without totals', () => [readOf([row('/a', 30, 2)], { totals: {} }), before]],
    [
      'a week whose changed pages are unknown',
      () => [readOf([row('/a', 30, 2)]), before, { changed: { problem: 'no permission' } }],
    ],
  ];

  test.each(scenes)('of %s is as the schema describes it', (_, report) => {
    const data = jsonOf(...report());
    expect(schemaProblems(data)).toEqual([]);
    expect(schemaProblems({ ...data, more: 1 })).not.toEqual([]);
  });

  // A frozen file may be written anew until 1.0.0 is released. Then a new one is added instead.
  test('of an eventful week is as frozen', () => {
    const frozen = new URL('../../fixtures/reports/form-1.json', import.meta.url);
    const expected = JSON.parse(readFileSync(frozen, 'utf8'));
    expect(schemaProblems(expected)).toEqual([]);
    expect(jsonOf(...eventful())).toEqual(expected);
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
