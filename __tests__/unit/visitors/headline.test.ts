import { describe, expect, test } from '@jest/globals';
import type { WindowRead } from '../../../src/report/window-read.ts';
import { earlier, parse, render, rowsOf, type Settings, tablesOf } from './rendered.ts';
import { readOf, row } from './site.ts';

describe('the verdict', () => {
  const first = (markdown: string) => markdown.split('\n\n')[1]?.split('\n')[0];
  const now = readOf([row('/a', 30, 3)]);
  const totals = (total: number) => ({ human: total, ai: 0, total });

  test.each([
    [950, ', up 15.8%** from the week before (950)'],
    [1050, ',** about as many as in the week before (1,050)'],
    [2000, ', down 45.0%** from the week before (2,000)'],
    [1099, ',** about as many as in the week before (1,099)'],
  ])('after %d says how it changed', (before, words) => {
    expect(first(render(now, earlier([row('/a', 1, 0)], { totals: totals(before) })))).toBe(
      `**1,100 visitors${words}. AI was 27.3% of them, up 27.3 points.`,
    );
  });

  test('names no chance as news, and no fall as a whole one that is none', () => {
    const verdict = (after: number, before: number) =>
      first(
        render(
          readOf([row('/a', 1, 0)], { totals: totals(after) }),
          earlier([row('/a', 1, 0)], { totals: totals(before) }),
        ),
      );
    expect(verdict(10, 6)).toContain('**10 visitors,** about as many as in the week before (6).');
    expect(verdict(1, 100_000)).toContain('**1 visitor, down >99.9%** from the week before (100,000).');
  });

  test('of a total of 0 beside pages with visitors says nothing of the whole site', () => {
    const uncounted = { totals: totals(0) };
    const markdown = render(readOf([row('/a', 30, 3)], uncounted), earlier([row('/a', 500, 0)]));
    expect(first(markdown)).toBe(
      '**There were visitors, but the service gave no total above 0,** so nothing is said of the whole site.',
    );
    expect(markdown).not.toContain('down');
    expect(tablesOf(parse(markdown)).map(rowsOf)).toContainEqual([
      ['All visitors', '–', '–', '950'],
      ['Human', '–', '–', '800'],
      ['AI', '–', '–', '200'],
      ['AI share', '–', '–', '21.1%'],
    ]);
    expect(first(render(now, earlier([row('/a', 30, 3)], uncounted)))).toContain(
      'The service gave no total above 0 for the week before, though there were visitors.',
    );
  });

  test('of no data is that no visits were recorded, and no fall of 100%', () => {
    const nothing = readOf([], { totals: totals(0) });
    const markdown = render(nothing, earlier([row('/a', 500, 0)]), { rules: 'total < -30%' });
    expect(first(markdown)).toBe('**No visits were recorded:** nobody came, or the site was not counted.');
    expect(markdown).not.toMatch(/100(\.0)?%/);
    expect(tablesOf(parse(markdown))).toHaveLength(0);
    expect(markdown).toContain('### Not checked\n\n- `total < -30%`: no visits were recorded.');
  });

  test('tells the AI share’s change in points', () => {
    const share = (ai: number, aiBefore: number) =>
      first(
        render(
          readOf([row('/a', 30, 3)], { totals: { human: 1000, ai, total: 1000 } }),
          earlier([row('/a', 30, 3)], { totals: { human: 1000, ai: aiBefore, total: 1000 } }),
        ),
      );
    expect(share(364, 346)).toContain('AI was 36.4% of them, up 1.8 points.');
    expect(share(346, 364)).toContain('AI was 34.6% of them, down 1.8 points.');
    expect(share(346, 346)).toContain('AI was 34.6% of them, as in the week before.');
  });

  test('names the largest rise and the largest fall, and says where more may be unknown', () => {
    const movers = (more: Settings = {}, part: Partial<WindowRead> = {}) =>
      render(
        readOf([row('/up', 250, 0), row('/more', 200, 0), row('/down', 20, 0)], part),
        earlier([row('/up', 100, 0), row('/more', 100, 0), row('/down', 133, 0)]),
        more,
      ).split('\n\n')[1];
    expect(movers()).toMatch(/\nLargest rise: `\/up` \(\+150\); largest fall: `\/down` \(−113\)\.$/);
    expect(movers({}, { cut: { kind: 'budget' } })).toContain(
      'Largest known rise: `/up` (+150); largest known',
    );
    expect(movers({ pages: ['/more'] })).toMatch(
      /\nOf the pages chosen, largest rise: `\/more` \(\+100\)\.$/,
    );
    expect(render(now, earlier([row('/a', 30, 3)]))).not.toContain('Largest');
  });
});
