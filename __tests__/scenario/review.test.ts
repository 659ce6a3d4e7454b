import { beforeEach, describe, expect, test } from '@jest/globals';
import { BOT_LOGIN } from '../../simulator/github/store.ts';
import type { WebhookEvent } from '../../simulator/github/types.ts';
import type { JobScript } from '../../simulator/service/job.ts';
import { createSigner } from '../../src/core/sign.ts';
import type { MemoryRun } from '../support/in-process/play.ts';
import { type MemoryPlayer, memoryPlayer } from '../support/in-process/player.ts';
import { headlineOf, textOf, writtenIn } from '../support/oracle/agent.ts';
import { endOf, type Played } from '../support/played.ts';
import { dataIn, requestIn } from '../support/prompts.ts';
import { routes } from '../support/routes.ts';
import { scope } from '../support/samples/cards.ts';
import { onLine, openAgentsPull } from '../support/scenarios/agent.ts';
import { serviceInputs, THREAD } from '../support/usual.ts';

/* Commands on pull request 7, which job_0001 created after a request in issue 8. */

const asked = THREAD + 1;
const hourMs = 3_600_000;
const delivered = 'pr-created (pull-request)';

let player: MemoryPlayer;
let core: MemoryPlayer['core'];
let runs: number;
beforeEach(async () => {
  player = memoryPlayer();
  core = player.core;
  runs = 0;
  await openAgentsPull(core);
});

const play = (event: WebhookEvent, run: Partial<MemoryRun> = {}): Promise<Played> => {
  runs += 1;
  return player.play({
    event,
    runId: runs,
    ...run,
    inputs: { ...serviceInputs(core), ...run.inputs },
  });
};
const comment = (text: string): WebhookEvent =>
  core.github.issueCommentEvent(core.github.comment('maintainer', THREAD, text));
const remark = (text: string, more: object = {}, login = 'maintainer') =>
  core.github.reviews.comment(login, THREAD, { ...onLine, ...more, body: text });
const review = (text: string, bodies: readonly string[], login = 'maintainer') => {
  const comments = bodies.map((body, nth) => ({ ...onLine, line: nth + 1, body }));
  return core.github.reviews.submit(login, THREAD, text, comments);
};

/** The prompts of each job, without the data from GitHub. */
const requests = () => core.service.jobs.map(({ prompts }) => prompts.map(requestIn));
const lastData = (job = 0) => dataIn(core.service.jobs[job]?.prompts.at(-1) ?? '').join('\n');
const written = () => writtenIn(core, THREAD);
const status = () => {
  expect(written()).toHaveLength(1);
  return textOf(written()[0] ?? { body: '' });
};

