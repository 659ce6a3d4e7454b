import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from '@jest/globals';
import { filesIn } from '../support/files.ts';
import { folderPerTest } from '../support/folder.ts';

/* Runs check-structure.ts and the linter on a small source tree. Only the files in `good` follow every rule. */

const project = resolve(import.meta.dirname, '../..');

/** The text of each file. */
type Tree = Readonly<Record<string, string>>;

const good: Tree = {
  'src/main.ts':
    "import { run } from './agent/index.ts';\nimport { client } from './service/client.ts';\nrun(client);",
  'src/agent/index.ts':
    "import type { Client } from '../service/client.ts';\nimport { now } from './clean.ts';\nexport const run = (client: Client) => client.send(now);",
  'src/agent/clean.ts':
    "import { Failure } from '../service/errors.ts';\nexport const now = (process: number) => [Failure, new Date(process)];",
  'src/service/client.ts':
    "import { send } from '../http/send.ts';\nexport interface Client { send(body: unknown): void }\nexport const client: Client = { send: (body) => send(body, Date.now()) };",
  'src/service/errors.ts': 'export class Failure extends Error {}',
  'src/http/send.ts':
    "import { request } from 'undici';\nexport const send = (...all: unknown[]) => [request, all];",
  'src/text/scrub.ts': 'export const scrub = String;',
  'scripts/bench.ts': "import { run } from '../src/agent/index.ts';\nrun;",
  '__tests__/run.test.ts': "import { run } from '../src/agent/index.ts';\nrun;",
  // An import in a string or a comment doesn't count: import './nowhere.ts'
  'simulator/text.ts': 'export const text = "import \'../src/text/scrub.ts\'";',
};

const imports = (path: string) => `import { x } from '${path}';\nx();`;
const importsType = (path: string) => `import type { x } from '${path}';\nexport default {} as x;`;
/** A file that imports a type from a file that it may not import. */
const refused = (from: string, to: string) => ({
  [from]: importsType(relative(dirname(from), to)),
});

const badStructure: Tree = {
  ...refused('src/visitors/mode.ts', 'src/agent/clean.ts'),
  ...refused('src/github/mode.ts', 'src/visitors/mode.ts'),
  ...refused('src/requests/read.ts', 'src/visitors/read/x.ts'),
  ...refused('src/visitors/read/x.ts', 'src/visitors/judge/x.ts'),
  ...refused('src/visitors/judge/x.ts', 'src/visitors/write/x.ts'),
  ...refused('src/visitors/write/x.ts', 'src/visitors/mode.ts'),
  ...refused('src/visitors/new/x.ts', 'src/text/scrub.ts'),
  'src/runner/edge.ts':
    "import { type Client } from '../service/client.ts';\nconst one: Client[] = [];\none;",
  ...refused('src/text/core.ts', 'src/core/x.ts'),
  'src/core/disk.ts': "export * from 'node:fs';",
  'src/requests/net.ts': "await import('undici');",
  'src/new/x.ts': imports('../text/scrub.ts'),
  ...refused('simulator/types.ts', 'src/core/x.ts'),
  // Four import cycles: between files, between types, between a file and a folder, and between two folders.
  'simulator/a.ts': imports('./b.ts'),
  'simulator/b.ts': imports('./a.ts'),
  'src/core/x.ts': importsType('./y.ts'),
  'src/core/y.ts': importsType('./x.ts'),
  'src/collect/read/one.ts': imports('../tables/deep/two.ts'),
  'src/collect/read/deep/four.ts': '',
  'src/collect/tables/deep/two.ts': '',
  'src/collect/tables/three.ts': imports('../read/deep/four.ts'),
  'src/http/retry/two.ts': '',
  'src/http/retry/one.ts': imports('../first.ts'),
  'src/http/first.ts': imports('./retry/two.ts'),
  'src/http/names.ts': 'export type Failure = 1;',
};

const badUse: Tree = {
  'src/core/clock.ts': 'export const now = () => Date.now() + performance.now();',
  'src/core/a.ts': 'export const now = () => Date.now();',
  'src/core/b.ts': 'export const now = new Date();',
  'src/core/c.ts': 'export const now = performance.now();',
  'src/core/d.ts': 'setTimeout(() => undefined, 1);',
  'src/core/e.ts': "fetch('https://example.com');",
  'src/core/f.ts': "globalThis.fetch('https://example.com');",
  'src/core/g.ts': 'export const home = process.env.HOME;',
  'src/core/h.ts': "export type A = import('./a.ts').A;",
  'src/core/i.ts': 'export const load = (name: string) => import(name);',
  'src/agent/a.ts': imports('../service/client.ts'),
  'src/run.ts': "export { client } from './service/client.ts';",
  'src/requests/a.ts': "export const load = () => import('../github/client.ts');",
};

const folder = folderPerTest();

/** Writes all good files and the given files to the test's folder. */
function treeOf(broken: Tree): string {
  const files = filesIn(folder());
  for (const [path, text] of Object.entries({ ...good, ...broken })) files.write(path, `${text}\n`);
  return folder();
}

function check(tree: string, ...options: readonly string[]) {
  const script = join(project, 'scripts/check-structure.ts');
  const args = [script, ...options];
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: tree, encoding: 'utf8' });
  return { status, lines: stderr.split('\n').filter((line) => line !== '') };
}

function lint(tree: string) {
  for (const file of ['biome.json', 'pure.grit', 'scrubbed.grit'])
    cpSync(join(project, file), join(tree, file));
  const biome = join(project, 'node_modules/@biomejs/biome/bin/biome');
  const args = [biome, 'lint', '--colors=off', '--max-diagnostics=none', 'src'];
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: tree, encoding: 'utf8' });
  const found = [...stderr.matchAll(/^(src\/\S+\.ts):\S+ (?:lint\/\w+\/)?(\w+)/gm)];
  return { status, lines: found.map(([, path, rule]) => `${path}: ${rule}`) };
}

test('a correct tree has no problems', () => {
  expect(check(treeOf({}), '--part')).toEqual({ status: 0, lines: [] });
  expect(lint(treeOf({}))).toEqual({ status: 0, lines: [] });
});

test('every forbidden import and duplicate name is reported, and nothing else', () => {
  const { status, lines } = check(treeOf(badStructure), '--part');
  expect(status).toBe(1);
  expect(lines.sort()).toMatchSnapshot();
});

test('what is allowed but not used is reported', () => {
  const { status, lines } = check(treeOf({}));
  expect(status).toBe(1);
  const unused = (arrow: string) =>
    `allowed by .dependency-cruiser.js, but unused, so remove it: ${arrow}`;
  expect(lines).toContain(unused('src/service → zod'));
  expect(lines).not.toContain(unused('src/http → undici'));
  expect(lines.filter((line) => line !== unused(line.replace(/^.*: /, '')))).toEqual([]);
});

test('everything that a pure file must not use is reported, and nothing else', () => {
  const { status, lines } = lint(treeOf(badUse));
  expect(status).toBe(1);
  expect([...new Set(lines)].sort()).toMatchSnapshot();
});
