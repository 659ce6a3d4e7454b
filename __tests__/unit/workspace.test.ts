import { execFile, execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  directoryProblem,
  diskFiles,
  linkProblem,
  readPromptFile,
} from '../../src/runner/files.ts';
import { folderPerTest } from '../support/folder.ts';

const home = process.cwd();
const [workspace, outside] = [folderPerTest(), folderPerTest()];
beforeEach(() => {
  process.chdir(workspace());
  fs.writeFileSync(join(outside(), 'secret'), 'mint_fake_secret');
});
afterEach(() => process.chdir(home));

describe('a prompt file', () => {
  const linkToToken = () => {
    fs.mkdirSync('.git');
    fs.writeFileSync('.git/config', 'secret');
    fs.symlinkSync('.git/config', 'p');
  };

  test('can be in the workspace, behind a link within it, or in the temporary directory', () => {
    fs.writeFileSync('prompt.md', '\ufeffzwölf');
    fs.symlinkSync('prompt.md', 'link.md');
    expect(readPromptFile('prompt.md', undefined)).toBe('zwölf');
    expect(readPromptFile('link.md', '')).toBe('zwölf');
    expect(readPromptFile(join(outside(), 'secret'), outside())).toBe('mint_fake_secret');
  });

  test.each([
    [
      'a link to a file outside',
      () => fs.symlinkSync(join(outside(), 'secret'), 'p'),
      'outside the workspace',
    ],
    ['a link to the file where a checkout keeps its token', linkToToken, 'inside `.git`'],
    ['a folder', () => fs.mkdirSync('p'), 'not a regular file'],
    ['a pipe', () => execFileSync('mkfifo', ['p']), 'not a regular file'],
    ['too large', () => fs.writeFileSync('p', 'x'.repeat(256 * 1024 + 1)), 'larger than 256 KiB'],
    [
      'not UTF-8',
      () => fs.writeFileSync('p', Buffer.from([0xc3, 0x28])),
      'not valid for encoding utf-8',
    ],
    ['missing', () => undefined, 'no such file'],
  ])('is not read if it is %s', (_, make, message) => {
    make();
    expect(() => readPromptFile('p', undefined)).toThrow(message);
  });

  test('is not read from another folder, or through a link into the temporary directory', () => {
    fs.symlinkSync(join(outside(), 'secret'), 'p');
    expect(() => readPromptFile('p', outside())).toThrow('outside the workspace');
    expect(() => readPromptFile(join(outside(), 'secret'), undefined)).toThrow(
      'outside the workspace',
    );
    expect(() => readPromptFile(relative('.', join(outside(), 'secret')), '')).toThrow(
      'outside the workspace',
    );
  });
});

describe('a report folder or history file', () => {
  test('can’t be outside the workspace through a symbolic link', () => {
    fs.symlinkSync(outside(), 'reports');
    fs.symlinkSync(join(outside(), 'secret'), 'history.jsonl');
    expect(directoryProblem('reports')).toContain('outside the workspace');
    expect(directoryProblem(join('reports', 'new'))).toContain('outside the workspace');
    expect(linkProblem('history.jsonl')).toContain('outside the workspace');
    expect(linkProblem(join('reports', 'history.jsonl'))).toContain('outside the workspace');
    expect(() => diskFiles.read('history.jsonl')).toThrow('outside the workspace');
    expect(() => diskFiles.write(join('reports', 'a.md'), 'x')).toThrow('outside the workspace');
    expect(fs.existsSync(join(outside(), 'a.md'))).toBe(false);
  });

  test('can be outside the workspace if it is named directly', () => {
    expect(directoryProblem(outside())).toBeUndefined();
    diskFiles.write(join(outside(), 'a.md'), 'x');
    expect(diskFiles.read(join(outside(), 'a.md'))).toBe('x');
  });

  test('is replaced as a whole, so that a run that is killed while it writes leaves the old file', () => {
    diskFiles.write('history.jsonl', 'old');
    fs.linkSync('history.jsonl', 'same');
    diskFiles.write('history.jsonl', 'new');
    expect([diskFiles.read('same'), diskFiles.read('history.jsonl')]).toEqual(['old', 'new']);
  });

  test('is complete, without leftover files, after several runs wrote it at the same time', async () => {
    const module = JSON.stringify(new URL('../../src/runner/files.ts', import.meta.url));
    const runs = ['a', 'b'].map((letter) => {
      const write = `diskFiles.write('history.jsonl', '${letter}'.repeat(200_000))`;
      const code = `import { diskFiles } from ${module}; for (let n = 0; n < 50; n += 1) ${write};`;
      return promisify(execFile)(process.execPath, ['--input-type=module', '-e', code]);
    });
    await Promise.all(runs);
    expect(diskFiles.read('history.jsonl')).toMatch(/^(a{200000}|b{200000})$/);
    expect(fs.readdirSync('.')).toEqual(['history.jsonl']);
  });
});
