import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { errorReasons, jobReasons, reportReasons, skipReasons } from '../../src/core/reasons.ts';
import { ajvOptions, resultProblems, resultSchema } from '../support/oracle/result.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const readme = readFileSync(`${root}README.md`, 'utf8');
const shown = /^`result` holds it all[\s\S]*?^```json\n([\s\S]*?)^```$/m.exec(readme)?.[1] ?? '';

const agent = {
  version: 1,
  outcome: 'pr-created',
  reason: 'pull-request',
  mode: 'agent',
  job: { id: 'job_1', status: 'completed', model: null, source: { repository: 'acme/docs' } },
  pullRequest: { url: 'https://github.test/acme/docs/pull/12', number: '12' },
  commentUrl: null,
  followUp: false,
  durationMs: 153_000,
};
const site = {
  total: 12,
  human: 9,
  ai: null,
  aiShare: null,
  changePercent: -8.5,
  periodStart: '2026-11-09',
  periodEnd: '2026-11-16',
  complete: true,
  csvFile: '',
  jsonFile: '',
  alerts: [
    { rule: 'total < -10%', state: 'fired', found: 1 },
    { rule: 'ai-share > 99%', state: 'quiet', uncheckedPages: 2 },
    { rule: 'total > 5%', state: 'unchecked', why: 'there is no window to compare with' },
  ],
};
const report = {
  version: 1,
  outcome: 'reported',
  reason: 'complete',
  mode: 'visitors',
  requestsUsed: 4,
  reportFile: '',
  digest: '12 visitors',
  commentUrl: null,
};
const projects = {
  ...report,
  periodStart: '2026-11-09',
  periodEnd: '2026-11-16',
  complete: false,
  projects: [
    { project: 'a', name: 'A', reason: 'no-visits', ...site },
    {
      project: 'b',
      name: 'B',
      reason: 'forbidden',
      complete: false,
      error: 'The key was refused.',
      alerts: [{ rule: 'total > 5%', state: 'unchecked', why: 'nothing of the project could be read' }],
    },
  ],
};
const collect = {
  version: 1,
  outcome: 'collected',
  reason: 'incomplete',
  mode: 'collect',
  finished: 1,
  stillActive: 0,
  left: 2,
  jobs: [
    {
      thread: 7,
      commentUrl: 'https://github.test/acme/docs/issues/7#issuecomment-1',
      jobId: 'job_1',
      askedAt: '2026-11-09T10:00:00.000Z',
      outcome: 'failed',
      reason: 'job-failed',
      pullRequest: null,
    },
  ],
};
const failed = { version: 1, outcome: 'failed', reason: 'bad-input', error: '`api-key`: missing' };
const skipped = { version: 1, outcome: 'skipped', reason: 'no-command' };

const { job: _, ...withoutJob } = agent;
const { complete: __, ...withoutComplete } = site;
const [done] = collect.jobs;

describe('a result is as its schema says', () => {
  test.each([
    ['of a job', agent],
    ['in the README', JSON.parse(shown)],
    ['of a report', { ...report, ...site }],
    ['of a report of several projects', projects],
    ['of a report that failed', { ...failed, mode: 'visitors', requestsUsed: 3 }],
    ['of collecting', collect],
    ['of collecting that was cancelled', { ...collect, outcome: 'failed', reason: 'cancelled' }],
    ['of collecting that failed', { ...failed, mode: 'collect', reason: 'github-error' }],
    ['of an error', failed],
    ['of a run that was skipped', skipped],
  ])('%s', (_, result) => {
    expect(resultProblems(JSON.stringify(result))).toEqual([]);
  });
});

describe('it is a problem', () => {
  test.each([
    ['a wrong type', { ...agent, durationMs: '153000' }],
    ['a fraction where there is none', { ...agent, durationMs: 1.5 }],
    ['another version', { ...agent, version: 2 }],
    ['no version', { outcome: 'skipped', reason: 'no-command' }],
    ['a missing field', withoutJob],
    ['a missing field of a report', { ...report, ...withoutComplete }],
    ['an unknown field', { ...agent, cost: 3 }],
    ['an unknown field of a job', { ...agent, job: { ...agent.job, title: 'Docs' } }],
    ['an unknown field where there is no mode', { ...skipped, text: 'Skipped' }],
    ['an unknown outcome', { ...agent, outcome: 'done' }],
    ['an outcome of another mode', { ...agent, outcome: 'reported' }],
    ['an unknown reason', { ...agent, reason: 'because' }],
    ['an unknown reason of an error', { ...failed, reason: 'because' }],
    ['a reason of another mode', { ...report, ...site, reason: 'pull-request' }],
    ['an unknown mode', { ...agent, mode: 'robot' }],
    ['a mode without its fields', { ...failed, mode: 'agent' }],
    ['a date that is none', { ...report, ...site, periodStart: 'Monday' }],
    ['a rule that fired without a count', { ...report, ...site, alerts: [{ rule: 'r', state: 'fired' }] }],
    [
      'a project that was not read, and is complete',
      { ...projects, projects: [{ ...projects.projects[1], complete: true }] },
    ],
    ['an unknown reason of a collected job', { ...collect, jobs: [{ ...done, reason: 'because' }] }],
    ['a time that is none', { ...collect, jobs: [{ ...done, askedAt: 'today' }] }],
    ['nothing', {}],
  ])('%s', (_, result) => {
    expect(resultProblems(JSON.stringify(result))).not.toEqual([]);
  });
});

test('users may meet fields of a later release, but no other type', () => {
  const isValid = new Ajv2020(ajvOptions).compile(resultSchema);
  expect(isValid({ ...agent, cost: 3, job: { ...agent.job, title: 'Docs' } })).toBe(true);
  expect(isValid({ ...agent, cost: 3, followUp: 'no' })).toBe(false);
});

test('every reason is one that a run can end with', () => {
  const product = globSync('src/**/*.ts', { cwd: root })
    .filter((path) => !path.endsWith('reasons.ts'))
    .map((path) => readFileSync(`${root}${path}`, 'utf8'))
    .join('\n');
  const reasons = Object.keys({ ...errorReasons, ...jobReasons, ...reportReasons, ...skipReasons });
  expect(reasons.filter((reason) => !product.includes(`'${reason}'`))).toEqual([]);
});
