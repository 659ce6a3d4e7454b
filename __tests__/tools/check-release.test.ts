import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Candidate, Release } from '../../scripts/release-rules.ts';
import { isLatest, movesForward, notesOf, releaseProblems } from '../../scripts/release-rules.ts';
import { folderPerTest } from '../support/folder.ts';

const changelog = `# Changelog

What it is.

## 1.10.0 (2026-02-28)

- Ten.

## 1.1.0 (2026-01-31)

- One.
- Two, \`## not a heading\`.

## 0.3.0 (2026-01-01)

- This.

\`\`\`md
## 0.2.0 (2026-01-01)

- An example.
\`\`\`

- ~~~~
  ~~~
## 0.2.0 (2026-01-01)
  ~~~~

<!--
## 0.2.0 (2026-01-01)

- For later.
-->
- And that.
`;

const code = 'c'.repeat(40);
const older = 'a'.repeat(40);
/** Where a reusable workflow runs the action, as the check finds it. */
const pinIn = (file: string, tag: string, sha = code) =>
  `${file}:uses: docs-agent/docs-agent@${sha} # ${tag}`;

const good: Candidate = {
  tag: 'v1.1.0',
  packageVersion: '1.1.0',
  lockVersions: ['1.1.0', '1.1.0'],
  uses: [pinIn('call.yml', 'v1.1.0')],
  parents: [code],
  changedFiles: ['call.yml'],
  changedLines: [
    `        uses: docs-agent/docs-agent@${'0'.repeat(40)} # v1.0.0`,
    `        uses: docs-agent/docs-agent@${code} # v1.1.0`,
  ],
  changelog,
  isOnMain: true,
  days: ['2026-01-01', '2026-02-28'],
  releases: [],
};
/** A release with this version that passes every check. */
const of = (version: string): Candidate => {
  const [tag, lockVersions] = [`v${version}`, [version, version]];
  return { ...good, tag, packageVersion: version, lockVersions, uses: [pinIn('call.yml', tag)] };
};
/** A release of 1.1.0 with this section in the changelog, above the section of another version. */
const section = (heading: string, text = '- One.'): Candidate => ({
  ...good,
  changelog: `## ${heading}\n\n${text}\n\n## 1.0.0 (2026-01-01)\n\n- Zero.\n`,
});
const released = (release: Partial<Release>): Candidate => ({
  ...good,
  releases: [{ tag: 'v1.1.0', draft: false, notes: notesOf(changelog, 'v1.1.0'), ...release }],
});

