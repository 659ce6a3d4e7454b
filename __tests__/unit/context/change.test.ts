import { describe, expect, test } from '@jest/globals';
import type { SimulatedGitHub } from '../../../simulator/github/github.ts';
import type { About } from '../../../src/agent/about.ts';
import { type Change, whyIrrelevant } from '../../../src/agent/context/change.ts';
import { createClean } from '../../../src/agent/context/clean.ts';
import { choosePatches, createFileFilter, whyNoPatch } from '../../../src/agent/context/files.ts';
import { type Gathering, gather } from '../../../src/agent/context/gather.ts';
import { nameParts } from '../../../src/agent/context/parts.ts';
import { findMergedIn, readPush } from '../../../src/agent/context/push.ts';
import { packageOf } from '../../../src/agent/context/releases.ts';
import type { PullRequest } from '../../../src/github/changes.ts';
import { type PushEvent, parseEvent } from '../../../src/github/event.ts';
import { openPullRequest } from '../../support/in-process/changes.ts';
import { plain } from '../../support/plain.ts';
import { change, file, pullRequest } from '../../support/samples/changes.ts';
import { memoryGitHub, thread } from '../github/memory-github.ts';

describe('a change', () => {
  const person = { login: 'octocat', isBot: false };
  const bot = { login: 'Renovate[bot]', isBot: true };
  const judged = (over: Partial<PullRequest> = {}, isOwn = false) => ({
    ...pullRequest(over),
    isOwn,
  });
  const of = (over: Partial<PullRequest>) => ({ consistsOf: [judged(over)] });
  const relevant = change({
    consistsOf: [judged()],
    pusher: person,
    headMessage: 'Retry after a timeout',
    files: { files: [file('src/a.ts'), file('docs/b.md')], isWhole: true },
  });
  const reasonOf = (over: Partial<Change>, globs = ['src/**'], allowUsers: string[] = []) =>
    whyIrrelevant(
      { ...relevant, ...over },
      {
        isChosen: createFileFilter(globs),
        allowUsers,
        checks: [],
      },
    )?.reason;

  test('a change is relevant if it changes a chosen file, or if its files have not been read yet', () => {
    expect(reasonOf({})).toBeUndefined();
    expect(
      whyIrrelevant({ topic: '' }, { isChosen: () => true, allowUsers: [], checks: [] }),
    ).toBeUndefined();
    expect(reasonOf({ consistsOf: [], pusher: undefined, headMessage: undefined })).toBeUndefined();
  });

  test('a change without a chosen file is skipped only if all its files are known', () => {
    expect(reasonOf({}, ['api/**'])).toBe('no-relevant-changes');
    expect(reasonOf({ files: { files: [file('docs/b.md')], isWhole: true } })).toBe(
      'no-relevant-changes',
    );
    expect(reasonOf({ files: { files: [file('docs/b.md')], isWhole: false } })).toBeUndefined();
    const moved = file('lib/a.ts', { oldPath: 'src/a.ts', status: 'renamed' });
    expect(reasonOf({ files: { files: [moved], isWhole: true } })).toBeUndefined();
  });

  test.each([[[]], [['!docs/**']]])(
    'a change without any file is skipped, with `paths` %j',
    (globs) => {
      expect(reasonOf({ files: { files: [], isWhole: true } }, globs)).toBe('no-relevant-changes');
    },
  );

  test('a bot’s pull request or push is skipped, unless the bot is allowed', () => {
    for (const over of [{ pusher: bot }, of({ author: bot })]) {
      expect(reasonOf(over)).toBe('bot-change');
      expect(reasonOf(over, [], ['renovate[bot]'])).toBeUndefined();
      expect(reasonOf(over, [], ['renovate'])).toBe('bot-change');
    }
  });

  const template = 'x (#3)\n\n<!-- write\n[skip docs] to skip -->\nDone.';

  test.each<[string, 'skip-docs' | undefined, Partial<Change>]>([
    ['its title, in capitals', 'skip-docs', of({ title: '[Skip Docs] x' })],
    [
      'its description, as shown',
      'skip-docs',
      of({ body: { source: '', rendered: 'x\n[skip docs]\ny' } }),
    ],
    ['a label', 'skip-docs', of({ labels: ['bug', 'Skip-Docs'] })],
    ['another label', undefined, of({ labels: ['skip-docs-check'] })],
    ['its newest commit', 'skip-docs', { headMessage: 'x\n<!-- a -->[skip docs]<!-- b' }],
    ['an HTML comment in a squashed commit', undefined, { headMessage: template }],
    [
      'an HTML comment without an end',
      undefined,
      { headMessage: 'x\n\n<!-- write [skip docs] to skip' },
    ],
    ['other words', undefined, { headMessage: '[skip ci] skip docs [skip  docs]' }],
  ])('a change is checked for a reason to skip it in %s: %s', (_, reason, over) => {
    expect(reasonOf(over)).toBe(reason);
  });

  test('the first reason in a fixed order is reported', () => {
    const rest: Partial<Change>[] = [
      { consistsOf: [judged({}, true)] },
      { pusher: bot },
      { headMessage: '[skip docs]' },
      { hasBase: false },
      { files: { files: [], isWhole: true } },
    ];
    const reasons = rest.map((_, first) => reasonOf(Object.assign({}, ...rest.slice(first))));
    expect(reasons).toEqual([
      'own-change',
      'bot-change',
      'skip-docs',
      'no-base',
      'no-relevant-changes',
    ]);
  });

  test('several pull requests are skipped only if there is a reason for each', () => {
    const [own, ofBot] = [judged({}, true), judged({ author: bot })];
    const labeled = judged({ labels: ['skip-docs'] });
    expect(reasonOf({ consistsOf: [own, own] })).toBe('own-change');
    expect(reasonOf({ consistsOf: [ofBot, own, labeled] })).toBe('skip-docs');
    expect(reasonOf({ consistsOf: [own, judged()] })).toBeUndefined();
    expect(
      reasonOf({ consistsOf: [judged(), judged()], headMessage: 'x [skip docs]' }),
    ).toBeUndefined();
  });
});

