import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from '@jest/globals';
import { filesIn } from '../support/files.ts';
import { folderPerTest } from '../support/folder.ts';

/* Runs parts of `npm run check` on a small source tree. The other parts always check this repository. */

const project = resolve(import.meta.dirname, '../..');
const folder = folderPerTest();

/** Runs some parts on a tree of these files. The tree has the settings of this repository. */
function check(files: Readonly<Record<string, string>>, ...parts: readonly string[]) {
  const tree = filesIn(folder());
  for (const name of ['biome.json', 'pure.grit', 'scrubbed.grit'])
    cpSync(join(project, name), join(folder(), name));
  tree.write('tsconfig.json', '{ "compilerOptions": { "module": "nodenext", "noEmit": true } }\n');
  for (const [path, text] of Object.entries(files)) tree.write(path, text);
  const script = join(project, 'scripts/check.ts');
  const args = [script, ...parts];
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: folder(), encoding: 'utf8' });
  return { status, stdout, last: stdout.trimEnd().split('\n').at(-1) };
}

const good = {
  'src/text/one.ts': 'export const one = 1;\n',
  'src/core/two.ts': 'export const two = 2;\n',
};

test('two different mistakes are both reported, each under its heading, and the last line says what to do', () => {
  const wrongType = { 'src/text/one.ts': "export const one: number = 'one';\n" };
  const unsorted = { 'src/core/two.ts': 'export const two = ( 2 );\n' };
  const { status, stdout, last } = check({ ...good, ...wrongType, ...unsorted }, 'types', 'lint');
  expect(status).toBe(1);
  expect(stdout).toMatch(/^===== types =====\nsrc\/text\/one\.ts\(1,14\): error TS2322/m);
  expect(stdout).toMatch(/^===== lint =====\n[^=]*src\/core\/two\.ts/m);
  expect(last).toMatch(/^Failed: (?:types, lint|lint, types)\. Passed: none\./);
  expect(last).toContain('For types, correct what is listed above.');
  expect(last).toContain('For lint, run `npm run fix`');
});

test('the last line names what passed and what failed', () => {
  const wrongType = { 'src/text/one.ts': "export const one: number = 'one';\n" };
  expect(check({ ...good, ...wrongType }, 'types', 'lint').last).toMatch(
    /^Failed: types\. Passed: lint\. /,
  );
  const { status, stdout } = check(good, 'types', 'lint');
  expect({ status, stdout }).toEqual({ status: 0, stdout: 'All parts passed: types, lint.\n' });
});

test('a part that does not exist fails, and names those that do', () => {
  const { status, stdout } = check({}, 'tpyes');
  expect(status).toBe(1);
  expect(stdout).toContain('The parts are dist, tools, types, docs, structure, lint.');
});

test('many lines of a part are cut', () => {
  const lines = Array.from({ length: 150 }, (_, line) => `export const v${line}: number = '';\n`);
  expect(check({ 'src/text/one.ts': lines.join('') }, 'types').stdout).toContain(
    '… and 50 more lines\n',
  );
});
