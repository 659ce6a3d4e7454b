import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSimulator } from '../simulator/index.ts';
import { runAction } from '../simulator/runner/runner.ts';
import { type Finding, median, print } from './bench-tools.ts';

/*
 * What the largest visitors report costs: plays the bundle against the simulator, with its files and its history, and prints
 * the CPU time (user and system) and the peak memory of the action's process alone.
 */

/** The service allows 100 requests an hour, of 250 rows each: these are the rows of the two windows that a run can read. */
const rowsPerWindow = 12_500;
const rowsPerRequest = 250;
/** A full history: as many windows as keep their rows in it. */
const windowsInHistory = 12;
const rounds = 5;

const dayMs = 86_400_000;

/** Loaded into the action's process: leaves what it used when it ends. */
const preload = `
import { writeFileSync } from 'node:fs';
process.on('exit', () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  writeFileSync(process.env.BENCH_USAGE, JSON.stringify({ maxRSS, userCPUTime, systemCPUTime }));
});
`;

interface Usage {
  /** In KiB. */
  readonly maxRSS: number;
  /** In microseconds, as the next one. */
  readonly userCPUTime: number;
  readonly systemCPUTime: number;
}

/** Plays the report, with a new history and with a full one; gives the medians beside their bars. */
export async function benchVisitors(): Promise<Finding[]> {
  return [...(await medians('a new history', 0)), ...(await medians('a full history', windowsInHistory))];
}

async function medians(history: string, windowsKept: number): Promise<Finding[]> {
  const usages: Usage[] = [];
  for (let round = 0; round < rounds; round += 1) usages.push(await playReport(windowsKept));
  const cpuSeconds = median(
    usages.map(({ userCPUTime, systemCPUTime }) => (userCPUTime + systemCPUTime) / 1e6),
  );
  const peakMegabytes = median(usages.map(({ maxRSS }) => (maxRSS * 1024) / 1e6));
  const what = `2 × ${rowsPerWindow.toLocaleString('en')} rows, ${history}`;
  return [
    { what: `${what}: CPU`, value: `${cpuSeconds.toFixed(2)} s`, bar: '1.0 s' },
    { what: `${what}: peak memory`, value: `${peakMegabytes.toFixed(0)} MB`, bar: '160 MB' },
  ];
}

/** One report over two windows that are not among those the history has. */
async function playReport(windowsKept: number): Promise<Usage> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-visitors-'));
  const simulator = await startSimulator({ clock: { mode: 'real' } });
  try {
    const { url, service } = simulator;
    const requests = 2 * Math.ceil(rowsPerWindow / rowsPerRequest);
    service.visitors.script({ rows: rowsPerWindow, topWeekly: 40_000 });
    service.visitors.limit.requestsPerHour = requests;
    writeFileSync(join(folder, 'history.jsonl'), historyOf(service.projectId, windowsKept));
    const usageFile = join(folder, 'usage.json');
    const preloadFile = join(folder, 'preload.mjs');
    writeFileSync(preloadFile, preload);
    const run = await runAction({
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
      env: { NODE_OPTIONS: `--import=${preloadFile}`, BENCH_USAGE: usageFile },
    });
    const { complete, 'requests-used': used } = run.outputs;
    if (complete !== 'true' || used !== String(requests) || !existsSync(usageFile))
      throw new Error(`The report failed:\n${run.log}`);
    return JSON.parse(readFileSync(usageFile, 'utf8'));
  } finally {
    await simulator.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Lines of weeks long ago, each with all its rows. */
function historyOf(project: string, windows: number): string {
  const rows = Array.from({ length: rowsPerWindow }, (_, index) => {
    const total = Math.ceil(40_000 / (index + 1));
    return [
      `/section-${index % 40}/chapter-${index % 300}/page-${index}`,
      total,
      Math.floor(total / 3),
      total,
    ];
  });
  const day = (week: number) => new Date(Date.UTC(2020, 0, 6) + week * 7 * dayMs).toISOString().slice(0, 10);
  const line = (week: number) =>
    JSON.stringify({
      v: 1,
      project,
      start: day(week),
      end: day(week + 1),
      complete: true,
      totals: { human: 40_000, ai: 9_000, total: 45_000 },
      oddities: { repeatedRows: 0, driftedPages: 0 },
      rows,
    });
  return Array.from({ length: windows }, (_, week) => `${line(week)}\n`).join('');
}

if (import.meta.main) print('The visitors report, with its files and its history', await benchVisitors());