describe('a command goes to the job that created the pull request', () => {
  test.each<[string, () => WebhookEvent]>([
    ['a comment', () => comment('/docs shorten it')],
    ['a comment on a line', () => core.github.reviewCommentEvent(remark('/docs shorten it'))],
    ['a review', () => core.github.reviewEvent(review('/docs shorten it', ['here', 'there']))],
  ])('%s, once, even if several runs play it', async (_, say) => {
    const event = say();
    const both = await Promise.all([play(event), play(event)]);
    expect(both.map(endOf).sort()).toEqual([delivered, 'skipped (another-run)']);
    expect(endOf(await play(event, { runId: 1, attempt: 2 }))).toBe(delivered);
    expect(requests()).toEqual([['add a quickstart', 'shorten it']]);
    expect(status()).toMatch(/^✅ .*pull\/7/);
  });

  test('to the newest one if several jobs have its link', async () => {
    await play(
      core.github.issueCommentEvent(core.github.comment('maintainer', asked, '/docs --new again')),
    );
    await play(comment('/docs shorten it'));
    expect(requests()).toEqual([['add a quickstart'], ['again', 'shorten it']]);
  });

  test.each([false, true])(
    'even if no status comment has its link yet (renamed since: %s)',
    async (isRenamed) => {
      player = memoryPlayer();
      core = player.core;
      core.github.addThread({ number: asked });
      const leave = async (prompt: string, script: Partial<JobScript>) => {
        core.service.scriptNext(script);
        const left = core.github.comment('maintainer', asked, `/docs --new ${prompt}`);
        await play(core.github.issueCommentEvent(left), { inputs: { wait: 'false' } });
      };
      await leave('a quickstart', { prLink: `https://github.com/octo-org/docs/pull/${THREAD}` });
      await leave('something else', {});
      core.github.addUser('docs-agent[bot]', { type: 'Bot', permission: 'none' });
      core.github.addThread({ number: THREAD, isPullRequest: true, author: 'docs-agent[bot]' });
      core.clock.advance(hourMs);
      if (isRenamed) core.github.rename('guides');
      await play(comment('/docs shorten it'));
      expect(requests()).toEqual([['a quickstart', 'shorten it'], ['something else']]);
    },
  );

  test.each([
    ['it was requested', 'octo-org/docs/'],
    ['its job began', 'octo-org/docs/pull/'],
  ])(
    'even if the repository had another name when %s, and its merge is still shown there',
    async (_, now) => {
      core.github.formerNames.add('octo-org/old-docs');
      const [own] = writtenIn(core, asked);
      const [line = '', ...text] = own?.body.split('\n') ?? [];
      const { apiKey, projectId } = core.service;
      const service = { apiKey, projectId, baseUrl: core.url };
      const signer = createSigner({ ...scope, service, thread: asked });
      const renamed = JSON.stringify(
        signer.open({ id: own?.id ?? 0, body: line, unedited: false }),
      ).replaceAll(now, now.replace('docs', 'old-docs'));
      core.github.edit(own?.id ?? 0, [signer.sign(JSON.parse(renamed)), ...text].join('\n'));
      for (const { rounds } of core.service.jobs)
        for (const { script } of rounds)
          Object.assign(script, { prLink: `https://github.com/octo-org/old-docs/pull/${THREAD}` });
      await play(comment('/docs shorten it'));
      expect(requests()).toEqual([['add a quickstart', 'shorten it']]);
      core.github.pullRequests.merge(THREAD);
      await play(core.github.pullRequestEvent(THREAD, 'closed'), { inputs: { mode: 'collect' } });
      expect(headlineOf(writtenIn(core, asked)[0])).toContain('was merged');
    },
  );

  test('even if the repository was renamed before the run began, as while it waited in a queue', async () => {
    const [say, closed] = [
      comment('/docs shorten it'),
      core.github.pullRequestEvent(THREAD, 'closed'),
    ];
    core.github.rename('guides');
    await play(say);
    expect(requests()).toEqual([['add a quickstart', 'shorten it']]);
    core.github.pullRequests.merge(THREAD);
    await play(closed, { inputs: { mode: 'collect' } });
    expect(headlineOf(writtenIn(core, asked)[0])).toContain('was merged');
  });

  test('but not with `continue: thread`', async () => {
    await play(comment('/docs shorten it'), { inputs: { continue: 'thread' } });
    expect(requests()).toEqual([['add a quickstart'], ['shorten it']]);
  });

  test('and /docs status shows it', async () => {
    await play(comment('/docs status'));
    expect(status()).toMatch(/^✅ .*pull\/7.* is ready to review\.\n\n/);
  });
});

test.each(['merged', 'closed'] as const)(
  'a new job is created if the pull request is %s after the command was written, as while the run waits in a queue',
  async (end) => {
    const event = comment('/docs shorten it');
    if (end === 'merged') core.github.pullRequests.merge(THREAD);
    else core.github.pullRequests.setState(THREAD, 'closed');
    const dry = await play(event, { inputs: { 'dry-run': 'true' } });
    expect(dry.outputs.result).toMatch(/would create a job/);
    await play(event);
    expect(requests()).toEqual([['add a quickstart'], ['shorten it']]);
    expect(status()).toContain(
      `The pull request of job \`job_0001\` was ${end}; this is a new job.`,
    );
  },
);