describe('its files', () => {
  describe('`paths`', () => {
    const files = [
      ...['README.md', 'docs/a.md', 'src/b.ts', 'src/b.test.ts', 'src/.env/c.ts'].map((path) =>
        file(path),
      ),
      file('lib/moved.ts', { oldPath: 'src/moved.ts' }),
      file('src/x\ny.ts'),
    ];
    const inSrc = ['src/b.ts', 'src/b.test.ts', 'src/.env/c.ts', 'lib/moved.ts', 'src/x\ny.ts'];

    test.each<[string[], string[]]>([
      [[], files.map(({ path }) => path)],
      [['src/**'], inSrc],
      [['/src/**'], inSrc],
      [['./src/**'], inSrc],
      [['SRC/**', 'readme.md'], []],
      [['*.ts'], []],
      [['*.md'], ['README.md']],
      [['**/*.test.ts'], ['src/b.test.ts']],
      [['!docs/**', '!*.md'], inSrc],
      [
        ['src/**', '!src/**/*.test.ts', '!src/.env/**', '!src/x*'],
        ['src/b.ts', 'lib/moved.ts'],
      ],
      [['src/**', '!src/**', 'src/b.ts'], ['src/b.ts']],
      // A renamed file matches under its old path, too.
      [['src/moved.ts'], ['lib/moved.ts']],
      [['{docs,lib}/*', '!**/moved.ts'], ['docs/a.md']],
    ])('%j matches %j', (globs, expected) => {
      expect(files.filter(createFileFilter(globs)).map(({ path }) => path)).toEqual(expected);
    });

    test('matches every path longer than 300 characters', () => {
      expect(createFileFilter(['src/**'])(file(`docs/${'a'.repeat(300)}`))).toBe(true);
    });
  });

  describe('files whose patches are not sent', () => {
    const why = (changed: ReturnType<typeof file>) => whyNoPatch(changed, () => true);

    test.each([
      ...[
        'package-lock.json',
        'web/yarn.lock',
        'pnpm-lock.yaml',
        'bun.lock',
        'bun.lockb',
        'Cargo.lock',
      ],
      ...[
        'go.sum',
        'go.work.sum',
        'poetry.lock',
        'uv.lock',
        'pylock.toml',
        'pylock.dev.toml',
        'Gemfile.lock',
      ],
      ...[
        'composer.lock',
        'ios/Podfile.lock',
        'Package.resolved',
        '.terraform.lock.hcl',
        'flake.lock',
      ],
      ...['dist/app.min.js', 'app.min.css', 'dist/app.js.map', 'src/__snapshots__/a.test.ts.snap'],
    ])('%s is generated', (path) => {
      expect(why(file(path))).toMatch(/^that a tool generated/);
    });

    test.each([
      ...['src/lock.ts', 'docs/package-lock.json.md', 'go.sum.txt', 'src/block.ts', 'src/admin.js'],
      ...['levels/forest.map', 'src/min.js', 'snapshots.md'],
    ])('%s is sent', (path) => {
      expect(why(file(path))).toBeUndefined();
    });

    test('files that `paths` excludes, and files without a patch on GitHub', () => {
      expect(whyNoPatch(file('yarn.lock'), () => false)).toMatch(/`paths`/);
      const noLines = { added: 0, removed: 0 };
      expect(why(file('logo.png', { patch: undefined, lines: noLines }))).toMatch(
        /without a patch/,
      );
      expect(why(file('b.ts', { oldPath: 'a.ts', status: 'renamed', patch: undefined }))).toMatch(
        /renamed/,
      );
    });

    test('files with generated lines, but not files with long paragraphs', () => {
      const patchOf = (...lines: string[]) => ({ patch: ['@@ -1 +1 @@', ...lines].join('\n') });
      const paragraph = `+${'word '.repeat(180)}`;
      for (const lines of [[`+${'x'.repeat(5_000)}`], [' a', ' b', `+${'x'.repeat(40_000)}`, ' c']])
        expect(why(file('a.js', patchOf(...lines)))).toMatch(/^that a tool generated/);
      expect(
        why(file('a.mdx', patchOf(paragraph, '+', paragraph, '+', paragraph))),
      ).toBeUndefined();
      expect(
        why(file('a.ts', patchOf(...Array.from({ length: 3_000 }, () => ' x')))),
      ).toBeUndefined();
    });
  });

  describe('patches', () => {
    const choose = (bytes: number, ...patches: string[]) =>
      choosePatches(
        patches.map((patch, index) => file(`${index}`, { patch })),
        bytes,
        createClean(plain),
      );

    test('are split at the start of each hunk, and not at similar lines', () => {
      const hunks = [
        '@@ -1,3 +1,4 @@ export class Client {\n a\n-b\n+c\n+@@ -9 +9 @@\n d',
        '@@ -20 +21 @@\n-@@ x\n\\ No newline at end of file\n+@@ y\n\\ No newline at end of file',
        '@@ -30,0 +32,2 @@\n+\n+--- a/file',
      ];
      const indented = hunks.map((hunk) => hunk.replace(/^/gm, '    '));
      expect(choose(999, hunks.join('\n'))).toEqual({
        lines: ['=== 0', ...indented],
        missing: 0,
        total: 3,
      });
      expect(choose(999, '')).toEqual({ lines: [], missing: 0, total: 0 });
    });

    test('are sent whole or not at all; small hunks are chosen first, and files keep their order', () => {
      const [large, small] = [`@@ -1 +1 @@\n+${'x'.repeat(40)}`, '@@ -1 +1 @@\n+y'];
      const shown = (text: string) => text.replace(/^/gm, '    ');
      expect(choose(200, large, small).lines).toEqual([
        '=== 0',
        shown(large),
        '=== 1',
        shown(small),
      ]);
      expect(choose(60, large, small)).toEqual({
        lines: ['=== 1', shown(small)],
        missing: 1,
        total: 2,
      });
      const partly = choose(80, [large, small, large].join('\n'));
      expect(partly).toEqual({
        lines: ['=== 0 (1 of 3 hunks)', shown(small)],
        missing: 2,
        total: 3,
      });
    });
  });
});

