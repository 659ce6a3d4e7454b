import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  findTotals,
  findWhole,
  historyText,
  parseHistory,
  withWindow,
} from '../../../src/visitors/read/history-lines.ts';
import { previousWindow, type Window } from '../../../src/visitors/read/period.ts';
import type { WindowRead } from '../../../src/visitors/read/window-read.ts';
import { hostilePaths, noOddities, readOf, row, window, windowBefore } from './site.ts';

const open = (text: string, project = 'acme') => parseHistory(text, project).history;
const empty = open('');
const cut = { kind: 'budget' } as const;
const rows = hostilePaths.map((path, index) => row(path, index, 2));

test('a whole window comes back as it was read, from a file', () => {
  const read = readOf(rows, { oddities: { ...noOddities, emptyEnd: true } });
  const text = historyText(withWindow(empty, read));
  expect(text.endsWith('}\n')).toBe(true);
  expect(text.trimEnd()).not.toContain('\n');
  const { rows: recalled, ...rest } = findWhole(open(text), window) ?? {};
  const { rows: known, ...expected } = read;
  expect(rest).toEqual(expected);
  expect([...(recalled?.values() ?? [])]).toEqual([...known.values()]);
  expect(findWhole(open(text), windowBefore)).toBeUndefined();
  expect(findWhole(open(text, 'other'), window)).toBeUndefined();
});

test('what the service did not tell is not known of a kept window either', () => {
  const read = readOf([{ path: '/a', total: 7 }], { totals: { ai: 3, total: 9 } });
  const history = open(historyText(withWindow(empty, read)));
  expect(findWhole(history, window)?.rows.get('/a')).toEqual({ path: '/a', total: 7 });
  expect(findTotals(history, window)).toEqual({ ai: 3, total: 9 });
});

test.each([
  ['repeatedRows', 1],
  ['unusableRows', 1],
  ['shortPages', 1],
  ['driftedPages', 1],
])('a line with %s is no whole window, though it says so', (oddity, count) => {
  const line = historyText(withWindow(empty, readOf(rows, { oddities: { ...noOddities, [oddity]: count } })));
  expect(line).toContain('"complete":true');
  expect(findWhole(open(line), window)).toBeUndefined();
});

test('a byte order mark in front is no part of the file', () => {
  const text = historyText(withWindow(empty, readOf(rows)));
  const { history, unreadable } = parseHistory(`\ufeff${text}`, 'acme');
  expect(unreadable).toEqual([]);
  expect(findWhole(history, window)?.rows.size).toBe(rows.length);
  expect(historyText(history)).toBe(text);
});

test('of two whole lines about one window with other totals the later counts, and the other goes', () => {
  const line = (total: number, of: WindowRead = readOf([row('/a', total, 0)])) =>
    historyText(withWindow(empty, { ...of, totals: { human: total, ai: 0, total } }));
  const [one, other] = [line(5), line(6)];
  const partial = line(7, readOf([], { cut }));
  const ofOther = historyText(withWindow(open('', 'other'), readOf(rows)));
  const { history, unreadable, outdated } = parseHistory(`${one}${ofOther}${other}${partial}`, 'acme');
  expect({ unreadable, outdated }).toEqual({ unreadable: [], outdated: [1] });
  expect(historyText(history)).toBe(`${ofOther}${other}${partial}`);
  expect(findTotals(history, window)?.total).toBe(6);
  expect(parseHistory(`${one}${ofOther}${one}`, 'acme').outdated).toEqual([]);
});

test('a window cut short gives its totals to the trend, and costs its requests again', () => {
  const history = withWindow(empty, readOf(rows, { cut }));
  expect(findWhole(history, window)).toBeUndefined();
  expect(findTotals(history, window)).toEqual({ human: 900, ai: 300, total: 1100 });
});

