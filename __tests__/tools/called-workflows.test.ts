import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { ACTION_DIR, readAction } from '../../simulator/runner/action.ts';
import { evaluate, fill } from '../support/workflows/expression.ts';
import { legsOf } from '../support/workflows/legs.ts';
import {
  folders,
  type Job,
  type Permissions,
  readWorkflow,
} from '../support/workflows/workflow.ts';

/** The inputs of our reusable workflows that the action doesn't have. */
const onlyHere = ['runs-on', 'history', 'artifact'];
const action = parse(readFileSync(join(ACTION_DIR, 'action.yml'), 'utf8'));

const fixed = { mode: 'Each workflow is about one mode.' };
const noCheckout = { 'prompt-file': 'There is no checkout.' };

/** The inputs of the action that a workflow doesn't take, and why. */
const leftOut: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'docs-command.yml': {
    ...fixed,
    ...noCheckout,
    prompt: 'The command is the prompt.',
    'job-id': 'A command goes to the job of its thread.',
    'changes-since': 'The pull request is the change.',
    'max-open': 'It doesn’t limit commands.',
  },
  'docs-on-merge.yml': {
    ...fixed,
    ...noCheckout,
    'job-id': '`continue` chooses the job.',
    command: 'There are no comments.',
    allow: 'Only people with write access merge.',
    'changes-since': 'The merge is the change.',
  },
  'visitors-report.yml': {
    ...fixed,
    'history-file': 'It is in the cache named by `history`.',
    'report-dir': 'It is in the artifact named by `artifact`.',
  },
};

/** The inputs in reference.md under the heading of a mode. */
function inputsOfMode(heading: string): string[] {
  const reference = readFileSync(join(ACTION_DIR, 'docs/reference.md'), 'utf8');
  const [, section = ''] = reference.split(`\n## ${heading}\n`);
  const [, names = ''] = /<!-- generated:inputs (.*?) -->/.exec(section) ?? [];
  return names.split(' ');
}

describe.each(['docs-command.yml', 'docs-on-merge.yml', 'visitors-report.yml'])('%s', (file) => {
  const workflow = readWorkflow('own', file);
  const text = readFileSync(`${folders.own}${file}`, 'utf8');
  const { inputs = {}, outputs = {} } = workflow.on.workflow_call ?? {};

  test.each(Object.entries(inputs))(
    'the input %s is described, used, and as in action.yml',
    (name, input) => {
      expect(input.description).toMatch(/^\S.*\.$/);
      expect(text).toMatch(new RegExp(`\\binputs\\.${name}\\b`));
      const usual = readAction().inputs;
      // GitHub applies a default only to an omitted input, not to an empty string.
      if (input.type === 'string') expect(input.default).toBeUndefined();
      else expect(String(input.default)).toBe(usual.get(name));
      if (!onlyHere.includes(name)) expect([...usual.keys()]).toContain(name);
    },
  );

  test('takes every input of its mode, except those that make no sense there', () => {
    const mode = file === 'visitors-report.yml' ? 'Visitors mode' : 'Agent mode';
    const ofMode = [...inputsOfMode('Inputs for all modes'), ...inputsOfMode(mode)];
    const secrets = Object.keys(workflow.on.workflow_call?.secrets ?? {});
    const taken = [...Object.keys(inputs), ...secrets];
    const expected = new Set(ofMode.concat(file === 'visitors-report.yml' ? 'thread' : []));
    const missing = [...expected].filter((name) => !taken.includes(name));
    expect(missing.toSorted()).toEqual(Object.keys(leftOut[file] ?? {}).toSorted());
  });

  test('runs on one label, or on several', () => {
    const [job] = Object.values(workflow.jobs);
    const [, expression = ''] = /^\$\{\{(.*)\}\}$/.exec(job?.['runs-on'] ?? '') ?? [];
    const runsOn = (label: string) =>
      JSON.stringify(evaluate(expression, { inputs: { 'runs-on': label } }));
    expect(runsOn('')).toBe('"ubuntu-latest"');
    expect(runsOn('our-runner')).toBe('"our-runner"');
    expect(runsOn('["self-hosted", "linux"]')).toContain('self-hosted');
  });

  test.each(Object.entries(outputs))('the output %s comes from the action', (name, { value }) => {
    const [id, job] = Object.entries(workflow.jobs)[0] ?? [];
    const step = job?.steps?.find(({ uses }) => uses?.startsWith('docs-agent/docs-agent@'));
    expect(value).toBe(`\${{ jobs.${id}.outputs.${name} }}`);
    expect(job?.outputs?.[name]).toBe(`\${{ steps.${step?.id}.outputs.${name} }}`);
    expect(action.outputs).toHaveProperty([name]);
  });
});

const temp = '/runner/temp';
const github = { token: 'token', event: { comment: { body: '/docs Say so.' } } };
const surroundings = { github, vars: {}, secrets: {}, runner: { temp } };

const permissions: Permissions = {
  ...{ actions: 'read', checks: 'read', contents: 'read' },
  ...{ issues: 'write', 'pull-requests': 'write' },
};

const usesOf = (file: string, version = 'v1') =>
  `docs-agent/docs-agent/.github/workflows/${file}@${version}`;

/** Calls one of our workflows with valid values, except those in `call`. Returns each run of the action. */
function legsOfCall(file: string, call: Partial<Job>, callee = readWorkflow('own', file)) {
  const job = {
    permissions,
    uses: usesOf(file),
    with: { 'project-id': 'prj_one' },
    secrets: { 'api-key': 'key' },
  };
  return legsOf(
    { on: {}, permissions: {}, jobs: { job: { ...job, ...call } } },
    surroundings,
    () => callee,
  );
}

