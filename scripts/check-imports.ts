import { resolve } from 'node:path';
import * as esbuild from 'esbuild';

/*
 * Keeps the arrows of the house: edges import no mode and not each other, modes import of an edge only its errors and
 * schemas, and only main.ts builds edges. Types are free: what is erased couples nothing at run time.
 */

const root = resolve(import.meta.dirname, '..');

/** What each folder of src/ may import besides itself: folders, single files, packages, and modules of Node. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  lib: ['zod/mini', 'node:crypto', 'node:timers/promises'],
  http: ['lib', 'undici'],
  runner: ['lib', '@actions/core', 'node:fs', 'node:path'],
  service: ['lib', 'http', 'zod/mini', 'undici'],
  github: ['lib', 'http', 'zod/mini', 'undici', '@actions/github'],
  // What an alert rule, a glob or a date is, is said once, where it is used.
  config: ['lib', 'visitors/alert-rules.ts', 'visitors/globs.ts', 'visitors/period.ts', 'zod/mini'],
  agent: [
    'lib',
    'config/missing.ts',
    'config/permissions.ts',
    'config/thread.ts',
    'service/errors.ts',
    'service/schemas.ts',
    'github/errors.ts',
    'zod/mini',
    'node:crypto',
  ],
  visitors: [
    'lib',
    'config/thread.ts',
    'github/errors.ts',
    'service/errors.ts',
    'service/schemas.ts',
    'zod/mini',
    'temporal-polyfill',
    'picomatch',
    'csv-stringify/sync',
    'node:path',
  ],
};

/** Files directly in src/ are the phases and what ties the rest together. */
const free = new Set(['index.ts', 'post.ts', 'main.ts', 'run.ts', 'front-door.ts']);

const { metafile } = await esbuild.build({
  absWorkingDir: root,
  entryPoints: ['src/index.ts', 'src/post.ts'],
  bundle: true,
  packages: 'external',
  format: 'esm',
  platform: 'node',
  splitting: true,
  outdir: 'unwritten',
  write: false,
  metafile: true,
});

const wrong: string[] = [];
for (const [path, { imports }] of Object.entries(metafile.inputs)) {
  const from = path.replace(/^src\//, '');
  const folder = from.includes('/') ? (from.split('/')[0] ?? '') : from;
  if (free.has(folder)) continue;
  for (const { path: target } of imports) {
    const to = target.replace(/^src\//, '');
    const arrow = `${from} → ${to}`;
    const may = [folder, ...(allowed[folder] ?? [])];
    if (!may.some((one) => to === one || to.startsWith(`${one}/`))) wrong.push(arrow);
  }
}
if (wrong.length > 0) {
  console.error(`Imports against the arrows of the house:\n${wrong.sort().join('\n')}`);
  process.exitCode = 1;
}
