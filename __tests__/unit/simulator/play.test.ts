import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { createInMemorySimulator } from '../../../simulator/in-memory.ts';
import { type PlayOptions, readPlayOptions, UsageError } from '../../../simulator/play/command-line.ts';
import { outProblem } from '../../../simulator/play/out.ts';
import { renderThread } from '../../../simulator/play/render-thread.ts';
import { PlayProblem, playScene } from '../../../simulator/play/scene.ts';

const SERVICE = ['--base-url', 'https://api.example.com', '--project-id', 'p'];
const KEY = { DOCS_AGENT_API_KEY: 'mint_fake_key' };

test.each<[string[], PlayOptions['scene']]>([
  [[], { kind: 'prompt', prompt: 'Add a quickstart for the Python SDK.' }],
  [['--prompt', 'p'], { kind: 'prompt', prompt: 'p' }],
  [['--comment', '/docs a', '--comment', '/docs b'], { kind: 'comments', comments: ['/docs a', '/docs b'] }],
  [['--change'], { kind: 'change' }],
  [['--visitors'], { kind: 'visitors', out: undefined, projects: 1 }],
  [['--visitors', '--projects', '5'], { kind: 'visitors', out: undefined, projects: 5 }],
  [['--visitors', '--out', 'a/report.html'], { kind: 'visitors', out: 'a/report.html', projects: 1 }],
])('reads %j', (args, scene) => {
  expect(readPlayOptions(args, {})).toEqual({ scene, service: undefined });
});

test('reads the real service, with the key from the environment', () => {
  const service = { baseUrl: 'https://api.example.com', projectId: 'p', apiKey: 'mint_fake_key' };
  expect(readPlayOptions(SERVICE, KEY)).toMatchObject({ service });
  expect(readPlayOptions(['--help'], {})).toBeUndefined();
});

test.each<[string[], Record<string, string>, RegExp]>([
  [['--promt', 'p'], {}, /--promt/],
  [['stray'], {}, /stray/],
  [['--prompt', 'p', '--visitors'], {}, /Choose one/],
  [['--change', '--comment', '/docs a'], {}, /Choose one/],
  [['--out', 'report.md'], {}, /--out is for --visitors/],
  [['--visitors', '--out', 'report.pdf'], {}, /\.md or \.html/],
  [['--visitors', '--projects', '21'], {}, /1 to 20/],
  [['--projects', '2'], {}, /--projects is for --visitors/],
  [['--visitors', '--projects', '2', ...SERVICE], KEY, /of the simulated service/],
  [SERVICE, {}, /DOCS_AGENT_API_KEY/],
  [SERVICE.slice(0, 2), KEY, /both/],
])('refuses %j', (args, env, message) => {
  expect(() => readPlayOptions(args, env)).toThrow(UsageError);
  expect(() => readPlayOptions(args, env)).toThrow(message);
});

test('shows a thread as a reader sees it', () => {
  const { github } = createInMemorySimulator();
  github.addThread({ number: 3, title: 'Docs', isPullRequest: true });
  const command = github.comment('maintainer', 3, '/docs x');
  github.react(command, 'eyes', 'github-actions[bot]');
  github.react(command, 'rocket', 'github-actions[bot]');
  const status = github.comment('github-actions[bot]', 3, '<!-- docs-agent:v1 a.b -->\nWorking…');
  github.edit(status.id, '<!-- docs-agent:v1 a.c -->\nDone.\n\nSee the link.');
  expect(renderThread(github, 3)).toBe(
    [
      '#3 Docs (pull request, open)\n',
      '┌ maintainer\n│ /docs x\n└ 👀 1  🚀 1\n',
      '┌ github-actions[bot] · edited once\n│ Done.\n│ \n│ See the link.\n└',
    ].join('\n'),
  );
});

describe('the report', () => {
  let directory = '';
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'play-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const play = async (out: string | undefined, projects = 1) => {
    let text = '';
    const scene = { kind: 'visitors', out, projects } as const;
    const exitCode = await playScene({ scene, service: undefined }, (part) => (text += part));
    expect(exitCode).toBe(0);
    return text;
  };

  test('is shown in the terminal, after the weeks before, with bars of eight weeks', async () => {
    const text = await play(undefined);
    expect(text).toMatch(/── Summary ──\n## Docs visitors, 2–8 March 2026\n/);
    expect(text.match(/^[ \d]\d [A-Z][a-z]{2} █+ [\d,]+$/gm)).toHaveLength(8);
  });

  test('goes into a file as Markdown', async () => {
    const out = join(directory, 'report.md');
    expect(await play(out)).toContain(`Written: ${out}\n`);
    const markdown = readFileSync(out, 'utf8');
    expect(markdown).toMatch(/^## Docs visitors, 2–8 March 2026\n/);
    expect(markdown).toContain('x-axis ["12 Jan",');
  });

  test('that could not be written is refused before anything is played', async () => {
    const scene = { kind: 'visitors', out: join(directory, 'none', 'report.md'), projects: 1 } as const;
    const printed: string[] = [];
    const played = playScene({ scene, service: undefined }, (part) => printed.push(part));
    await expect(played).rejects.toThrow(new PlayProblem(outProblem(scene.out)));
    expect(outProblem(scene.out)).toContain(
      `report.md cannot be written: there is no directory ${directory}`,
    );
    expect(printed).toEqual([]);
    const page = join(directory, 'report.html');
    expect(outProblem(page, false)).toContain('run "npm ci --prefix scripts/pictures" first');
    expect(outProblem(page, true)).toBeUndefined();
    mkdirSync(page);
    expect(outProblem(page, true)).toBe(`${page} cannot be written: it is no file.`);
  });

  test('of several sites has a row and a section for each', async () => {
    const text = await play(undefined, 3);
    for (const name of ['Guides', 'API reference', 'SDKs']) {
      expect(text).toMatch(new RegExp(`^\\| \`${name}\` \\| [\\d,]+ \\|`, 'm'));
      expect(text).toContain(`<summary><code>${name}</code>, ▲`);
    }
  });
});
