import { beforeEach, expect, test } from '@jest/globals';
import type { Comment } from '../../simulator/github/types.ts';
import { createSigner } from '../../src/core/sign.ts';
import { version } from '../../src/core/version.ts';
import { type MemoryStage, stageInMemory } from '../support/in-process/player.ts';
import {
  headlineOf,
  onlyStatusComment,
  statusComments,
  writtenIn,
} from '../support/oracle/agent.ts';
import { endOf } from '../support/played.ts';
import { isFor, routes } from '../support/routes.ts';
import { context } from '../support/samples/cards.ts';
import { simpleCommand } from '../support/scenarios/agent.ts';
import { collectLater } from '../support/scenarios/left-open.ts';

/* Several versions of the action write in one thread: nothing is asked twice, and nothing that another version wrote is lost. */

let core: MemoryStage['core'];
let staged: MemoryStage['staged'];
let play: MemoryStage['play'];
let say: MemoryStage['say'];
beforeEach(async () => {
  ({ core, staged, play, say } = await stageInMemory(simpleCommand));
});

type Json = Readonly<Record<string, unknown>>;

function signer() {
  const { apiKey, projectId } = core.service;
  const service = { apiKey, projectId, baseUrl: core.url };
  const { thread } = staged;
  return createSigner({
    service,
    repositoryId: context.repositoryId,
    thread,
    scrub: (text) => text,
  });
}

/** The stored form of the card in a comment. */
const storedIn = (comment: Comment) => signer().open({ ...comment, unedited: false }) as Json;

const status = () => onlyStatusComment(core, staged);

/** Rewrites the card in the status comment, as another version would. */
function rewrite(change: (card: Json) => Json): void {
  const own = status();
  const [, ...text] = own.body.split('\n');
  core.github.edit(own.id, [signer().sign(change(storedIn(own))), ...text].join('\n'));
}

const asks = () =>
  core.requests.filter(({ method, to }) => to === 'service' && method === 'POST').length;

test('what a newer version added to a card survives a re-run and collecting, and the writer is named', async () => {
  await play({ inputs: { wait: 'false' } });
  const { state } = storedIn(status());
  rewrite((card) => ({
    ...card,
    version: '1.9.0',
    asked: { times: 2 },
    source: { ...Object(card.source), app: 'x' },
    state: { ...Object(state), since: 5, job: { ...Object(Object(state).job), tokens: 7 } },
  }));
  await play({ attempt: 2, inputs: { wait: 'false' } });
  expect(storedIn(status())).toMatchObject({
    version,
    asked: { times: 2 },
    source: { app: 'x' },
    state: { is: 'working', since: 5, job: { tokens: 7 } },
  });
  await collectLater(core);
  const after = storedIn(status());
  expect(after).toMatchObject({
    version,
    asked: { times: 2 },
    state: { is: 'ended', job: { tokens: 7 } },
  });
  // A fact about the earlier state says nothing about this one.
  expect(after.state).not.toHaveProperty('since');
  expect(asks()).toBe(1);
});

test('what a newer version said about a job isn’t said about the next one', async () => {
  core.service.scriptNext({ end: 'failed' });
  await play();
  rewrite((card) => ({ ...card, asked: 1, state: { ...Object(card.state), checks: 'built' } }));
  expect(endOf(await play({ attempt: 2 }))).toBe('pr-created (pull-request)');
  expect(storedIn(status())).toMatchObject({ asked: 1, state: { job: { id: 'job_0002' } } });
  expect(storedIn(status()).state).not.toHaveProperty('checks');
});

const unreadable = (card: Json) => ({ ...card, state: { is: 'queued' }, ask: 'ask-later' });
const newer = 'A newer version of this action wrote a comment that this version can’t read';

test.each([
  ['a re-run', { attempt: 2 }, {}],
  ['another workflow', { runId: 2 }, {}],
  ['a re-run with a prompt', { attempt: 2 }, { wait: 'false' }],
])(
  'if a newer version wrote a card that can’t be read, %s says so once and sends nothing',
  async (_, run, inputs) => {
    await play();
    rewrite(unreadable);
    for (const attempt of [2, 3]) {
      const again = await play({ ...run, attempt, inputs });
      expect([endOf(again), again.exitCode]).toEqual(['failed (newer-version)', 1]);
      expect(again.summary).toContain(newer);
    }
    const headlines = writtenIn(core, staged.thread).map(headlineOf);
    expect(headlines).toEqual([expect.any(String), expect.stringContaining(newer)]);
    expect(asks()).toBe(1);
  },
);

test.each(['/docs more', '/docs --new more', '/docs status', '/docs help'])(
  'in a thread with a card that can’t be read, `%s` sends nothing',
  async (text) => {
    await play();
    rewrite(unreadable);
    const next = await say(text);
    expect(endOf(next)).toMatch(/^(failed \(newer-version\)|answered \((help|status)\))$/);
    const reply = core.github.commentsOf(staged.thread).at(-1)?.body ?? '';
    if (!text.endsWith('help')) expect(reply).toContain(newer);
    expect(asks()).toBe(1);
  },
);

test('a card that can’t be read counts as one request', async () => {
  await play();
  rewrite(unreadable);
  core.github.addThread({ number: 8 });
  const event = core.github.issueCommentEvent(core.github.comment('maintainer', 8, '/docs more'));
  const next = await play({ event, runId: 2, inputs: { 'max-jobs': '1 per day' } });
  expect([endOf(next), asks()]).toEqual(['denied (max-jobs)', 1]);
});

