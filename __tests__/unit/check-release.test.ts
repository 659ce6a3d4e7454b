import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  type Candidate,
  majorTagOf,
  movesForward,
  notesOf,
  releaseProblems,
} from '../../scripts/release-rules.ts';

const changelog = `# Changelog

What it is.

## 1.10.0 (2026-02-28)

- Ten.

## 1.1.0 (2026-01-31)

- One.
- Two, \`## not a heading\`.

## 1.0.0 (unreleased)

- Nothing yet.

## 0.9.0 (2026-02-30)

- A day that does not exist.

## 0.8.0 (2025-01-01)

## 0.7.0

- No day at all.
`;

const good: Candidate = {
  tag: 'v1.1.0',
  packageVersion: '1.1.0',
  lockVersion: '1.1.0',
  changelog,
  isOnMain: true,
};
/** A candidate of another version, right in all else. */
const of = (version: string): Candidate => ({
  ...good,
  tag: `v${version}`,
  packageVersion: version,
  lockVersion: version,
});

describe('a release', () => {
  test.each(['1.1.0', '1.10.0'])('%s may be', (version) => {
    expect(releaseProblems(of(version))).toEqual([]);
  });

  test.each<[string, Candidate, string]>([
    ['another version in package.json', { ...good, packageVersion: '1.0.9' }, 'package.json says 1.0.9'],
    ['another version in the lock file', { ...good, lockVersion: '' }, 'package-lock.json says nothing'],
    ['no section', of('1.2.0'), 'no section'],
    ['a section of a version that only begins so', of('1.1.01'), 'not vX.Y.Z'],
    ['no date yet', of('1.0.0'), '(unreleased)'],
    ['a date that does not exist', of('0.9.0'), 'no date'],
    ['no date at all', of('0.7.0'), 'no date'],
    ['an empty section', of('0.8.0'), 'says nothing'],
    ['a suffix', of('1.1.0-rc.1'), 'not vX.Y.Z'],
    ['a build', of('1.1.0+1'), 'not vX.Y.Z'],
    ['a tag of two numbers', of('1.1'), 'not vX.Y.Z'],
    ['a commit beside main', { ...good, isOnMain: false }, 'not on main'],
  ])('may not be with %s', (_, candidate, problem) => {
    expect(releaseProblems(candidate)).toEqual([expect.stringContaining(problem)]);
  });

  test('has the words of its own section as notes', () => {
    expect(notesOf(changelog, 'v1.1.0')).toBe('- One.\n- Two, `## not a heading`.\n');
    expect(() => notesOf(changelog, 'v1.2.0')).toThrow('does not know');
  });
});

describe('the major tag', () => {
  test('is the first number', () => {
    expect(['v1.2.3', 'v10.0.0'].map(majorTagOf)).toEqual(['v1', 'v10']);
  });

  test.each([
    ['v1.1.0', [], true],
    ['v1.1.0', ['v1.0.9'], true],
    ['v1.10.0', ['v1.9.0'], true],
    ['v1.1.0', ['v1.1.0'], true],
    ['v1.0.10', ['v1.1.0'], false],
    ['v1.9.0', ['v1.10.0'], false],
    ['v1.1.1', ['v1.1.0', 'v1.1.2'], false],
  ])('moves to %s from %j: %s', (tag, standsAt, moves) => {
    expect(movesForward(tag, standsAt)).toBe(moves);
  });
});

describe('in a repository', () => {
  const script = resolve(import.meta.dirname, '../../scripts/check-release.ts');
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'release-'));
    git('init', '--quiet', '--initial-branch=main');
    write('CHANGELOG.md', changelog);
    commit('1.1.0');
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const write = (name: string, text: string) => writeFileSync(join(root, name), text);
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Nobody', '-c', 'user.email=nobody@example.test', ...args], {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' },
    }).trim();
  function commit(version: string): void {
    write('package.json', JSON.stringify({ version }));
    write('package-lock.json', JSON.stringify({ version }));
    git('add', '--all');
    git('commit', '--quiet', '--message', version);
  }
  const onMain = () => git('update-ref', 'refs/remotes/origin/main', 'HEAD');
  const check = (tag: string) =>
    spawnSync(process.execPath, [script, tag, '--notes', 'notes.md'], { cwd: root, encoding: 'utf8' });

  test('a tag of main is told with its commit, and leaves its notes', () => {
    onMain();
    git('tag', '--annotate', '--message', 'One', 'v1.1.0');
    const { status, stdout } = check('v1.1.0');
    expect([status, stdout]).toEqual([0, `commit=${git('rev-parse', 'HEAD')}\nmajor=v1\nforward=true\n`]);
    expect(readFileSync(join(root, 'notes.md'), 'utf8')).toContain('- One.');
  });

  test('a fix of an older line leaves the major tag where it is', () => {
    git('tag', 'v1.1.0');
    commit('1.10.0');
    onMain();
    git('tag', 'v1.10.0');
    git('tag', '--annotate', '--message', 'Newest', 'v1');
    expect(check('v1.10.0').stdout).toContain('forward=true');
    git('checkout', '--quiet', 'v1.1.0');
    expect(check('v1.1.0').stdout).toContain('forward=false');
  });

  test('a commit beside main is refused', () => {
    onMain();
    git('checkout', '--quiet', '--detach');
    commit('1.10.0');
    git('tag', 'v1.10.0');
    const { status, stdout, stderr } = check('v1.10.0');
    expect([status, stdout, stderr]).toEqual([1, '', 'The commit of v1.10.0 is not on main.\n']);
  });

  test('another checkout than the tag’s is refused', () => {
    git('tag', 'v1.1.0');
    git('commit', '--quiet', '--allow-empty', '--message', 'More');
    onMain();
    expect(check('v1.1.0').stderr).toBe('This is not a checkout of v1.1.0.\n');
  });

  test('a major tag at no release is nothing that one can go on from', () => {
    onMain();
    git('tag', 'v1');
    commit('1.10.0');
    onMain();
    git('tag', 'v1.10.0');
    const { status, stderr } = check('v1.10.0');
    expect([status, stderr.includes('v1 stands at no release')]).toEqual([1, true]);
  });
});
