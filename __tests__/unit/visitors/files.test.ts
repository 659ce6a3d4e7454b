import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { directoryProblem, diskFiles } from '../../../src/runner/files.ts';
import { byVisitors } from '../../../src/visitors/judge/site-pages.ts';
import { csvText, filesOf, reportPaths } from '../../../src/visitors/write/report-files.ts';
import { folderPerTest } from '../../support/folder.ts';
import { reportOf } from './rendered.ts';
import { anyPath, hostilePaths, pagesOf, readOf, row, window, windowBefore } from './site.ts';

const before = readOf([row('/a', 8, 1)], { window: windowBefore });

describe('CSV', () => {
  test('follows RFC 4180, and includes the window before', () => {
    expect(csvText({ now: readOf([{ path: '/"b",', total: 1 }, row('/a', 7, 2, 8)]), before })).toBe(
      '"path","human","ai","total","human_before","ai_before","total_before"\r\n"/a",7,2,8,8,1,9\r\n"/""b"",",,,1,,,\r\n',
    );
  });

  test('has every path and figure, and no formula', () => {
    const rows = fc.uniqueArray(fc.tuple(anyPath, fc.nat(), fc.nat()), { selector: ([path]) => path });
    fc.assert(
      fc.property(rows, (list) => {
        const pages = list.map(([path, human, ai]) => row(path, human, ai));
        const [, ...records] = parse(csvText({ now: readOf(pages), before: undefined })) as string[][];
        pages.sort(byVisitors);
        expect(records).toHaveLength(pages.length);
        for (const [index, page] of pages.entries()) {
          const [path = '', ...figures] = records[index] ?? [];
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

test('the JSON file has all rows and findings', () => {
  const rows = [...hostilePaths.map((path, index) => row(path, index, 1)), ...pagesOf(4_500)];
  const now = readOf(rows);
  const report = reportOf(now, { ...before, cut: { kind: 'budget' } }, { rules: 'ai-share > 5%' });
  const files = reportPaths('out', ['acme'], window.slug, []);
  const [csv, json, markdown] = filesOf({ ...report, files }, '# Report');
  const names = ['csv', 'json', 'md'].map((type) => `out/visitors-acme-2026-W46.${type}`);
  expect([csv, json, markdown].map((file) => file?.[0])).toEqual(names);
  expect(JSON.parse(json?.[1] ?? '')).toEqual({
    version: 1,
    project: 'acme',
    timeZone: 'UTC',
    window: {
      period: 'last-week',
      start: '2026-11-09',
      end: '2026-11-16',
      label: 'Nov 9–15, 2026',
      complete: true,
      cut: null,
      totals: now.totals,
      rows: rows.toSorted(byVisitors),
    },
    before: expect.objectContaining({
      start: '2026-11-02',
      complete: false,
      cut: 'budget',
      rows: [row('/a', 8, 1)],
    }),
    usual: {},
    movers: [],
    alerts: [{ rule: 'ai-share > 5%', state: 'fired', why: '27%' }],
    gaps: null,
  });
});

test('the order of the rows doesn’t change the files', () => {
  const files = reportPaths('out', ['acme'], window.slug, []);
  const rows = pagesOf(9, (index) => 50 + (index % 2));
  const written = (some: typeof rows) => filesOf({ ...reportOf(readOf(some), readOf(some)), files }, '');
  expect(written(rows.toReversed())).toEqual(written(rows));
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
