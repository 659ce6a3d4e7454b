import { readFileSync } from 'node:fs';
import { expect, jest, test } from '@jest/globals';
import type { GivenWindow } from '../../simulator/service/visitors/analytics.ts';
import type { PageWeek } from '../../src/visitors/judge/usual-pages.ts';
import { Stage } from '../support/bundle/stage.ts';
import { sitesOf } from '../support/usual-weeks/cells.ts';
import { randomOf } from '../support/usual-weeks/random.ts';
import { pageWeekOf, playSite } from '../support/usual-weeks/sites.ts';

/* Runs the bundle for many weekly reports on one site, whose history grows with each report. */

const weekMs = 7 * 86_400_000;
const firstReport = '2026-11-16T06:10:00Z';
const stage = new Stage({ clock: { start: firstReport } });
const weeksBefore = 9;
jest.setTimeout(300_000);

/** Lets the service answer with these weeks, oldest first. The next report is about the last one but `after`. */
function serve(weeks: readonly PageWeek['rows'][], after: number): void {
  const { clock } = stage.simulator;
  const lastMondayMs = Date.parse('2026-11-09T00:00:00Z') + clock.now() - clock.startMs;
  stage.simulator.service.visitors.give(({ fromMs }): GivenWindow => {
    const week = weeks[weeks.length - 1 - after + (fromMs - lastMondayMs) / weekMs];
    const rows = Array.from(week?.values() ?? [], ({ path, total }) => {
      return { path, human: Math.ceil(0.7 * total), ai: Math.floor(0.3 * total), total };
    });
    const add = (kind: 'human' | 'ai' | 'total') => rows.reduce((sum, row) => sum + row[kind], 0);
    return { rows, totals: { human: add('human'), ai: add('ai'), total: add('total') } };
  });
}

const inputs = { mode: 'visitors', 'report-dir': 'report', 'history-file': 'history.jsonl', baseline: '8' };

async function report(given: Readonly<Record<string, string>> = inputs) {
  const { outputs, summary } = await stage.play(given, { event: stage.simulator.github.scheduleEvent() });
  expect(outputs).toMatchObject({ outcome: 'reported', complete: 'true' });
  const json: { movers: { path: string }[]; usual: { total?: { side: string } } } = JSON.parse(
    readFileSync(stage.path(outputs['json-file'] ?? ''), 'utf8'),
  );
  const requests = Number(outputs['requests-used']);
  return {
    json,
    summary,
    requests,
    movers: json.movers.map(({ path }) => path),
    side: json.usual.total?.side,
  };
}

/** Runs weekly reports on a site with 100 pages whose visitors vary by 20%, and returns what each report says. */
async function playWeeks(reports: number, extra: (week: number) => number) {
  const calm = { pages: 100, spread: 0.2, swing: 0.03, weeks: reports + weeksBefore - 2 };
  const weeks = playSite(calm, randomOf(2026)).weeks.map((week, index) => {
    const blog = extra(index);
    const row = { path: '/blog', human: blog, ai: 0, total: blog };
    return new Map([...pageWeekOf(week).rows, ...(blog === 0 ? [] : [['/blog', row] as const])]);
  });
  serve(weeks, reports - 1);
  const said: Awaited<ReturnType<typeof report>>[] = [];
  for (let week = 0; week < reports; week += 1) {
    said.push(await report());
    stage.simulator.clock.advance(weekMs);
  }
  return said;
}

test('94 generated sites have the same report in the second week with a history and without', async () => {
  const random = randomOf(94);
  const settings = [20, 100].flatMap((pages) => sitesOf([pages]));
  const sites = Array.from({ length: 94 }, (_, index) => settings[index % settings.length] ?? settings[0]);
  let movers = 0;
  for (const [index, site] of sites.entries()) {
    if (site === undefined) continue;
    serve(
      playSite(site, random).weeks.map((week) => pageWeekOf(week).rows),
      1,
    );
    const history = { ...inputs, 'history-file': `history-${index}.jsonl` };
    await report(history);
    stage.simulator.clock.advance(weekMs);
    const kept = await report(history);
    const read = await report({ ...history, 'history-file': '' });
    expect([kept.requests, read.requests]).toEqual([1, 9]);
    expect([kept.summary, kept.json]).toEqual([read.summary, read.json]);
    movers += kept.movers.length;
    stage.simulator.clock.advance(weekMs);
  }
  expect(movers).toBeGreaterThan(50);
});

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
