import { describe, expect, test } from '@jest/globals';
import type { ReportSettings } from '../../../src/visitors/judge/report.ts';
import { asRead, render, weeksWith } from './rendered.ts';
import { readOf, row } from './site.ts';

const now = readOf([row('/a', 30, 3)]);
const counted = (total: number) => ({ human: total - 300, ai: 300, total });
const of = (
  totals: Parameters<typeof weeksWith>[0],
  charts: ReportSettings['charts'] = 'mermaid',
) => render(now, undefined, { charts, earlier: weeksWith(totals) });

describe('the chart', () => {
  test('has bars for all visitors and, in front, for people', () => {
    const markdown = of([1000, 950].map(counted));
    const axes = 'xychart-beta\n  x-axis ["Oct 26", "Nov 2", "Nov 9"]\n  y-axis 0 --> 1144\n';
    const legend = '<sub>🟦 people, 🟧 only AI</sub>';
    expect(markdown).toContain(
      `${axes}  bar [1000, 950, 1100]\n  bar [700, 650, 900]\n\`\`\`\n\n${legend}\n`,
    );
  });

  test('has the ends of the usual range week by week, as two lines that slope with growth', () => {
    const growing = Array.from({ length: 8 }, (_, week) => Math.round(600 * 1.08 ** week));
    const markdown = of(growing.map(counted));
    const [low = [], high = []] = [...markdown.matchAll(/^ {2}line \[(.*)\]$/gm)].map(
      ([, values = '']) => values.split(', ').map(Number),
    );
    expect([low.length, high.length]).toEqual([8, 8]);
    for (const line of [low, high]) expect(line).toEqual(line.toSorted((a, b) => a - b));
    const shown = [...growing.slice(1), 1100];
    for (const [week, total] of shown.entries()) {
      expect(low[week]).toBeLessThan(total);
      expect(high[week]).toBeGreaterThan(total);
    }
    const usual = `${low.at(-1)?.toLocaleString('en-US')}–${high.at(-1)?.toLocaleString('en-US')}`;
    expect(asRead(markdown)).toContain(`**1,100 visitors, as usual** (${usual})`);
    expect(markdown).toContain('🟪 usual range for all visitors');
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
