import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { openHistory } from '../../../src/report/history.ts';
import { previousWindow, type Window } from '../../../src/report/window.ts';
import type { WindowRead } from '../../../src/report/window-read.ts';
import {
  depsOf,
  filesIn,
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
// What the service did not count is not known of a kept window either.
const rows = [...hostilePaths.map((one, index) => row(one, index, 2)), { path: '/uncounted', total: 7 }];

/** A history file with this text, opened for these projects. */
function open(text = '', projects: readonly string[] = ['acme']) {
  const files = new Map(text === '' ? [] : [[path, text]]);
  const { deps, log } = depsOf(serviceOf(unused).service, { files: filesIn(files) });
  const history = openHistory(path, projects, deps);
  return { ...history, log, text: () => files.get(path) ?? '' };
}

/** The line of a window. */
function lineOf(read: WindowRead, project = 'acme'): string {
  const history = open();
  history.keep(project, read);
  return history.text();
}

test('a whole window comes back as it was read, from a file of a line each', () => {
  const read = readOf(rows);
  const text = lineOf(read);
  expect(text).toMatch(/^.*\}\n$/);
  expect(open(text).find('acme', window)).toEqual(read);
  expect(open(text).find('acme', windowBefore)).toBeUndefined();
  expect(open(text).find('other', window)).toBeUndefined();
});

test('a byte order mark in front is not part of the file', () => {
  const { find, log } = open(`\ufeff${lineOf(readOf(rows))}`);
  expect(log).toEqual([]);
  expect(find('acme', window)?.rows.size).toBe(rows.length);
});

test('of two whole lines about one window with other totals the later counts, and the other goes', () => {
  const line = (total: number) => lineOf(readOf([], { totals: { human: total, ai: 0, total } }));
  const ofOther = lineOf(readOf(rows), 'other');
  const history = open(`${line(5)}${ofOther}${line(6)}`, ['acme', 'other']);
  expect(history.totalsOf('acme', window)?.total).toBe(6);
  expect(history.log).toEqual([
    'warning: h.jsonl: line 1 left out, since a later line has other totals of that window',
  ]);
  history.keep('acme', readOf([], { window: windowBefore }));
  expect(history.text()).toMatch(
    new RegExp(`^${[ofOther, line(6)].map((one) => RegExp.escape(one)).join('')}.*\n$`),
  );
  expect(open(`${line(5)}${line(5)}`).log).toEqual([]);
});

describe('what is kept', () => {
  test('is never less than before: a whole window is only replaced by a whole one', () => {
    const step = fc.record({
      whole: fc.boolean(),
      total: fc.nat(),
      which: fc.constantFrom(window, windowBefore),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        let text = '';
        const expected = new Map<Window, { whole: boolean; total: number }>();
        for (const { whole, total, which } of steps) {
          const history = open(text);
          const totals = { human: total, ai: 0, total };
          history.keep(
            'acme',
            readOf([row('/a', total, 0)], { window: which, totals, ...(whole ? {} : { cut }) }),
          );
          text = history.text();
          if (whole || expected.get(which)?.whole !== true) expected.set(which, { whole, total });
        }
        for (const which of [window, windowBefore]) {
          const [history, known] = [open(text), expected.get(which)];
          expect(history.totalsOf('acme', which)?.total).toBe(known?.total);
          expect(history.find('acme', which)?.totals.total).toBe(known?.whole ? known.total : undefined);
        }
      }),
      { numRuns: 100 },
    );
  });

  test('includes lines that are not understood, as they were, and other projects', () => {
    const broken = lineOf(readOf([row('/a', 1, 2)]))
      .replace('"/a",1', '"/a",-1')
      .trimEnd();
    const lines = ['{"v":2,"new":true}', lineOf(readOf(rows), 'other').trimEnd(), 'no json', broken];
    const history = open(['', ...lines, ''].join('\n'));
    expect(history.log).toEqual([
      'warning: h.jsonl: lines 2, 4, 5 could not be understood; kept as found, and not used',
    ]);
    expect(history.find('acme', window)).toBeUndefined();
    history.keep('acme', readOf([]));
    expect(history.text().trimEnd().split('\n').slice(0, 4)).toEqual(lines);
  });

  test('includes what another run writes meanwhile', () => {
    const files = new Map<string, string>();
    const { deps } = depsOf(serviceOf(unused).service, { files: filesIn(files) });
    const history = openHistory(path, ['acme'], deps);
    history.keep('acme', readOf([]));
    files.set(path, '{"v":2}\n');
    history.keep('acme', readOf([], { window: windowBefore }));
    const lines = (files.get(path) ?? '').trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).end)).toEqual([undefined, window.end, windowBefore.end]);
  });

  test('are the rows of twelve windows, latest first, and the totals of all', () => {
    const history = open(lineOf(readOf(rows), 'other'));
    const windows: Window[] = [window];
    while (windows.length < 15) windows.push(previousWindow(windows.at(-1) ?? window));
    for (const which of windows) history.keep('acme', readOf(rows, { window: which }));
    const kept = windows.map((which) => history.find('acme', which) !== undefined);
    expect(kept).toEqual(windows.map((_, index) => index < 12));
    expect(windows.every((which) => history.totalsOf('acme', which)?.total === 1100)).toBe(true);
    expect(history.find('other', window)).toBeDefined();
    // It has no rows any more, but it was complete: a window that was not read whole does not replace it.
    const text = history.text();
    history.keep('acme', readOf([], { window: windows.at(-1) ?? window, cut }));
    expect(history.text()).toBe(text);
  });
});
