import { execFile, execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { RunnerLog } from '../../simulator/runner/log.ts';
import {
  diskFiles,
  findDirectoryProblem,
  findLinkProblem,
  readPromptFile,
} from '../../src/runner/files.ts';
import { guardRunner, readInputs } from '../../src/runner/runner.ts';
import { createScrub } from '../../src/text/scrub.ts';
import { folderPerTest } from '../support/folder.ts';
import { recordingRunner } from '../support/in-process/recording-runner.ts';

describe('the runner', () => {
  const emitter = fileURLToPath(new URL('../support/emit.ts', import.meta.url));
  const folder = folderPerTest();

  /** The output of a process that logs these texts in order. */
  function emit(method: string, args: readonly (readonly [string, string])[]): string {
    const file = join(folder(), 'args.json');
    writeFileSync(file, JSON.stringify({ method, args }));
    return execFileSync(process.execPath, [emitter, file], { encoding: 'utf8', maxBuffer: 1e8 });
  }

  /** Splits a text as .NET does: CR, LF, and CRLF each end a line. */
  const linesOf = (text: string): string[] => text.split(/\r\n|\r|\n/);

  /** The log of a runner that reads this output. */
  function logOf(output: string): RunnerLog {
    const log = new RunnerLog();
    for (const line of linesOf(output)) log.line(line);
    return log;
  }

  /** Whether the runner would run a line as a command: it starts with `::` after white space, or contains `##[`. */
  const isCommand = (line: string): boolean => /^[\s\u0085]*::/.test(line) || line.includes('##[');

  const breaks = fc.constantFrom(
    ...['\n', '\r', '\r\n', '\u2028', '\u0085', '\v', '\t', ' ', '\u00a0', '\ufeff', ''],
  );
  const commands = fc.constantFrom(
    ...[
      '::error::x',
      '::add-mask::a',
      '::set-output name=pr-link::x',
      '::stop-commands::x',
      '##[error]x',
    ],
    ...['##[add-path]/tmp', '::', ':', '#', '##[', '%0A::error::x', 'plain text'],
  );
  const hostile = fc
    .array(fc.oneof(breaks, commands, fc.string({ maxLength: 3 })), { maxLength: 10 })
    .map((parts) => parts.join(''));
  const texts = fc.sample(fc.tuple(hostile, hostile), { numRuns: 2_000, seed: 7 });

  test('no line in the log becomes a command, although many would without escaping', () => {
    expect(texts.filter(([text]) => linesOf(text).some(isCommand)).length).toBeGreaterThan(900);
    expect(linesOf(emit('info', texts)).filter(isCommand)).toEqual([]);
  });

  test.each(['notice', 'warning', 'error'])(
    'a %s is a single annotation with the whole text',
    (level) => {
      const lines = linesOf(emit(level, texts)).filter((line) => line !== '');
      expect(lines).toHaveLength(texts.length);
      for (const line of lines) expect(line).toMatch(new RegExp(`^::${level}( (title=[^:]*)?)?::`));
      const log = logOf(lines.join('\n'));
      expect(log.annotations.map(({ message }) => message)).toEqual(texts.map(([text]) => text));
    },
  );

  test('a verbatim text is shown unchanged, and its commands are ignored', () => {
    const text = 'a\n::error::x\n##[error]y\n::set-output name=a::b\n::add-mask::a';
    const log = logOf(emit('verbatim', [['The prompt', text]]));
    expect(log.text).toContain(`▼ The prompt\n${text}\n`);
    expect([log.annotations, log.masks, log.outputs]).toEqual([[], [], {}]);
  });

  test('a secret is masked without the space around it, and an empty secret is not masked', () => {
    const secrets = [' mint_fake\n', ' '].map((secret) => [secret, ''] as const);
    expect(logOf(emit('mask', secrets)).masks).toEqual(['mint_fake']);
  });

  test('a secret is removed from the log, also from a verbatim text, and from all that is saved', async () => {
    const recorded = recordingRunner();
    const runner = guardRunner(recorded, createScrub(['ghs_fake_secret']));
    const [text, safe] = ['a ghs_fake_secret', 'a ***'];
    for (const level of ['info', 'notice', 'warning', 'error'] as const) runner[level](text);
    runner.verbatim('The prompt', text);
    runner.setOutput('result', text);
    runner.saveState('run', text);
    await runner.writeSummary(text);
    const levels = ['info: ', 'notice: ', 'warning: ', 'error: ', 'verbatim: The prompt\n'];
    expect(recorded.log).toEqual(levels.map((level) => `${level}${safe}`));
    const { outputs, state } = recorded;
    expect([outputs.result, state.run, recorded.summary()]).toEqual([safe, safe, safe]);
  });

  describe('if a file of the runner’s can’t be written', () => {
    /** A runner whose files hold so many values each. */
    function runnerWithSpace(space: number) {
      const files = { outputs: [] as string[], state: [] as string[] };
      const writeTo = (file: keyof typeof files) => (name: string, value: string) => {
        if (files[file].length >= space) throw new Error('ENOSPC: no space left');
        files[file].push(`${name}=${value}`);
      };
      const recorded = {
        ...recordingRunner(),
        setOutput: writeTo('outputs'),
        saveState: writeTo('state'),
        clearOutputs: () => void files.outputs.splice(0),
        clearState: () => void files.state.splice(0),
      };
      return { files, log: recorded.log, runner: guardRunner(recorded, createScrub([])) };
    }

    test('nothing old stays in it, and the log says so once', () => {
      const { files, log, runner } = runnerWithSpace(1);
      runner.saveState('run', 'claimed');
      runner.setOutput('outcome', 'failed');
      for (const name of ['more', 'published']) {
        runner.saveState(name, 'true');
        runner.setOutput(name, 'true');
      }
      expect(files).toEqual({ state: [], outputs: [] });
      expect(log).toEqual([
        expect.stringMatching(
          /^warning: .* `GITHUB_STATE`.* Check that the disk has space .*\nENOSPC/,
        ),
        expect.stringMatching(
          /^error: .* `GITHUB_OUTPUT`.* Check that the disk has space .*\nENOSPC/,
        ),
      ]);
      expect(runner.lacksOutputs()).toBe(true);
    });
  });

  test('inputs are read by name, and their values are unchanged', () => {
    Object.assign(process.env, { 'INPUT_API-KEY': ' k ', INPUT_PROMPT: '' });
    const inputs = { 'api-key': ' k ', prompt: '', 'job-id': '' };
    expect(readInputs(Object.keys(inputs))).toEqual(inputs);
  });
});

describe('the workspace', () => {
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
      expect(findDirectoryProblem('reports')).toContain('outside the workspace');
      expect(findDirectoryProblem(join('reports', 'new'))).toContain('outside the workspace');
      expect(findLinkProblem('history.jsonl')).toContain('outside the workspace');
      expect(findLinkProblem(join('reports', 'history.jsonl'))).toContain('outside the workspace');
      expect(() => diskFiles.read('history.jsonl')).toThrow('outside the workspace');
      expect(() => diskFiles.write(join('reports', 'a.md'), 'x')).toThrow('outside the workspace');
      expect(fs.existsSync(join(outside(), 'a.md'))).toBe(false);
    });

    test('can be outside the workspace if it is named directly', () => {
      expect(findDirectoryProblem(outside())).toBeUndefined();
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
});
