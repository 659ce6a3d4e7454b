import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ACTION_DIR } from '../../simulator/runner/action.ts';
import { runAction, runPost } from '../../simulator/runner/runner.ts';
import { headlines, type Said, Stage } from '../support/bundle/stage.ts';
import { folderPerTest } from '../support/folder.ts';
import { routes } from '../support/routes.ts';
import { serviceInputs } from '../support/usual.ts';

describe('the bundle', () => {
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
    expect(run).toMatchObject({
      exitCode: 0,
      outputs: { outcome: 'skipped', reason: 'no-command' },
    });
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
});

describe('processes at once', () => {
  const stage = new Stage({}, 'bundle');

  const { createJob: create, writeComment: claim } = routes;

  /** Posts a second command once the first has written its claim. The first creates its job only after the second has a claim, too. */
  function overtake(): Promise<Said> {
    const { simulator } = stage;
    const claimed = Promise.withResolvers<void>();
    simulator.once({ at: create, phase: 'arrived' }, () => claimed.promise);
    return new Promise((resolve, reject) => {
      simulator.once({ at: claim, phase: 'handled' }, () => {
        simulator.once({ at: claim, phase: 'handled' }, () => claimed.resolve());
        stage.say('/docs and one for Ruby').then(resolve, reject);
      });
    });
  }

  test('a second command waits for the job of the first', async () => {
    const second = overtake();
    // The second command's clock skips its waits, so the first one may need more time than they last.
    const edited = Promise.withResolvers<void>();
    stage.simulator.once({ at: routes.editComment, phase: 'handled' }, () => edited.resolve());
    stage.simulator.once({ at: routes.readComment, phase: 'arrived' }, () => edited.promise);
    await stage.say('/docs add a quickstart');
    expect((await second).outputs.outcome).toBe('pr-created');
    expect(stage.requests).toEqual([['add a quickstart', 'and one for Ruby']]);
  });

  test('a second command continues if the claim that it waits for is deleted', async () => {
    const second = overtake();
    let deleted: number | undefined;
    stage.simulator.clock.onSleep(() => {
      const [claim] = stage.written();
      if (claim === undefined || deleted !== undefined || stage.written().length < 2) return;
      deleted = claim.id;
      stage.github.delete(claim.id);
    });
    stage.simulator.faults.refuse(create, 429, { retryAfter: 50 });
    await stage.say('/docs add a quickstart');
    expect((await second).outputs.outcome).toBe('pr-created');
    expect(deleted).toBeDefined();
    expect(stage.written().map(({ id }) => id)).not.toContain(deleted);
  });

  test('a run that a rate limit delays for minutes notices an earlier claim', async () => {
    stage.simulator.service.script({ activeMs: 3_600_000 });
    stage.simulator.faults.refuse(claim, 403, { retryAfter: 150 });
    const command = stage.github.comment('maintainer', 7, '/docs --no-wait add a quickstart');
    const run = () => stage.on(stage.github.issueCommentEvent(command));
    let other: Promise<unknown> | undefined;
    stage.simulator.clock.onSleep(async (ms) => {
      if (ms < 100_000 || other !== undefined) return;
      other = run();
      await other;
    });
    const late = await run();
    expect(other).toBeDefined();
    // The late run finds the other run's job, and shows it because no run is watching it.
    expect(late.outputs).toMatchObject({ outcome: 'detached', 'job-id': 'job_0001' });
    expect(stage.jobs).toHaveLength(1);
    expect(stage.written()).toHaveLength(1);
  });

  test('in a long thread, the newest comments are read first, until the job is found', async () => {
    const talk = (count: number) => {
      for (let n = 0; n < count; n += 1) stage.github.comment('maintainer', 7, `talk ${n}`);
    };
    talk(440);
    await stage.say('/docs add a quickstart');
    talk(60);
    const run = await stage.say('/docs and one for Ruby');
    expect(stage.requests).toEqual([['add a quickstart', 'and one for Ruby']]);
    const pages = run.github.filter(
      ({ route, query }) => route === routes.readThread && query.since === undefined,
    );
    // The event says how many comments there are, and the same pages go along as the discussion.
    expect(pages.map(({ query }) => query.page)).toEqual(['6', '5']);
    expect(run.github).toHaveLength(14);
  });
});

describe('a full disk', () => {
  /* /dev/full fails each write with ENOSPC, as a full disk does. */

  const stage = new Stage({}, 'bundle');
  const full = '/dev/full';
  const hint = 'Check that the disk has space';

  test.each(['GITHUB_OUTPUT', 'GITHUB_STATE', 'GITHUB_STEP_SUMMARY'])(
    'for %s: the request is followed to its end, and the log names the file once',
    async (file) => {
      const run = await stage.say('/docs add a quickstart', { env: { [file]: full } });
      expect(headlines(stage.status).at(-1)).toContain('is ready to review');
      const named = run.annotations.filter(({ message }) => message.includes(file));
      expect(named).toHaveLength(1);
      expect(named[0]?.message).toMatch(new RegExp(`${hint}[\\s\\S]*ENOSPC`));
      // Without its outputs, the step would look to later ones as if it had done nothing.
      expect(run.exitCode).toBe(file === 'GITHUB_OUTPUT' ? 1 : 0);
    },
  );

  test.each([
    ['missing', () => '/nowhere/output'],
    ['a folder', () => stage.path()],
  ])('outputs in a file that is %s', async (_, path) => {
    const run = await stage.play({ prompt: 'x' }, { env: { GITHUB_OUTPUT: path() } });
    expect(run).toMatchObject({ exitCode: 1, outputs: {} });
    expect(stage.jobs).toHaveLength(1);
    expect(run.log).toContain(hint);
  });

  test('in a run that is killed: post finishes the comment and names the file', async () => {
    const main = await stage.say('/docs add a quickstart', {
      killAt: { at: routes.getJob, phase: 'arrived' },
    });
    const post = await runPost(main, { env: { GITHUB_OUTPUT: full, GITHUB_STATE: full } });
    expect(post).toMatchObject({ exitCode: 0, stderr: '' });
    expect(post.log).toContain('GITHUB_OUTPUT');
    expect(headlines(stage.status).at(-1)).toContain('the job keeps running');
  });

  test.each(['report', 'collect'])('in %s mode', async (mode) => {
    const inputs = { mode: mode === 'report' ? 'visitors' : mode };
    const env = { GITHUB_OUTPUT: full, GITHUB_STATE: full, GITHUB_STEP_SUMMARY: full };
    const run = await stage.play(inputs, { env });
    expect(run).toMatchObject({ exitCode: 1, stderr: '' });
    expect(run.annotations.filter(({ message }) => message.includes('GITHUB_'))).toHaveLength(3);
  });

  test('at a comment that is no command', async () => {
    const { simulator, github } = stage;
    const event = github.issueCommentEvent(github.comment('maintainer', 7, 'Thanks!'));
    const env = { GITHUB_OUTPUT: full };
    const run = await runAction({ simulator, inputs: {}, event, env });
    expect(run).toMatchObject({ exitCode: 1, stderr: '' });
    expect(run.log).toContain('GITHUB_OUTPUT');
  });
});
