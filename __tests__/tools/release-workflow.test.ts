import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { folderPerTest } from '../support/folder.ts';
import { readWorkflow, type Step } from '../support/workflows/workflow.ts';

/* Runs the shell steps of release.yml with a fake `gh` that records its arguments and prints fixed responses. */

const { concurrency, jobs } = readWorkflow('own', 'release.yml');
const { check, publish } = jobs;
const checked = 'c'.repeat(40);
const moved = 'd'.repeat(40);

/** The nth request to a path gets the path's nth response, or its last one. If the path has no responses, `gh` fails. */
const gh = `#!${process.execPath}
const { appendFileSync, readFileSync } = require('node:fs');
const args = process.argv.slice(2);
appendFileSync('asked', args.join(' ') + '\\n');
if (args[0] === 'api') {
  const path = args.find((arg) => arg.startsWith('repos/'));
  const answers = JSON.parse(readFileSync('answers.json', 'utf8'))[path] ?? process.exit(1);
  const times = readFileSync('asked', 'utf8').split('\\n').filter((line) => line.includes(path)).length;
  const answer = answers[Math.min(times, answers.length) - 1];
  const jq = args.indexOf('--jq');
  console.log(jq === -1 ? JSON.stringify(answer) : answer[args[jq + 1].slice(1)]);
}
`;

const root = folderPerTest();
let answers: Record<string, unknown[]>;
beforeEach(() => {
  answers = {};
  program('gh', gh);
});

const program = (name: string, text: string) =>
  writeFileSync(join(root(), name), text, { mode: 0o755 });

/** Sets GitHub's responses for a path in the repository, in order. */
function answer(path: string, ...all: unknown[]): void {
  answers[`repos/o/r/${path}`] = all;
}

const asked = () => readFileSync(join(root(), 'asked'), 'utf8');

function run(step: Step | undefined, env: Record<string, string> = {}) {
  writeFileSync(join(root(), 'answers.json'), JSON.stringify(answers));
  const path = [root(), process.env.PATH].join(delimiter);
  const usual = {
    GITHUB_REPOSITORY: 'o/r',
    GITHUB_REF_NAME: 'v1.1.0',
    RUNNER_TEMP: root(),
    PATH: path,
  };
  const options = { cwd: root(), encoding: 'utf8', env: { ...usual, ...env } } as const;
  return spawnSync('bash', ['-e', '-c', step?.run ?? ''], options);
}

const named = (name: string) => publish?.steps?.find((step) => step.name === name);

test('a release that waits for approval doesn’t cancel another one', () => {
  expect(concurrency).toEqual({ group: 'release', 'cancel-in-progress': false, queue: 'max' });
});

test.each(Object.entries({ check, publish }))(
  'the job %s passes all releases to the check',
  (_, job) => {
    const step = job?.steps?.find(({ run = '' }) => run.includes('check-release.ts'));
    const pages = [[{ tag_name: 'v1.0.0', draft: false, body: '- One.' }], []];
    answer('releases?per_page=100', pages);
    program('node', '#!/bin/sh\necho "$*" >> asked\n');
    expect(run(step, { GITHUB_OUTPUT: join(root(), 'output') }).status).toBe(0);
    expect(asked().split('\n')).toEqual([
      'api --paginate --slurp repos/o/r/releases?per_page=100',
      `scripts/check-release.ts v1.1.0 --releases ${root()}/releases.json --notes ${root()}/notes.md`,
      '',
    ]);
    expect(JSON.parse(readFileSync(join(root(), 'releases.json'), 'utf8'))).toEqual(pages);
  },
);

describe('publishing', () => {
  const ref = 'commits/tags/v1.1.0';
  const published = (env: Record<string, string> = {}) =>
    run(named('Publish as immutable'), {
      COMMIT: checked,
      LATEST: 'true',
      PUBLISHED: 'false',
      ...env,
    });
  beforeEach(() => {
    answer(ref, { sha: checked });
    answer('releases/tags/v1.1.0', { immutable: true });
  });

  test.each(['true', 'false'])(
    'creates the release (latest: %s) between two reads of its tag',
    (latest) => {
      expect(published({ LATEST: latest }).status).toBe(0);
      expect(asked().split('\n').slice(0, 3)).toEqual([
        `api repos/o/r/${ref} --jq .sha`,
        `release create v1.1.0 --verify-tag --title v1.1.0 --notes-file ${root()}/notes.md --latest=${latest}`,
        `api repos/o/r/${ref} --jq .sha`,
      ]);
    },
  );

  test('continues if the release already exists', () => {
    expect(published({ PUBLISHED: 'true' }).status).toBe(0);
    expect(asked()).not.toContain('release create');
  });

  test.each<[string, string, readonly unknown[], string, boolean]>([
    ['moved before approval', ref, [{ sha: moved }], `v1.1.0 was moved to ${moved},`, false],
    [
      'moved while publishing',
      ref,
      [{ sha: checked }, { sha: moved }],
      'delete that release',
      true,
    ],
    ['not immutable', 'releases/tags/v1.1.0', [{ immutable: false }], 'release immutability', true],
    ['unreadable', ref, [], '', false],
  ])('fails if the tag is %s', (_, path, all, message, isCreated) => {
    if (all.length > 0) answer(path, ...all);
    else answers = {};
    const { status, stdout } = published();
    expect([status, stdout]).toEqual([1, expect.stringContaining(message)]);
    expect(asked().includes('release create')).toBe(isCreated);
  });
});

describe('the major tag', () => {
  const move = () => run(named('Move the major tag'), { COMMIT: checked, MAJOR: 'v1' });
  const patch = 'api --method PATCH repos/o/r/git/refs/tags/v1 --field force=true';

  test.each([
    ['moved', ['git/ref/tags/v1', 'git/refs/tags/v1'], patch],
    ['created', ['git/refs'], 'api repos/o/r/git/refs --raw-field ref=refs/tags/v1'],
  ])('is %s', (_, paths, request) => {
    for (const path of paths) answer(path, {});
    expect(move().status).toBe(0);
    expect(asked()).toContain(`${request} --raw-field sha=${checked}`);
  });

  test('fails if GitHub refuses to move it, and prints the command to move it', () => {
    const { status, stdout } = move();
    expect([status, stdout]).toEqual([
      1,
      expect.stringContaining(`--force origin ${checked}:refs/tags/v1`),
    ]);
  });
});
