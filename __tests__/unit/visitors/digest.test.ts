import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { digestOf } from '../../../src/visitors/digest.ts';
import { earlier, reportOf, type Settings } from './rendered.ts';
import { anyPath, hostilePaths, readOf, row } from './site.ts';

const runUrl = 'https://github.test/octo-org/docs/actions/runs/77';
const before = earlier([row('/up', 100, 0), row('/down', 133, 0), row('/more', 20, 0)]);
const rows = [row('/up', 250, 0), row('/down', 20, 0), row('/more', 90, 0), row('/fourth', 40, 0)];
const of = (more: Settings = {}) => digestOf(reportOf(readOf(rows), before, more), runUrl);

test('the digest is verdict, three movers, alerts and the run’s address, in plain text', () => {
  expect(of({ rules: 'total > 5%' })).toBe(
    [
      'Docs visitors, 9–15 November 2026',
      '1,100 visitors, up 15.8% from the week before (950). AI was 27.3% of them, up 6.2 points.',
      '+150 /up\n−113 /down\n+70 /more',
      '1 of 1 rule fired, in 1 place.',
      runUrl,
    ].join('\n\n'),
  );
});

test('it says what is missing, and tells of no data', () => {
  const cut = { kind: 'service', reason: 'timeout', message: '@all', hint: 'Wait.' } as const;
  const incomplete = digestOf(reportOf(readOf(rows, { cut })), runUrl);
  expect(incomplete).toContain('Incomplete: only 4 pages of this week were read.');
  expect(incomplete).toContain('no answer that could be used (timeout)');
  expect(incomplete).not.toContain('@all');
  const nothing = readOf([], { totals: { human: 0, ai: 0, total: 0 } });
  expect(digestOf(reportOf(nothing), runUrl)).toContain('No visits were recorded: nobody came');
});

describe('a path from outside', () => {
  const shown = (path: string) => {
    const content = reportOf(readOf([row(path, 900, 0)]), earlier([]));
    return /^\+900 (.*)$/m.exec(digestOf(content, runUrl))?.[1];
  };

  test.each([
    ['/guides/get_started-2', '/guides/get_started-2'],
    ['/llms.txt', '/llms%2Etxt'],
    ['/@here/<!channel>', '/%40here/%3C%21channel%3E'],
    ['https://evil.example', 'https%3A//evil%2Eexample'],
    ['/a\nb', '/a%0Ab'],
    ['/*x*~y~`z`', '/%2Ax%2A%7Ey%7E%60z%60'],
    [':smile:', '%3Asmile%3A'],
    ['/\ud800', '/%EF%BF%BD'],
    ['', '(empty path)'],
    [`/${'é'.repeat(40)}`, `/${'%C3%A9'.repeat(26)}…`],
    [`/${'x'.repeat(200)}`, `/${'x'.repeat(159)}…`],
  ])('%j is written %s', (path, written) => {
    expect(shown(path)).toBe(written);
  });

  test('whatever it is, makes no mention, link or markup, keeps to its line, and leaves room', () => {
    const paths = fc.uniqueArray(anyPath, { minLength: 3, maxLength: 6 });
    fc.assert(
      fc.property(paths, (some) => {
        const content = reportOf(readOf(some.map((path) => row(path, 900, 0))), earlier([]), {
          rules: 'total /** > 1%\nai-share > 1%',
        });
        const text = digestOf(content, runUrl);
        expect(text.length).toBeLessThanOrEqual(3_000);
        const [, , moved = ''] = text.split('\n\n');
        expect(moved.split('\n')).toHaveLength(3);
        for (const line of moved.split('\n')) expect(line).toMatch(/^\+900 (\(empty path\)|[\w/%-]+…?)$/);
        expect(text.endsWith(`\n\n${runUrl}`)).toBe(true);
      }),
      { numRuns: 200 },
    );
    expect(hostilePaths.map(shown).every((path) => path !== undefined)).toBe(true);
  });
});
