import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { siteRows, USUAL_SITE } from '../simulator/service/visitors/site.ts';
import {
  type Bench,
  findingsOf,
  measureRun,
  runBench,
  type Usage,
  withSimulator,
} from './bench-tools.ts';

/*
 * Measures a run that writes the largest visitors report. The bundle runs against the simulator,
 * with report files and a history. Prints the CPU time (user and system) and peak memory of the
 * action's process.
 */

/**
 * With 250 rows each, 100 requests can read this many rows for each of two windows. Without a
 * history, twelve more read the others.
 */
const rowsPerWindow = 12_500;
const rowsPerRequest = 250;
const site = { rows: rowsPerWindow, topWeekly: 40_000 };
const requestsForRows = 2 * Math.ceil(rowsPerWindow / rowsPerRequest);
/** With so few requests, the report reads only the first rows of each window. */
const requestsForFirstRows = 14;
/** The weeks of the baseline, which a full history has. The report reads the two after them. */
const windowsInHistory = 12;

const dayMs = 86_400_000;
const weekMs = 7 * dayMs;

const allRows = `The visitors report on 2 × ${rowsPerWindow.toLocaleString('en')} rows`;
const firstRows = `The visitors report on ${rowsPerWindow.toLocaleString('en')} pages`;

export const newHistory: Bench<Usage> = {
  title: `${allRows}, with a new history`,
  rounds: 5,
  measure: (distDir) => playReport(distDir, requestsForRows + 12, 0),
  conclude: (usages) => findingsOf('report', usages, { cpu: '0.9 s', memory: '265 MB' }),
};

export const fullHistory: Bench<Usage> = {
  title: `${allRows}, with a full history`,
  rounds: 5,
  measure: (distDir) => playReport(distDir, requestsForRows, windowsInHistory),
  conclude: (usages) => findingsOf('report', usages, { cpu: '1.1 s', memory: '350 MB' }),
};

export const manyPages: Bench<Usage> = {
  title: `${firstRows}, by their first rows`,
  rounds: 5,
  measure: (distDir) => playReport(distDir, requestsForFirstRows, 0),
  conclude: (usages) => findingsOf('report', usages, { cpu: '0.5 s', memory: '140 MB' }),
};

function playReport(distDir: string, requests: number, windowsKept: number): Promise<Usage> {
  return withSimulator('real', async (simulator) => {
    const folder = mkdtempSync(join(tmpdir(), 'bench-visitors-'));
    const { service } = simulator;
    service.visitors.script(site);
    service.visitors.limit.requestsPerHour = requests;
    writeFileSync(join(folder, 'history.jsonl'), historyOf(service.projectId, windowsKept));
    const { run, usage } = await measureRun({
      simulator,
      distDir,
      workspace: folder,
      inputs: {
        mode: 'visitors',
        'max-requests': String(requests),
        'report-dir': 'report',
        'history-file': 'history.jsonl',
      },
    });
    rmSync(folder, { recursive: true });
    const isWhole = requests > requestsForFirstRows;
    const { complete, 'requests-used': requestsUsed } = run.outputs;
    if (complete !== String(isWhole) || requestsUsed !== String(requests))
      throw new Error(`The report failed:\n${run.log}`);
    return usage;
  });
}

/**
 * History lines for the weeks before the report's two windows, with all rows, as the service would
 * send them.
 */
function historyOf(project: string, windows: number): string {
  // January 1, 1970 was a Thursday, so the first Monday was four days later.
  const mondayMs = 4 * dayMs + Math.floor((Date.now() - 4 * dayMs) / weekMs) * weekMs;
  const lines = Array.from({ length: windows }, (_, week) => {
    const fromMs = mondayMs - (windows + 2 - week) * weekMs;
    const window = { fromMs, toMs: fromMs + weekMs };
    const rows = siteRows({ ...USUAL_SITE, ...site }, window, 0, rowsPerWindow);
    return JSON.stringify({
      v: 1,
      project,
      start: dayOf(window.fromMs),
      end: dayOf(window.toMs),
      complete: true,
      totals: { human: 40_000, ai: 9_000, total: 45_000 },
      rows: rows.map(({ path, human, ai, total }) => [path, human, ai, total]),
    });
  });
  return lines.map((line) => `${line}\n`).join('');
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

if (import.meta.main) {
  await runBench(newHistory);
  await runBench(fullHistory);
  await runBench(manyPages);
}
