import { describe, expect, test } from '@jest/globals';
import { notFound } from '../../simulator/github/refusals.ts';
import type { Capabilities, WebhookEvent } from '../../simulator/github/types.ts';
import { createInMemorySimulator, type InMemorySimulator } from '../../simulator/in-memory.ts';
import { playMain } from '../support/in-process/play.ts';
import { endOf } from '../support/played.ts';
import { isFor, routes } from '../support/routes.ts';
import { leaveOpen } from '../support/scenarios/left-open.ts';
import { serviceInputs } from '../support/usual.ts';

/*
 * Each event with each permission removed once. GitHub says 403 or, to a token that can't see a private repository, 404. What the
 * run came from exists, so neither is a reason to do nothing.
 */

type Permission = 'contents' | 'pull-requests' | 'issues' | 'checks';
type Prepare = (core: InMemorySimulator) => WebhookEvent | Promise<WebhookEvent>;

/** The person is let in without asking GitHub for their permission. */
const commanding = { 'allow-users': 'maintainer' };
const asking = { ...commanding, prompt: 'Update the docs.' };
const changes = { ...asking, context: 'changes' };
const sweeping = (since: string) => ({ ...changes, 'changes-since': since });
const collecting = { mode: 'collect' };

const scenes: Record<string, readonly [Prepare, Readonly<Record<string, string>>]> = {
  'a push': [(core) => core.github.pushEvent(), changes],
  'a push that merged a pull request': [
    (core) => {
      core.github.pullRequests.merge(opened(core), 'squash');
      return core.github.pushEvent();
    },
    changes,
  ],
  'a push that merged several': [
    (core) => {
      const before = headOfMain(core);
      for (const number of [opened(core), opened(core, 9, 'skip-docs')])
        core.github.pullRequests.merge(number, 'squash');
      return core.github.pushEvent({ before });
    },
    changes,
  ],
  'a push that merged a stack': [
    (core) => {
      const before = headOfMain(core);
      const below = opened(core);
      core.github.git.branch('top', `change-${below}`);
      core.github.git.commit({ branch: 'top', files: { 'src/new.ts': '1\n' } });
      const body = 'Nothing to say. [skip docs]';
      const top = core.github.pullRequests.open({ head: 'top', number: 9, body });
      core.github.pullRequests.mergeStack([below, top.number]);
      return core.github.pushEvent({ before });
    },
    changes,
  ],
  'a merged pull request': [
    (core) => {
      const number = opened(core);
      core.github.pullRequests.merge(number, 'squash');
      return core.github.pullRequestEvent(number, 'closed');
    },
    changes,
  ],
  'an open pull request': [(core) => core.github.pullRequestEvent(opened(core)), changes],
  'a release': [
    ({ github }) => {
      github.releases.add({ tag: 'v1' });
      github.git.commit({ files: { 'src/new.ts': '1\n' } });
      github.releases.add({ tag: 'v2' });
      return github.releaseEvent('v2');
    },
    changes,
  ],
  'a candidate that is promoted': [
    ({ github }) => {
      github.releases.add({ tag: 'v1' });
      github.git.commit({ files: { 'src/new.ts': '1\n' } });
      github.releases.add({ tag: 'v2-rc', isPrerelease: true });
      github.releases.add({ tag: 'v2' });
      return github.releaseEvent('v2', 'released');
    },
    changes,
  ],
  'a first release with notes': [
    ({ github }) => {
      github.releases.add({ tag: 'v1', body: 'The first one.' });
      return github.releaseEvent('v1', 'released');
    },
    changes,
  ],
  'a weekly sweep': [(core) => core.github.scheduleEvent(), sweeping('7 days')],
  'a sweep since a tag': [(core) => core.github.scheduleEvent(), sweeping('v0')],
  'a sweep by hand': [(core) => core.github.workflowDispatchEvent(), sweeping('7 days')],
  'a new issue': [
    (core) => core.github.issuesEvent(issued(core)),
    { ...asking, context: 'thread' },
  ],
  'a command on an issue': [(core) => commanded(core, issued(core)), commanding],
  'a command in the body of a new issue': [
    ({ github }) =>
      github.issuesEvent(github.addThread({ number: 8, body: '/docs document this' }).number),
    commanding,
  ],
  'a command with a discussion': [
    (core) => {
      core.github.comment('maintainer', issued(core), 'We retry three times.');
      return commanded(core, 8);
    },
    commanding,
  ],
  'a command on a pull request': [(core) => commanded(core, opened(core)), commanding],
  'a command that needs the changes': [
    (core) => commanded(core, opened(core)),
    { ...commanding, context: 'changes' },
  ],
  'a command without a thread': [
    (core) => commanded(core, issued(core)),
    { ...commanding, thread: 'none' },
  ],
  'a question for the status': [(core) => commanded(core, issued(core), 'status'), commanding],
  'a review': [
    (core) => {
      const said = { path: 'src/retry.ts', hunk: '@@ -1 +1 @@\n+3', line: 1, body: 'Here.' };
      const review = core.github.reviews.submit('maintainer', opened(core), '/docs it', [said]);
      return core.github.reviewEvent(review);
    },
    commanding,
  ],
  'collecting on a schedule': [
    async (core) => {
      await follow(core);
      return core.github.scheduleEvent();
    },
    collecting,
  ],
  'collecting after a merge': [
    async (core) => core.github.pullRequestEvent(await follow(core), 'closed'),
    collecting,
  ],
  'collecting after a check': [
    async (core) => {
      await follow(core);
      return core.github.checkSuiteEvent(headOfMain(core));
    },
    collecting,
  ],
};

const headOfMain = ({ github }: InMemorySimulator) => github.git.find('main').sha;

