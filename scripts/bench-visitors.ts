import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { siteRows, USUAL_SITE } from '../simulator/service/visitors/site.ts';
import {
  type Finding,
  findingsOf,
  measureRun,
  print,
  type Usage,
  withSimulator,
} from './bench-tools.ts';

/*
 * Measures a run that writes the largest visitors report. The bundle runs against the simulator, with report files and a
 * history. Prints the CPU time (user and system) and peak memory of the action's process.
 */

/** With 250 rows each, 100 requests can read this many rows for each of two windows. Without a history, seven more read the others. */
const rowsPerWindow = 12_500;
const rowsPerRequest = 250;
const site = { rows: rowsPerWindow, topWeekly: 40_000 };
/** A full history of a weekly report has rows for the eight windows of the baseline and the one before it. */
const windowsInHistory = 9;
const rounds = 5;

const dayMs = 86_400_000;

/** Runs the report with a new and with a full history, and by first rows. Returns the medians with their limits. */
export async function benchVisitors(): Promise<Finding[]> {
  const requests = 2 * Math.ceil(rowsPerWindow / rowsPerRequest);
  const what = `2 × ${rowsPerWindow.toLocaleString('en')} rows`;
  const limits = { cpu: '0.9 s', memory: '150 MB' };
  return [
    ...findingsOf(`${what}, a new history`, await play(requests + 7, 0), limits),
    ...findingsOf(`${what}, a full history`, await play(requests, windowsInHistory), limits),
    ...findingsOf('12,500 pages by their first rows', await play(9, 0), {
      cpu: '0.5 s',
      memory: '110 MB',
    }),
  ];
}

async function play(requests: number, windowsKept: number): Promise<Usage[]> {
  const usages: Usage[] = [];
  for (let round = 0; round < rounds; round += 1)
    usages.push(await playReport(requests, windowsKept));
  return usages;
}

function playReport(requests: number, windowsKept: number): Promise<Usage> {
  return withSimulator('real', async (simulator) => {
    const folder = mkdtempSync(join(tmpdir(), 'bench-visitors-'));
    const { service } = simulator;
    service.visitors.script(site);
    service.visitors.limit.requestsPerHour = requests;
    writeFileSync(join(folder, 'history.jsonl'), historyOf(service.projectId, windowsKept));
    const { run, usage } = await measureRun({
      simulator,
      workspace: folder,
      inputs: {
        mode: 'visitors',
        'max-requests': String(requests),
        'report-dir': 'report',
        'history-file': 'history.jsonl',
      },
    });
    const { complete, 'requests-used': used } = run.outputs;
    const isWhole = requests > 9;
    rmSync(folder, { recursive: true });
    if (complete !== String(isWhole) || used !== String(requests))
      throw new Error(`The report failed:\n${run.log}`);
    return usage;
  });
}

/** History lines for the weeks before the report's two windows, with all rows, as the service would send them. */
function historyOf(project: string, windows: number): string {
  // January 1, 1970 was a Thursday.
  const mondayMs = Math.floor((Date.now() / dayMs - 4) / 7) * 7 * dayMs + 4 * dayMs;
  const line = (week: number) => {
    const fromMs = mondayMs - (windows + 2 - week) * 7 * dayMs;
    const window = { fromMs, toMs: fromMs + 7 * dayMs };
    const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
    const rows = siteRows({ ...USUAL_SITE, ...site }, window, 0, rowsPerWindow);
    return JSON.stringify({
      v: 1,
      project,
      start: day(window.fromMs),
      end: day(window.toMs),
      complete: true,
      totals: { human: 40_000, ai: 9_000, total: 45_000 },
      rows: rows.map(({ path, human, ai, total }) => [path, human, ai, total]),
    });
  };
  return Array.from({ length: windows }, (_, week) => `${line(week)}\n`).join('');
}

if (import.meta.main)
  print('The visitors report, with its files and its history', await benchVisitors());
