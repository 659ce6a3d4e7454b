import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { ACTION_DIR, readAction } from '../../../simulator/runner/action.ts';
import { fill } from '../../support/workflows/expression.ts';
import { folders, readWorkflow } from '../../support/workflows/workflow.ts';

/* The workflows that other repositories call. */

const action = parse(readFileSync(join(ACTION_DIR, 'action.yml'), 'utf8'));

describe.each(['docs-command.yml', 'docs-on-merge.yml', 'visitors-report.yml'])('%s', (file) => {
  const workflow = readWorkflow('own', file);
  const text = readFileSync(`${folders.own}${file}`, 'utf8');
  const { inputs = {}, outputs = {} } = workflow.on.workflow_call ?? {};
  /** What a workflow decides for its callers, or has besides the action. */
  const ofItsOwn = ['runs-on', 'history', 'artifact'];
  if (file === 'docs-on-merge.yml') ofItsOwn.push('prompt', 'context', 'continue');

  test.each(Object.entries(inputs))(
    'the input %s is described, used, and as in action.yml',
    (name, input) => {
      expect(input.description).toMatch(/^\S.*\.$/);
      expect(text).toMatch(new RegExp(`\\binputs\\.${name}\\b`));
      if (ofItsOwn.includes(name)) return;
      const usual = readAction(ACTION_DIR, undefined).inputs;
      expect([...usual.keys()]).toContain(name);
      // What has another type than text has no way to be left out.
      if (input.type !== 'string') expect(input.default).toBeDefined();
      if (input.default !== undefined) expect(String(input.default)).toBe(usual.get(name));
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

test('history and files of a report are where the workflow keeps them', () => {
  const { steps = [] } = readWorkflow('own', 'visitors-report.yml').jobs.report ?? {};
  const given = { inputs: { history: 'weekly', artifact: 'report' } };
  const [cache, report, upload] = steps.map(({ with: values = {} }) => values);
  const filled = (value: unknown) => fill(String(value), given);
  expect(filled(report?.['history-file'])).toBe(`${cache?.path}/history.jsonl`);
  expect(upload?.path).toBe(`${filled(report?.['report-dir'])}/`);
});
