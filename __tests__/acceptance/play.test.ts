import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';

import { readPlayOptions, type Scene, UsageError } from '../../simulator/play/command-line.ts';
import { outProblem } from '../../simulator/play/out.ts';
import { PlayProblem, playScene } from '../../simulator/play/scene.ts';

/* `npm start`, as the README tells how to call it. */

const service = ['--base-url', 'https://api.example.com', '--project-id', 'p'];
const env = { DOCS_AGENT_API_KEY: 'mint_fake_key' };
const directory = mkdtempSync(join(tmpdir(), 'play-'));
afterAll(() => rmSync(directory, { recursive: true }));

/** What is printed when that is played to its end. */
async function play(...args: string[]): Promise<string> {
  let text = '';
  const options = readPlayOptions(args, {});
  if (options === undefined) throw new UsageError('Only help was asked for.');
  expect(await playScene(options, (part) => (text += part))).toBe(0);
  expect(text).not.toContain('✗ refused');
  return text;
}

test.each<[string[], Scene]>([
  [[], { kind: 'prompt', prompt: 'Add a quickstart for the Python SDK.' }],
  [['--prompt', 'p'], { kind: 'prompt', prompt: 'p' }],
  [['--visitors'], { kind: 'visitors', out: undefined, projects: 1 }],
])('%j is read', (args, scene) => {
  expect(readPlayOptions(args, {})).toEqual({ scene, service: undefined });
});

test('the real service is read, with the key from the environment', () => {
  const real = { baseUrl: 'https://api.example.com', projectId: 'p', apiKey: 'mint_fake_key' };
  expect(readPlayOptions(service, env)).toMatchObject({ service: real });
  expect(readPlayOptions(['--help'], {})).toBeUndefined();
});

test.each<[string[], Record<string, string>, RegExp]>([
  [['--promt', 'p'], {}, /--promt/],
  [['--prompt', 'p', '--visitors'], {}, /Choose one/],
  [['--out', 'report.md'], {}, /--out is for --visitors/],
  [['--visitors', '--out', 'report.pdf'], {}, /\.md or \.html/],
  [['--visitors', '--projects', '21'], {}, /1 to 20/],
  [['--projects', '2'], {}, /--projects is for --visitors/],
  [['--visitors', '--projects', '2', ...service], env, /of the simulated service/],
  [service, {}, /DOCS_AGENT_API_KEY/],
  [service.slice(0, 2), env, /both/],
])('%j is refused', (args, given, message) => {
  expect(() => readPlayOptions(args, given)).toThrow(UsageError);
  expect(() => readPlayOptions(args, given)).toThrow(message);
});

test('--change shows what the agent was told of a merge, and the answer in its pull request', async () => {
  const [, told = '', after = ''] =
    (await play('--change')).match(
      /── What the agent was told ──\n([\s\S]*)── The pull request, as a reader sees it ──\n([\s\S]*)/,
    ) ?? [];
  expect(told).toContain('+export const tries = 3;');
  expect(told).not.toMatch(/Thanks for contributing|lockfileVersion|toBe/);
  expect(told).toContain('Left out: the patches of 2 files that `paths` leaves out.');
  expect(after).toContain(
    '[Pull request #101](<https://github.com/octo-org/docs/pull/101>)** is ready to review',
  );
});

test('--comment … shows the thread at its end as a reader sees it, and the outputs', async () => {
  const text = await play('--comment', '/docs a', '--comment', '/docs b');
  expect(text.match(/▶ issue_comment against the simulated service/g)).toHaveLength(2);
  expect(text).toContain('outcome = pr-created');
  const [, thread = ''] = text.split('── The thread, as a reader sees it ──');
  expect(thread).toMatch(/┌ maintainer\n│ \/docs a\n└ 👀 1 {2}🚀 1/);
  expect(thread).toMatch(/┌ github-actions\[bot\] · edited twice\n│ ✅ .* is ready/);
  expect(thread).not.toContain('<!--');
});

test('--visitors shows the report in the terminal, after the weeks before, with bars of eight weeks', async () => {
  const text = await play('--visitors');
  expect(text).toMatch(/── Summary ──\n## Docs visitors, 2–8 March 2026\n/);
  expect(text.match(/^[ \d]\d [A-Z][a-z]{2} █+ [\d,]+$/gm)).toHaveLength(8);
});

test('--visitors --projects … --out … writes a report of several sites, with charts, to a file', async () => {
  const out = join(directory, 'report.md');
  expect(await play('--visitors', '--projects', '3', '--out', out)).toContain(`Written: ${out}\n`);
  const markdown = readFileSync(out, 'utf8');
  expect(markdown).toMatch(/^## Docs visitors, 2–8 March 2026\n/);
  expect(markdown).toContain('x-axis ["12 Jan",');
  for (const name of ['Guides', 'API reference', 'SDKs']) {
    expect(markdown).toMatch(new RegExp(`^\\| \`${name}\` \\| [\\d,]+ \\|`, 'm'));
    expect(markdown).toContain(`<summary><code>${name}</code>, ▲`);
  }
});

test('a file that could not be written is refused before anything is played', async () => {
  const out = join(directory, 'none', 'report.md');
  await expect(play('--visitors', '--out', out)).rejects.toThrow(new PlayProblem(outProblem(out)));
  const below = join(directory, 'none');
  expect(outProblem(out)).toBe(`${out} cannot be written: there is no directory ${below}.`);
  const page = join(directory, 'report.html');
  expect(outProblem(page, false)).toContain('run "npm ci --prefix scripts/pictures" first');
  expect(outProblem(page, true)).toBeUndefined();
  mkdirSync(page);
  expect(outProblem(page, true)).toBe(`${page} cannot be written: it is no file.`);
});
