import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { CollectConfig } from '../../src/collect/inputs.ts';
import { type Collected, collectedResult } from '../../src/collect/result.ts';
import { nodesOf, parseGfm } from '../support/gfm.ts';
import { hostileText } from '../support/samples/hostile.ts';
import { completed } from '../support/samples/known.ts';
import { remembered } from '../support/samples/markers.ts';

const config: CollectConfig = {
  mode: 'collect',
  projects: [{ id: 'prj_1', name: 'prj_1' }],
  baseUrl: 'https://api.example.com',
  apiKey: 'mint_fake_key',
  githubToken: undefined,
  failOn: new Set(),
  collectSince: 0,
  maxRequests: 40,
  command: '/docs',
};
const all = { unseen: [], whyLeft: [], notes: [] };
const [project] = config.projects;

function finished(jobId: string, prLink: string | null): Collected {
  const open = { ...remembered(41, { job: jobId, askedAt: 41 }), thread: 7 };
  const job = { ...completed, id: jobId, prLink };
  const ending = { outcome: 'pr-created', reason: 'pull-request' } as const;
  return { project, open, verdict: { is: 'over', ending, job }, told: 'told' };
}

const atWork: Collected = { ...finished('job_2', null), verdict: { is: 'at work' }, told: undefined };
const unseen: Collected = { ...finished('job_3', null), verdict: { is: 'unseen' }, told: undefined };
const untold: Collected = { ...finished('job_4', null), told: 'untold' };
const elsewhere: Collected = { ...finished('job_5', null), told: 'changed' };

test('the summary is one heading and one table, whatever comes from outside', () => {
  fc.assert(
    fc.property(hostileText, fc.option(hostileText), (jobId, link) => {
      const { summary = '' } = collectedResult([finished(jobId, link), atWork], all, config);
      const nodes = nodesOf(parseGfm(summary));
      expect(nodes.filter(({ type }) => type === 'heading')).toHaveLength(1);
      expect(nodes.filter(({ type }) => ['html', 'image', 'code'].includes(type))).toEqual([]);
      const rows = nodes.flatMap((node) => (node.type === 'tableRow' ? [node.children.length] : []));
      expect(rows).toEqual([4, 4, 4]);
    }),
  );
});

test('what was finished and what is at work is counted and listed; what was left is said', () => {
  const done = finished('job_1', completed.prLink);
  const result = collectedResult([done, atWork, unseen, untold, elsewhere], all, config);
  expect(result.red).toBe(false);
  expect(result.outputs).toEqual({ finished: '1', 'still-active': '1' });
  expect(result.result).toEqual({
    mode: 'collect',
    outcome: 'collected',
    reason: 'incomplete',
    finished: 1,
    stillActive: 1,
    left: 2,
    jobs: [
      expect.objectContaining({ jobId: 'job_1', outcome: 'pr-created', askedAt: '1970-01-01T00:00:41.000Z' }),
      expect.objectContaining({ jobId: 'job_2', outcome: null, reason: null, pullRequest: null }),
    ],
  });
  expect(result.summary).toContain('> Left for the next run: 2.');
  expect(result.summary).not.toMatch(/job_[345]/);
});

test('comments that were not read make it incomplete, and red where that is asked for', () => {
  const cut = { ...all, unseen: ['There are more comments.'] };
  const result = collectedResult([], cut, config);
  expect(result).toMatchObject({ result: { reason: 'incomplete' }, red: false });
  expect(result.summary).toContain('> There are more comments.\n');
  const strict = { ...config, failOn: new Set(['incomplete']) };
  expect(collectedResult([], cut, strict)).toMatchObject({ red: true, message: { level: 'error' } });
  expect(collectedResult([atWork], all, strict)).toMatchObject({
    result: { reason: 'complete' },
    red: false,
  });
});

test('of several projects each job says whose it is', () => {
  const other = { id: 'prj_2', name: 'API | v2' };
  const several: CollectConfig = { ...config, projects: [project, other] };
  const { result, summary } = collectedResult([atWork, { ...atWork, project: other }], all, several);
  expect(result.jobs).toMatchObject([{ project: 'prj_1' }, { project: 'prj_2' }]);
  expect(summary).toContain('| Project | Thread | Job |');
  expect(summary).toContain('| `API \\| v2` | [#7](');
});

test('why something is left is said where something is, a few reasons at most', () => {
  const whyLeft = Array.from({ length: 7 }, (_, index) => `Reason ${index}.`);
  const { summary, message } = collectedResult([unseen, untold], { ...all, whyLeft }, config);
  const line = 'Left for the next run: 2. Reason 0. Reason 1. Reason 2. Reason 3. Reason 4. and 2 more';
  expect(summary).toContain(`> ${line}\n`);
  expect(message.text).toContain(line);
  expect(collectedResult([atWork], { ...all, whyLeft }, config)).toMatchObject({
    result: { reason: 'complete' },
  });
});

test('what was given up is counted apart', () => {
  const ending = { outcome: 'timed-out', reason: 'given-up' } as const;
  const givenUp: Collected = { ...atWork, verdict: { is: 'over', ending, job: undefined }, told: 'told' };
  const { summary, outputs } = collectedResult([finished('job_1', null), givenUp, atWork], all, config);
  expect(summary).toContain('### Brought to their end: 2 (given up: 1). Still at work: 1.\n');
  expect(outputs).toEqual({ finished: '2', 'still-active': '1' });
});

test('what no run can tell is not nothing', () => {
  const result = collectedResult([], { ...all, notes: ['Signed with another key: 3.'] }, config);
  expect(result).toMatchObject({ result: { reason: 'complete' }, red: false });
  expect(result.summary).not.toContain('Nothing to collect');
  expect(result.summary).toContain('> Signed with another key: 3.\n');
});