describe('a push', () => {
  /** Creates a repository, changes it with `act`, and pushes the changes. */
  function pushOf(act: (github: SimulatedGitHub) => void) {
    const { simulator, github } = memoryGitHub();
    const { sha: before } = simulator.github.git.commit({ files: { 'README.md': '# Retry\n' } });
    act(simulator.github);
    const event = parseEvent('push', simulator.github.pushEvent({ before }).payload) as PushEvent;
    const reading = { github, clock: simulator.clock };
    const read = (over: Partial<PushEvent> = {}) => readPush({ ...event, ...over }, reading);
    return { simulator, reading, read };
  }

  describe('the pull request that a push merges', () => {
    const merging =
      (method: 'merge' | 'squash' | 'rebase', message?: string, commits = 1) =>
      (g: SimulatedGitHub) =>
        g.pullRequests.merge(openPullRequest(g, { commits }), method, message);

    const afterCommit = (method: 'merge' | 'rebase', commits: number) => (g: SimulatedGitHub) => {
      const number = openPullRequest(g, { commits });
      g.git.commit({ files: { 'a.ts': 'a\n' } });
      g.pullRequests.merge(number, method);
    };
    const longRebase = (g: SimulatedGitHub) => {
      g.listLimits.comparedCommits = 2;
      merging('rebase', undefined, 3)(g);
    };

    const mentioning = (g: SimulatedGitHub) =>
      g.git.commit({ message: `As (#${openPullRequest(g)})` });

    test.each<[string, isFound: boolean, (github: SimulatedGitHub) => unknown]>([
      ['a squash with a custom message', true, merging('squash', 'Retry')],
      ['a squash whose message names another', true, merging('squash', 'Retry (#7)')],
      ['a squash whose message names none', true, merging('squash', 'Retry (#99)')],
      ['a merge of two commits', true, merging('merge', undefined, 2)],
      ['a rebase of three commits', true, merging('rebase', undefined, 3)],
      ['a direct push', false, (g) => g.git.commit()],
      ['a direct push that mentions a pull request', false, mentioning],
      ['a commit and a merge', false, afterCommit('merge', 1)],
      ['a commit and a rebase', false, afterCommit('rebase', 2)],
      ['a rebase of more commits than GitHub lists', false, longRebase],
    ])('is found for %s: %p', async (_, isFound, act) => {
      const { pullRequest, comparison } = await pushOf(act).read();
      expect(comparison?.isWhole).toBe(true);
      if (isFound) expect(pullRequest).toMatchObject({ number: 101, state: 'merged' });
      else expect(pullRequest).toBeUndefined();
    });

    test('doesn’t exist if the message names one that was merged earlier', async () => {
      const { simulator, read } = pushOf((g) => {
        const number = openPullRequest(g);
        g.pullRequests.merge(number, 'squash');
        g.git.commit({ message: `Repair it (#${number})`, files: { 'a.ts': 'a\n' } });
      });
      const [before = ''] = simulator.github.git.find('main').parents;
      expect((await read({ before })).pullRequest).toBeUndefined();
    });

    test.each([
      [29_000, true],
      [31_000, false],
    ])('is found although GitHub’s index is %i ms behind: %p', async (lagMs, isFound) => {
      const { read } = pushOf((g) => {
        g.pullRequests.indexLagMs = lagMs;
        g.pullRequests.merge(openPullRequest(g), 'squash', 'Retry');
      });
      expect((await read()).pullRequest !== undefined).toBe(isFound);
    });
  });

  describe('the pull requests in a push', () => {
    async function numbersIn(act: (github: SimulatedGitHub) => void) {
      const { read, reading } = pushOf(act);
      const { comparison } = await read();
      if (comparison === undefined) throw new Error('There is nothing to compare with');
      const { pullRequests, rest } = await findMergedIn(comparison, reading);
      return { numbers: pullRequests.map(({ number }) => number), rest };
    }

    test('are named by a commit and merged by one of the commits', async () => {
      const numbers: number[] = [];
      const found = await numbersIn((g) => {
        numbers.push(openPullRequest(g), openPullRequest(g), openPullRequest(g));
        const [squashed = 0, merged = 0, open = 0] = numbers;
        g.pullRequests.merge(squashed, 'squash');
        g.pullRequests.merge(merged, 'merge');
        const subjects = [`As (#${open}) will`, `Like (#${open})`, `Undo #${open}`];
        for (const message of [...subjects, 'Fix (#7)', `Again (#${squashed})`])
          g.git.commit({ message });
      });
      expect(found.numbers).toEqual(numbers.slice(0, 2));
      expect(found.rest).toBe('commits');
    });

    test.each(['squash', 'rebase'] as const)('are all found, with a %s of each', async (method) => {
      const { numbers, rest } = await numbersIn((g) => {
        for (let nth = 0; nth < 22; nth += 1)
          g.pullRequests.merge(openPullRequest(g, { commits: nth < 4 ? 9 : 1 }), method);
      });
      expect(numbers).toHaveLength(22);
      expect(rest).toBe('nothing');
    });
  });
});

