import { describe, expect, test } from '@jest/globals';
import type { ReportSettings } from '../../../src/visitors/judge/report.ts';
import { asRead, render, weeksWith } from './rendered.ts';
import { readOf, row } from './site.ts';

const now = readOf([row('/a', 30, 3)]);
const counted = (total: number) => ({ human: total - 300, ai: 300, total });
const of = (totals: Parameters<typeof weeksWith>[0], charts: ReportSettings['charts'] = 'mermaid') =>
  render(now, undefined, { charts, earlier: weeksWith(totals) });

const luminance = (color: string) =>
  [0.2126, 0.7152, 0.0722].reduce((sum, weight, channel) => {
    const value = Number.parseInt(color.slice(1 + 2 * channel, 3 + 2 * channel), 16) / 255;
    return sum + weight * (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  }, 0);
/** WCAG 2.2, "contrast ratio". */
const contrast = (...colors: string[]) => {
  const [dark = 0, light = 0] = colors.map(luminance).toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
};

describe('the chart', () => {
  test('has colors that can be told apart from both pages and, in gray, from each other', () => {
    const [amber = '', blue = '', violet = ''] = of([1000, 950].map(counted)).match(/#[\da-f]{6}/g) ?? [];
    for (const color of [amber, blue, violet])
      for (const page of ['#ffffff', '#0d1117']) expect(contrast(color, page)).toBeGreaterThan(3);
    for (const bar of [amber, blue]) expect(contrast(bar, violet)).toBeGreaterThan(1.25);
  });

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
    const [low = [], high = []] = [...markdown.matchAll(/^ {2}line \[(.*)\]$/gm)].map(([, values = '']) =>
      values.split(', ').map(Number),
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