describe('a release', () => {
  test.each<[string, Candidate]>([
    ['headings in code blocks and comments', of('0.3.0')],
    [
      'Windows line endings in the changelog',
      { ...good, changelog: changelog.replaceAll('\n', '\r\n') },
    ],
    ['notes saved in a browser', released({ notes: '- One.\r\n- Two, `## not a heading`.' })],
  ])('can have %s', (_, candidate) => {
    expect(releaseProblems(candidate)).toEqual([]);
  });

  test.each<[string, Candidate, string]>([
    [
      'another version in package.json',
      { ...good, packageVersion: '1.0.9' },
      'package.json says 1.0.9',
    ],
    [
      'no version in the lock file',
      { ...good, lockVersions: ['', '1.1.0'] },
      'lock.json says nothing',
    ],
    [
      'another version there',
      { ...good, lockVersions: ['1.1.0', '1.0.9'] },
      'lock.json says 1.0.9',
    ],
    [
      'a workflow that runs the action of another commit',
      { ...good, uses: [...good.uses, pinIn('b.yml', 'v1.1.0', older)] },
      `b.yml:uses: docs-agent/docs-agent@${older} # v1.1.0 must end in`,
    ],
    [
      'a workflow that still has the placeholder',
      { ...good, uses: [pinIn('call.yml', 'v1.1.0', '0'.repeat(40))] },
      'must end in',
    ],
    [
      'a workflow that names another version',
      { ...good, uses: [pinIn('call.yml', 'v1.0.0')] },
      'must end in',
    ],
    ['no workflow that runs the action', { ...good, uses: [], changedFiles: [] }, 'No reusable'],
    ['a merge as its commit', { ...good, parents: [code, older] }, 'not be a merge'],
    ['the first commit as its commit', { ...good, parents: [] }, 'must follow the commit'],
    [
      'other lines in its commit',
      { ...good, changedLines: [...good.changedLines, '        run: echo one'] },
      'changes more than',
    ],
    [
      'other files in its commit',
      { ...good, changedFiles: ['call.yml', 'dist/index.js'] },
      'changes more than',
    ],
    ['no section', of('1.2.0'), 'no section'],
    ['a leading zero in its version', of('1.1.01'), 'not vX.Y.Z'],
    ['no date yet', section('1.1.0 (unreleased)'), '(unreleased)'],
    ['a date that does not exist', section('1.1.0 (2026-02-30)'), 'instead of a date'],
    ['no date at all', section('1.1.0'), 'instead of a date'],
    ['an empty section', section('1.1.0 (2026-01-31)', ''), 'says nothing'],
    [
      'only a comment',
      section('1.1.0 (2026-01-31)', '<!-- Words are\nstill to come. -->'),
      'says nothing',
    ],
    ['sections only in code blocks and a comment', of('0.2.0'), 'no section'],
    [
      'two sections',
      section('1.1.0 (2026-01-31)', '- One.\n\n## 1.1.0 (2026-02-01)'),
      'has 2 sections for 1.1.0',
    ],
    ['a draft of the same version', released({ draft: true }), 'There is a draft of v1.1.0'],
    ['other notes already published', released({ notes: '- One.' }), 'with notes that differ'],
    ['a suffix in its version', of('1.1.0-rc.1'), 'not vX.Y.Z'],
    ['only two numbers in its version', of('1.1'), 'not vX.Y.Z'],
  ])('can’t have %s', (_, candidate, problem) => {
    expect(releaseProblems(candidate)).toEqual([expect.stringContaining(problem)]);
  });

  test('gets its section of the changelog as notes', () => {
    expect(notesOf(changelog, 'v1.1.0')).toBe('- One.\n- Two, `## not a heading`.\n');
    expect(notesOf(changelog, 'v0.3.0')).toMatch(/^- This\.\n.*\n- And that\.\n$/s);
    expect(() => notesOf(changelog, 'v1.2.0')).toThrow('has no section');
  });
});

test.each<[string, string[], { latest: boolean; forward: boolean }]>([
  ['v1.10.0', ['v1.9.0', 'v1.10.0'], { latest: true, forward: true }],
  ['v1.9.0', ['v1.8.0', 'v1.10.0'], { latest: false, forward: false }],
  ['v1.1.1', ['v1.1.0', 'v2.0.0', 'v10.0.0'], { latest: false, forward: true }],
  ['v10.0.0', ['v9.0.0'], { latest: true, forward: true }],
])('%s after %j: %j', (tag, published, expected) => {
  expect({ latest: isLatest(tag, published), forward: movesForward(tag, published) }).toEqual(
    expected,
  );
});

