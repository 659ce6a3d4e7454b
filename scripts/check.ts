import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

/*
 * Usage: `npm run check`, or `npm run check -- types lint` for some parts only. Runs every part even if others fail, so that no
 * mistake hides another. Prints what the failed parts say, and a last line that sums up. Exits with 1 if a part failed.
 */

interface Part {
  /** A script, and its arguments. */
  readonly run: readonly [script: string, ...args: string[]];
  /** Whether `npm run fix` makes this part pass. */
  readonly isFixable?: true;
}

const root = resolve(import.meta.dirname, '..');
const jest = [
  '--experimental-vm-modules',
  '--no-warnings',
  'node_modules/jest/bin/jest.js',
] as const;
const toolTests = [...jest, '--config', 'jest.tools.config.js', '--maxWorkers', '1'] as const;

/** Each part by name, the slowest first. */
const parts: Readonly<Record<string, Part>> = {
  dist: { run: ['scripts/build.ts', '--check'], isFixable: true },
  tools: { run: toolTests },
  types: { run: ['node_modules/typescript/bin/tsc', '--pretty', 'false'] },
  docs: { run: ['scripts/generate-docs.ts', '--check'], isFixable: true },
  structure: { run: ['scripts/check-structure.ts'] },
  lint: {
    run: [
      'node_modules/@biomejs/biome/bin/biome',
      'ci',
      '--colors=off',
      '--error-on-warnings',
      '.',
    ],
    isFixable: true,
  },
};

const maxMs = 600_000;
const maxLines = 100;

/** What a part printed, with its last lines left out if there are many; `undefined` if it passed. */
async function failureOf({ run }: Part): Promise<string | undefined> {
  const args = run.map((arg) => (/^(?:scripts|node_modules)\//.test(arg) ? join(root, arg) : arg));
  const child = spawn(process.execPath, args, {
    timeout: maxMs,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const output of [child.stdout, child.stderr])
    output.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
  const code = await new Promise<number | null>((done) => child.once('close', done));
  if (code === 0) return undefined;
  if (code === null) text += `\nIt was stopped after ${maxMs / 60_000} minutes.`;
  const lines = text.trim().split('\n');
  const more = lines.length - maxLines;
  return [...lines.slice(0, maxLines), ...(more > 0 ? [`… and ${more} more lines`] : [])].join(
    '\n',
  );
}

function summaryOf(failed: readonly string[], passed: readonly string[]): string {
  if (failed.length === 0) return `All parts passed: ${passed.join(', ')}.`;
  const fixable = failed.filter((name) => parts[name]?.isFixable);
  const others = failed.filter((name) => !fixable.includes(name));
  return [
    `Failed: ${failed.join(', ')}. Passed: ${passed.join(', ') || 'none'}.`,
    ...(others.length > 0 ? [`For ${others.join(', ')}, correct what is listed above.`] : []),
    ...(fixable.length > 0
      ? [`For ${fixable.join(', ')}, run \`npm run fix\`, and commit the result.`]
      : []),
    `Then run \`npm run check\` again.`,
  ].join(' ');
}

const { positionals } = parseArgs({ allowPositionals: true });
const names = positionals.length > 0 ? positionals : Object.keys(parts);
const waiting = [...names];
const failed: string[] = [];

/** Runs parts until none is left. Two of these use two cores. */
async function work(): Promise<void> {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    const part = parts[name];
    const failure = part
      ? await failureOf(part)
      : `The parts are ${Object.keys(parts).join(', ')}.`;
    if (failure === undefined) continue;
    failed.push(name);
    console.log(`===== ${name} =====\n${failure}\n`);
  }
}

await Promise.all([work(), work()]);
console.log(
  summaryOf(
    failed,
    names.filter((name) => !failed.includes(name)),
  ),
);
process.exitCode = failed.length > 0 ? 1 : 0;
