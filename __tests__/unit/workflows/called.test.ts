import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { ACTION_DIR, readAction } from '../../../simulator/runner/action.ts';
import { evaluate, fill } from '../../support/workflows/expression.ts';
import { legsOf } from '../../support/workflows/legs.ts';
import { folders, type Job, readWorkflow } from '../../support/workflows/workflow.ts';

/* The workflows that other repositories call. */

const action = parse(readFileSync(join(ACTION_DIR, 'action.yml'), 'utf8'));

describe.each(['docs-command.yml', 'docs-on-merge.yml', 'visitors-report.yml'])('%s', (file) => {
  const workflow = readWorkflow('own', file);
  const text = readFileSync(`${folders.own}${file}`, 'utf8');
  const { inputs = {}, outputs = {} } = workflow.on.workflow_call ?? {};
  /** What a workflow decides for its callers, or does besides running the action. */
  const ofItsOwn = ['runs-on', 'history', 'artifact'];
  if (file === 'docs-on-merge.yml') ofItsOwn.push('prompt', 'context', 'continue');

  test.each(Object.entries(inputs))(
    'the input %s is described, used, and as in action.yml',
    (name, input) => {
      expect(input.description).toMatch(/^\S.*\.$/);
      expect(text).toMatch(new RegExp(`\\binputs\\.${name}\\b`));
      const usual = readAction().inputs;
      // GitHub uses a default only for an omitted input. A string may also be empty; other types can't be.
      if (input.type === 'string') expect(input.default).toBeUndefined();
      else expect(String(input.default)).toBe(usual.get(name));
      if (!ofItsOwn.includes(name)) expect([...usual.keys()]).toContain(name);
    },
  );

  test.each(Object.entries(outputs))('the output %s is the action’s', (name, { value }) => {
    const [id, job] = Object.entries(workflow.jobs)[0] ?? [];
    const step = job?.steps?.find(({ uses }) => uses === 'docs-agent/docs-agent@v1');
    expect(value).toBe(`\${{ jobs.${id}.outputs.${name} }}`);
    expect(job?.outputs?.[name]).toBe(`\${{ steps.${step?.id}.outputs.${name} }}`);
    expect(action.outputs).toHaveProperty([name]);
  });
});

const temp = '/runner/temp';
const surroundings = {
  github: { event: { comment: { body: '/docs Say so.' } } },
  vars: {},
  secrets: {},
  runner: { temp },
};

const permissions = {
  actions: 'read',
  contents: 'read',
  issues: 'write',
  'pull-requests': 'write',
} as const;

/** The runs of the action in a job that calls one of our workflows, by default correctly. */
function legsOfCall(file: string, call: Partial<Job>, callee = readWorkflow('own', file)) {
  const uses = `docs-agent/docs-agent/.github/workflows/${file}@v1`;
  const job = { permissions, uses, with: { 'project-id': 'prj_one' }, secrets: { 'api-key': 'key' } };
  return legsOf({ on: {}, permissions: {}, jobs: { job: { ...job, ...call } } }, surroundings, () => callee);
}

/** The inputs of the only run in a call with these. */
function called(file: string, given: Readonly<Record<string, string>>) {
  const [leg, ...more] = legsOfCall(file, { with: { 'project-id': 'prj_one', ...given } });
  expect(more).toEqual([]);
  return leg?.inputs;
}

describe('a call is refused, as GitHub refuses it,', () => {
  const file = 'docs-command.yml';
  const given = (name: string, value: string) => ({ with: { 'project-id': 'prj_one', [name]: value } });

  test.each<[string, Partial<Job>, string]>([
    ['an unknown input', given('prompt', 'x'), 'prompt is not declared'],
    ['a missing input', { with: {} }, 'project-id is missing'],
    ['a text for a number', given('timeout-minutes', 'ten'), 'takes a number'],
    ['a missing secret', { secrets: {} }, 'api-key is missing'],
    ['a secret of no one', { secrets: { 'api-key': '${{ secrets.OTHER }}' } }, 'what OTHER is'],
    [
      'too few permissions',
      { permissions: { issues: 'write' } },
      'pull-requests: write, but is only allowed',
    ],
    ['a branch', { uses: `docs-agent/docs-agent/.github/workflows/${file}@main` }, 'no workflow'],
  ])('with %s', (_, call, problem) => {
    expect(() => legsOfCall(file, call)).toThrow(problem);
  });

  test('where it reads what only the caller has', () => {
    const steps = [{ uses: 'docs-agent/docs-agent@v1', with: { 'api-key': '${{ secrets.KEY }}' } }];
    const nosy = { ...readWorkflow('own', file), jobs: { inner: { steps } } };
    expect(() => legsOfCall(file, {}, nosy)).toThrow('what KEY is');
  });
});

