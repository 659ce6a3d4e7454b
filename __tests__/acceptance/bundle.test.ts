import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ACTION_DIR } from '../../simulator/runner/action.ts';
import { runAction, runPost } from '../../simulator/runner/runner.ts';
import { Stage } from '../support/bundle/stage.ts';
import { folderPerTest } from '../support/folder.ts';
import { serviceInputs } from '../support/usual.ts';

/*
 * A user's runner has only dist/, and a run loads only the files that it needs. These tests copy some files of dist/ to a folder
 * from which node_modules can't be found, and run the copy.
 */

const stage = new Stage({}, 'bundle');
const dist = join(ACTION_DIR, 'dist');
const files = readdirSync(dist);
const folder = folderPerTest();

/** Copies these files of dist/. Returns the options to run the copy. */
function copied(names: readonly string[]) {
  const distDir = join(folder(), 'dist');
  cpSync(join(ACTION_DIR, 'action.yml'), join(distDir, '../action.yml'));
  for (const name of [...names, 'package.json']) cpSync(join(dist, name), join(distDir, name));
  return { distDir };
}

test('a command, from dist/ alone', async () => {
  const run = await stage.say('/docs add a quickstart', copied(files));
  expect(run.outputs.outcome).toBe('pr-created');
});

test('a report, from dist/ alone', async () => {
  const inputs = { mode: 'visitors', pages: '/guides/**', 'report-dir': 'report' };
  const run = await stage.play(inputs, copied(files));
  expect(run.outputs).toMatchObject({
    outcome: 'reported',
    'csv-file': expect.stringMatching(/\.csv$/),
  });
});

test('a comment that is not a command, from dist/ alone', async () => {
  const { simulator, github } = stage;
  const event = github.issueCommentEvent(github.comment('maintainer', 7, 'Thanks!'));
  const run = await runAction({ simulator, inputs: {}, event, ...copied(files) });
  expect(run).toMatchObject({ exitCode: 0, outputs: { outcome: 'skipped', reason: 'no-command' } });
});

test('after a finished run, post loads only post.js, and prints and sends nothing', async () => {
  const run = await stage.play({ prompt: 'Add a quickstart.' });
  const sent = stage.simulator.requests.length;
  const nothing = { stdout: '', stderr: '', outputs: {}, summary: '' };
  expect(await runPost(run, copied(['post.js']))).toMatchObject({ exitCode: 0, ...nothing });
  expect(stage.simulator.requests).toHaveLength(sent);
});

test.each([1, 20, 50, 100, 150])(
  'post never acts as main, even if main was killed after %i ms',
  async (killAfterMs) => {
    const { simulator } = stage;
    const inputs = { ...serviceInputs(simulator), prompt: 'Add a quickstart.' };
    const main = await runAction({ simulator, inputs, killAfterMs });
    expect(main.signal).toBe('SIGKILL');
    const sentByMain = simulator.requests.length;
    const post = await runPost(main, { killAfterMs: 60_000 });
    expect(post).toMatchObject({ exitCode: 0, stderr: '' });
    const sentByPost = simulator.requests.slice(sentByMain);
    expect(sentByPost.filter(({ method, to }) => method === 'POST' && to === 'service')).toEqual(
      [],
    );
    // On a fast machine, main may have saved its request by then, so post updates the thread.
    if (main.state.run === undefined) expect(sentByPost).toEqual([]);
  },
);

test('dist/ has one copy of undici', () => {
  const scripts = files.filter((name) => name.endsWith('.js'));
  const code = scripts.map((name) => readFileSync(join(dist, name), 'utf8')).join('\n');
  expect(code.match(/class EnvHttpProxyAgent\b/g)).toHaveLength(1);
});
