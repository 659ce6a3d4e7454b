import { describe, expect, test } from '@jest/globals';
import type { ReportSettings } from '../../../src/visitors/judge/report.ts';
import { sparkline } from '../../../src/visitors/write/chart.ts';
import { render, weeksWith } from './rendered.ts';
import { readOf, row } from './site.ts';

const now = readOf([row('/a', 30, 3)]);
const counted = (total: number) => ({ human: total - 300, ai: 300, total });
const of = (totals: Parameters<typeof weeksWith>[0], charts: ReportSettings['charts'] = 'mermaid') =>
  render(now, undefined, { charts, earlier: weeksWith(totals) });

describe('the chart', () => {
  test('has bars for all visitors and for humans, and says how many were the most', () => {
    const markdown = of([1000, 950].map(counted));
    expect(markdown).toContain(
      'Visitors by week (🟧 all, 🟦 humans). Highest: 1,100, Nov 9.\n\n```mermaid\n%%{init: {',
    );
    const axes = 'xychart-beta\n  x-axis ["Oct 26", "Nov 2", "Nov 9"]\n  y-axis 0 --> 1100\n';
    expect(markdown).toContain(`${axes}  bar [1000, 950, 1100]\n  bar [700, 650, 900]\n\`\`\``);
  });

  test('leaves out a week without a total or without humans', () => {
    const markdown = of([counted(900), {}, { total: 950 }, counted(1000)]);
    expect(markdown).toContain('["Oct 12", "Nov 2", "Nov 9"]');
  });

  test('has at most eight weeks, beginning with the first visitor', () => {
    expect(of(Array(12).fill(counted(1000))).match(/"[A-Z][a-z]+ \d+"/g)).toHaveLength(8);
    expect(of([0, 0, 500, 0, 400])).toContain('  bar [500, 0, 400, 1100]\n');
    for (const totals of [[], [400], [0, 0, 0, 400]]) expect(of(totals)).not.toContain('mermaid');
    expect(of([100, 400], 'none')).not.toContain('mermaid');
  });
});

test('a sparkline has a dot for an unknown week', () => {
  expect(sparkline([340, 360, undefined, 561])).toBe('▁▂·█');
  expect(sparkline([5, 5])).toBe('▁▁');
});
