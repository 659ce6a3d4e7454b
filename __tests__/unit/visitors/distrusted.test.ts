import { describe, expect, test } from '@jest/globals';
import { summaryLimit } from '../../../src/report/blocks.ts';
import { renderReport } from '../../../src/visitors/render.ts';
import type { Report } from '../../../src/visitors/report.ts';
import { reportResult } from '../../../src/visitors/result.ts';
import { earlier, parse, render, reportOf, rowsOf, tablesOf } from './rendered.ts';
import { readOf, row } from './site.ts';

describe('figures of the service that cannot be trusted', () => {
  const pages = [row('/a', 500, 500, 1000)];
  const with500Ai = earlier(pages, { totals: { human: 1000, ai: 500, total: 1000 } });

  test.each([
    ['0 beside pages that have it', { human: 1000, ai: 0, total: 1000 }],
    ['missing', { human: 1000, total: 1000 }],
  ])('an AI total that is %s: nothing is said of AI', (_, totals) => {
    const report = reportOf(readOf(pages, { totals }), with500Ai, { charts: 'mermaid' });
    const markdown = renderReport(report, summaryLimit);
    expect(markdown).toContain(
      '**1,000 visitors,** about as many as in the week before (1,000). The service gave no total of AI visitors.',
    );
    expect(tablesOf(parse(markdown)).map(rowsOf)).toContainEqual([
      ['All visitors', '1,000', '0', '1,000'],
      ['Human', '1,000', '0', '1,000'],
      ['AI', '–', '–', '500'],
      ['AI share', '–', '–', '50.0%'],
    ]);
    expect(markdown).not.toMatch(/visitors? came both/);
    const outputs = outputsOf(report);
    expect(outputs).toMatchObject({ total: '1000', human: '1000', ai: '', 'ai-share': '' });
    expect(outputs.digest).toContain('(1,000). The service gave no total of AI visitors.');
  });

  test.each(['mermaid', 'text'] as const)('kinds that are not known have no chart (%s)', (charts) => {
    for (const totals of [
      { human: 0, ai: 0, total: 5 },
      { human: 0, ai: 20, total: 10 },
    ]) {
      expect(render(readOf([], { totals }), undefined, { charts })).not.toMatch(/```/);
    }
  });

  test('more AI visitors than visitors: that it cannot be is said, and no share', () => {
    const report = reportOf(readOf(pages, { totals: { human: 0, ai: 20, total: 10 } }));
    const markdown = renderReport(report, summaryLimit);
    expect(markdown).toContain(
      '**10 visitors.** The service gave 20 AI visitors, more than in all, which cannot be.\n',
    );
    expect(markdown).not.toContain('200.0%');
    expect(markdown).not.toMatch(/visitors? came both/);
    expect(outputsOf(report)).toMatchObject({ 'ai-share': '' });
    expect(render(readOf(pages, { totals: { human: 30, ai: 20, total: 10 } }))).toContain(
      'The service gave 30 human and 20 AI visitors, more than in all, which cannot be.\n',
    );
    const humans = render(readOf(pages, { totals: { human: 12, ai: 2, total: 10 } }));
    expect(humans).toContain('AI was 20.0% of them. The service gave 12 human visitors, more than in all');
    expect(humans).not.toMatch(/visitors? came both/);
  });

  function outputsOf(report: Report) {
    const delivery = {
      summary: '',
      commentUrl: undefined,
      requestsUsed: 2,
      runUrl: '',
      failOn: new Set<string>(),
    };
    return reportResult(report, delivery).outputs;
  }
});