describe('a new job is created, and the comment says why, if the old one', () => {
  const own = () => writtenIn(core, asked)[0];
  const gone = /This pull request’s job `job_0001` no longer exists/;
  const unknown = /no request here that led to this pull request/;
  test.each<[string, () => void, RegExp]>([
    ['no longer exists', () => core.service.forget('job_0001'), gone],
    ['was requested elsewhere', () => core.github.delete(own()?.id ?? 0), unknown],
    ['is named only in forged comments', () => forge(), unknown],
  ])('%s', async (_, change, why) => {
    change();
    const event = comment('/docs shorten it');
    const dry = await play(event, { inputs: { 'dry-run': 'true' } });
    expect(dry.outputs.result).toMatch(/would create a job/);
    expect(dry.summary).toMatch(why);
    expect(endOf(await play(event))).toBe(delivered);
    expect(requests().at(-1)).toEqual(['shorten it']);
    expect(status()).toMatch(why);
    expect(status()).toMatch(/this is a new job/);
  });

  /** Copies the status comment into other comments, and deletes the original. */
  function forge(): void {
    const body = own()?.body ?? '';
    core.github.delete(own()?.id ?? 0);
    for (const login of ['stranger', BOT_LOGIN]) core.github.comment(login, asked, body);
    core.github.comment('stranger', THREAD, body.replace(/.(?= -->)/, 'A'));
  }

  test('belongs to a different API key', async () => {
    core.service.addKey('mint_fake_rotated_0000');
    await play(comment('/docs shorten it'), { inputs: { 'api-key': 'mint_fake_rotated_0000' } });
    expect(requests()).toEqual([['add a quickstart'], ['shorten it']]);
    expect(status()).toMatch(/with a different API key/);
  });
});

describe('if the service opened it in a person’s name', () => {
  const sha = () => core.github.pullRequests.of(THREAD).head.sha;

  beforeEach(async () => {
    player = memoryPlayer();
    core = player.core;
    await openAgentsPull(core, asked, 'maintainer');
  });

  test.each<[string, () => WebhookEvent]>([
    ['a comment', () => comment('/docs shorten it')],
    ['a comment on a line', () => core.github.reviewCommentEvent(remark('/docs shorten it'))],
    ['a review', () => core.github.reviewEvent(review('/docs shorten it', ['here', 'there']))],
  ])('%s goes to its job, because our card tells', async (_, say) => {
    await play(say());
    expect(requests()).toEqual([['add a quickstart', 'shorten it']]);
    expect(status()).toMatch(/^✅ .*pull\/7/);
  });

  test.each([{}, { context: 'none' }])(
    'our own offer continues the job, and brings the failed checks along (%j)',
    async (inputs) => {
      core.github.checks.add(sha(), { conclusion: 'failure', title: 'Broken link on /install' });
      await play(core.github.checkSuiteEvent(sha()), { inputs: { mode: 'collect' } });
      const offer = 'Have the agent fix it: comment on the pull request';
      expect(writtenIn(core, asked)[0]?.body).toContain(offer);
      for (const text of ['/docs fix the failed build', '/docs and again'])
        await play(comment(text), { inputs });
      expect(requests()).toEqual([['add a quickstart', 'fix the failed build', 'and again']]);
      const isSent = inputs.context === undefined;
      expect(lastData().includes('Broken link on /install')).toBe(isSent);
    },
  );

  test('a command continues its job even if no status comment has its link yet', async () => {
    player = memoryPlayer();
    core = player.core;
    core.github.addThread({ number: asked });
    core.service.scriptNext({ prLink: `https://github.com/octo-org/docs/pull/${THREAD}` });
    const left = core.github.comment('maintainer', asked, '/docs a quickstart');
    await play(core.github.issueCommentEvent(left), { inputs: { wait: 'false' } });
    core.github.addThread({ number: THREAD, isPullRequest: true, author: 'maintainer' });
    core.clock.advance(hourMs);
    await play(comment('/docs shorten it'));
    expect(requests()).toEqual([['a quickstart', 'shorten it']]);
  });

  test('`/docs status` shows its job', async () => {
    await play(comment('/docs status'));
    expect(status()).toMatch(/^✅ .*pull\/7.* is ready to review\.\n\n/);
  });

  test.each(['push', 'closed'])('its merge asks for no docs (%s)', async (how) => {
    core.github.pullRequests.merge(THREAD);
    const event =
      how === 'push' ? core.github.pushEvent() : core.github.pullRequestEvent(THREAD, 'closed');
    const inputs = { prompt: 'Update the docs.', context: 'changes' };
    expect(endOf(await play(event, { inputs }))).toBe('skipped (own-change)');
  });

  test('its events update the request', async () => {
    const collectOn = (event: WebhookEvent) => play(event, { inputs: { mode: 'collect' } });
    const line = () => headlineOf(writtenIn(core, asked)[0]);
    core.github.pullRequests.setState(THREAD, 'closed');
    await collectOn(core.github.pullRequestEvent(THREAD, 'closed'));
    expect(line()).toContain('was closed without merging');
    core.github.pullRequests.setState(THREAD, 'open');
    await collectOn(core.github.pullRequestEvent(THREAD, 'reopened'));
    expect(line()).toContain('is ready to review');
    const merge = core.github.pullRequests.merge(THREAD);
    core.github.checks.add(merge.sha);
    await collectOn(core.github.checkSuiteEvent(merge.sha));
    expect(line()).toContain('was merged and');
  });
});

