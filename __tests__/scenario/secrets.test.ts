import { expect, test } from '@jest/globals';
import { BOT_LOGIN } from '../../simulator/github/store.ts';
import { openAgentsPullRequest } from '../../simulator/play/agents-pull-request.ts';
import { DEFAULT_PROJECT } from '../../simulator/service/service.ts';
import { memoryPlayer } from '../support/in-process/player.ts';
import { type Played, shownIn } from '../support/played.ts';
import { routes } from '../support/routes.ts';
import { collect, leaveOpen, runCommand } from '../support/scenarios/left-open.ts';

/*
 * Wherever the key is in a long text from outside, no part of it is shown: the text is scrubbed
 * before it is cut.
 */

const key = 'mint_kq7Zp2Wv9Xr4Tn8Lb3Hd6Gc1Jf5';
/** A part of the key that isn't found by chance. */
const partLength = 6;
const parts = Array.from({ length: key.length - partLength + 1 }, (_, start) =>
  key.slice(start, start + partLength),
);

/** How many characters come before the key, so that a cut after `cut` leaves some of the key. */
const before = (cut: number) => [6, 12, 20, 28, 31].map((left) => cut - left);

/** A player with the key, and the inputs that every run needs. */
function begin() {
  const player = memoryPlayer();
  const { core } = player;
  core.service.addKey(key, DEFAULT_PROJECT.organization);
  core.github.addThread({ number: 1 });
  const inputs = { 'api-key': key, 'project-id': core.service.projectId };
  /** The parts of the key that people can read. */
  const partsIn = (played: Played) => {
    const { written: _, ...shown } = shownIn(core, played);
    const comments = core.github.comments.filter(({ login }) => login === BOT_LOGIN);
    const written = comments.flatMap(({ history }) => history.map(({ body }) => body)).join('\n');
    const files = [...player.files.all().values()].join('\n');
    return Object.entries({ ...shown, written, files }).flatMap(([place, text]) => {
      const found = parts.filter((part) => text.includes(part));
      return found.length === 0 ? [] : [`${place}: ${found.join(' ')}`];
    });
  };
  return { ...player, inputs, partsIn };
}

test.each(before(120))('the key %i characters into a pull request’s title', async (length) => {
  const { core, inputs, partsIn } = begin();
  openAgentsPullRequest(core.github, 101, `${'x'.repeat(length)}${key} and more`);
  const left = await leaveOpen(core, { thread: 1, inputs: { ...inputs, wait: 'true' } });
  expect(left.status.body).toContain('xxx\\*\\*\\*');
  expect(partsIn(left.played)).toEqual([]);
});

test.each(before(4 * 1024))('the key %i bytes into a prompt', async (length) => {
  const { core, inputs, partsIn, play } = begin();
  const prompt = `${'word '.repeat(1_000).slice(0, length - 1)} ${key} and more`;
  const command = core.github.comment('maintainer', 1, `/docs ${prompt}`);
  const event = core.github.issueCommentEvent(command);
  const dry = await play({ event, inputs: { ...inputs, 'dry-run': 'true' }, runId: 9 });
  expect(dry.summary).toContain('word');
  expect(partsIn(dry)).toEqual([]);
  const played = await runCommand(core, command, { inputs });
  // The agent gets what was typed.
  expect(core.service.jobs[0]?.prompts).toEqual([expect.stringContaining(prompt)]);
  expect(partsIn(played)).toEqual([]);
});

test.each(before(300))('the key %i characters into a flag', async (length) => {
  const { core, inputs, partsIn } = begin();
  const flag = `--${'x'.repeat(length - 2)}${key}-more`;
  const command = core.github.comment('maintainer', 1, `/docs ${flag} x`);
  const played = await runCommand(core, command, { inputs });
  expect(core.github.comments.at(-1)?.body).toContain('There is no such flag');
  expect(partsIn(played)).toEqual([]);
});

test.each(before(300))('the key %i characters into a failed check’s name', async (length) => {
  const { core, inputs, partsIn } = begin();
  openAgentsPullRequest(core.github, 101);
  const named = { ...inputs, checks: 'mintlify/xx*' };
  await leaveOpen(core, { thread: 1, inputs: { ...named, wait: 'true' } });
  const { sha } = core.github.pullRequests.of(101).head;
  const name = `${'x'.repeat(length)}${key} and more`;
  core.github.checks.add(sha, { name, conclusion: 'failure' });
  const event = core.github.checkSuiteEvent(sha);
  const played = await collect(core, { event, inputs: named });
  expect(core.github.comments.at(-1)?.body).toContain('doesn’t build yet');
  expect(partsIn(played)).toEqual([]);
});

test.each(before(300))('the key %i characters into a person’s name', async (length) => {
  const { core, inputs, partsIn } = begin();
  const login = `${'x'.repeat(length)}${key}`;
  core.github.addUser(login, { permission: 'read' });
  const command = core.github.comment(login, 1, '/docs x');
  const played = await runCommand(core, command, { inputs });
  expect(core.github.comments.at(-1)?.body).toContain('can’t use');
  expect(partsIn(played)).toEqual([]);
});

test.each([...before(160), ...before(48)])('the key %i characters into a path', async (length) => {
  const { core, inputs, partsIn, play } = begin();
  const path = `/${'x'.repeat(length - 1)}${key}/and/more`;
  core.service.visitors.give([{ path, human: 900, ai: 9, total: 905 }]);
  const report = { ...inputs, mode: 'visitors', 'report-dir': 'out', baseline: '0' };
  const played = await play({ event: core.github.scheduleEvent(), inputs: report, runId: 7 });
  expect(played.outputs.outcome).toBe('reported');
  expect(partsIn(played)).toEqual([]);
});

test.each([...before(500), ...before(1_000)])(
  'the key %i characters into an error',
  async (length) => {
    const { core, inputs, partsIn } = begin();
    const says = `${'x'.repeat(length)}${key} and more`;
    core.faults.refuse(routes.createJob, 400, { says });
    core.faults.refuse(routes.react, 400, { says });
    const command = core.github.comment('maintainer', 1, '/docs x');
    const played = await runCommand(core, command, { inputs });
    expect(played.outputs.reason).toBe('bad-request');
    expect(partsIn(played)).toEqual([]);
  },
);
