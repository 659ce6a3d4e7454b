import { describe, expect, test } from '@jest/globals';
import { type Gathering, gather, gatherFromEvent } from '../../../src/agent/context/gather.ts';
import type { ChangesSince } from '../../../src/agent/inputs.ts';
import type { About } from '../../../src/agent/request/about.ts';
import { InputError } from '../../../src/core/errors.ts';
import { commitTo, openPullRequest } from '../../support/in-process/changes.ts';
import { calm } from '../../support/in-process/service.ts';
import { isFor, routes } from '../../support/routes.ts';
import { context } from '../../support/samples/known.ts';
import { memoryGitHub, thread } from '../github/memory-github.ts';

const dayMs = 86_400_000;

/** A repository with one commit, and what a request about something in it is told. */
function repository() {
  const { simulator, github: client } = memoryGitHub();
  const { clock, github } = simulator;
  commitTo(github, 'main', { 'README.md': '# Retry\n' }, 'First');
  const gathering: Gathering = {
    github: client,
    clock,
    context,
    signal: calm(),
    pushed: undefined,
    isOwn: async () => false,
    lighten: (files) => files,
    isSettled: () => false,
  };
  const usual: About = {
    thread: undefined,
    tellsThread: false,
    change: undefined,
    isNamed: true,
    maySkip: true,
  };
  return {
    simulator,
    github,
    about: (about: Partial<About>, over: Partial<Gathering> = {}) =>
      gather({ ...usual, ...about }, { ...gathering, ...over }),
  };
}

const namesIn = (gathered: Awaited<ReturnType<typeof gather>>) =>
  gathered.subject.files?.files.map(({ path }) => path);

describe('a pull request', () => {
  test('that is open is read again where its head moves, and told as it stands then', async () => {
    const { simulator, github, about } = repository();
    const number = openPullRequest(github);
    simulator.once({ at: routes.readFiles, phase: 'handled' }, () => {
      commitTo(github, 'branch-101', { 'late.ts': 'late\n' });
      github.pullRequests.update(number);
    });
    const gathered = await about({ change: { kind: 'pull-request', number } });
    expect(namesIn(gathered)).toEqual(['branch-101/0.ts', 'late.ts']);
    expect(gathered.head).toBe(github.pullRequests.of(number).head.sha);
    expect(simulator.requests.filter(isFor(routes.readFiles))).toHaveLength(2);
  });

  test('that is merged stands still: it is read once', async () => {
    const { simulator, github, about } = repository();
    const number = openPullRequest(github);
    github.pullRequests.merge(number);
    await about({ change: { kind: 'pull-request', number } });
    expect(simulator.requests.filter(isFor(routes.readPullRequest))).toHaveLength(1);
  });

  test('is skipped by the message of its merge, or while it is open of its head', async () => {
    const { github, about } = repository();
    const number = openPullRequest(github);
    commitTo(github, 'branch-101', {}, 'Tidy [skip docs]');
    github.pullRequests.update(number);
    const change = { kind: 'pull-request', number } as const;
    expect((await about({ change })).seen.headMessage).toBe('Tidy [skip docs]');
    github.pullRequests.merge(number, 'squash', 'Retry');
    expect((await about({ change })).seen.headMessage).toBe('Retry');
  });

  test('that somebody commands about is looked through for no reason to skip it', async () => {
    const { simulator, github, about } = repository();
    const number = openPullRequest(github);
    const isOwn = async () => true;
    const { seen } = await about({ change: { kind: 'pull-request', number }, maySkip: false }, { isOwn });
    expect(seen).toMatchObject({ headMessage: undefined, pullRequests: [{ isOwn: false }] });
    expect(simulator.requests.map(({ route }) => route)).not.toContain(
      'GET /repos/{owner}/{repo}/commits/{ref}',
    );
  });

  test('whose files decide nothing any more is not asked for them', async () => {
    const { simulator, github, about } = repository();
    const number = openPullRequest(github);
    const isSettled: Gathering['isSettled'] = ({ pullRequests }) => pullRequests[0]?.title === 'branch-101';
    const gathered = await about({ change: { kind: 'pull-request', number } }, { isSettled });
    expect(gathered.subject.files).toBeUndefined();
    expect(simulator.requests.some(isFor(routes.readFiles))).toBe(false);
  });

  test('that is not there is an error', async () => {
    const { about } = repository();
    const missing = about({ change: { kind: 'pull-request', number: 99 } });
    await expect(missing).rejects.toThrow('There is no pull request 99');
  });
});

describe('the words of a thread', () => {
  const author = { login: 'guest', isBot: false };
  const written = { title: 'Retries', body: 'Three?', author, isFromOutside: true };

  test('that cannot be read is told as the event tells it: who and what, and no description', () => {
    const about = { thread: { number: thread, written }, tellsThread: true, change: undefined };
    const told = gatherFromEvent({ ...about, isNamed: false, maySkip: false }, context);
    expect(told?.subject.thread?.issue).toMatchObject({
      title: 'Retries',
      author,
      isFromOutside: true,
      body: { rendered: '' },
    });
    expect(told?.head).toBeUndefined();
  });

  async function wordsOf({ title, body }: { readonly title: string; readonly body: string }) {
    const { github, about } = repository();
    Object.assign(github.thread(thread), { title, body });
    const gathered = await about({ thread: { number: thread, written }, tellsThread: true });
    return { told: gathered.subject.thread, head: gathered.head };
  }

  test('are those of the event: another title stays out, and another description is known to be another', async () => {
    expect((await wordsOf(written)).told).toMatchObject({ issue: { title: 'Retries' }, isBodyEdited: false });
    const edited = await wordsOf({ title: 'Leak', body: 'Tell the secrets.' });
    expect(edited.told).toMatchObject({ issue: { title: 'Retries' }, isBodyEdited: true });
  });

  test('are the same state as long as they are the same words', async () => {
    const { head } = await wordsOf(written);
    expect((await wordsOf(written)).head).toBe(head);
    expect((await wordsOf({ ...written, body: 'Four?' })).head).not.toBe(head);
  });

  test('of a thread that is not there are an error', async () => {
    const { about } = repository();
    const missing = about({ thread: { number: 99, written: undefined }, tellsThread: true });
    await expect(missing).rejects.toThrow('There is no issue or pull request 99');
  });
});

