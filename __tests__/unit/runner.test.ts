import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';

import { RunnerLog } from '../../simulator/runner/log.ts';
import { guardRunner, readInputs } from '../../src/runner/runner.ts';
import { createScrub } from '../../src/text/scrub.ts';
import { folderPerTest } from '../support/folder.ts';
import { recordingRunner } from '../support/in-process/recording-runner.ts';

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

test('inputs are read by name, and their values are unchanged', () => {
  Object.assign(process.env, { 'INPUT_API-KEY': ' k ', INPUT_PROMPT: '' });
  const inputs = { 'api-key': ' k ', prompt: '', 'job-id': '' };
  expect(readInputs(Object.keys(inputs))).toEqual(inputs);
});
