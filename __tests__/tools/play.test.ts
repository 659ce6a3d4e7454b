import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

import { readPlayOptions, UsageError } from '../../simulator/play/command-line.ts';
import { outProblem } from '../../simulator/play/out.ts';
import { PlayProblem, playScene } from '../../simulator/play/scene.ts';
import { widthOf } from '../../simulator/play/wrap.ts';
import { folderPerTest } from '../support/folder.ts';

/* The options of `npm start`, and what it prints. */

const service = ['--base-url', 'https://api.example.com', '--project-id', 'p'];
const env = { DOCS_API_KEY: 'mint_fake_key' };
const folder = folderPerTest();

/** Runs `npm start` with these options in a wide terminal, and returns everything that it prints. */
const play = (...args: string[]) => playIn(200, args);

async function playIn(maxWidth: number, args: readonly string[]): Promise<string> {
  let text = '';
  const options = readPlayOptions(args, {});
  if (options === undefined) throw new UsageError('This only asks for help.');
  expect(await playScene(options, (part) => (text += part), maxWidth)).toBe(0);
  expect(text).not.toContain('✗');
  return text;
}

test('without options, a comment is played; those of a real service are read, with the key from the environment', () => {
  const scene = { kind: 'comments', comments: ['/docs add a quickstart for the Python SDK'] };
  expect(readPlayOptions([], {})).toEqual({ scene, service: undefined, isVerbose: false });
  const real = { baseUrl: 'https://api.example.com', projectId: 'p', apiKey: 'mint_fake_key' };
  expect(readPlayOptions(service, env)).toMatchObject({ scene, service: real });
  expect(readPlayOptions(['--help'], {})).toBeUndefined();
});

test.each<[string[], Record<string, string>, RegExp]>([
  [['--promt', 'p'], {}, /^There is no --promt\. See "npm start -- --help"\.$/],
  [['--prompt', 'p', '--visitors'], {}, /Choose one/],
  [['--gaps'], {}, /--gaps needs --visitors/],
  [['--out', 'report.md'], {}, /--out needs --visitors/],
  [['--visitors', '--out', 'report.pdf'], {}, /\.md or \.html/],
  [['--visitors', '--projects', '21'], {}, /1 to 20/],
  [['--projects', '2'], {}, /--projects needs --visitors/],
  [['--visitors', '--projects', '2', ...service], env, /and the simulated service/],
  [['--failed', ...service], env, /--failed needs the simulated service/],
  [service, {}, /DOCS_API_KEY/],
  [service.slice(0, 2), env, /both/],
])('%j is refused', (args, given, message) => {
  expect(() => readPlayOptions(args, given)).toThrow(UsageError);
  expect(() => readPlayOptions(args, given)).toThrow(message);
});

test('--change shows the merged pull request with its status comment, and then what the agent got', async () => {
  const parts = /── The merged pull request ──\n([\s\S]*)── What the agent got ──\n([\s\S]*)/;
  const [, thread = '', sent = ''] = parts.exec(await play('--change')) ?? [];
  expect(thread).toContain('#12 Retry three times (pull request in octo-org/app, closed)');
  const link = 'Pull request #101 (https://github.com/octo-org/docs/pull/101)';
  expect(thread).toContain(`${link} is ready to review`);
  expect(sent).toContain('+export const tries = 3;');
  expect(sent).not.toMatch(/Thanks for contributing|lockfileVersion|toBe/);
  expect(sent).toContain('Not sent: the diff of 2 files that `paths` excludes.');
});

