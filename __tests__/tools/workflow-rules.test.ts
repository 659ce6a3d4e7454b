import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { ACTION_DIR } from '../../simulator/runner/action.ts';
import { fill } from '../support/workflows/expression.ts';
import { folders, type Job, type Step, type Workflow } from '../support/workflows/workflow.ts';

/* Rules for all workflows: ours, and the examples that users copy. */

const ours = /^docs-agent\/docs-agent(\/\.github\/workflows\/[\w-]+\.yml)?@v1$/;
const { version } = JSON.parse(readFileSync(`${ACTION_DIR}package.json`, 'utf8'));
const oursPinned = new RegExp(`^docs-agent/docs-agent@[0-9a-f]{40} # v${version}$`);
const pinned = /^[\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;

/** A workflow file, both as text and parsed. */
const workflowFile = (name: string, text: string) => ({
  name,
  text,
  workflow: parse(text) as Workflow,
});
type WorkflowFile = ReturnType<typeof workflowFile>;

/** All problems in a single workflow. */
function problemsOf({ text, workflow }: WorkflowFile): string[] {
  // Organizations that require pinned actions reject any other `uses:` in a called workflow.
  const isCalled = workflow.on.workflow_call !== undefined;
  const isOurs = (uses: string) => (isCalled ? oursPinned.test(uses) : ours.test(uses));
  const isPinned = (uses: string) => uses === './' || isOurs(uses) || pinned.test(uses);
  const isTimed = (job: Job) => job.uses !== undefined || job['timeout-minutes'] !== undefined;
  const groups = groupsOf(workflow);
  const bad: Readonly<Record<string, readonly unknown[]>> = {
    'does not start from `permissions: {}`':
      JSON.stringify(workflow.permissions) === '{}' ? [] : [workflow],
    'is not pinned to the commit of a release': usesOf(text).filter((uses) => !isPinned(uses)),
    'has a job without a time limit': Object.values(workflow.jobs).filter((job) => !isTimed(job)),
    // Steps must get all values through `env`, even harmless ones.
    'writes an expression into a shell': stepsOf(workflow).filter(({ run = '' }) =>
      run.includes('${{'),
    ),
    'has a group with no name of its own': groups.filter((group) => literalOf(group) === ''),
    // In a called workflow, `github.workflow` is the caller's name.
    'has a group that depends on who calls': groups.filter((group) =>
      group.includes('github.workflow'),
    ),
  };
  return Object.entries(bad).flatMap(([problem, found]) =>
    found.map((place) => `${problem}: ${JSON.stringify(place)}`),
  );
}

/** Workflows that call another one and set a concurrency group. Only the called workflow should set it. */
function waitingCallersOf(files: readonly WorkflowFile[]): string[] {
  return files
    .filter(({ workflow }) => Object.values(workflow.jobs).some(({ uses }) => uses !== undefined))
    .filter(({ workflow }) => groupsOf(workflow).length > 0)
    .map(({ name }) => name);
}

/** Pairs of workflows that may share a concurrency group. If one of them calls the other, GitHub cancels the run. */
function overlapsOf(files: readonly WorkflowFile[], others: readonly WorkflowFile[]): string[] {
  const mayMeet = (one: WorkflowFile, other: WorkflowFile) =>
    groupsOf(one.workflow).some((group) =>
      groupsOf(other.workflow).some((met) => maySharePrefix(group, met)),
    );
  return files.flatMap((one) =>
    others
      .filter((other) => one.name !== other.name && mayMeet(one, other))
      .map((other) => `${one.name} and ${other.name}`),
  );
}

/** Whether two texts could be equal, or one could begin with the other, whatever their expressions evaluate to. */
function maySharePrefix(one: string, other: string): boolean {
  const [a, b] = [literalOf(one), literalOf(other)];
  return a.startsWith(b) || b.startsWith(a);
}

function literalOf(text: string): string {
  return text.split('${{')[0] ?? '';
}

/** Every `uses:` value, including the comment after it. */
function usesOf(text: string): string[] {
  return [...text.matchAll(/^[ -]*uses: *(.+?) *$/gm)].map(([, uses = '']) => uses);
}

function stepsOf({ jobs }: Workflow): Step[] {
  return Object.values(jobs).flatMap(({ steps = [] }) => steps);
}

function groupsOf({ concurrency, jobs }: Workflow): string[] {
  const all = [concurrency, ...Object.values(jobs).map((job) => job.concurrency)];
  return all.flatMap((settings) => settings?.group ?? []);
}

function filesOf(folder: keyof typeof folders): WorkflowFile[] {
  const names = readdirSync(folders[folder]).filter((name) => name.endsWith('.yml'));
  names.sort();
  return names.map((name) => workflowFile(name, readFileSync(`${folders[folder]}${name}`, 'utf8')));
}

const own = filesOf('own');
const examples = filesOf('examples');
const called = own.filter(({ workflow }) => workflow.on.workflow_call !== undefined);

test.each([...own, ...examples])('$name', (file) => {
  expect(problemsOf(file)).toEqual([]);
});

test('a report or a collect run can also be started by hand, so that you don’t wait for the first one', () => {
  const scheduled = examples.filter(({ workflow }) => 'schedule' in workflow.on);
  expect(scheduled.length).toBeGreaterThan(3);
  for (const { workflow } of scheduled) expect(workflow.on).toHaveProperty('workflow_dispatch');
});

test('no workflow waits for itself or for another workflow', () => {
  expect(waitingCallersOf([...own, ...examples])).toEqual([]);
  expect(overlapsOf(called, examples)).toEqual([]);
  expect(overlapsOf(own, own)).toEqual([]);
});

test('a command waits for the others in its thread, but `status` and a stranger don’t', () => {
  const files = [...own, ...examples].filter(
    ({ text, workflow }) => text.includes("'/docs'") && groupsOf(workflow).length > 0,
  );
  const waiting = [
    'docs-command-nowait.yml',
    'docs-command-other-repository.yml',
    'slash-command.yml',
  ];
  const names = ['docs-command.yml', ...waiting];
  expect(files.map(({ name }) => name)).toEqual(names);
  for (const { name, workflow } of files)
    for (const [kind, thread] of [
      ['comment', 'issue'] as const,
      ['review', 'pull_request'] as const,
    ]) {
      const isQueued = (body: string, author_association: string, command = '') => {
        const event = { [kind]: { body, author_association }, [thread]: { number: 12 } };
        const contexts = {
          github: { event, run_id: 777 },
          inputs: { command, 'project-id': 'prj' },
        };
        return /\b(12|777)\b/.exec(fill(groupsOf(workflow).join(), contexts))?.[0] === '12';
      };
      const members = ['OWNER', 'MEMBER', 'COLLABORATOR', 'CONTRIBUTOR'];
      const everyone = [...members, 'NONE', 'FIRST_TIMER', 'FIRST_TIME_CONTRIBUTOR'];
      expect(everyone.filter((who) => isQueued('/docs add a page', who))).toEqual(members);
      expect(isQueued('/Docs status?\r\n', 'OWNER')).toBe(false);
      expect(isQueued('/write status', 'OWNER', '/write')).toBe(name !== 'docs-command.yml');
    }
});

describe('a cache', () => {
  const caches = [...own, ...examples].flatMap(({ name, workflow }) => {
    const usesOf = (action: string) =>
      stepsOf(workflow).filter(({ uses }) => uses?.startsWith(action));
    expect(usesOf('actions/cache@')).toEqual([]);
    const [save] = usesOf('actions/cache/save@');
    return usesOf('actions/cache/restore@').map((restore) => ({ name, restore, save }));
  });

  test.each(caches)(
    'in $name is saved even by a failed run, and found by the next',
    ({ restore, save }) => {
      expect(save?.if).toContain('!cancelled()');
      const key = `\${{ steps.${restore.id}.outputs.cache-primary-key }}`;
      expect(save?.with).toMatchObject({ key, path: restore.with?.path });
      expect(String(restore.with?.key).startsWith(String(restore.with?.['restore-keys']))).toBe(
        true,
      );
    },
  );

  test('is never restored by another workflow', () => {
    const keys = caches.map(({ restore }) => String(restore.with?.['restore-keys']));
    expect(keys.length).toBeGreaterThan(1);
    for (const [index, key] of keys.entries())
      expect(keys.slice(index + 1).filter((other) => maySharePrefix(key, other))).toEqual([]);
  });
});

describe('the rules detect', () => {
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
  const changed = (right: string, wrong: string, name = 'changed') => {
    expect(good).toContain(right);
    return workflowFile(name, good.replaceAll(right, wrong));
  };

  test('nothing in a correct workflow', () => {
    expect(problemsOf(workflowFile('good', good))).toEqual([]);
  });

  test.each([
    ['missing permissions', 'permissions: {}', '', 'permissions'],
    [
      'a permission for all jobs',
      'permissions: {}',
      'permissions: { contents: read }',
      'permissions',
    ],
    ['a tag', 'a'.repeat(40), 'v1', 'not pinned'],
    [
      'a commit without a full version',
      `${'a'.repeat(40)} # v1.2.3`,
      `${'a'.repeat(40)} # v1`,
      'not pinned',
    ],
    ['our action at a branch', 'docs-agent@v1', 'docs-agent@main', 'not pinned'],
    ['an expression in a shell', 'echo one', 'echo ${{ runner.os }}', 'shell'],
    [
      'a reusable workflow at a major tag',
      'on: push',
      'on: { workflow_call: {} }',
      'docs-agent@v1',
    ],
    ['a job without a time limit', 'timeout-minutes: 5', 'name: One', 'time limit'],
    ['a group without a fixed part', 'one-${{ github.ref }}', '${{ github.ref }}', 'no name'],
    ['a group named after the caller', 'github.ref', 'github.workflow', 'who calls'],
  ])('%s', (_, right, wrong, problem) => {
    expect(problemsOf(changed(right, wrong))).toEqual([expect.stringContaining(problem)]);
  });

  test('a caller that waits', () => {
    const waits = changed('steps:', 'uses: ours\n    steps:', 'waits');
    const passes = workflowFile('passes', waits.text.replace(/ *concurrency:.*\n.*\n/, ''));
    expect(waitingCallersOf([waits, passes, workflowFile('calls none', good)])).toEqual(['waits']);
  });

  test.each([
    ['docs-${{ inputs.a }}', 'docs-${{ inputs.b }}', true],
    ['docs-${{ inputs.a }}', 'docs-on-merge', true],
    ['docs-a-${{ inputs.a }}', 'docs-b-${{ inputs.a }}', false],
  ])('whether the groups %s and %s can be the same', (one, other, isSame) => {
    const found = isSame ? ['one and other', 'other and one'] : [];
    const group = 'one-${{ github.ref }}';
    const groups = [changed(group, one, 'one'), changed(group, other, 'other')];
    expect(overlapsOf(groups, groups)).toEqual(found);
  });
});