describe('what is kept', () => {
  test('is never less than before: a whole window gives way only to a whole one', () => {
    const step = fc.record({
      whole: fc.boolean(),
      total: fc.nat(),
      which: fc.constantFrom(window, windowBefore),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        let history = empty;
        const expected = new Map<Window, { whole: boolean; total: number }>();
        for (const { whole, total, which } of steps) {
          const read: WindowRead = readOf([row('/a', total, 0)], {
            window: which,
            totals: { human: total, ai: 0, total },
          });
          history = open(historyText(withWindow(history, whole ? read : { ...read, cut })));
          if (whole || expected.get(which)?.whole !== true) expected.set(which, { whole, total });
        }
        for (const which of [window, windowBefore]) {
          const known = expected.get(which);
          expect(findTotals(history, which)?.total).toBe(known?.total);
          expect(findWhole(history, which)?.rows.get('/a')?.total).toBe(
            known?.whole ? known.total : undefined,
          );
        }
        expect(history.lines).toHaveLength(expected.size);
      }),
      { numRuns: 100 },
    );
  });

  test('includes lines that are no entries, as they were, and other projects', () => {
    const other = historyText(withWindow(open('', 'other'), readOf(rows))).trimEnd();
    const strange = [
      '{"v":2,"new":true}',
      'no json',
      '{"v":1,"project":"acme"',
      '{"v":1,"project":"acme","start":5}',
    ];
    const parsed = parseHistory([strange[0], other, ...strange.slice(1), '', ''].join('\n'), 'acme');
    expect(parsed.unreadable).toEqual([1, 3, 4, 5]);
    const lines = historyText(withWindow(parsed.history, readOf([])))
      .trimEnd()
      .split('\n');
    expect(lines.slice(0, 5)).toEqual([strange[0], other, ...strange.slice(1)]);
    expect(lines).toHaveLength(6);
  });

  test('with missing totals is no entry', () => {
    const text = historyText(withWindow(empty, readOf([row('/a', 1, 2)])));
    expect(parseHistory(text.replace('"ai":300,', ''), 'acme').unreadable).toEqual([1]);
    expect(parseHistory(text.trimEnd().slice(0, -1), 'acme').unreadable).toEqual([1]);
  });

  test('with broken rows is no entry: it is read again, and kept beside what was read', () => {
    const text = historyText(withWindow(empty, readOf([row('/a', 1, 2)])));
    for (const broken of [
      text.replace('"/a",1', '"/a",-1'),
      text.replace('"/a",', '"/a"'),
      text.replace(']]', ']'),
    ]) {
      expect(broken).not.toBe(text);
      expect(parseHistory(broken, 'acme').unreadable).toEqual([1]);
      expect(findWhole(open(broken), window)).toBeUndefined();
      const mended = withWindow(open(broken), readOf([row('/a', 1, 2)]));
      expect(historyText(mended)).toBe(`${broken}${text}`);
      expect(findWhole(mended, window)?.rows.get('/a')).toEqual(row('/a', 1, 2));
    }
  });

  test('are the rows of twelve windows, and the totals of all', () => {
    let history = open(historyText(withWindow(open('', 'other'), readOf(rows))));
    history = { ...history, project: 'acme' };
    const windows: Window[] = [window];
    for (let back = 1; back < 15; back += 1) windows.push(previousWindow(windows.at(-1) ?? window));
    const oldestFirst = windows.toReversed();
    // In whatever order they were read: the latest by date keep their rows.
    const [newest = window, ...others] = windows;
    for (const which of [newest, ...others.toReversed()]) {
      history = withWindow(history, readOf(rows, { window: which }));
    }
    const kept = oldestFirst.map((which) => findWhole(history, which) !== undefined);
    expect(kept).toEqual(oldestFirst.map((_, index) => index >= 3));
    expect(oldestFirst.every((which) => findTotals(history, which)?.total === 1100)).toBe(true);
    expect(findWhole({ ...history, project: 'other' }, window)).toBeDefined();
    // Its rows were left out, yet it was complete: a window that was not read whole does not replace it.
    const [oldest = window] = oldestFirst;
    expect(withWindow(history, readOf([], { window: oldest, cut }))).toBe(history);
  });
});