describe('a person’s own pull request gets a new job without a reason', () => {
  const listed = () => core.requests.filter(({ route }) => route === routes.readAllComments).length;
  const openOwn = (more: object) => {
    core.github.git.branch('own');
    core.github.git.commit({ branch: 'own', files: { 'src/retry.ts': '3\n' } });
    const pull = { number: THREAD + 2, head: 'own', author: 'maintainer', ...more };
    return core.github.pullRequests.open(pull).number;
  };

  test.each<[string, object, number[], Record<string, string>]>([
    ['from a branch, where only the first command searches', {}, [1, 1], {}],
    ['from a fork, where none does', { fork: 'octocat/docs' }, [0, 0], {}],
    ['from a fork, without its context', { fork: 'octocat/docs' }, [0, 0], { context: 'none' }],
  ])('%s', async (_, more, searches, inputs) => {
    const number = openOwn(more);
    const before = listed();
    for (const [nth, text] of ['one', 'two'].entries()) {
      const command = core.github.comment('maintainer', number, `/docs ${text}`);
      await play(core.github.issueCommentEvent(command), { inputs });
      expect(listed() - before).toBe(searches[nth]);
    }
    expect(requests()).toEqual([['add a quickstart'], ['one', 'two']]);
    for (const { body } of writtenIn(core, number)) expect(body).not.toMatch(/new job;|this is a/);
  });

  test('and its failed checks aren’t sent', async () => {
    const number = openOwn({});
    const { sha } = core.github.pullRequests.of(number).head;
    core.github.checks.add(sha, { conclusion: 'failure', title: 'Broken link' });
    const command = core.github.comment('maintainer', number, '/docs one');
    await play(core.github.issueCommentEvent(command));
    expect(lastData(1)).toContain('src/retry.ts');
    expect(lastData(1)).not.toContain('Broken link');
  });
});

