import { execFile, execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { directoryProblem, diskFiles, linkProblem, readPromptFile } from '../../src/runner/files.ts';

const home = process.cwd();
let outside: string;

beforeEach(() => {
  process.chdir(realpathSync(mkdtempSync(join(tmpdir(), 'workspace-'))));
  outside = realpathSync(mkdtempSync(join(tmpdir(), 'outside-')));
  writeFileSync(join(outside, 'secret'), 'mint_fake_secret');
});

afterEach(() => {
  const workspace = process.cwd();
  process.chdir(home);
  for (const folder of [workspace, outside]) rmSync(folder, { recursive: true });
});

describe('a prompt file', () => {
  test('is text of the workspace, of a link within it, or of the temporary directory', () => {
    writeFileSync('prompt.md', '\ufeffzwölf');
    symlinkSync('prompt.md', 'link.md');
    expect(readPromptFile('prompt.md', undefined)).toBe('zwölf');
    expect(readPromptFile('link.md', '')).toBe('zwölf');
    expect(readPromptFile(join(outside, 'secret'), outside)).toBe('mint_fake_secret');
  });

  test.each([
    ['a link to a file elsewhere', () => symlinkSync(join(outside, 'secret'), 'p'), 'outside the workspace'],
    [
      'a link to where a checkout keeps its token',
      () => {
        mkdirSync('.git');
        writeFileSync(join('.git', 'config'), 'secret');
        symlinkSync(join('.git', 'config'), 'p');
      },
      'inside `.git`',
    ],
    ['a folder', () => mkdirSync('p'), 'not a regular file'],
    ['a pipe nobody writes to', () => execFileSync('mkfifo', ['p']), 'not a regular file'],
    ['too large', () => writeFileSync('p', 'x'.repeat(256 * 1024 + 1)), 'larger than 256 KiB'],
    ['no UTF-8', () => writeFileSync('p', Buffer.from([0xc3, 0x28])), 'not valid for encoding utf-8'],
    ['not there', () => undefined, 'no such file'],
  ])('that is %s is not read', (_, make, message) => {
    make();
    expect(() => readPromptFile('p', undefined)).toThrow(message);
  });

  test('is not led into the temporary directory by a link', () => {
    symlinkSync(join(outside, 'secret'), 'p');
    expect(() => readPromptFile('p', outside)).toThrow('outside the workspace');
  });

  test('is not looked for above the workspace', () => {
    expect(() => readPromptFile(join('..', '..', join(outside, 'secret')), undefined)).toThrow();
    expect(() => readPromptFile(join(outside, 'secret'), undefined)).toThrow('outside the workspace');
  });
});

describe('a place to write', () => {
  test('is not led outside the workspace by a symbolic link', () => {
    symlinkSync(outside, 'reports');
    symlinkSync(join(outside, 'secret'), 'history.jsonl');
    expect(directoryProblem('reports')).toContain('outside the workspace');
    expect(directoryProblem(join('reports', 'new'))).toContain('outside the workspace');
    expect(linkProblem('history.jsonl')).toContain('outside the workspace');
    expect(linkProblem(join('reports', 'history.jsonl'))).toContain('outside the workspace');
    expect(() => diskFiles.read('history.jsonl')).toThrow('outside the workspace');
    expect(() => diskFiles.write(join('reports', 'a.md'), 'x')).toThrow('outside the workspace');
    expect(existsSync(join(outside, 'a.md'))).toBe(false);
  });

  test('may be chosen outside by its own name', () => {
    expect(directoryProblem(outside)).toBeUndefined();
    diskFiles.write(join(outside, 'a.md'), 'x');
    expect(diskFiles.read(join(outside, 'a.md'))).toBe('x');
  });

  test('gets a file whole while several runs write it at once, and nothing else', async () => {
    const texts = ['a', 'b'].map((letter) => letter.repeat(200_000));
    const module = JSON.stringify(new URL('../../src/runner/files.ts', import.meta.url));
    const runs = ['a', 'b'].map((letter) => {
      const write = `diskFiles.write('history.jsonl', '${letter}'.repeat(200_000))`;
      const code = `import { diskFiles } from ${module}; for (let n = 0; n < 50; n += 1) ${write};`;
      return promisify(execFile)(process.execPath, ['--input-type=module', '-e', code]);
    });
    await Promise.all(runs);
    expect(texts).toContain(diskFiles.read('history.jsonl'));
    expect(readdirSync('.')).toEqual(['history.jsonl']);
  });
});
