import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { conversation, SHOWN_READERS } from '../../simulator/service/visitors/readers.ts';
import { Stage, warnings } from '../support/bundle/stage.ts';

/* Runs the bundle on lists of what readers did not find. `scenario/gaps` tests most cases in memory. */

// The simulator normally shortens timeouts, but a busy machine needs more time for a response of 25 MB.
process.env.SIMULATOR_TIMEOUT_SPEED = '1';

const stage = new Stage({ clock: { start: '2026-03-09T06:00:00Z' } });
const report = (inputs: Record<string, string> = {}) =>
  stage.play({ mode: 'visitors', baseline: '0', gaps: 'counts', 'report-dir': 'out', ...inputs });
const give = (rows: object = {}) =>
  stage.simulator.service.visitors.readers.give({ ...SHOWN_READERS, ...rows });

test('the line to paste puts the agent on it, and a pull request comes of it', async () => {
  give();
  const { summary, outputs } = await report({ gaps: 'words' });
  expect(readFileSync(stage.path(outputs['gaps-file'] ?? ''), 'utf8')).toContain('"sso",54,54\r\n');
  const line = /^`(\/docs .*)`$/m.exec(summary)?.[1] ?? '';
  const run = await stage.say(line);
  expect(run.outputs.outcome).toBe('pr-created');
  expect(stage.requests).toEqual([
    [
      'The assistant could not answer 12 questions asked on /api/authentication. Find out what is missing there and add it.',
    ],
  ]);
  expect(stage.status.body).toContain('/pull/101');
});

test('a plan that refuses costs the report nothing but a sentence; the log has what the service said', async () => {
  give();
  stage.simulator.faults.refuse(({ path }) => /assistant|feedback|searches/.test(path), 403, { times: 9 });
  const run = await report({ 'fail-on': 'incomplete' });
  expect(run.exitCode).toBe(0);
  expect(run.outputs).toMatchObject({ reason: 'complete', 'requests-used': '5' });
  expect(run.summary).toContain('This report doesn’t include what readers didn’t find. Could not be read:');
  expect(run.log).toMatch(/Reading `searches`: .*403: Simulated refusal 403/);
});

test.each([
  ['that are 100 KB long', 100_000, 5, 'the first 750 questions'],
  ['that are too long for one response are read in smaller ones', 200_000, 5, 'the first 100 questions'],
])('a thousand conversations %s', async (_, length, requests, counted) => {
  const response = 'x'.repeat(length);
  give({ assistant: Array.from({ length: 1_000 }, () => conversation('?', { response })) });
  const run = await report();
  expect(run.summary).toContain(`Counted: ${counted}, 2 rated pages, and 3 search terms.`);
  expect(run.service).toHaveLength(2 + requests);
  expect(warnings(run)).toEqual([]);
});