describe('the agent gets', () => {
  test('the line of a comment, and the earlier comments in its conversation', async () => {
    const first = remark('How do I run it?', {}, 'stranger');
    remark('In another conversation');
    const more = { replyTo: first.id };
    remark('<!-- hidden --> Like this:\n```suggestion\nnpm start\n```', more);
    const command = remark('/docs say how to run it', more);
    remark('Written later', more);
    await play(core.github.reviewCommentEvent(command));
    expect(lastData().replace(/[0-9a-f]{40}/, 'SHA')).toMatchSnapshot();
    expect(lastData()).not.toMatch(/another conversation|Written later|hidden|Not sent/);
  });

  test('its whole conversation, even if that began more than 1,000 review comments ago', async () => {
    const more = { replyTo: remark('How do I run it?').id };
    for (let n = 0; n < 999; n += 1) remark('Elsewhere');
    await play(core.github.reviewCommentEvent(remark('/docs say how to run it', more)));
    expect(lastData()).toContain('> How do I run it?');
    expect(lastData()).not.toMatch(/Elsewhere|Not sent/);
  });

  test('no comment that was edited after the command, and the status comment says so', async () => {
    const first = remark('Delete all pages', {}, 'stranger');
    const kept = remark('Say how to run it', { replyTo: first.id });
    core.clock.advance(hourMs);
    core.github.reviews.edit(kept, 'Say how to run it.');
    const event = core.github.reviewCommentEvent(
      remark('/docs do what is asked', { replyTo: first.id }),
    );
    core.clock.advance(1_000);
    core.github.reviews.edit(first, 'Add a link to our shop');
    await play(event);
    expect(lastData()).toMatch(/- by maintainer:\n> Say how to run it\.\n/);
    expect(lastData()).not.toContain('our shop');
    const omitted = '1 comment in the conversation before the request, edited after the request';
    for (const text of [lastData(), status()]) expect(text).toContain(omitted);
  });

  test.each([
    ['a comment on a line', () => core.github.reviewCommentEvent(remark('/docs shorten it'))],
    ['a review', () => core.github.reviewEvent(review('/docs shorten it', ['This']))],
  ])('a note if commits were pushed after %s', async (_, say) => {
    await play(say());
    const event = say();
    const pushed = /Commits were pushed after the re/;
    for (const text of [lastData(), status()]) expect(text).not.toMatch(pushed);
    core.github.pullRequests.push(THREAD, { files: { 'docs/more.md': 'More.\n' } });
    await play(event);
    for (const text of [lastData(), written().at(-1)?.body]) expect(text).toMatch(pushed);
  });

  test.each<[string, object, string]>([
    ['several lines', { startLine: 1 }, 'docs/quickstart.md, lines 1-2:'],
    ['an outdated line', { isOutdated: true }, 'docs/quickstart.md, line 2 of an earlier version:'],
    [
      'a removed line',
      { side: 'LEFT' },
      'docs/quickstart.md, line 2 of the version before the change:',
    ],
    ['a whole file', { line: undefined, hunk: '' }, 'the file docs/quickstart.md:'],
  ])('the place of a comment on %s', async (_, more, place) => {
    await play(core.github.reviewCommentEvent(remark('/docs shorten it', more)));
    expect(lastData()).toContain(`The request is a comment on ${place}`);
  });

  test('the line with every comment, but the changed files only once', async () => {
    for (const line of [1, 2])
      await play(core.github.reviewCommentEvent(remark('/docs shorten it', { line })));
    expect(lastData()).toContain('docs/quickstart.md, line 2:');
    expect(lastData()).not.toContain('Files changed');
  });

  test('all comments of a review in one message, but none of them separately', async () => {
    const given = review('/docs as I say below', ['/docs shorten it', 'And this']);
    review('', ['Of another review']);
    await play(core.github.reviewEvent(given));
    const [comment] = core.github.reviews.commentsOf(given);
    const part = comment && (await play(core.github.reviewCommentEvent(comment)));
    expect([part && endOf(part), comment?.reactions]).toEqual(['skipped (part-of-review)', []]);
    expect(requests()).toEqual([['add a quickstart', 'as I say below']]);
    expect(lastData()).toMatch(
      /line 1, by maintainer:\n( {4}.*\n)+> \/docs shorten it\n- on .*line 2, [\s\S]*> And this/,
    );
    expect(lastData()).not.toContain('Of another review');
  });

  test('once, even if GitHub doesn’t find the review at first', async () => {
    const given = review('/docs as I say below', ['/docs shorten it']);
    await play(core.github.reviewEvent(given));
    core.faults.refuse('GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}', 404);
    const [comment] = core.github.reviews.commentsOf(given);
    expect(comment && endOf(await play(core.github.reviewCommentEvent(comment)))).toBe(
      'skipped (part-of-review)',
    );
    expect(requests()).toEqual([['add a quickstart', 'as I say below']]);
  });

  test('each command among the comments if the review itself is not a command', async () => {
    const given = review('Some remarks', ['/docs shorten it', 'And this', '/docs drop it']);
    const ends: string[] = [];
    for (const comment of core.github.reviews.commentsOf(given))
      ends.push(endOf(await play(core.github.reviewCommentEvent(comment))));
    expect(ends).toEqual([delivered, 'skipped (no-command)', delivered]);
    expect(requests()).toEqual([['add a quickstart', 'shorten it', 'drop it']]);
  });

  test.each(['/docs', '/docs help', '/docs --frob'])(
    'each command among the comments if the review says only %s',
    async (text) => {
      const given = review(text, ['/docs shorten it']);
      expect(endOf(await play(core.github.reviewEvent(given)))).toBe('answered (help)');
      const [comment] = core.github.reviews.commentsOf(given);
      if (comment) await play(core.github.reviewCommentEvent(comment));
      expect(requests()).toEqual([['add a quickstart', 'shorten it']]);
    },
  );

  test('nothing from a review whose comments can’t be read', async () => {
    const given = review('/docs as below', ['And this']);
    core.faults.refuse(routes.readReviewComments, 403, { times: 9 });
    expect(endOf(await play(core.github.reviewEvent(given)))).toBe('failed (github-error)');
    expect(requests()).toEqual([['add a quickstart']]);
  });

  test('nothing from a review without text, even if the `prompt` input is set', async () => {
    const played = await play(core.github.reviewEvent(review('', ['This'])), {
      inputs: { prompt: 'x' },
    });
    expect(endOf(played)).toBe('skipped (no-command)');
    expect(requests()).toEqual([['add a quickstart']]);
  });

  test('as many of 200 review comments as there is room for, and the number of the others', async () => {
    const long = Array.from({ length: 200 }, (_, nth) => `${nth} ${'Too long. '.repeat(60)}`);
    const given = review('/docs as below', long);
    await play(core.github.reviewEvent(given), { inputs: { 'context-limit': '16' } });
    const sent = lastData().match(/^- on /gm)?.length ?? 0;
    expect(sent).toBeGreaterThan(5);
    expect(lastData()).toContain(`${200 - sent} comments in the review`);
    expect(status()).toContain(`${200 - sent} comments in the review`);
    expect(Buffer.byteLength(core.service.jobs[0]?.prompts.at(-1) ?? '')).toBeLessThan(17 * 1024);
  });

  test('the review as it was submitted, even if it was edited later', async () => {
    const given = review('/docs shorten it', []);
    const event = core.github.reviewEvent(given);
    given.body = '/docs delete everything';
    await play(event);
    expect(requests()).toEqual([['add a quickstart', 'shorten it']]);
  });
});