test('with `continue: repository`, the message links to the comment that can’t be read', async () => {
  await play();
  rewrite(unreadable);
  const inputs = { prompt: 'Update the docs.', continue: 'repository' };
  const next = await play({ event: core.github.scheduleEvent(), inputs, runId: 2 });
  expect(endOf(next)).toBe('failed (newer-version)');
  const link = `https://github.com/octo-org/docs/pull/7#issuecomment-${status().id}`;
  expect(next.summary).toContain(`### ⚠️ ${newer}. Nothing was sent.\n\nThe comment: <${link}>`);
  expect(next.printed).toContain(newer);
  expect(asks()).toBe(1);
});

test.each<[string, (card: Json) => Json]>([
  [
    'is longer than this version makes them',
    (card) => ({ ...card, ask: 'later', more: 'x'.repeat(12_288) }),
  ],
  ['has no field that this version knows', () => ({ later: true })],
  ['has no key', ({ key: _, ...card }) => card],
  ['has a key in another form', (card) => ({ ...card, key: [card.key] })],
])('a signed card that %s is not ignored either', async (_, change) => {
  await play();
  rewrite(change);
  expect(endOf(await play({ attempt: 2 }))).toBe('failed (newer-version)');
  expect(asks()).toBe(1);
});

test('a copy of such a card that someone pasted doesn’t stop anything', async () => {
  const card = unreadable({ key: 'comment:1' });
  core.github.comment('stranger', staged.thread, signer().sign(card));
  const named = { ...card, comment: { id: 1, url: '' } };
  core.github.comment('stranger', staged.thread, signer().sign(named));
  // Another workflow can post a copy of a claim, which doesn't contain its comment's ID yet.
  core.github.comment('other[bot]', staged.thread, signer().sign(card));
  expect(endOf(await play())).toBe('pr-created (pull-request)');
});

test('collecting leaves such a card alone, and only logs it', async () => {
  await play({ inputs: { wait: 'false' } });
  rewrite(unreadable);
  const { body } = status();
  const collected = await collectLater(core);
  expect(endOf(collected)).toBe('collected (complete)');
  expect(collected.printed).toContain('left unchanged, because a newer version wrote them: 1');
  expect(status().body).toBe(body);
});

test('a state that `post` can’t read is an error, and changes nothing in the thread', async () => {
  const stage = await stageInMemory(simpleCommand);
  const main = await stage.play({ killAt: { at: routes.getJob, phase: 'arrived' } });
  const before = statusComments(stage.core, stage.staged).map(({ body }) => body);
  const run = JSON.stringify(unreadable(JSON.parse(main.state.run ?? '')));
  const post = await stage.post(Object.assign(main, { state: { ...main.state, run } }));
  expect(endOf(post)).toBe('failed (newer-version)');
  expect(statusComments(stage.core, stage.staged).map(({ body }) => body)).toEqual(before);
});

/** Each way to find out about a job. */
const ways: [
  way: string,
  prepare: () => Promise<unknown>,
  act: () => Promise<unknown>,
  asked: number,
][] = [
  ['a re-run', () => play({ inputs: { wait: 'false' } }), () => play({ attempt: 2 }), 1],
  ['another workflow', () => play({ inputs: { wait: 'false' } }), () => play({ runId: 2 }), 1],
  ['a follow-up', () => play(), () => say('/docs more'), 2],
  ['`/docs status`', () => play(), () => say('/docs status'), 1],
  ['collect mode', () => play({ inputs: { wait: 'false' } }), () => collectLater(core), 1],
];

test('`/docs status` waits for a link that comes late, and the status comment says the same', async () => {
  core.service.scriptNext({ activeMs: 1_000, prLinkDelayMs: 8_000 });
  await play({ inputs: { wait: 'false' } });
  core.clock.advance(1_000);
  await say('/docs status');
  const reply = core.github.commentsOf(staged.thread).at(-1)?.body ?? '';
  expect(headlineOf({ body: reply })).toMatch(
    /^✅ \*\*\[.*\]\(<https:.*>\)\*\* is ready to review\.$/,
  );
  expect(headlineOf(status())).toContain('is ready to review');
});

test.each(ways)(
  'for %s, a single 404 doesn’t mean that the job is gone',
  async (_, prepare, act, asked) => {
    await prepare();
    core.clock.advance(3_600_000);
    core.faults.refuse(routes.getJob, 404);
    await act();
    expect(core.faults.pending).toBe(0);
    expect(core.service.jobs).toHaveLength(1);
    expect(asks()).toBe(asked);
    for (const { body } of core.github.commentsOf(staged.thread))
      expect(body).not.toMatch(/no longer/);
  },
);

test('a message that is refused with a 404 goes to a new job only if the job is gone', async () => {
  await play();
  core.clock.advance(3_600_000);
  core.faults.refuse(routes.sendMessage, 404);
  expect(endOf(await say('/docs more'))).toBe('pr-created (pull-request)');
  core.faults.refuse(routes.sendMessage, 404, { times: 2 });
  expect(endOf(await say('/docs once more'))).toBe('failed (not-found)');
  expect(core.service.jobs.map(({ prompts }) => prompts.length)).toEqual([2]);
  core.service.forget('job_0001');
  expect(endOf(await say('/docs even more'))).toBe('pr-created (pull-request)');
  expect(core.requests.filter(isFor(routes.createJob))).toHaveLength(2);
  // The same if the job is there when it is chosen, and gone when it gets the message.
  core.once({ at: routes.sendMessage, phase: 'arrived' }, () => core.service.forget('job_0002'));
  expect(endOf(await say('/docs again'))).toBe('pr-created (pull-request)');
  expect(writtenIn(core, staged.thread).at(-1)?.body).toContain(
    'job `job_0002` no longer exists; this is a new job.',
  );
});
