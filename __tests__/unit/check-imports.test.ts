import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';

import { importProblems } from '../../scripts/check-imports.ts';

type Tree = Readonly<Record<string, string>>;

/** What the check says of a tree of files. */
function problemsOf(tree: Tree): string[] {
  const root = mkdtempSync(join(tmpdir(), 'imports-'));
  try {
    for (const [path, text] of Object.entries(tree)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    return importProblems(root);
  } finally {
    rmSync(root, { recursive: true });
  }
}

test('a tree whose imports all go one way has no problem', () => {
  const tree: Tree = {
    'src/index.ts': "const { main } = await import('./main.ts');\nmain();",
    'src/main.ts':
      "import { run } from './run.ts';\nimport { client } from './service/client.ts';\nexport const main = () => run(client);",
    'src/run.ts': "import { runAgent } from './agent/index.ts';\nexport const run = runAgent;",
    'src/agent/index.ts':
      "import type { Client } from '../service/client.ts';\nimport { decide } from './job/decide.ts';\nexport const runAgent = (client: Client) => decide(client.now());",
    'src/agent/job/decide.ts':
      "import * as z from 'zod/mini';\nimport { Failure } from '../../service/errors.ts';\nexport const decide = (nowMs: number) => [z, Failure, new Date(nowMs)];",
    'src/service/client.ts':
      "import { send } from '../http/send.ts';\nexport type Client = { now(): number };\nexport const client: Client = { now: () => Date.now() + send.length };",
    'src/service/errors.ts': 'export class Failure extends Error {}',
    'src/http/send.ts': "import { request } from 'undici';\nexport const send = request;",
    'simulator/index.ts': "import { createServer } from 'node:http';\nexport const start = createServer;",
    // A string, a comment and a property are no imports and no clock: import './nowhere.ts'
    'simulator/text.ts': 'export const text = "import \'./text.ts\'";',
    'src/lib/names.ts': 'export const fields = (one: { process: number; fetch: number }) => one.process;',
  };
  expect(problemsOf(tree)).toEqual([]);
});

const importing = (...paths: string[]): string =>
  paths.map((path, index) => `import { x as x${index} } from '${path}';\n`).join('') +
  'export const x = 1;\n';

test.each<[string, Tree, string[]]>([
  [
    'two files',
    { 'simulator/a.ts': importing('./b.ts'), 'simulator/b.ts': importing('./a.ts') },
    ['circle: simulator/a.ts → simulator/b.ts → simulator/a.ts'],
  ],
  [
    'three files in two folders, told from the first one',
    {
      'scripts/z/c.ts': importing('../a.ts'),
      'scripts/a.ts': importing('./b.ts'),
      'scripts/b.ts': importing('./z/c.ts'),
    },
    ['circle: scripts/a.ts → scripts/b.ts → scripts/z/c.ts → scripts/a.ts'],
  ],
  [
    'a dynamic import',
    {
      'simulator/a.ts': "export const load = () => import('./b.ts');",
      'simulator/b.ts': importing('./a.ts'),
    },
    ['circle: simulator/a.ts → simulator/b.ts → simulator/a.ts'],
  ],
  [
    'types alone',
    {
      'simulator/a.ts': "import type { B } from './b.ts';\nexport type A = B;",
      'simulator/b.ts': "export type B = import('./a.ts').A;",
    },
    ['circle: simulator/a.ts → simulator/b.ts → simulator/a.ts'],
  ],
  [
    're-exports',
    {
      'simulator/a.ts': "export * from './b.ts';",
      'simulator/b.ts': "export type { A } from './c.ts';",
      'simulator/c.ts': "export { x } from './a.ts';\nexport type A = 1;",
    },
    ['circle: simulator/a.ts → simulator/b.ts → simulator/c.ts → simulator/a.ts'],
  ],
  [
    'a file that imports itself',
    { 'simulator/a.ts': importing('./a.ts') },
    ['circle: simulator/a.ts → simulator/a.ts'],
  ],
  [
    'two circles through one file',
    {
      'simulator/a.ts': importing('./b.ts', './c.ts'),
      'simulator/b.ts': importing('./a.ts'),
      'simulator/c.ts': importing('./a.ts'),
      // Outside of both, though it leads into them.
      'simulator/d.ts': importing('./a.ts'),
    },
    [
      'circle: simulator/a.ts → simulator/b.ts → simulator/a.ts',
      'circle: simulator/a.ts → simulator/c.ts → simulator/a.ts',
    ],
  ],
])('names a circle of %s', (_, tree, circles) => {
  expect(problemsOf(tree)).toEqual(circles);
});

test.each<[string, Tree, string]>([
  [
    'an edge that imports a mode',
    { 'src/github/client.ts': importing('../agent/words.ts'), 'src/agent/words.ts': 'export const x = 1;' },
    'src/github/client.ts → src/agent/words.ts: src/github/ may not import that',
  ],
  [
    'an edge that imports another, if only its types',
    {
      'src/github/client.ts': "import type { x } from '../service/client.ts';\nexport type Y = x;",
      'src/service/client.ts': 'export type x = 1;',
    },
    'src/github/client.ts → src/service/client.ts: src/github/ may not import types of that',
  ],
  [
    'a mode that builds an edge',
    {
      'src/agent/job/ask.ts': "export const ask = () => import('../../service/client.ts');",
      'src/service/client.ts': 'export const x = 1;',
    },
    'src/agent/job/ask.ts → src/service/client.ts: src/agent/ may not import that',
  ],
  [
    'another file than main.ts that builds an edge',
    { 'src/run.ts': importing('./github/client.ts'), 'src/github/client.ts': 'export const x = 1;' },
    'src/run.ts → src/github/client.ts: src/run.ts may not import that',
  ],
  [
    'a mode that knows another, if only its types',
    {
      'src/visitors/tell/x.ts': "import type { x } from '../../agent/words.ts';\nexport type Y = x;",
      'src/agent/words.ts': 'export type x = 1;',
    },
    'src/visitors/tell/x.ts → src/agent/words.ts: src/visitors/ may not import types of that',
  ],
  [
    'a pure file that reads the disk',
    { 'src/visitors/judge/compare.ts': "import { readFileSync as x } from 'node:fs';\nx('');" },
    'src/visitors/judge/compare.ts → node:fs: src/visitors/ may not import that',
  ],
  [
    'a pure file that speaks to the network',
    { 'src/agent/thread/claim.ts': "export { request } from 'undici';" },
    'src/agent/thread/claim.ts → undici: src/agent/ may not import that',
  ],
  [
    'a pure file that speaks to the runner',
    { 'src/agent/tell/words.ts': "import * as core from '@actions/core';\ncore.info('');" },
    'src/agent/tell/words.ts → @actions/core: src/agent/ may not import that',
  ],
  [
    'lib that knows a mode',
    { 'src/lib/x.ts': importing('../agent/words.ts'), 'src/agent/words.ts': 'export const x = 1;' },
    'src/lib/x.ts → src/agent/words.ts: src/lib/ may not import that',
  ],
  [
    'a simulator that shares the product’s types',
    {
      'simulator/x.ts': "import type { x } from '../src/lib/x.ts';\nexport type Y = x;",
      'src/lib/x.ts': 'export type x = 1;',
    },
    'simulator/x.ts → src/lib/x.ts: simulator/ may not import types of that',
  ],
  [
    'a folder without a rule',
    { 'src/new/x.ts': 'export const x = 1;' },
    'src/new/x.ts: no rule of import-rules.ts is about it',
  ],
])('calls %s', (_, tree, problem) => {
  expect(problemsOf(tree)).toEqual([problem]);
});

test.each([
  ['Date.now()', 'Date.now'],
  ['new Date()', 'new Date()'],
  ['performance.now()', 'performance'],
  ['setTimeout(() => undefined, 1)', 'setTimeout'],
  ["fetch('https://example.com')", 'fetch'],
  ["globalThis.fetch('https://example.com')", 'globalThis'],
  ['process.env.HOME', 'process'],
])('calls %s in a pure file, and not in an edge', (expression, name) => {
  const text = `export const x = () => ${expression};`;
  expect(problemsOf({ 'src/agent/job/decide.ts': text, 'src/runner/context.ts': text })).toEqual([
    `src/agent/job/decide.ts: src/agent/ is pure, and this uses ${name}`,
  ]);
});

test('an import whose target is worked out at run time is an error', () => {
  const tree: Tree = { 'simulator/a.ts': 'export const load = (name: string) => import(name);' };
  expect(() => problemsOf(tree)).toThrow('simulator/a.ts imports something whose name is not written out');
});