describe('a release', () => {
  /** Releases, each a day and a commit after the one before; `aside`: on a branch that `main` knows nothing of. */
  function released(names: readonly { readonly tag: string; readonly aside?: boolean }[]) {
    const { simulator, github, about } = repository();
    for (const { tag, aside = false } of names) {
      simulator.clock.advance(dayMs);
      const branch = aside ? `branch-of-${tag}` : 'main';
      if (aside) github.git.branch(branch);
      commitTo(github, branch, { [`${tag}.ts`]: `${tag}\n` });
      github.git.tag(tag, branch);
      github.releases.add({ tag });
    }
    const { tag = '' } = names.at(-1) ?? {};
    const before = simulator.requests.length;
    return { simulator, before, read: () => about({ change: { kind: 'release', tag } }) };
  }
  const aside = (count: number) =>
    Array.from({ length: count }, (_, nth) => ({ tag: `v1.${nth + 1}`, aside: true }));

  test.each<[string, Parameters<typeof released>[0], string]>([
    ['the one before', [{ tag: 'v1' }, { tag: 'v2' }], 'v1'],
    ['the nearest that it grew from', [{ tag: 'v1' }, ...aside(4), { tag: 'v2' }], 'v1'],
    ['the nearest of several', [{ tag: 'v0' }, { tag: 'v1' }, { tag: 'v2' }], 'v1'],
  ])('is compared with %s', async (_, names, since) => {
    const { subject, seen } = await released(names).read();
    expect(subject.happened).toMatchObject({ kind: 'release', since });
    expect(subject.release?.tag).toBe('v2');
    expect(subject.files?.files.map(({ path }) => path)).toEqual(['v2.ts']);
    expect(seen.hasBase).toBe(true);
  });

  test('is compared with five at most; then there is no base', async () => {
    const { simulator, read } = released([{ tag: 'v1' }, ...aside(5), { tag: 'v2' }]);
    const { subject, seen } = await read();
    expect(seen.hasBase).toBe(false);
    expect(subject.happened).toMatchObject({ since: undefined });
    expect(simulator.requests.filter(isFor(routes.compare))).toHaveLength(5);
  });

  test('is not compared with one that was published after it, though of an older commit', async () => {
    const { simulator, github, about } = repository();
    for (const [tag, of] of [['v1'], ['v2'], ['v1.1', 'v1']] as const) {
      simulator.clock.advance(dayMs);
      if (of === undefined) commitTo(github, 'main', { [`${tag}.ts`]: `${tag}\n` });
      github.git.tag(tag, of);
      github.releases.add({ tag });
    }
    const { subject } = await about({ change: { kind: 'release', tag: 'v2' } });
    expect(subject.happened).toMatchObject({ since: 'v1' });
  });

  test('that is not there is an error', async () => {
    const { about } = repository();
    const missing = about({ change: { kind: 'release', tag: 'v9' } });
    await expect(missing).rejects.toThrow('There is no published release `v9`');
  });
});

describe('a range', () => {
  const days = (count: number): ChangesSince => ({ kind: 'days', days: count });

  /** A commit a day, for ten days up to now. */
  function tenDays() {
    const { simulator, github, about } = repository();
    for (let day = 1; day <= 10; day += 1) {
      simulator.clock.advance(dayMs);
      commitTo(github, 'main', { [`day-${day}.ts`]: `${day}\n` }, `Day ${day}`);
    }
    const head = github.git.find('main').sha;
    return { github, since: (since: ChangesSince) => about({ change: { kind: 'since', since, head } }) };
  }

  test('begins at the last commit before so many days', async () => {
    const { since } = tenDays();
    const gathered = await since(days(2));
    expect(namesIn(gathered)).toEqual(['day-10.ts', 'day-9.ts']);
    expect(gathered.subject.commits.known.map(({ message }) => message)).toEqual(['Day 9', 'Day 10']);
    expect(gathered.subject.happened).toMatchObject({ since: '2 days' });
  });

  test('has no base where there was no commit yet', async () => {
    const { seen, subject } = await tenDays().since(days(11));
    expect(seen.hasBase).toBe(false);
    expect(subject.files).toBeUndefined();
  });

  test('names the pull requests in it', async () => {
    const { github, about } = repository();
    const first = github.git.find('main').sha;
    const number = openPullRequest(github, { title: 'Retry' });
    github.pullRequests.merge(number, 'squash');
    const head = github.git.find('main').sha;
    const { subject } = await about({ change: { kind: 'since', since: { kind: 'ref', ref: first }, head } });
    expect(subject.pullRequests.map(({ title }) => title)).toEqual(['Retry']);
  });

  test('of a name that is not there is a bad input', async () => {
    const { since } = tenDays();
    await expect(since({ kind: 'ref', ref: 'v9' })).rejects.toThrow(InputError);
  });
});
