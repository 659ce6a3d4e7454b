import { expect, test } from '@jest/globals';
import { DEFAULT_PROJECT } from '../../simulator/service/service.ts';
import { memoryPlayer } from '../support/in-process/player.ts';
import { serviceInputs } from '../support/usual.ts';

/*
 * What weekly reports cost of the 100 requests that the service allows an organization each hour. The numbers are in docs/visitors.md,
 * “Requests”.
 */

const weekMs = 7 * 86_400_000;
/** The last two weeks, and the twelve before them. Last week itself isn't an earlier one. */
const all = 13;

/** The requests of a weekly report, and how many earlier weeks it knows of the site of which it knows least. */
type Cost = readonly [requests: number, earlierWeeks: number];

/** Plays weekly reports with a history. The first one costs what every report without a history does. */
async function playWeeks(weeks: number, sites: { ids: number; rows: number }, maxRequests: string) {
  const { core, play, files } = memoryPlayer({ clock: { start: '2026-11-16T06:10:00Z' } });
  const ids = Array.from({ length: sites.ids }, (_, index) => `prj_${index}`);
  const { organization } = DEFAULT_PROJECT;
  for (const id of ids) core.service.addProject({ id, organization });
  core.service.visitors.script({ rows: sites.rows });
  const inputs = {
    ...serviceInputs(core),
    ...{ mode: 'visitors', 'project-id': ids.join('\n'), 'max-requests': maxRequests },
    ...{ 'history-file': 'history.jsonl', 'report-dir': 'report' },
  };
  const costs: Cost[] = [];
  for (let week = 0; week < weeks; week += 1) {
    const runId = 7_200_000_000 + week;
    core.github.addRun(runId, 'schedule');
    const { outputs } = await play({ event: core.github.scheduleEvent(), runId, inputs });
    expect(outputs).toMatchObject({ outcome: 'reported', reason: 'complete' });
    const known = outputs['json-file']?.split('\n').map((path) => {
      const { earlier } = JSON.parse(files.read(path) ?? '');
      const totals: (number | null)[] = earlier.map(
        ({ totals }: { totals: { total: number | null } }) => totals.total,
      );
      return totals.filter((total) => total !== null).length;
    });
    costs.push([Number(outputs['requests-used']), Math.min(...(known ?? []))]);
    core.clock.advance(weekMs);
  }
  return costs;
}

test.each<[string, { ids: number; rows: number }, string, Cost[]]>([
  [
    'a site with 120 pages',
    { ids: 1, rows: 120 },
    '60',
    [
      [15, all],
      [2, all],
    ],
  ],
  [
    'a site with 1,000 pages',
    { ids: 1, rows: 1_000 },
    '60',
    [
      [57, all],
      [5, all],
    ],
  ],
  [
    'three sites with 120 pages',
    { ids: 3, rows: 120 },
    '60',
    [
      [45, all],
      [6, all],
    ],
  ],
  [
    'twelve sites',
    { ids: 12, rows: 30 },
    '60',
    [
      [60, 4],
      [60, 9],
      [60, all],
      [24, all],
    ],
  ],
  [
    'twelve sites, with `max-requests: 90`',
    { ids: 12, rows: 30 },
    '90',
    [
      [90, 6],
      [90, all],
      [24, all],
    ],
  ],
])('the first and later reports on %s', async (_, sites, maxRequests, costs) => {
  expect(await playWeeks(costs.length, sites, maxRequests)).toEqual(costs);
});
