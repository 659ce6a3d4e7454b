import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSimulator } from '../simulator/index.ts';
import { runAction } from '../simulator/runner/runner.ts';

/*
 * What a visitors report costs: plays the bundle against the simulator with so many rows in each of two windows, and prints
 * the peak memory and the CPU time (user and system) of the action's process alone.
 */

export const sizes = [1_000, 10_000, 100_000];
const rowsPerRequest = 250;

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

/** One report over two windows of so many rows; what its process used. */
export async function benchVisitors(rows: number): Promise<Usage & { readonly seconds: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-visitors-'));
  const simulator = await startSimulator({ clock: { mode: 'real' } });
  try {
    const { url, service } = simulator;
    const requests = 2 * Math.ceil(rows / rowsPerRequest);
    service.visitors.script({ rows, topWeekly: 40_000 });
    service.visitors.limit.requestsPerHour = requests;
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
      },
      env: { NODE_OPTIONS: `--import=${preloadFile}`, BENCH_USAGE: usageFile },
    });
    if (run.outputs.complete !== 'true' || !existsSync(usageFile))
      throw new Error(`The report failed:\n${run.log}`);
    return { ...JSON.parse(readFileSync(usageFile, 'utf8')), seconds: run.durationMs / 1000 };
  } finally {
    await simulator.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