test('an expression with a name that no context has is an error, except in an event', () => {
  expect(fill('${{ runner.temp }}-${{ github.event.release.id }}', surroundings)).toBe(`${temp}-`);
  for (const expression of ['vars.OTHER', 'github.evnet.issue', 'steps.one.outputs.two', 'vars.OTHER &&'])
    expect(() => evaluate(expression, surroundings)).toThrow();
});

test.each<[string, Readonly<Record<string, unknown>>]>([
  ['docs-command.yml', { context: '', continue: '' }],
  [
    'docs-on-merge.yml',
    {
      prompt: expect.stringMatching(/^Bring the .* with this change\. If .* do not change anything\.$/),
      context: 'thread\nchanges\n',
      continue: 'repository',
    },
  ],
  ['visitors-report.yml', { thread: 'none', 'history-file': '', 'report-dir': '' }],
])('an empty input of %s, such as a variable that is not set, counts as omitted', (file, usual) => {
  const { inputs = {} } = readWorkflow('own', file).on.workflow_call ?? {};
  const texts = Object.entries(inputs).filter(([, { type, required }]) => type === 'string' && !required);
  const empty = Object.fromEntries(texts.map(([name]) => [name, '']));
  expect(called(file, empty)).toMatchObject(usual);
  expect(called(file, {})).toEqual(called(file, empty));
  const [job] = Object.values(readWorkflow('own', file).jobs);
  expect(fill(job?.['runs-on'] ?? '', { inputs: empty })).toBe('ubuntu-latest');
});

test.each(['docs-command.yml', 'docs-on-merge.yml'])('%s is given longer than it follows a job', (file) => {
  const [job] = Object.values(readWorkflow('own', file).jobs);
  const limitOf = (minutes: number) =>
    Number(fill(String(job?.['timeout-minutes']), { inputs: { 'timeout-minutes': minutes } }));
  expect([30, 50, 51, 350, 351, 1440].map(limitOf)).toEqual([60, 60, 360, 360, 1500, 1500]);
});

describe('a report', () => {
  const { concurrency, steps = [] } = readWorkflow('own', 'visitors-report.yml').jobs.report ?? {};
  const step = (action: string) => steps.find(({ uses }) => uses?.startsWith(action))?.with;
  const filled = (value: unknown, inputs: Readonly<Record<string, string>>) =>
    fill(String(value), { ...surroundings, github: { run_id: 7, run_attempt: 1 }, inputs });

  test('keeps its history where every runner finds its cache, and its files where nothing of another run is', () => {
    const given = { history: 'weekly', artifact: 'report' };
    const inputs = called('visitors-report.yml', given);
    expect(inputs?.['history-file']).toBe('docs-agent-history/history.jsonl');
    expect(inputs?.['report-dir']).toBe(`${temp}/docs-agent-report`);
    for (const use of ['restore', 'save'])
      expect(step(`actions/cache/${use}@`)?.path).toBe('docs-agent-history');
    const emptied = steps.findIndex(({ run }) => run === 'rm -rf docs-agent-history');
    expect(emptied).toBeGreaterThan(-1);
    expect(emptied).toBeLessThan(
      steps.findIndex(({ uses = '' }) => uses.startsWith('actions/cache/restore@')),
    );
    expect(filled(step('actions/upload-artifact@')?.path, given)).toBe(`${temp}/docs-agent-report/`);
  });

  test('never starts from the history of another name, and refuses one that could', () => {
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

  test('waits for those that share its history, and without one for those of its thread', () => {
    const groupOf = (history: string, thread: string) => filled(concurrency?.group, { history, thread });
    expect(groupOf('weekly', '12')).toBe(groupOf('weekly', '13'));
    expect(groupOf('weekly', '12')).not.toBe(groupOf('monthly', '12'));
    expect(groupOf('', '12')).not.toBe(groupOf('', '13'));
  });
});
