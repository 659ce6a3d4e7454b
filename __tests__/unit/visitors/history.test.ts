import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { openHistory } from '../../../src/visitors/read/history.ts';
import { chooseWindow, shiftWindow, type Window } from '../../../src/visitors/read/window.ts';
import type { WindowRead } from '../../../src/visitors/read/window-read.ts';
import { MemoryFiles } from '../../support/files.ts';
import {
  depsOf,
  hostilePaths,
  readOf,
  row,
  serviceOf,
  unused,
  window,
  windowBefore,
} from './site.ts';

const path = 'h.jsonl';
const cut = { kind: 'budget' } as const;
const rows = [
  ...hostilePaths.map((path, index) => row(path, index, 2)),
  { path: '/uncounted', total: 7 },
];

const isWhole = (read: WindowRead) => read.cut === undefined;
const unreadable = 'warning: h.jsonl has lines that can’t be read (line ';
const totalsOf = (total: number) => ({ totals: { human: total, ai: 0, total } });

/** Opens a history file with this text. Its `keep` also writes the file. */
function open(text = '', windowsWithRows = 9, files = new MemoryFiles()) {
  if (text !== '') files.write(path, text);
  const { deps, log } = depsOf(serviceOf(unused).service, { files });
  const history = openHistory(path, windowsWithRows, deps);
  const keep: typeof history.keep = (...args) => {
    history.keep(...args);
    history.save();
  };
  return { ...history, keep, log, text: () => files.read(path) ?? '' };
}

/** A window and those before it, newest first. */
function windowsBack(which: Window, count: number): Window[] {
  return count === 0 ? [] : [which, ...windowsBack(shiftWindow(which, -1), count - 1)];
}

/** The text of the history file after a run whose report is about one window. */
function runOf(before: string, which: Window, windowsOfReport: number): string {
  const history = open(before, windowsOfReport);
  history.find('acme', which);
  history.keep('acme', readOf(rows, { window: which }));
  return history.text();
}

function lineOf(read: WindowRead, project = 'acme'): string {
  const history = open();
  history.keep(project, read);
  return history.text();
}

test('each window is one line, and a complete window is restored exactly', () => {
  const read = readOf(rows);
  const text = lineOf(read);
  expect(text).toMatch(/^.*\}\n$/);
  expect(open(text).find('acme', window)).toEqual(read);
  const unknown = { totals: {}, rows: new Map(), cut };
  expect(open(text).find('acme', windowBefore)).toMatchObject(unknown);
  expect(open(text).find('other', window)).toMatchObject(unknown);
});

test('if two lines are about the same complete window, the later one is used', () => {
  const line = (total: number) => lineOf(readOf([], totalsOf(total)));
  expect(open(`${line(5)}${line(6)}`).find('acme', window).totals.total).toBe(6);
  const history = open(`${line(5)}${lineOf(readOf(rows), 'other')}${line(6)}`);
  history.keep('acme', readOf([], totalsOf(7)));
  expect(history.text()).toBe(`${lineOf(readOf(rows), 'other')}${line(7)}`);
});

test('an incomplete window has its totals and, if they are known, its most-read pages, labeled', () => {
  const first = [row('/a', 7, 2, 8), { path: '/b', total: 5 }];
  const read = readOf(first, { cut });
  const line = lineOf(read);
  expect(JSON.parse(line)).toMatchObject({ complete: false, rows: null, first });
  expect(open(line).find('acme', window)).toEqual(read);
  const rising = readOf(first.toReversed(), { cut });
  const changed = readOf(first, { cut: { kind: 'changed' }, mayLackRows: true });
  for (const other of [rising, changed]) {
    expect(lineOf(other)).not.toContain('first');
    expect(open(lineOf(other)).find('acme', window)).toMatchObject({
      rows: new Map(),
      cut,
      totals: read.totals,
    });
  }
});

test('the file of an earlier version is read, and reads ours as far as it can', () => {
  const totals = '"totals":{"human":900,"ai":300,"total":1100}';
  const head = '{"v":1,"project":"acme","start":"2026-11-09","end":"2026-11-16"';
  const whole = `${head},"complete":true,${totals},"rows":[["/a",7,2,8],["/b",null,null,5]]}\n`;
  const first = [row('/a', 7, 2, 8), { path: '/b', human: undefined, ai: undefined, total: 5 }];
  expect(open(whole).find('acme', window)).toEqual(readOf(first));
  const old = { human: 900, ai: 300, total: 1100 };
  expect(
    open(`${head},"complete":false,${totals},"rows":null}\n`).find('acme', window),
  ).toMatchObject({
    ...{ totals: old, cut, rows: new Map() },
  });
  // Earlier versions read whole windows, and the totals of others. They know nothing of `first`, and keep it.
  expect(lineOf(readOf(first))).toBe(whole);
  expect(JSON.parse(lineOf(readOf(first, { cut })))).toMatchObject({
    v: 1,
    complete: false,
    totals: old,
    rows: null,
  });
});

