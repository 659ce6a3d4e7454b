import { describe, expect, test } from '@jest/globals';
import { type ChartKind, sparkline } from '../../../src/report/chart.ts';
import { earlier, render, weeksWith } from './rendered.ts';
import { readOf, row } from './site.ts';

const now = readOf([row('/a', 30, 3)]);
const counted = (total: number) => ({ human: total - 300, ai: 300, total });
const of = (totals: Parameters<typeof weeksWith>[0], charts: ChartKind = 'mermaid') =>
  render(now, undefined, { charts, earlier: weeksWith(totals) });

describe('the chart', () => {
  test('is bars of all visitors and of humans over them, each week labeled with its first day', () => {
    expect(of([1000, 950].map(counted))).toContain(
      'Visitors by week, labeled with its first day (🟧 all, 🟦 humans):\n\n```mermaid\n%%{init: {',
    );
    expect(of([1000, 950].map(counted))).toContain(
      [
        'xychart-beta',
        '  x-axis ["26 Oct", "2 Nov", "9 Nov"]',
        '  y-axis 0 --> 1100',
        '  bar [1000, 950, 1100]',
        '  bar [700, 650, 900]',
        '```',
      ].join('\n'),
    );
  });

  test('leaves out the humans where a week has none counted, and a week whose total is not known', () => {
    const markdown = of([{ total: 900 }, {}, counted(1000)]);
    expect(markdown).toContain(
      '["19 Oct", "2 Nov", "9 Nov"]\n  y-axis 0 --> 1100\n  bar [900, 1000, 1100]\n```',
    );
    expect(markdown).not.toContain('🟦');
  });

  test('has eight weeks at most, as text where that is asked for', () => {
    expect(of(Array(12).fill(counted(1000))).match(/"\d+ [A-Z]/g)).toHaveLength(8);
    expect(of([100, 400], 'text')).toMatch(/26 Oct █{2} 100\n 2 Nov █{7} 400\n 9 Nov █{20} 1,100\n/);
    expect(of([100, 400], 'none')).not.toMatch(/█|mermaid/);
  });

  test('is left out with two windows, which the table shows better', () => {
    const before = earlier([row('/a', 30, 3)]);
    for (const charts of ['mermaid', 'text'] as const)
      expect(render(now, before, { charts })).not.toMatch(/mermaid|█/);
  });

  test('of one window shows who the visitors were, as text', () => {
    expect(render(now, undefined, { charts: 'mermaid' })).toContain(
      'Human only ████████████████████ 800\n   AI only █████ 200\n      Both ███ 100\n',
    );
  });
});

test('a sparkline goes from the least to the most, with a dot for what is not known', () => {
  expect(sparkline([340, 360, undefined, 561])).toBe('▁▂·█');
  expect(sparkline([5, 5])).toBe('▁▁');
});