describe('in a repository', () => {
  const script = resolve(import.meta.dirname, '../../scripts/check-release.ts');
  const root = folderPerTest();
  beforeEach(() => {
    git('init', '--quiet', '--initial-branch=main');
    write('CHANGELOG.md', changelog);
    mkdirSync(join(root(), '.github/workflows'), { recursive: true });
    const placeholder = `      - uses: docs-agent/docs-agent@${'0'.repeat(40)} # v1.0.0\n`;
    write('.github/workflows/call.yml', placeholder);
    commit('1.1.0');
  });

  const write = (name: string, text: string) => writeFileSync(join(root(), name), text);
  const config = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };
  const env = { ...process.env, ...config, GIT_COMMITTER_DATE: '2026-01-02T12:00:00Z' };
  const user = ['-c', 'user.name=Tester', '-c', 'user.email=tester@example.test'];
  const git = (...args: string[]) =>
    execFileSync('git', [...user, ...args], { cwd: root(), encoding: 'utf8', env }).trim();
  /** Makes the two commits of a release: the code, and its hash in the reusable workflows. */
  function commit(version: string): void {
    write('package.json', JSON.stringify({ version }));
    write('package-lock.json', JSON.stringify({ version, packages: { '': { version } } }));
    git('add', '--all');
    git('commit', '--quiet', '--message', version);
    pin(version);
  }
  function pin(version: string): void {
    const uses = `      - uses: docs-agent/docs-agent@${git('rev-parse', 'HEAD')} # v${version}\n`;
    mkdirSync(join(root(), '.github/workflows'), { recursive: true });
    write('.github/workflows/call.yml', uses);
    git('add', '--all');
    git('commit', '--quiet', '--message', `Pin ${version}`);
  }
  const onMain = () => git('update-ref', 'refs/remotes/origin/main', 'HEAD');
  /** Checks a tag in a repository where these tags are published. A draft and a tag with a suffix never count. */
  function check(tag: string, published: readonly string[] = []) {
    const listed = published.map((tag) => [
      { tag_name: tag, draft: false, body: notesOf(changelog, tag) },
    ]);
    const suffixed = { tag_name: 'v9.9.9-rc.1', draft: false, body: '' };
    const draft = { tag_name: 'v1.2.0', draft: true, body: null };
    write('releases.json', JSON.stringify([...listed, [suffixed, draft]]));
    const files = ['--releases', 'releases.json', '--notes', 'notes.md'];
    return spawnSync(process.execPath, [script, tag, ...files], { cwd: root(), encoding: 'utf8' });
  }

  test('the check prints the commit of a tag on main, and writes its notes', () => {
    onMain();
    git('tag', '--annotate', '--message', 'One', 'v1.1.0');
    const { status, stdout } = check('v1.1.0');
    const facts = `commit=${git('rev-parse', 'HEAD')}\nmajor=v1\npublished=false\nlatest=true\nforward=true\n`;
    expect([status, stdout]).toEqual([0, facts]);
    expect(readFileSync(join(root(), 'notes.md'), 'utf8')).toContain('- One.');
  });

  test('a fix for an older version doesn’t move the major tag back', () => {
    git('tag', 'v1.1.0');
    git('tag', 'v9.9.9'); // It was never published, so it doesn't count.
    commit('1.10.0');
    onMain();
    git('tag', 'v1.10.0');
    git('tag', '--annotate', '--message', 'Newest', 'v1');
    expect(check('v1.10.0', ['v1.10.0']).stdout).toContain(
      'published=true\nlatest=true\nforward=true',
    );
    git('checkout', '--quiet', 'v1.1.0');
    expect(check('v1.1.0', ['v1.10.0']).stdout).toContain(
      'published=false\nlatest=false\nforward=false',
    );
    git('tag', '--delete', 'v1');
    expect(check('v1.1.0', ['v1.10.0']).stdout).toContain('forward=false');
  });

  test.each([
    ['the day after tomorrow', Date.now() + 2 * 86_400_000],
    ['a day long before the first commit', Date.parse('2025-12-31')],
  ])('%s is rejected as the date', (_, ms) => {
    const day = new Date(ms).toISOString().slice(0, 10);
    write('CHANGELOG.md', changelog.replace('2026-01-31', day));
    commit('1.1.0');
    onMain();
    git('tag', 'v1.1.0');
    const { status, stderr } = check('v1.1.0');
    const problem = `dates 1.1.0 ${day}, which is not between 2026-01-01`;
    expect([status, stderr]).toEqual([1, expect.stringContaining(problem)]);
  });

  test('a checkout of another commit is rejected, a tag not on main, and a workflow of another release', () => {
    git('tag', 'v1.1.0');
    onMain();
    write('.github/workflows/call.yml', '- uses: docs-agent/docs-agent@v1 # Not yet 1.1.0.\n');
    git('add', '--all');
    git('commit', '--quiet', '--allow-empty', '--message', 'More');
    const { status, stdout, stderr } = check('v1.1.0');
    expect([status, stdout]).toEqual([1, '']);
    expect(
      stderr
        .replaceAll(/[0-9a-f]{40}/g, 'SHA')
        .trim()
        .split('\n'),
    ).toEqual([
      '.github/workflows/call.yml:uses: docs-agent/docs-agent@v1 # Not yet 1.1.0. must end in `uses: docs-agent/docs-agent@SHA # v1.1.0`.',
      'The commit of v1.1.0 changes more than the `uses:` of the action.',
      'The commit of v1.1.0 is not on main.',
      'This is not a checkout of v1.1.0.',
    ]);
  });

  test('a major tag that doesn’t point to a release is rejected', () => {
    onMain();
    git('tag', 'v1');
    commit('1.10.0');
    onMain();
    git('tag', 'v1.10.0');
    const { status, stderr } = check('v1.10.0');
    expect([status, stderr.includes('v1 doesn’t point to a release')]).toEqual([1, true]);
  });
});
