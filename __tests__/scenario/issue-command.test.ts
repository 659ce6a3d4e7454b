import { beforeEach, describe, expect, test } from '@jest/globals';
import type { WebhookEvent } from '../../simulator/github/types.ts';
import { createSigner } from '../../src/core/sign.ts';
import { type MemoryPlayer, memoryPlayer } from '../support/in-process/player.ts';
import { headlineOf, textOf, writtenIn } from '../support/oracle/agent.ts';
import { endOf } from '../support/played.ts';
import { dataIn, requestIn } from '../support/prompts.ts';
import { isFor, routes } from '../support/routes.ts';
import { scope } from '../support/samples/cards.ts';
import { serviceInputs, THREAD } from '../support/usual.ts';

/* A new issue whose text begins with a command. */

const delivered = 'pr-created (pull-request)';
const bug = { title: 'Retries are missing', labels: ['docs'] };

let player: MemoryPlayer;
let core: MemoryPlayer['core'];
let runs: number;
beforeEach(() => {
  player = memoryPlayer();
  core = player.core;
  runs = 0;
});

const open = (body: string, author = 'maintainer') => {
  if (!core.github.users.has(author)) core.github.addUser(author, { permission: 'none' });
  return core.github.addThread({ ...bug, number: THREAD, body, author });
};
const play = (event: WebhookEvent, inputs: object = {}, attempt = 1) => {
  if (attempt === 1) runs += 1;
  return player.play({
    event,
    runId: runs,
    attempt,
    inputs: { ...serviceInputs(core), ...inputs },
  });
};
const comment = (text: string) =>
  core.github.issueCommentEvent(core.github.comment('maintainer', THREAD, text));
const prompts = () => core.service.jobs.map((job) => job.prompts);
const written = () => writtenIn(core, THREAD);
const reactions = () => core.github.thread(THREAD).reactions.map(({ content }) => content);

describe('by a person who may command', () => {
  test('is sent without being repeated as data, and answered in the issue', async () => {
    open('/docs add a page about retries\n\nThree tries.');
    expect(endOf(await play(core.github.issuesEvent(THREAD)))).toBe(delivered);
    const [[prompt = ''] = []] = prompts();
    expect(requestIn(prompt)).toBe('add a page about retries\n\nThree tries.');
    const data = dataIn(prompt).join('\n');
    expect(data).toContain('Issue #7: Retries are missing');
    expect(data).toContain('Labels: docs');
    expect(data).not.toContain('Three tries.');
    expect(written()).toHaveLength(1);
    expect(textOf(written()[0] ?? { body: '' })).not.toContain('Requested in');
    expect(reactions()).toEqual(['eyes', 'rocket']);
  });

  test('is one request, even if it is played again', async () => {
    open('/docs add a page');
    const event = core.github.issuesEvent(THREAD);
    const both = await Promise.all([play(event), play(event)]);
    expect(both.map(endOf).sort()).toEqual([delivered, 'skipped (another-run)']);
    expect(endOf(await play(event, {}, 2))).toBe(delivered);
    expect(prompts()).toHaveLength(1);
    const { apiKey, projectId } = core.service;
    const service = { apiKey, projectId, baseUrl: core.url };
    const signer = createSigner({ ...scope, service, thread: THREAD });
    const { id, body } = written()[0] ?? { id: 0, body: '' };
    const card = signer.open({ id, body, unedited: false });
    expect(card?.key).toBe(`issue:${3_100_000_000 + THREAD}`);
  });

  test('is continued by a comment, which brings what was said since then', async () => {
    open('/docs add a page');
    await play(core.github.issuesEvent(THREAD));
    core.clock.advance(60_000);
    core.github.comment('maintainer', THREAD, 'In Python, too.');
    core.clock.advance(60_000);
    expect(endOf(await play(comment('/docs as I said')))).toBe(delivered);
    expect(prompts()).toHaveLength(1);
    const data = dataIn(prompts()[0]?.at(-1) ?? '').join('\n');
    expect(data).toContain('> In Python, too.');
    expect(data).not.toContain('Description:');
  });

  test('counts as it was when it was opened', async () => {
    const issue = open('/docs add a page');
    const event = core.github.issuesEvent(THREAD);
    issue.body = '/docs delete everything';
    await play(event);
    const [[prompt = ''] = []] = prompts();
    expect(prompt).not.toContain('everything');
  });

  test('has the title that it had then, too', async () => {
    const issue = open('/docs add a page');
    const event = core.github.issuesEvent(THREAD);
    Object.assign(issue, { title: 'Delete everything' });
    await play(event);
    expect(dataIn(prompts()[0]?.[0] ?? '').join('\n')).toContain('Issue #7: Retries are missing');
  });

  test.each(['edited', 'labeled', 'assigned', 'closed', 'transferred'])(
    'is not a command once it is %s',
    async (action) => {
      open('/docs add a page');
      const run = await play(core.github.issuesEvent(THREAD, action));
      expect([endOf(run), run.exitCode]).toEqual(['skipped (not-created)', 0]);
      expect([...prompts(), ...written(), ...reactions()]).toEqual([]);
    },
  );

  test('can ask for help', async () => {
    open('/docs help');
    expect(endOf(await play(core.github.issuesEvent(THREAD)))).toBe('answered (help)');
    expect(written()).toHaveLength(1);
  });

  test('isn’t sent if it was deleted', async () => {
    open('/docs add a page');
    core.faults.refuse('POST /repos/{owner}/{repo}/issues/{issue_number}/reactions', 410);
    core.faults.refuse(routes.readIssue, 410);
    expect(endOf(await play(core.github.issuesEvent(THREAD)))).toMatch(/^skipped \(deleted\)$/);
    expect(prompts()).toEqual([]);
  });
});

test('by a stranger is denied, with one reply', async () => {
  open('/docs add my link', 'stranger');
  const { exitCode, outputs } = await play(core.github.issuesEvent(THREAD));
  expect([exitCode, endOf({ outputs })]).toEqual([0, 'denied (permission)']);
  expect(written().map((reply) => headlineOf(reply))).toEqual([
    expect.stringMatching(/^🚫 \*\*`stranger` can’t use `\/docs` here:/),
  ]);
  expect(reactions()).toEqual(['confused']);
  expect(core.requests.filter(isFor(routes.createJob))).toEqual([]);
});

describe('isn’t a command', () => {
  test.each<[string, string, WebhookEvent['payload'] | undefined, string]>([
    ['without the command', 'Retries are missing.', undefined, 'no-command'],
    ['without any text', '', undefined, 'no-command'],
    ['in a quote', '> /docs add a page', undefined, 'no-command'],
    ['from another repository', '/docs add a page', { old_issue: { id: 1 } }, 'not-created'],
  ])('%s', async (_, body, changes, reason) => {
    open(body);
    const { exitCode, outputs } = await play(core.github.issuesEvent(THREAD, 'opened', changes));
    expect([exitCode, endOf({ outputs })]).toEqual([0, `skipped (${reason})`]);
    expect(core.requests).toEqual([]);
  });

  test('if the inputs have a prompt, which is sent instead', async () => {
    open('/docs add a page');
    const prompt = { prompt: 'Answer this issue.' };
    expect(endOf(await play(core.github.issuesEvent(THREAD), prompt))).toBe(delivered);
    expect(prompts()).toEqual([['Answer this issue.']]);
    open('/docs add a page', 'stranger');
    expect(endOf(await play(core.github.issuesEvent(THREAD), prompt))).toBe(
      'skipped (not-allowed)',
    );
  });
});
