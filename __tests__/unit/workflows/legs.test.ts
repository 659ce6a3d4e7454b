import { describe, expect, test } from '@jest/globals';
import { evaluate, fill } from '../../support/workflows/expression.ts';
import { legsOf } from '../../support/workflows/legs.ts';
import { lowered, type Workflow } from '../../support/workflows/workflow.ts';

/* Workflows are played as GitHub would run them, and what GitHub refuses is refused. */

const contexts = {
  github: { event: { issue: { number: 7 } } },
  vars: { PROJECT: 'prj_one' },
  secrets: { KEY: 'a key' },
};

test('an expression with a name that no context has is an error, except in an event', () => {
  expect(fill('${{ vars.PROJECT }}-${{ github.event.release.id }}-${{ !cancelled() }}', contexts)).toBe(
    'prj_one--true',
  );
  for (const expression of ['vars.OTHER', 'github.evnet.issue', 'steps.one.outputs.two', 'vars.PROJECT &&'])
    expect(() => evaluate(expression, contexts)).toThrow();
});

const callee: Workflow = {
  on: {
    workflow_call: {
      inputs: {
        'project-id': { type: 'string', required: true },
        minutes: { type: 'number', default: 30 },
        wait: { type: 'boolean', default: true },
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
          uses: 'docs-agent/docs-agent@v1',
          with: {
            'api-key': '${{ secrets.api-key }}',
            'project-id': '${{ inputs.project-id }}',
            'timeout-minutes': '${{ inputs.minutes }}',
            wait: '${{ inputs.wait }}',
          },
        },
      ],
    },
  },
};

const outer = {
  permissions: { issues: 'write', contents: 'read' },
  uses: 'docs-agent/docs-agent/.github/workflows/callee.yml@v1',
  with: { 'project-id': '${{ vars.PROJECT }}' },
  secrets: { 'api-key': '${{ secrets.KEY }}' },
} as const;

/** A workflow that makes this call, with something else in its job. */
const calling = (job: object = {}): Workflow => ({
  on: {},
  permissions: {},
  jobs: { outer: { ...outer, ...job } },
});
const given = (name: string, value: unknown) => calling({ with: { ...outer.with, [name]: value } });
const legs = (workflow: Workflow) => legsOf(workflow, contexts, () => callee);

describe('a call', () => {
  test('passes its inputs and the defaults, with the permissions of the called job', () => {
    const inputs = { 'api-key': 'a key', 'project-id': 'prj_one', 'timeout-minutes': '30', wait: 'true' };
    expect(legs(calling())).toEqual([{ inputs, permissions: { issues: 'write' } }]);
  });

  test('happens once for each leg of a matrix, and only where its condition is true', () => {
    const matrix = { include: [{ id: '${{ vars.PROJECT }}' }, { id: 'prj_two' }] };
    const legged = calling({ strategy: { matrix }, with: { 'project-id': '${{ matrix.id }}' } });
    expect(legs(legged).map(({ inputs }) => inputs['project-id'])).toEqual(['prj_one', 'prj_two']);
    expect(legs(calling({ if: "vars.PROJECT == 'prj_two'" }))).toEqual([]);
  });

  test.each([
    ['an unknown input', given('prompt', 'x'), 'prompt is not declared'],
    ['a missing input', calling({ with: {} }), 'project-id is missing'],
    ['a text for a number', given('minutes', 'ten'), 'takes a number'],
    ['a missing secret', calling({ secrets: {} }), 'api-key is missing'],
    ['a secret of no one', calling({ secrets: { 'api-key': '${{ secrets.OTHER }}' } }), 'what OTHER is'],
    ['too few permissions', lowered(calling(), 'issues'), 'issues: write, but is only allowed read'],
    ['a branch', calling({ uses: outer.uses.replace('@v1', '@main') }), 'no workflow'],
  ])('is refused with %s', (_, workflow, problem) => {
    expect(() => legs(workflow)).toThrow(problem);
  });

  test('cannot see what only the caller has', () => {
    const steps = [{ uses: 'docs-agent/docs-agent@v1', with: { 'api-key': '${{ secrets.KEY }}' } }];
    const nosy = { ...callee, jobs: { inner: { steps } } };
    expect(() => legsOf(calling(), contexts, () => nosy)).toThrow('what KEY is');
  });
});
