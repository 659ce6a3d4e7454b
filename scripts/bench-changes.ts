import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildSync } from 'esbuild';
import { DEFAULT_TOKEN } from '../simulator/github/store.ts';
import { startSimulator } from '../simulator/index.ts';
import { type Finding, median, print } from './bench-tools.ts';
import type { Reading } from './read-pull-request.ts';

/*
 * What it costs to read the largest pull request that GitHub lists: in a process of its own, which has the client of GitHub
 * and nothing else of the action.
 */

const files = 3_000;
const megabytesOfPatches = 20;
const linesPerFile = 100;
const rounds = 5;

/** Reads it with its files; gives the medians beside their bars. */
export async function benchChanges(): Promise<Finding[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-changes-'));
  const simulator = await startSimulator({ clock: { mode: 'real' } });
  try {
    const script = buildReader(folder);
    const { git, pullRequests } = simulator.github;
    git.commit();
    git.branch('change');
    const line = `${'x'.repeat(Math.ceil((megabytesOfPatches * 1e6) / files / linesPerFile) - 2)}\n`;
    const text = line.repeat(linesPerFile);
    const paths = Array.from({ length: files }, (_, index) => `docs/chapter-${index % 40}/page-${index}.md`);
    git.commit({ branch: 'change', files: Object.fromEntries(paths.map((path) => [path, text])) });
    const { number } = pullRequests.open({ head: 'change' });

    const readings: Reading[] = [];
    let requests = 0;
    for (let round = 0; round < rounds; round += 1) {
      const before = simulator.requests.length;
      readings.push(await readIn(script, simulator.githubUrl, number));
      requests = simulator.requests.length - before;
    }
    if (readings.some((reading) => reading.files !== files || reading.patchBytes < megabytesOfPatches * 1e6))
      throw new Error('The bench did not read the whole pull request');
    const what = `${files.toLocaleString('en')} files, ${megabytesOfPatches} MB of patches`;
    const cpuSeconds = median(readings.map((reading) => reading.cpuSeconds));
    const peakMegabytes = median(readings.map((reading) => reading.peakMegabytes));
    return [
      { what: `${what}: requests to GitHub`, value: `${requests}`, bar: '35' },
      { what: `${what}: CPU`, value: `${cpuSeconds.toFixed(2)} s`, bar: '1.0 s' },
      { what: `${what}: peak memory`, value: `${peakMegabytes.toFixed(0)} MB`, bar: '200 MB' },
    ];
  } finally {
    await simulator.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Built as users get it, since Node's own reading of TypeScript takes more memory than what is measured. */
function buildReader(folder: string): string {
  const outfile = join(folder, 'read-pull-request.mjs');
  const entry = new URL('./read-pull-request.ts', import.meta.url).pathname;
  const banner =
    "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";
  buildSync({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    banner: { js: banner },
  });
  return outfile;
}

async function readIn(script: string, githubUrl: string, number: number): Promise<Reading> {
  const args = [script, githubUrl, DEFAULT_TOKEN, String(number)];
  return JSON.parse((await promisify(execFile)(process.execPath, args)).stdout);
}

if (import.meta.main) print('A large pull request, read', await benchChanges());
