import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { ACTION_DIR } from '../../simulator/runner/action.ts';
import { runAction, runPost } from '../../simulator/runner/runner.ts';
import { Stage } from '../support/bundle/stage.ts';

/*
 * A user's runner has only dist/, and a run loads only the files that it needs. These tests copy some files of dist/ to a folder
 * from which node_modules can't be found, and run the copy.
 */

const stage = new Stage();
const dist = join(ACTION_DIR, 'dist');
const files = readdirSync(dist);
/** The numbered files of dist/, which only some runs load. */
const chunks = files.filter((file) => /^\d+\./.test(file));
let distDir: string;

beforeEach(() => {
  distDir = join(mkdtempSync(join(tmpdir(), 'docs-agent-')), 'dist');
  cpSync(join(ACTION_DIR, 'action.yml'), join(distDir, '../action.yml'));
});
afterEach(() => rmSync(join(distDir, '..'), { recursive: true }));

function copy(names: readonly string[]): void {
  for (const name of [...names, 'package.json']) cpSync(join(dist, name), join(distDir, name));
}

function commentEvent(body: string) {
  return stage.github.issueCommentEvent(stage.github.comment('maintainer', 7, body));
}

test('a command, from dist/ alone', async () => {
  copy(files);
  const run = await stage.play({}, { distDir, event: commentEvent('/docs add a quickstart') });
  expect(run.outputs.outcome).toBe('pr-created');
});

test('a report, from dist/ alone', async () => {
  copy(files);
  const run = await stage.play(
    { mode: 'visitors', pages: '/guides/**', 'report-dir': 'report' },
    { distDir },
  );
  expect(run.outputs).toMatchObject({ outcome: 'reported', 'csv-file': expect.stringMatching(/\.csv$/) });
});

test('a prompt without a thread loads no chunk, such as the GitHub client, the calendar, or the globs', async () => {
  expect(chunks.length).toBeGreaterThan(1);
  copy(files.filter((file) => !chunks.includes(file)));
  const run = await stage.play({ prompt: 'Add a quickstart.' }, { distDir });
  expect(run.outputs.outcome).toBe('pr-created');
});

test('a comment that is not a command loads only index.js', async () => {
  copy(['index.js']);
  const event = commentEvent('Thanks!');
  const run = await runAction({ simulator: stage.simulator, inputs: {}, event, distDir });
  expect(run).toMatchObject({ exitCode: 0, outputs: { outcome: 'skipped', reason: 'no-command' } });
});

test('after a finished run, post loads only post.js, and prints and sends nothing', async () => {
  const run = await stage.play({ prompt: 'Add a quickstart.' });
  const sent = stage.simulator.requests.length;
  copy(['post.js']);
  const nothing = { stdout: '', stderr: '', outputs: {}, summary: '' };
  expect(await runPost(run, { distDir })).toMatchObject({ exitCode: 0, ...nothing });
  expect(stage.simulator.requests).toHaveLength(sent);
});
