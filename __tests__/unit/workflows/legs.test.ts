import { describe, expect, test } from '@jest/globals';
import { evaluate, fill, holds } from '../../support/workflows/expression.ts';
import { legsOf } from '../../support/workflows/legs.ts';
import { lowered, type Workflow } from '../../support/workflows/workflow.ts';

/* That workflows are played as GitHub would run them, and that what GitHub refuses is refused. */

const contexts = {
  github: { event: { issue: { number: 7 }, comment: { body: 'Please: /Docs this' } } },
  vars: { PROJECT: 'prj_one', RESULT: '{"job": {"status": "failed"}, "pullRequest": null}', NONE: '' },
  secrets: { KEY: 'a key' },
};

describe('an expression', () => {
  test.each([
    ['vars.PROJECT', 'prj_one'],
    ['github.event.issue.number', 7],
    ['github.event.release.tag_name', null],
    ["'it''s'", "it's"],
    ["vars.PROJECT && 'yes' || 'no'", 'yes'],
    ["github.event.release && 'yes' || 'no'", 'no'],
    ["'' || 'else'", 'else'],
    ['github.event.issue.number > 6 && 360 || 60', 360],
    ['github.event.issue.number > 7 && 360 || 60', 60],
    ["contains(github.event.comment.body, '/docs')", true],
    ["contains(github.event.comment.body, '/help')", false],
    ["format('{0}/a', vars.PROJECT)", 'prj_one/a'],
    ["!cancelled() && vars.PROJECT != ''", true],
    ["vars.PROJECT == 'prj_two'", false],
    ['fromJSON(vars.RESULT).job.status', 'failed'],
    ["fromJSON(vars.RESULT).job.status == 'failed'", true],
    ['fromJSON(vars.RESULT).pullRequest.url', null],
    ["fromJSON(vars.NONE || '{}').error", null],
  ])('%s', (expression, value) => {
    expect(evaluate(expression, contexts)).toBe(value);
  });

  test.each([
    'vars.OTHER',
    'github.evnet.issue',
    'steps.one.outputs.two',
    'format(vars.PROJECT)',
    'hashFiles(vars.PROJECT)',
    'vars.PROJECT vars.PROJECT',
    "'open",
    'vars.PROJECT &&',
    'contains(vars.PROJECT',
    'fromJSON(vars.PROJECT)',
    'fromJSON(vars.RESULT).',
    'fromJSON(vars.RESULT',
  ])('%s is an error', (expression) => {
    expect(() => evaluate(expression, contexts)).toThrow();
  });

  test('stands in a text', () => {
    expect(fill('${{ vars.PROJECT }}-${{ github.event.release }}-${{ 1 }}', contexts)).toBe('prj_one--1');
  });

  test('is true as in GitHub', () => {
    expect([null, '', 0, false, 'false', {}].map(holds)).toEqual([false, false, false, false, true, true]);
  });
});

const ours = 'docs-agent/docs-agent@v1';

const callee: Workflow = {
  on: {
    workflow_call: {
      inputs: {
        'project-id': { type: 'string', required: true },
        minutes: { type: 'number', default: 30 },
        wait: { type: 'boolean', default: true },
        paths: { type: 'string' },
      },
      secrets: { 'api-key': { required: true } },
      outputs: {},
    },
  },
  permissions: {},
  jobs: {
    inner: {
      permissions: { issues: 'write' },
      steps: [
        { uses: 'some/other@v1' },
        {
          uses: ours,
          with: {
            'api-key': '${{ secrets.api-key }}',
            'project-id': '${{ inputs.project-id }}',
            'timeout-minutes': '${{ inputs.minutes }}',
            wait: '${{ inputs.wait }}',
            paths: '${{ inputs.paths }}',
          },
        },
      ],
    },
  },
};

const caller: Workflow = {
  on: {},
  permissions: {},
  jobs: {
    outer: {
      permissions: { issues: 'write', contents: 'read' },
      uses: 'docs-agent/docs-agent/.github/workflows/callee.yml@v1',
      with: { 'project-id': '${{ vars.PROJECT }}' },
      secrets: { 'api-key': '${{ secrets.KEY }}' },
    },
  },
};

const legs = (workflow: Workflow) => legsOf(workflow, contexts, () => callee);
/** The caller, with something else in its job. */
const calling = (job: object): Workflow => ({ ...caller, jobs: { outer: { ...caller.jobs.outer, ...job } } });
const given = (name: string, value: unknown) =>
  calling({ with: { ...caller.jobs.outer?.with, [name]: value } });

describe('a call', () => {
  test('gives what it is given and the defaults, with the permissions of the called job', () => {
    expect(legs(caller)).toEqual([
      {
        inputs: {
          'api-key': 'a key',
          'project-id': 'prj_one',
          'timeout-minutes': '30',
          wait: 'true',
          paths: '',
        },
        permissions: { issues: 'write' },
      },
    ]);
  });

  test('is made once for each leg of a matrix', () => {
    const matrix = { include: [{ id: '${{ vars.PROJECT }}' }, { id: 'prj_two' }] };
    const legged = calling({
      strategy: { matrix },
      with: { 'project-id': '${{ matrix.id }}' },
    });
    expect(legs(legged).map(({ inputs }) => inputs['project-id'])).toEqual(['prj_one', 'prj_two']);
  });

  test('is not made where its condition does not hold', () => {
    expect(legs(calling({ if: "vars.PROJECT == 'prj_two'" }))).toEqual([]);
  });

  test.each([
    ['an input that is not declared', given('prompt', 'x'), 'prompt is not declared'],
    ['a missing input', calling({ with: {} }), 'project-id is missing'],
    ['a text for a number', given('minutes', 'ten'), 'takes a number'],
    ['a text for a flag', given('wait', 'yes'), 'takes a boolean'],
    ['a missing secret', calling({ secrets: {} }), 'api-key is missing'],
    [
      'a secret that is not declared',
      calling({ secrets: { 'api-key': 'k', token: 't' } }),
      'token is not declared',
    ],
    ['too few permissions', lowered(caller, 'issues'), 'requesting issues: write, but is only allowed read'],
    ['no permissions', calling({ permissions: {} }), 'only allowed none'],
    ['a branch', calling({ uses: 'docs-agent/docs-agent/.github/workflows/callee.yml@main' }), 'no workflow'],
    ['a file of the caller', calling({ uses: './.github/workflows/callee.yml' }), 'no workflow'],
    [
      'a secret of the caller that was not passed',
      calling({ secrets: { 'api-key': '${{ secrets.OTHER }}' } }),
      'secrets.OTHER',
    ],
  ])('is refused with %s', (_, workflow, problem) => {
    expect(() => legs(workflow)).toThrow(problem);
  });

  test('cannot see what only the caller has', () => {
    const nosy = lowered(callee, 'issues');
    const steps = [{ uses: ours, with: { 'api-key': '${{ secrets.KEY }}' } }];
    const looking = { ...nosy, jobs: { inner: { steps } } };
    expect(() => legsOf(caller, contexts, () => looking)).toThrow('secrets.KEY');
  });
});
