import { describe, expect, test } from '@jest/globals';
import type { ChartKind } from '../../../src/report/chart.ts';
import { earlier, render, withTotals } from './rendered.ts';
import { readOf, row } from './site.ts';

const now = readOf([row('/a', 30, 3)]);
const of = (counts: readonly number[], charts: ChartKind = 'mermaid') =>
  render(now, undefined, { charts, trend: withTotals(counts) });

describe('the chart', () => {
  test('is bars of the totals, each under its first day and with its figure', () => {
    const markdown = of([1000, 950, 1100]);
    expect(markdown).toContain('Visitors by week, each under its first day:\n\n```mermaid\n%%{init: {');
    expect(markdown).toContain(
      [
        'xychart-beta',
        '  x-axis ["26 Oct", "2 Nov", "9 Nov"]',
        '  y-axis 0 --> 1100',
        '  bar [1000, 950, 1100]',
        '```',
      ].join('\n'),
    );
  });

  test.each([
    [[9_999, 5_000, 6_000], 'Visitors by week', '9999, 5000, 6000'],
    [[12_345, 9_876, 9_999], 'Visitors in thousands by week', '12.3, 9.9, 10'],
    [[123_456, 98_765, 100_000], 'Visitors in thousands by week', '123, 99, 100'],
    [[2_345_678, 1_000_000, 999_999], 'Visitors in millions by week', '2.35, 1, 1'],
  ])('of %j has figures of four characters at most', (counts, lead, bars) => {
    const markdown = of(counts);
    expect(markdown).toContain(lead);
    expect(markdown).toContain(`  bar [${bars}]`);
  });

  test('of bars too low for their labels is drawn as text', () => {
    expect(of([100, 400, 601])).toMatch(/26 Oct █{3} 100\n/);
    expect(of([101, 400, 600])).toContain('bar [101, 400, 600]');
  });

  test('is left out with two windows, which the table tells better', () => {
    const before = earlier([row('/a', 30, 3)]);
    for (const charts of ['mermaid', 'text'] as const)
      expect(render(now, before, { charts })).not.toMatch(/mermaid|█/);
  });

  test('of one window shows who the visitors were, with colours for both themes', () => {
    const markdown = render(now, undefined, { charts: 'mermaid' });
    expect(markdown).toContain('pie showData\n  "Human only" : 800\n  "AI only" : 200\n  "Both" : 100\n```');
    const [, init = ''] = /%%\{init: (.*)\}%%/.exec(markdown) ?? [];
    expect(Object.keys(JSON.parse(init).themeVariables)).toEqual(
      expect.arrayContaining([
        ...['pie1', 'pie2', 'pie3', 'pieOpacity', 'pieStrokeColor', 'pieOuterStrokeColor'],
        ...['pieTitleTextColor', 'pieSectionTextColor', 'pieLegendTextColor'],
      ]),
    );
  });
});