test.each([
  [0, undefined],
  [1, 'For #1.'],
  [3, 'For #1, #2, and #3.'],
  [12, 'For #1, #2, #3, #4, #5, #6, #7, #8, #9, #10, and 2 more.'],
])('%i pull requests are named in this form', (count, text) => {
  const kept = Array.from({ length: count }, (_, nth) => ({
    ...pullRequest({ number: nth + 1 }),
    isOwn: false,
  }));
  expect(nameParts({ kept })).toBe(text);
});

describe('gathering', () => {
  const dayMs = 86_400_000;

  /** A repository with one commit. `about` reads the context for a request. */
  function repository() {
    const { simulator, github: client } = memoryGitHub();
    const { clock, github } = simulator;
    github.git.commit({ message: 'First', files: { 'README.md': '# Retry\n' } });
    const nothing = {
      thread: undefined,
      sendsThread: false,
      change: undefined,
      request: undefined,
      checks: [],
    };
    const gathering: Gathering = {
      about: { ...nothing, maySkip: true },
      github: client,
      clock,
      pushed: undefined,
      scrub: plain,
      parts: undefined,
      findOwn: async () => new Set(),
    };
    const about = (of: Partial<About>) =>
      gather({ ...gathering, about: { ...gathering.about, ...of } });
    return { simulator, github, about };
  }

  const released = (tag: string) => ({ kind: 'release', tag, isPrerelease: false }) as const;
  const threadNamed = (number: number) => ({ number, isPullRequest: false, written: undefined });

  test('a pull request has the message of its merge commit, or before the merge, of its newest commit', async () => {
    const { github, about } = repository();
    const number = openPullRequest(github);
    github.pullRequests.push(number, { message: 'Tidy [skip docs]' });
    const change = { kind: 'pull-request', number } as const;
    expect((await about({ change })).headMessage).toBe('Tidy [skip docs]');
    github.pullRequests.merge(number, 'squash', 'Retry');
    expect((await about({ change })).headMessage).toBe('Retry');
  });

  test('the thread of a pull request is called one', async () => {
    const { github, about } = repository();
    const number = openPullRequest(github);
    const read = (named: number) => about({ thread: threadNamed(named), sendsThread: true });
    expect(await read(number)).toMatchObject({
      topic: `pull request #${number}`,
      thread: { isPullRequest: true },
    });
    expect(await read(thread)).toMatchObject({
      topic: `issue #${thread}`,
      thread: { isPullRequest: false },
    });
  });

  test('the text of a thread has the same version until it changes', async () => {
    const { github, about } = repository();
    const read = () => about({ thread: threadNamed(thread), sendsThread: true });
    const { head } = await read();
    expect((await read()).head).toBe(head);
    github.thread(thread).body = 'Four?';
    expect((await read()).head).not.toBe(head);
  });

  describe('a release', () => {
    test.each([
      ['v2.0.0', ''],
      ['2.0', ''],
      ['2024-11-28', ''],
      ['nightly', undefined],
      ['cli-v2', 'cli-'],
      ['cli-2.0.0-rc.1+build.5', 'cli-'],
      ['@acme/sdk@1.2.3-beta.2', '@acme/sdk@'],
      ['@acme/s3-client@1.2.3', '@acme/s3-client@'],
      ['python3.11-v2', 'python3.11-'],
      ['sdk-2-v1.0', 'sdk-2-'],
      ['modules/http/v1.0.0', 'modules/http/'],
      ['release_1.0', 'release_'],
      ['App1.0', 'App'],
    ])('with the tag %s is one of the package %j', (tag, name) => {
      expect(packageOf(tag)).toBe(name);
    });

    test('finds its package’s last release behind 100 others', async () => {
      const { simulator, github, about } = repository();
      github.releases.add({ tag: 'sdk-v1' });
      simulator.clock.advance(dayMs);
      github.git.commit({ files: { 'a.ts': 'a\n' } });
      for (let nth = 0; nth < 101; nth += 1) github.releases.add({ tag: `app-v1.${nth}` });
      github.releases.add({ tag: 'sdk-v2' });
      const { topic } = await about({ change: released('sdk-v2') });
      expect(topic).toBe('release sdk-v2, which follows sdk-v1');
      const lists = simulator.requests.filter(({ path }) => path.endsWith('/releases'));
      expect(lists).toHaveLength(2);
    });

    test('is compared with at most five others before it counts as having no base', async () => {
      const { simulator, github, about } = repository();
      for (const tag of ['v1', 'v1.1', 'v1.2', 'v1.3', 'v1.4', 'v1.5', 'v2']) {
        simulator.clock.advance(dayMs);
        const branch = tag.includes('.') ? `branch-of-${tag}` : 'main';
        if (branch !== 'main') github.git.branch(branch);
        github.git.commit({ branch, files: { [`${tag}.ts`]: `${tag}\n` } });
        github.git.tag(tag, branch);
        github.releases.add({ tag });
      }
      const change = await about({ change: released('v2') });
      expect(change).toMatchObject({ hasBase: false, topic: 'release v2' });
    });

    test('is compared with the one before all others of the same commit, if there are at most 20', async () => {
      for (const [count, follows] of [
        [20, undefined],
        [19, 'v1'],
      ] as const) {
        const { simulator, github, about } = repository();
        github.releases.add({ tag: 'v1' });
        simulator.clock.advance(dayMs);
        github.git.commit({ files: { 'a.ts': 'a\n' } });
        for (let nth = 0; nth < count; nth += 1) github.releases.add({ tag: `v2.${nth}` });
        github.releases.add({ tag: 'v3' });
        const { topic } = await about({ change: released('v3') });
        expect(topic).toBe(follows ? `release v3, which follows ${follows}` : 'release v3');
      }
    });

    test.each([
      ['v1.1', 'v1', ['nightly']],
      ['nightly', 'weekly', ['v1.1']],
      ['nightly', undefined, ['v1.1']],
    ])('with the tag %s follows %s', async (tag, earlier, others) => {
      const { simulator, github, about } = repository();
      for (const each of [...(earlier ? [earlier] : []), ...others, tag]) {
        simulator.clock.advance(dayMs);
        github.git.commit({ files: { [`${each}.ts`]: `${each}\n` } });
        github.releases.add({ tag: each });
      }
      const { topic } = await about({ change: released(tag) });
      expect(topic).toBe(earlier ? `release ${tag}, which follows ${earlier}` : `release ${tag}`);
    });

    test('is not compared with a later release of an older commit', async () => {
      const { simulator, github, about } = repository();
      for (const [tag, of] of [['v1'], ['v2'], ['v1.1', 'v1']] as const) {
        simulator.clock.advance(dayMs);
        if (of === undefined) github.git.commit({ files: { [`${tag}.ts`]: `${tag}\n` } });
        github.git.tag(tag, of);
        github.releases.add({ tag });
      }
      const { topic } = await about({ change: released('v2') });
      expect(topic).toBe('release v2, which follows v1');
    });
  });

  describe('a range', () => {
    test('has no base if there was no commit yet', async () => {
      const { simulator, github, about } = repository();
      simulator.clock.advance(dayMs);
      const { sha: head } = github.git.find('main');
      const change = await about({ change: { kind: 'since', since: 2, head } });
      expect(change).toMatchObject({ hasBase: false });
      expect(change.files).toBeUndefined();
    });

    test('includes its pull requests', async () => {
      const { github, about } = repository();
      const since = github.git.find('main').sha;
      github.pullRequests.merge(openPullRequest(github, { title: 'Retry' }), 'squash');
      const head = github.git.find('main').sha;
      const { pullRequests } = await about({ change: { kind: 'since', since, head } });
      expect(pullRequests).toMatchObject([{ title: 'Retry' }]);
    });
  });

  test.each<[string, Partial<About>]>([
    ['pull request 99', { change: { kind: 'pull-request', number: 99 } }],
    ['issue or pull request 99', { thread: threadNamed(99), sendsThread: true }],
    ['published release `v9`', { change: released('v9') }],
  ])('a missing %s is an error', async (missing, about) => {
    await expect(repository().about(about)).rejects.toThrow(`There is no ${missing}`);
  });
});
