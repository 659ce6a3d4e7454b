import { readFileSync } from 'node:fs';
import { expect, jest, test } from '@jest/globals';
import type { GivenWindow } from '../../simulator/service/visitors/analytics.ts';
import { Stage } from '../support/bundle/stage.ts';
import { randomOf } from '../support/usual-weeks/random.ts';
import { playSite } from '../support/usual-weeks/sites.ts';

/* Runs the bundle for many weekly reports on one site, whose history grows with each report. */

const weekMs = 7 * 86_400_000;
const firstReport = '2026-11-16T06:10:00Z';
const stage = new Stage({ clock: { start: firstReport } });
const weeksBefore = 9;
jest.setTimeout(300_000);

interface Said {
  readonly movers: readonly string[];
  readonly side: string | undefined;
  readonly requests: number;
}

/** Runs weekly reports on a site with 100 pages whose visitors vary by 20%, and returns what each report says. */
async function playWeeks(reports: number, extra: (week: number) => number): Promise<Said[]> {
  const random = randomOf(2026);
  const calm = { pages: 100, spread: 0.2, swing: 0.03, tide: 0, growth: 0, moves: 'none' } as const;
  const { weeks } = playSite({ ...calm, weeks: reports + weeksBefore }, random);
  const lastMondayMs = Date.parse('2026-11-09T00:00:00Z');
  stage.simulator.service.visitors.give(({ fromMs }): GivenWindow => {
    const index = (fromMs - lastMondayMs) / weekMs + weeksBefore;
    const { visitors, ai, total } = weeks[index] ?? { visitors: new Map<string, number>(), ai: 0, total: 0 };
    const blog = extra(index);
    const pages = [...visitors, ...(blog > 0 ? [['/blog', blog] as const] : [])];
    const rows = pages.map(([path, count]) => ({ path, human: count, ai: 0, total: count }));
    return { rows, totals: { human: total - ai + blog, ai, total: total + blog } };
  });
  const said: Said[] = [];
  for (let week = 0; week < reports; week += 1) {
    const inputs = { mode: 'visitors', 'report-dir': 'report', 'history-file': 'history.jsonl' };
    const { outputs } = await stage.play(inputs, { event: stage.simulator.github.scheduleEvent() });
    expect(outputs).toMatchObject({ outcome: 'reported', complete: 'true' });
    const json = JSON.parse(readFileSync(stage.path(outputs['json-file'] ?? ''), 'utf8'));
    const movers = json.movers.map(({ path }: { path: string }) => path);
    said.push({ movers, side: json.usual.total?.side, requests: Number(outputs['requests-used']) });
    stage.simulator.clock.advance(weekMs);
  }
  return said;
}

test('few of 50 uneventful weeks have a page or a total called unusual, and each takes one request', async () => {
  const said = await playWeeks(50, () => 0);
  console.log(said.map(({ movers, side }) => `${movers.length} ${side}`).join(', '));
  expect(said.filter(({ movers }) => movers.length > 0).length).toBeLessThanOrEqual(10);
  expect(said.filter(({ side }) => side !== 'usual').length).toBeLessThanOrEqual(10);
  expect(said.slice(1).every(({ requests }) => requests === 1)).toBe(true);
});

test('a page that alternates between 900 and 300 visitors for 14 weeks is never named', async () => {
  const said = await playWeeks(14, (week) => (week % 2 === 0 ? 900 : 300));
  expect(said.filter(({ movers }) => movers.includes('/blog'))).toEqual([]);
});