test('--comment … shows only the thread as a reader sees it', async () => {
  const text = await play(
    '--comment',
    '/docs a page.',
    '--comment',
    '/docs b',
    '--comment',
    '/docs --new c',
  );
  const start =
    'Simulating comments on an issue; nothing is sent, waiting is skipped.\n\n── The issue ──\n';
  expect(text.slice(0, start.length)).toBe(start);
  expect(text).toMatch(/┌ maintainer\n│ \/docs b\n└ 👀 1 {2}🚀 1/);
  const headlines = Array.from(
    text.matchAll(/┌ github-actions\[bot\] · edited 3 times\n│ (.*)\.\n/g),
    ([, line]) => line,
  );
  const [first, other] = [101, 102].map(
    (number) => `(https://github.com/octo-org/docs/pull/${number})`,
  );
  expect(headlines).toEqual([
    `✅ #101 A page ${first} is ready to review`,
    `✅ #101 A page ${first} was updated`,
    `✅ #102 C ${other} is ready to review`,
  ]);
  expect(text).toContain('│ ▸ Request and details\n└');
  expect(text).not.toMatch(/<|\*\*|`|outcome = /);
});

test('--failed shows the comment of a job that failed, and then of the re-run that it suggests', async () => {
  const [, failed = '', again = ''] = (await play('--failed')).split(/── The issue after .* ──\n/);
  expect(failed).toMatch(/┌ github-actions\[bot\].*\n│ ❌ The job failed\./);
  expect(failed).toContain('Re-run the workflow');
  expect(again).toContain(
    '│ ✅ #102 Add a quickstart for the Python SDK (https://github.com/octo-org/docs/pull/102)',
  );
});

test('--verbose adds the log and the outputs of each run, and expands collapsed parts', async () => {
  const text = await play('--prompt', 'p', '--verbose');
  expect(text).toMatch(
    /── The job summary ──\n✅ Pull [\s\S]*▾ Details\n\nOutcome +pr-created[\s\S]*\np\n\n── The log/,
  );
  expect(text).toMatch(/Created job [\s\S]*── The outputs ──\noutcome = pr-created\n/);
});

test('--visitors --projects … --out … writes a report on several sites to a file, with charts', async () => {
  const out = join(folder(), 'report.md');
  expect(await play('--visitors', '--projects', '3', '--out', out)).toContain(
    `The report is in ${out}.\n`,
  );
  const markdown = readFileSync(out, 'utf8');
  expect(markdown).toMatch(/^## Docs visitors, Mar 2–8, 2026\n/);
  expect(markdown).toContain('x-axis ["Jan 12",');
  for (const name of ['Guides', 'API reference', 'SDKs']) {
    expect(markdown.replaceAll('<wbr>', '')).toContain(`| <b>${name}</b> |`);
  }
});

test('a flag that npm kept for itself is an error that says how to pass it on', () => {
  const message = 'npm kept --visitors for itself. Put -- before it: npm start -- --visitors';
  expect(() => readPlayOptions([], { npm_config_visitors: 'true' })).toThrow(message);
  expect(readPlayOptions(['--visitors'], { npm_config_visitors: 'true' })).toBeDefined();
});

test('--stranger shows the reply to a stranger’s command', async () => {
  const text = await play('--stranger');
  expect(text).toContain('└ 😕 1\n');
  expect(text).toContain('🚫 stranger can’t use /docs here');
});

test('a comment that is no command is said to be ignored', async () => {
  const text = await play('--comment', 'Looks fine.');
  expect(text).not.toContain('github-actions[bot]');
  expect(text).toContain('Ignored, because it doesn’t begin with /docs: Looks fine.');
});

test('one of several sites needs a look, and the others don’t', async () => {
  expect(await play('--visitors', '--projects', '5')).toMatch(
    /\n\d of 5 projects needs? a look\. The others/,
  );
});

test('the chart is drawn in characters, and no line is wider than a terminal', async () => {
  const text = await playIn(80, ['--visitors']);
  expect(text).toMatch(/\nMar 2 +█+.*░.* [\d,]+\n/);
  expect(text).toContain('█ people, ░ only AI, ▏ usual range');
  expect(text).not.toMatch(/[\u2060\u00A0]/);
  expect(Math.max(...text.split('\n').map(widthOf))).toBeLessThanOrEqual(80);
});

test('--visitors --gaps prints the report, and ends with a command that leads to a pull request', async () => {
  const text = await play('--visitors', '--gaps');
  expect(text).toMatch(/── The report, in the job summary ──\nDocs visitors, Mar 2–8, 2026\n/);
  expect(text).not.toMatch(/\*\*|`|^\||mermaid/m);
  const [, command = ''] = /^(\/docs .*\.)$/m.exec(text) ?? [];
  expect(command).toContain('12 questions asked on /api/authentication.');
  expect(await play('--comment', command)).toContain('is ready to review');
});

test('a file that can’t be written is an error before anything runs', async () => {
  const below = join(folder(), 'none');
  const out = join(below, 'report.md');
  await expect(play('--visitors', '--out', out)).rejects.toThrow(new PlayProblem(outProblem(out)));
  expect(outProblem(out)).toBe(`Can’t write ${out}: there is no directory ${below}.`);
  const page = join(folder(), 'report.html');
  expect(outProblem(page, false)).toContain('Run "npm ci --prefix scripts/pictures" first');
  expect(outProblem(page, true)).toBeUndefined();
  mkdirSync(page);
  expect(outProblem(page, true)).toBe(`Can’t write ${page}: it isn’t a file.`);
});
