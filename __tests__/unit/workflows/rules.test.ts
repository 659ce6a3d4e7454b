import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { cacheProblemsOf, sharedCachesOf } from '../../support/workflows/caches.ts';
import {
  overlapsOf,
  problemsOf,
  type WorkflowFile,
  waitingCallersOf,
} from '../../support/workflows/rules.ts';
import { folders, readWorkflow } from '../../support/workflows/workflow.ts';

/* What holds of every workflow, and that the rules find what breaks them. */

function filesOf(folder: keyof typeof folders): WorkflowFile[] {
  return readdirSync(folders[folder])
    .sort()
    .map((name) => ({ name, text: readFileSync(`${folders[folder]}${name}`, 'utf8') }));
}

const own = filesOf('own');
const examples = filesOf('examples');
const called = own.filter(({ name }) => readWorkflow('own', name).on.workflow_call !== undefined);

test.each([...own, ...examples])('$name', (file) => {
  expect(problemsOf(file)).toEqual([]);
  expect(cacheProblemsOf(file)).toEqual([]);
});

test('nobody waits for themselves', () => {
  expect(waitingCallersOf([...own, ...examples])).toEqual([]);
  expect(overlapsOf(called, examples)).toEqual([]);
});

test('no workflow of ours waits for another', () => {
  expect(overlapsOf(own, own)).toEqual([]);
});

test('no workflow starts from the cache of another', () => {
  expect(sharedCachesOf([...own, ...examples])).toEqual([]);
});

describe('the rules find', () => {
  const good = `
on: push
permissions: {}
jobs:
  one:
    runs-on: ubuntu-latest
    timeout-minutes: 5
    concurrency:
      group: one-\${{ github.ref }}
    steps:
      - uses: some/action@${'a'.repeat(40)} # v1.2.3
      - uses: docs-agent/docs-agent@v1
      - run: echo one
`;

  test('nothing in a good workflow', () => {
    expect(problemsOf({ name: 'good', text: good })).toEqual([]);
  });

  test.each([
    ['all permissions', 'permissions: {}', '', 'permissions'],
    ['a permission at the top', 'permissions: {}', 'permissions: { contents: read }', 'permissions'],
    ['a tag', 'a'.repeat(40), 'v1', 'not pinned'],
    ['a short commit', 'a'.repeat(40), 'a'.repeat(39), 'not pinned'],
    ['a commit without a version', ' # v1.2.3', '', 'not pinned'],
    ['a commit with half a version', '# v1.2.3', '# v1', 'not pinned'],
    ['a branch of ours', 'docs-agent@v1', 'docs-agent@main', 'not pinned'],
    ['an action beside ours', 'docs-agent/docs-agent@v1', 'docs-agent/other@v1', 'not pinned'],
    ['an event in a shell', 'echo one', 'echo ${{ github.event.issue.title }}', 'shell'],
    ['a harmless expression in a shell', 'echo one', 'echo ${{ runner.os }}', 'shell'],
    ['a job without an end', 'timeout-minutes: 5', 'name: One', 'time limit'],
    ['a group without a name', 'one-${{ github.ref }}', '${{ github.ref }}', 'no name'],
    ['a group of whoever calls', 'github.ref', 'github.workflow', 'who calls'],
  ])('%s', (_, right, wrong, problem) => {
    expect(good).toContain(right);
    const found = problemsOf({ name: 'bad', text: good.replace(right, wrong) });
    expect(found).toEqual([expect.stringContaining(problem)]);
  });

  const calling = `
on: push
permissions: {}
concurrency:
  group: here
jobs:
  one:
    uses: docs-agent/docs-agent/.github/workflows/called.yml@v1
`;

  test('a caller that waits', () => {
    const callers = [
      { name: 'waits', text: calling },
      { name: 'passes', text: calling.replace(/concurrency:.*\n.*\n/, '') },
      { name: 'calls nobody', text: good },
    ];
    expect(waitingCallersOf(callers)).toEqual(['waits']);
  });

  const waitingIn = (name: string, group: string) => ({
    name,
    text: good.replace('one-${{ github.ref }}', group),
  });

  test.each([
    ['docs', 'docs'],
    ['docs-${{ inputs.a }}', 'docs-${{ inputs.b }}'],
    ['docs-${{ inputs.a }}', 'docs-on-merge'],
    ['docs-on-merge', 'docs-${{ inputs.a }}'],
  ])('one that waits in %s beside one in %s', (one, other) => {
    const both = [waitingIn('one', one), waitingIn('other', other)];
    expect(overlapsOf(both, both)).toEqual(['one and other', 'other and one']);
  });

  test('no more than that', () => {
    const both = [waitingIn('one', 'docs-a-${{ inputs.a }}'), waitingIn('other', 'docs-b-${{ inputs.a }}')];
    expect(overlapsOf(both, both)).toEqual([]);
  });

  const cached = `
jobs:
  one:
    steps:
      - id: history
        uses: actions/cache/restore@1
        with:
          path: history
          key: history/one/\${{ github.run_id }}
          restore-keys: history/one/
      - if: \${{ !cancelled() && true }}
        uses: actions/cache/save@1
        with:
          path: history
          key: \${{ steps.history.outputs.cache-primary-key }}
`;

  test('nothing in a good cache', () => {
    expect(cacheProblemsOf({ name: 'good', text: cached })).toEqual([]);
  });

  test.each([
    ['a cache that only green runs keep', 'cache/restore@1', 'cache@1', ['keeps a cache only']],
    ['one that only green runs save', '!cancelled() && ', '', ['saves a cache only']],
    ['one that is saved elsewhere', 'path: history', 'path: other', ['never saves']],
    ['one that is saved as another', 'outputs.cache-primary-key', 'outputs.key', ['never saves']],
    [
      'one that is not found again',
      'restore-keys: history/one/',
      'restore-keys: history/two/',
      ['never finds'],
    ],
  ])('%s', (_, right, wrong, problems) => {
    expect(cached).toContain(right);
    const found = cacheProblemsOf({ name: 'bad', text: cached.replace(right, wrong) });
    expect(found).toEqual(problems.map((problem) => expect.stringContaining(problem)));
  });

  const keptAs = (name: string, key: string) => ({ name, text: cached.replaceAll('history/one/', key) });

  test.each([
    ['history-', 'history-projects-', ['one and other', 'other and one']],
    ['history-${{ inputs.a }}-', 'history-b-', ['one and other', 'other and one']],
    ['history/one/', 'history/one-b/', []],
    ['history/one/', 'history/two/', []],
  ])('whether %s is taken for %s', (one, other, shared) => {
    expect(sharedCachesOf([keptAs('one', one), keptAs('other', other)])).toEqual(shared);
  });
});