function opened({ github }: InMemorySimulator, number = 7, ...labels: string[]): number {
  const head = `change-${number}`;
  github.git.branch(head);
  github.git.commit({ branch: head, files: { [number === 7 ? 'src/retry.ts' : 'a.ts']: '3\n' } });
  return github.pullRequests.open({ head, number, labels }).number;
}

function issued({ github }: InMemorySimulator): number {
  return github.addThread({ number: 8, body: 'Why?' }).number;
}

function commanded({ github }: InMemorySimulator, number: number, says = 'document this') {
  return github.issueCommentEvent(github.comment('maintainer', number, `/docs ${says}`));
}

/** A request in issue 8 led to pull request 7, which was merged and published since. */
async function follow(core: InMemorySimulator): Promise<number> {
  const number = opened(core);
  const prLink = `https://github.com/octo-org/docs/pull/${number}`;
  await leaveOpen(core, { thread: issued(core), script: { prLink }, inputs: { wait: 'true' } });
  core.clock.advance(3_600_000);
  core.github.pullRequests.merge(number);
  core.github.checks.add(headOfMain(core));
  return number;
}

test('a typo in `changes-since` is bad input, and says nothing of permissions', async () => {
  scenes.typo = [(core) => core.github.scheduleEvent(), sweeping('v99')];
  const played = await play('typo', [], 404);
  expect([played.exitCode, endOf(played)]).toEqual([1, 'failed (bad-input)']);
  expect(played.printed).toContain('`changes-since` must be a tag, branch, or commit');
  expect(played.printed).not.toMatch(/permission|contents: read/);
});

test('if the pull request of the event can’t be seen, collecting is red', async () => {
  for (const status of [403, 404] as const) {
    const played = await play('collecting after a merge', ['pull-requests'], status);
    expect([played.exitCode, endOf(played)]).toEqual([1, 'failed (github-error)']);
  }
});

/** Plays a scene in which the token lacks some permissions, so that GitHub responds with this status. */
async function play(name: string, lacking: readonly Permission[], status: 403 | 404) {
  const [prepare, inputs] = scenes[name] ?? [];
  if (prepare === undefined) throw new Error(`There is no scene ${name}`);
  const core = createInMemorySimulator();
  const { github } = core;
  github.git.commit({ files: { 'src/retry.ts': '1\n' } });
  github.git.tag('v0');
  core.clock.advance(8 * 86_400_000);
  github.git.commit({ files: { 'src/retry.ts': '2\n' } });
  const event = await prepare(core);
  const without = Object.fromEntries(lacking.map((permission) => [permission, 'none']));
  github.restrict(without as Partial<Capabilities>);
  const { require } = github;
  github.require = (...needed) => {
    try {
      require.apply(github, needed);
    } catch (refusal) {
      throw status === 404 ? notFound() : refusal;
    }
  };
  const asked = core.requests.length;
  const played = await playMain(core, {
    runId: 1,
    event,
    inputs: { ...serviceInputs(core), ...inputs },
  });
  const prompts = core.service.jobs.flatMap((job) => job.prompts);
  const comments = github.comments.map(({ body }) =>
    body.replace(/^<!--.*-->\n/, '').replace(/[Tt]ook [\w ]+/g, 'took'),
  );
  const hasSent = core.requests.slice(asked).some(isFor(routes.createJob));
  return { ...played, prompts, comments, hasSent };
}

const all: readonly Permission[] = ['contents', 'pull-requests', 'issues', 'checks'];
const cases = Object.keys(scenes).flatMap((name) => [
  ...all.map((permission) => [name, permission, [permission]] as const),
  [name, 'any permission', all] as const,
]);

describe.each([403, 404] as const)('if GitHub responds with %i', (status) => {
  // A token that can list comments can also edit those that it lists, or gets a 403.
  const isPossible = (name: string, [lacking]: readonly Permission[]) =>
    status === 403 || lacking !== 'issues' || !name.startsWith('collecting');
  const possible = cases.filter(([name, , lacking]) => isPossible(name, lacking));

  test.each(possible)('%s without %s', async (name, _, lacking) => {
    const usual = await play(name, [], status);
    expect(usual.exitCode).toBe(0);
    const less = await play(name, lacking, status);
    expect(less.printed).not.toMatch(/\n\s+at .*:\d+:\d+/);
    expect(less.prompts.length).toBeLessThanOrEqual(usual.prompts.length);
    expect(less.comments.length).toBeLessThanOrEqual(usual.comments.length);
    const withoutToken = (prompts: readonly string[]) =>
      prompts.map((prompt) => prompt.replace(/\b[0-9a-f]{24}\b/g, ''));
    const isSame =
      endOf(less) === endOf(usual) &&
      `${withoutToken(less.prompts)}` === `${withoutToken(usual.prompts)}` &&
      `${less.comments}` === `${usual.comments}`;
    if (isSame) return;
    // Something is missing, and whoever reads the result is told which permission to grant.
    const told = [less.summary, less.printed, ...less.comments].join('\n');
    const named = all.filter((permission) => told.includes(`\`${permission}: `));
    expect([endOf(less), named]).toEqual([
      endOf(less),
      expect.arrayContaining([expect.anything()]),
    ]);
    if (lacking.length === 1) expect(told).toContain(`\`${lacking[0]}: `);
    // Doing nothing, or sending less than a named context, is an error.
    if (less.outputs.outcome !== usual.outputs.outcome)
      expect([less.exitCode, endOf(less)]).toEqual([1, 'failed (github-error)']);
    // What was sent without the rest of its context says so.
    const isShortened =
      withoutToken(less.prompts).join().length < withoutToken(usual.prompts).join().length;
    if (less.hasSent && isShortened) expect(told).toContain('could not be read');
  });
});