/** Calls a workflow with these inputs. Returns the inputs that the action gets. */
function called(file: string, given: Readonly<Record<string, string>>) {
  const [leg, ...more] = legsOfCall(file, { with: { 'project-id': 'prj_one', ...given } });
  expect(more).toEqual([]);
  return leg?.inputs;
}

describe('a call is rejected, as on GitHub,', () => {
  const file = 'docs-command.yml';
  const given = (name: string, value: string) => ({
    with: { 'project-id': 'prj_one', [name]: value },
  });

  test.each<[string, Partial<Job>, string]>([
    ['an unknown input', given('prompt', 'x'), 'prompt is not declared'],
    ['a missing input', { with: {} }, 'project-id is missing'],
    ['text instead of a number', given('timeout-minutes', 'ten'), 'takes a number'],
    ['a missing secret', { secrets: {} }, 'api-key is missing'],
    ['an unknown secret', { secrets: { 'api-key': '${{ secrets.OTHER }}' } }, 'what OTHER is'],
    ['a branch instead of a version', { uses: usesOf(file, 'main') }, 'no workflow'],
  ])('with %s', (_, call, problem) => {
    expect(() => legsOfCall(file, call)).toThrow(problem);
  });
});

test('an expression with an unknown name is an error, except for fields of an event', () => {
  expect(fill('${{ runner.temp }}-${{ github.event.release.id }}', surroundings)).toBe(`${temp}-`);
  for (const expression of [
    'vars.OTHER',
    'github.evnet.issue',
    'steps.one.outputs.two',
    'vars.OTHER &&',
  ])
    expect(() => evaluate(expression, surroundings)).toThrow();
});

const usualPrompt = /^Bring the .* with this change\. If .* do not change anything\.$/;
const onMerge = { prompt: expect.stringMatching(usualPrompt), context: 'thread\nchanges\n' };

test.each<[string, Readonly<Record<string, unknown>>]>([
  ['docs-command.yml', { context: '', continue: '' }],
  ['docs-on-merge.yml', { ...onMerge, continue: 'repository' }],
  ['visitors-report.yml', { thread: 'none', 'history-file': '', 'report-dir': '' }],
])('an empty input of %s, such as an unset variable, counts as omitted', (file, usual) => {
  const { inputs = {} } = readWorkflow('own', file).on.workflow_call ?? {};
  const texts = Object.entries(inputs).filter(
    ([, { type, required }]) => type === 'string' && !required,
  );
  const empty = Object.fromEntries(texts.map(([name]) => [name, '']));
  expect(called(file, empty)).toMatchObject(usual);
  expect(called(file, {})).toEqual(called(file, empty));
  const [job] = Object.values(readWorkflow('own', file).jobs);
  expect(fill(job?.['runs-on'] ?? '', { inputs: empty })).toBe('ubuntu-latest');
});

test.each(['docs-command.yml', 'docs-on-merge.yml'])(
  '%s has enough time to follow a job',
  (file) => {
    const [job] = Object.values(readWorkflow('own', file).jobs);
    const limitOf = (minutes: number) =>
      Number(fill(String(job?.['timeout-minutes']), { inputs: { 'timeout-minutes': minutes } }));
    expect([30, 50, 51, 350, 351, 1440].map(limitOf)).toEqual([60, 60, 360, 360, 1500, 1500]);
  },
);

describe('the report workflow', () => {
  const { concurrency, steps = [] } = readWorkflow('own', 'visitors-report.yml').jobs.report ?? {};
  const step = (action: string) => steps.find(({ uses }) => uses?.startsWith(action))?.with;
  const filled = (value: unknown, inputs: Readonly<Record<string, string>>) =>
    fill(String(value), { ...surroundings, github: { run_id: 7, run_attempt: 1 }, inputs });

  test('uses the same cache path on every runner, and a report folder of its own', () => {
    const given = { history: 'weekly', artifact: 'report' };
    const inputs = called('visitors-report.yml', given);
    expect(inputs?.['history-file']).toBe('docs-agent-history/history.jsonl');
    expect(inputs?.['report-dir']).toBe(`${temp}/docs-agent-report`);
    for (const use of ['restore', 'save'])
      expect(step(`actions/cache/${use}@`)?.path).toBe('docs-agent-history');
    expect(filled(step('actions/upload-artifact@')?.path, given)).toBe(
      `${temp}/docs-agent-report/`,
    );
  });

  test('never restores the history of another name, and rejects a name that could cause that', () => {
    const { key, 'restore-keys': prefix } = step('actions/cache/restore@') ?? {};
    const refusal = steps.find(({ run = '' }) => run.includes('exit 1'))?.if ?? '';
    const names = ['', 'weekly', 'weekly-api', 'weekly/api', 'weekly ', 'a', 'a/', 'b'];
    const refused = (history: string) => evaluate(refusal, { inputs: { history } }) === true;
    expect(names.filter(refused)).toEqual(['weekly/api', 'a/']);
    const accepted = names.filter((name) => !refused(name));
    for (const one of accepted)
      for (const other of accepted) {
        const found = filled(key, { history: other }).startsWith(filled(prefix, { history: one }));
        expect([one, other, found]).toEqual([one, other, one === other]);
      }
  });

  test('waits for runs with the same history, or without a history, for runs in the same thread', () => {
    const groupOf = (history: string, thread: string) =>
      filled(concurrency?.group, { history, thread });
    expect(groupOf('weekly', '12')).toBe(groupOf('weekly', '13'));
    expect(groupOf('weekly', '12')).not.toBe(groupOf('monthly', '12'));
    expect(groupOf('', '12')).not.toBe(groupOf('', '13'));
  });
});