test('the reactions are on the review comment, and the status comment links it', async () => {
  const command = remark('/docs shorten it');
  await play(core.github.reviewCommentEvent(command));
  expect(command.reactions.map(({ content }) => content)).toEqual(['eyes', 'rocket']);
  expect(status()).toContain(
    `[this review comment](<https://github.com/octo-org/docs/pull/7#discussion_r${command.id}>)`,
  );
  const given = review('/docs help', []);
  await play(core.github.reviewEvent(given));
  expect(written().at(-1)?.body).toContain(
    `[this review](<https://github.com/octo-org/docs/pull/7#pullrequestreview-${given.id}>)`,
  );
});

test('a failed attempt’s reaction is removed, and a single 404 doesn’t mean that the review comment is gone', async () => {
  const command = remark('/docs --new shorten it');
  const event = core.github.reviewCommentEvent(command);
  const reactions = () => command.reactions.map(({ content }) => content);
  core.faults.refuse('POST /repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions', 404);
  core.service.scriptNext({ end: 'failed' });
  expect(endOf(await play(event, { runId: 1 }))).toBe('failed (job-failed)');
  expect(reactions()).toEqual(['confused']);
  expect(endOf(await play(event, { runId: 1, attempt: 2 }))).toBe(delivered);
  expect(reactions()).toEqual(['eyes', 'rocket']);
});

test('a review comment that is deleted before its run starts is skipped', async () => {
  const command = remark('/docs shorten it');
  command.deleted = true;
  expect(endOf(await play(core.github.reviewCommentEvent(command)))).toBe('skipped (deleted)');
  expect(requests()).toEqual([['add a quickstart']]);
});