test('lines are in the order of their dates, and those that can’t be read come first', () => {
  const history = open(
    `${lineOf(readOf(rows), 'b')}{"v":2}\n${lineOf(readOf(rows, { window: windowBefore }))}`,
  );
  history.keep('acme', readOf(rows));
  const starts = history
    .text()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).start);
  expect(starts).toEqual([undefined, windowBefore.start, window.start, window.start]);
});

test('fields that a version doesn’t know are ignored, and counts may be null', () => {
  const text = lineOf(readOf([row('/a', 7, 2)])).replace('"v":1,', '"v":1,"new":[1],');
  expect(open(text).find('acme', window)).toEqual(readOf([row('/a', 7, 2)]));
  const partial = lineOf(readOf([], { totals: { total: 3 } }));
  expect(partial).toContain('"totals":{"human":null,"ai":null,"total":3}');
  expect(open(partial).find('acme', window).totals).toEqual({ total: 3 });
});

describe('the history keeps', () => {
  test('a complete window until another complete one replaces it', () => {
    const which = fc.constantFrom(window, windowBefore);
    const step = fc.record({ whole: fc.boolean(), total: fc.nat(), which });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        let text = '';
        const expected = new Map<Window, { whole: boolean; total: number }>();
        for (const { whole, total, which } of steps) {
          const history = open(text);
          const more = { window: which, ...totalsOf(total), cut: whole ? undefined : cut };
          history.keep('acme', readOf([row('/a', total, 0)], more));
          text = history.text();
          if (whole || expected.get(which)?.whole !== true) expected.set(which, { whole, total });
        }
        for (const which of [window, windowBefore]) {
          const [history, known] = [open(text), expected.get(which)];
          const { totals, cut } = history.find('acme', which);
          expect([totals.total, cut === undefined]).toEqual([known?.total, known?.whole ?? false]);
        }
      }),
      { numRuns: 100 },
    );
  });

  const sound = lineOf(readOf([row('/a', 1, 2)]));

  test('unknown lines, broken rows, and other projects unchanged', () => {
    const broken = ['5', 'null', '"/a"'].map((row) => sound.trimEnd().replace('["/a",1,2,3]', row));
    const lines = [
      '{"v":2,"new":true}',
      'no json',
      ...broken,
      lineOf(readOf(rows), 'other').trimEnd(),
    ];
    const history = open(['', ...lines, ''].join('\n'));
    expect(history.log).toEqual([`${unreadable}1, 2, 3, 4, 5). They are kept, but not used.`]);
    history.keep('acme', readOf(rows));
    expect(history.text().trimEnd().split('\n')).toEqual([
      ...lines,
      lineOf(readOf(rows)).trimEnd(),
    ]);
  });

  test('the totals of all windows, and the rows of the latest ones', () => {
    const text = lineOf(readOf(rows), 'other');
    const windows = windowsBack(window, 15);
    let later = text;
    for (const which of windows.toReversed()) later = runOf(later, which, 5);
    const history = open(later);
    const kept = windows.map((which) => isWhole(history.find('acme', which)));
    expect(kept).toEqual(windows.map((_, index) => index < 5));
    expect(windows.every((which) => history.find('acme', which).totals.total === 1100)).toBe(true);
    expect(isWhole(history.find('other', window))).toBe(true);
    // The oldest line lost its rows but is still complete, so an incomplete window must not replace it.
    history.keep('acme', readOf([], { window: windows.at(-1) ?? window, cut }));
    expect(history.text()).toBe(later);
  });

  test.each([
    ['windows that overlap', ['last-4-weeks']],
    ['weeks and months', ['last-week', 'last-month']],
  ] as const)('all rows that the next report needs, even with %s in one file', (_, periods) => {
    let text = '';
    for (let week = 0; week < 60; week += 1) {
      for (const period of periods) {
        const now = Date.parse('2026-11-16') + week * 7 * 86_400_000;
        const needed = windowsBack(chooseWindow({ period, timeZone: 'UTC' }, now), 9);
        const history = open(text, needed.length);
        const unknown = needed.filter((which) => !isWhole(history.find('acme', which)));
        if (week >= 5) expect(unknown.filter((which) => which !== needed[0])).toEqual([]);
        for (const which of unknown) history.keep('acme', readOf(rows, { window: which }));
        text = history.text() || text;
      }
    }
  });

  test('the rows that this run used, even old ones', () => {
    const old = { ...window, start: '2024-01-01', end: '2024-01-08' };
    const text = runOf(lineOf(readOf(rows)), old, 2);
    expect(isWhole(open(text).find('acme', old))).toBe(true);
    expect(isWhole(open(runOf(text, window, 2)).find('acme', old))).toBe(false);
  });
});
