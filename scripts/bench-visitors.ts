import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSimulator } from '../simulator/index.ts';
import { type Finding, findingsOf, measureRun, print, type Usage } from './bench-tools.ts';

/*
 * Measures the largest visitors report: plays the bundle against the simulator, with its files and history, and prints the
 * CPU time (user and system) and the peak memory of the action's process.
 */

/** The service allows 100 requests an hour, with 250 rows each. A run that reads two windows gets this many rows. */
const rowsPerWindow = 12_500;
const rowsPerRequest = 250;
/** A full history of a weekly report keeps the rows of the baseline's windows and of the window before the baseline. */
const windowsInHistory = 9;
const rounds = 5;

const dayMs = 86_400_000;

/** Plays the report with a new and with a full history; returns the medians and their limits. */
export async function benchVisitors(): Promise<Finding[]> {
  return [...(await medians('a new history', 0)), ...(await medians('a full history', windowsInHistory))];
}

async function medians(history: string, windowsKept: number): Promise<Finding[]> {
  const usages: Usage[] = [];
  for (let round = 0; round < rounds; round += 1) usages.push(await playReport(windowsKept));
  const what = `2 × ${rowsPerWindow.toLocaleString('en')} rows, ${history}`;
  return findingsOf(what, usages, { cpu: '1.0 s', memory: '160 MB' });
}

/** One report over two windows that aren't in the history. */
async function playReport(windowsKept: number): Promise<Usage> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-visitors-'));
  const simulator = await startSimulator({ clock: { mode: 'real' } });
  try {
    const { url, service } = simulator;
    const requests = 2 * Math.ceil(rowsPerWindow / rowsPerRequest);
    service.visitors.script({ rows: rowsPerWindow, topWeekly: 40_000 });
    service.visitors.limit.requestsPerHour = requests;
    writeFileSync(join(folder, 'history.jsonl'), historyOf(service.projectId, windowsKept));
    const { run, usage } = await measureRun({
      simulator,
      workspace: folder,
      inputs: {
        mode: 'visitors',
        'base-url': url,
        'project-id': service.projectId,
        'api-key': service.apiKey,
        'max-requests': String(requests),
        'report-dir': 'report',
        'history-file': 'history.jsonl',
      },
    });
    const { complete, 'requests-used': used } = run.outputs;
    if (complete !== 'true' || used !== String(requests)) throw new Error(`The report failed:\n${run.log}`);
    return usage;
  } finally {
    await simulator.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Lines for the weeks before those two, each with all its rows. */
function historyOf(project: string, windows: number): string {
  const rows = (week: number) =>
    Array.from({ length: rowsPerWindow }, (_, index) => {
      const total = Math.ceil((40_000 + 500 * ((week * 7 + index) % 5)) / (index + 1));
      return [
        `/section-${index % 40}/chapter-${index % 300}/page-${index}`,
        total,
        Math.floor(total / 3),
        total,
      ];
    });
  // The epoch was a Thursday.
  const mondayMs = Math.floor((Date.now() / dayMs - 4) / 7) * 7 * dayMs + 4 * dayMs;
  const day = (week: number) =>
    new Date(mondayMs - (windows + 2 - week) * 7 * dayMs).toISOString().slice(0, 10);
  const line = (week: number) =>
    JSON.stringify({
      v: 1,
      project,
      start: day(week),
      end: day(week + 1),
      complete: true,
      totals: { human: 40_000, ai: 9_000, total: 45_000 },
      oddities: { repeatedRows: 0, driftedPages: 0 },
      rows: rows(week),
    });
  return Array.from({ length: windows }, (_, week) => `${line(week)}\n`).join('');
}

if (import.meta.main) print('The visitors report, with its files and its history', await benchVisitors());
