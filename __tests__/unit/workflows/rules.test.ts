import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { ACTION_DIR, readAction } from '../../../simulator/runner/action.ts';
import { deadlocksOf, problemsOf, type WorkflowFile } from '../../support/workflows/rules.ts';
import { folders, readWorkflow } from '../../support/workflows/workflow.ts';

/* What holds of every workflow, and that the rules find what breaks them. */

function filesOf(folder: keyof typeof folders): WorkflowFile[] {
  return readdirSync(folders[folder])
    .sort()
    .map((name) => ({ name, text: readFileSync(`${folders[folder]}${name}`, 'utf8') }));
}

const files = [...filesOf('own'), ...filesOf('examples')];

test.each(files)('$name', (file) => {
  expect(problemsOf(file)).toEqual([]);
});

test('nobody waits for themselves', () => {
  expect(deadlocksOf(files)).toEqual([]);
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

  const calling = (group: string) => `
on: push
permissions: {}
concurrency:
  group: ${group}
jobs:
  one:
    uses: docs-agent/docs-agent/.github/workflows/called.yml@v1
`;
  const called = (group: string) => `
on: { workflow_call: {} }
permissions: {}
jobs:
  one:
    runs-on: ubuntu-latest
    concurrency:
      group: ${group}
`;

  test('a caller that waits', () => {
    const caller = { name: 'caller', text: calling('here') };
    expect(deadlocksOf([caller])).toEqual([expect.stringContaining('caller')]);
  });

  test.each([
    ['docs', 'docs'],
    ['docs-${{ inputs.a }}', 'docs-${{ inputs.b }}'],
    ['docs-${{ inputs.a }}', 'docs-on-merge'],
    ['docs-on-merge', 'docs-${{ inputs.a }}'],
  ])('a called workflow in %s beside one in %s', (one, other) => {
    const both = [
      { name: 'called', text: called(one) },
      { name: 'other', text: good.replace('one-${{ github.ref }}', other) },
    ];
    expect(deadlocksOf(both)).toEqual(['called and other may wait in the same group']);
  });
});

describe.each(['docs-command.yml', 'docs-on-merge.yml', 'visitors-report.yml'])(
  'the inputs of %s',
  (file) => {
    const { inputs = {} } = readWorkflow('own', file).on.workflow_call ?? {};
    const action = readAction(ACTION_DIR, undefined).inputs;
    /** What a workflow decides for its callers, or has besides the action. */
    const own = [
      'runs-on',
      'history',
      'artifact',
      ...(file === 'docs-on-merge.yml' ? ['prompt', 'context', 'continue'] : []),
    ];

    test.each(Object.entries(inputs))(
      '%s is described, used, and by default what it is in action.yml',
      (name, input) => {
        const text = readFileSync(`${folders.own}${file}`, 'utf8');
        expect(input.description).toMatch(/^\S.*\.$/);
        expect(text).toMatch(new RegExp(`\\{\\{.*inputs\\.${name}\\b`));
        if (own.includes(name)) return;
        expect([...action.keys()]).toContain(name);
        // What has another type than text has no way to be left out.
        if (input.type !== 'string') expect(input.default).toBeDefined();
        if (input.default !== undefined) expect(String(input.default)).toBe(action.get(name));
      },
    );
  },
);
