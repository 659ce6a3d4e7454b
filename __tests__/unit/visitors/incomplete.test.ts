import { describe, expect, test } from '@jest/globals';
import { earlier, render } from './rendered.ts';
import { pagesOf, readOf, row, windowsOf } from './site.ts';

describe('a report that is incomplete', () => {
  const rows = pagesOf(30);
  const cut = { kind: 'budget' } as const;

  test('says so, what it lacks, and why, and shows nothing it cannot know', () => {
    const markdown = render(readOf(rows.toReversed(), { cut }), earlier(rows));
    expect(markdown).toContain(
      [
        '> [!WARNING]',
        '> Incomplete: only 30 pages of this week were read. Totals are complete; top pages, sections, pages read mostly by AI, and new and vanished pages are left out.',
        '> Raise `max-requests` (now 40).\n\n',
      ].join('\n'),
    );
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
    const markdown = render(readOf(rows, { cut }));
    expect(markdown).toContain('### Top pages');
    expect(markdown).toContain('Totals are complete; sections and pages read mostly by AI are left out.');
    expect(markdown).toContain('Not all pages were read, but these are the most visited');
    expect(markdown).toContain('Pages with more than 4,971 visitors are all known; only they can be listed.');
    expect(markdown).not.toMatch(/\d more not listed/);
  });

  test('speaks of one page and of one row as such', () => {
    const now = readOf([row('/a', 30, 0)], { cut });
    const markdown = render(now, earlier([row('/a', 30, 0)], { cut }));
    expect(markdown).toContain('only 1 page of this week and 1 page of the week before were read.');
    expect(markdown.match(/Raise `max-requests`/g)).toHaveLength(1);
    expect(render(now)).toContain('only 1 page of this week was read.');
    expect(markdown).toContain('1 page read, not all');
    expect(markdown).not.toMatch(/\b1 (pages|rows|requests|visitors)\b/);
  });

  test.each([
    [{ kind: 'changed' } as const, 'The list of pages changed while it was read, so some may be missing'],
    [
      { kind: 'service', reason: 'rate-limited', message: '@all', hint: 'Try again at six.' } as const,
      '> The service refused (`rate-limited`). Try again at six. What it said is in the log.\n',
    ],
    [
      { kind: 'service', reason: 'timeout', message: '@all', hint: 'Check the proxy.' } as const,
      '> The service gave no answer that could be used (`timeout`). Check the proxy. What it said is in the log.\n',
    ],
  ])('tells the cause %j', (cause, words) => {
    expect(render(readOf(rows, { cut: cause }))).toContain(words);
    const now = readOf(rows);
    const markdown = render(now, undefined, { windows: { ...windowsOf(now), whyNoBefore: cause } });
    expect(markdown).toContain('Incomplete: nothing of the week before was read.');
    expect(markdown).toContain('all comparisons are left out.');
    expect(markdown).toContain(words);
    expect(markdown).not.toContain('@all');
  });
});