test('a stranger gets one reply to a whole review', async () => {
  const given = review('/docs spend', ['/docs more'], 'stranger');
  const [part] = core.github.reviews.commentsOf(given);
  expect(endOf(await play(core.github.reviewEvent(given)))).toBe('denied (permission)');
  if (part !== undefined) await play(core.github.reviewCommentEvent(part));
  expect(written().map(headlineOf)).toEqual([expect.stringContaining('`stranger` can’t use')]);
  expect(requests()).toEqual([['add a quickstart']]);
});

test('the first command on a pull request from a branch takes at most 17 requests more', async () => {
  const count = async (text: string) => {
    const before = core.requests.length;
    await play(comment(text), { inputs: { context: 'none' } });
    return core.requests.slice(before).filter(({ to }) => to === 'github').length;
  };
  for (let nth = 0; nth < 12_700; nth += 1) core.github.comment('ci[bot]', asked, `${nth}`);
  const first = await count('/docs shorten it');
  expect(requests()).toEqual([['add a quickstart', 'shorten it']]);
  expect(first - (await count('/docs more'))).toBeLessThanOrEqual(17);
  expect(first).toBeLessThanOrEqual(13 + 17);
});

describe('in a busy repository', () => {
  const chatter = (count: number) =>
    Array.from({ length: count }, (_, nth) =>
      core.github.comment('coverage[bot]', asked, `Report ${nth}`),
    );
  const listings = (before: number) =>
    core.requests.slice(before).filter(({ route }) => route === routes.readAllComments).length;

  test.each<[string, () => void | Promise<void>]>([
    ['with 3,000 newer comments', () => void chatter(3_000)],
    ['with 12,700 newer comments', () => void chatter(12_700)],
    [
      'with 3,000 older comments that a bot has edited since',
      async () => {
        player = memoryPlayer();
        core = player.core;
        core.github.addThread({ number: asked });
        const older = chatter(3_000);
        await openAgentsPull(core);
        for (const { id } of older) core.github.edit(id, 'Edited.');
      },
    ],
  ])(
    '%s, a command still goes to the job that created the pull request, and its merge is shown',
    async (_, stage) => {
      await stage();
      let before = core.requests.length;
      await play(comment('/docs shorten it'));
      expect(requests()).toEqual([['add a quickstart', 'shorten it']]);
      expect(listings(before)).toBeLessThanOrEqual(16);
      core.github.pullRequests.merge(THREAD);
      before = core.requests.length;
      await play(core.github.pullRequestEvent(THREAD, 'closed'), { inputs: { mode: 'collect' } });
      expect(writtenIn(core, asked).map(headlineOf)).toEqual([
        expect.stringContaining('was merged'),
      ]);
      expect(listings(before)).toBeLessThanOrEqual(17);
    },
  );

  test('a quiet one takes one listing request', async () => {
    const before = core.requests.length;
    await play(comment('/docs shorten it'));
    expect(listings(before)).toBe(1);
  });
});

describe('with 100 comments since the pull request was opened', () => {
  const hundred = Array.from({ length: 100 }, (_, nth) => `Remark ${nth}`);
  const ofReview = (given: ReturnType<typeof review>) => core.github.reviewEvent(given);
  const ofComment = (more = {}) => core.github.reviewCommentEvent(remark('/docs shorten it', more));
  test.each<[string, number, () => WebhookEvent]>([
    ['a comment', 17, () => comment('/docs shorten it')],
    ['a review of 100 comments', 16, () => ofReview(review('/docs as below', hundred))],
    ['a comment on a line', 17, () => ofComment()],
    [
      'a reply to one of 99 comments',
      18,
      () => ofComment({ replyTo: review('', hundred.slice(1)).id + 1 }),
    ],
  ])('%s takes at most %i requests to GitHub', async (_, most, say) => {
    // Two comments in the issue, the command, and the status comment make it 100.
    for (const text of hundred.slice(4)) core.github.comment('octocat', THREAD, text);
    const event = say();
    const before = core.requests.length;
    expect(endOf(await play(event))).toBe(delivered);
    const sent = core.requests.slice(before).filter(({ to }) => to === 'github');
    expect(sent.length).toBeLessThanOrEqual(most);
  });
});
