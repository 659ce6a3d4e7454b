import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import {
  agentOutcomes,
  errorReasons,
  jobReasons,
  reportReasons,
  skipReasons,
} from '../../src/core/reasons.ts';
import { ajvOptions, resultProblems, resultSchema } from '../support/oracle/result.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const reasons = [...errorReasons, ...jobReasons, ...reportReasons, ...skipReasons];
const reference = readFileSync(`${root}docs/reference.md`, 'utf8');
const shown = /^```json\n([\s\S]*?)^```$/m.exec(reference)?.[1] ?? '';

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
const report = {
  version: 1,
  outcome: 'reported',
  reason: 'complete',
  mode: 'visitors',
  requestsUsed: 4,
  reportFile: '',
  digest: '12 visitors',
  commentUrl: null,
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
  gapsFile: '',
  gaps: { complete: true, list: [{ what: 'feedback', page: '/a', missed: 5, asked: 9 }] },
  alerts: [
    { rule: 'total < -10%', state: 'fired', found: 1 },
    { rule: 'ai-share > 99%', state: 'quiet' },
    { rule: 'total > 5%', state: 'unchecked', why: 'there is no previous period to compare with' },
  ],
};
const failed = { version: 1, outcome: 'failed', reason: 'bad-input', error: '`api-key`: missing' };
const skipped = { version: 1, outcome: 'skipped', reason: 'no-command' };

const { job: _, ...withoutJob } = agent;

test.each([
  ['in the reference', JSON.parse(shown)],
  ['of a job', agent],
  ['of a report', report],
  ['of an error', failed],
  ['of a run that was skipped', skipped],
])('a result %s is as its schema says', (_, result) => {
  expect(resultProblems(JSON.stringify(result))).toEqual([]);
});

test.each([
  ['a wrong type', { ...agent, durationMs: '153000' }],
  ['a fraction where there is none', { ...agent, durationMs: 1.5 }],
  ['another version', { ...agent, version: 2 }],
  ['no version', { outcome: 'skipped', reason: 'no-command' }],
  ['a missing field', withoutJob],
  ['an unknown field', { ...agent, cost: 3 }],
  ['an unknown field of a job', { ...agent, job: { ...agent.job, title: 'Docs' } }],
  ['an unknown field where there is no mode', { ...skipped, text: 'Skipped' }],
  ['an unknown outcome', { ...agent, outcome: 'done' }],
  ['an outcome of another mode', { ...agent, outcome: 'reported' }],
  ['an unknown reason', { ...agent, reason: 'because' }],
  ['an unknown reason of an error', { ...failed, reason: 'because' }],
  ['a reason of another mode', { ...report, reason: 'pull-request' }],
  ['an unknown mode', { ...agent, mode: 'robot' }],
  ['a mode without its fields', { ...failed, mode: 'agent' }],
  ['a date that is none', { ...report, periodStart: 'Monday' }],
  ['a rule that fired without a count', { ...report, alerts: [{ rule: 'r', state: 'fired' }] }],
  ['nothing', {}],
])('%s is a problem', (_, result) => {
  expect(resultProblems(JSON.stringify(result))).not.toEqual([]);
});

test('users may meet fields of a later release, but no other type', () => {
  const isValid = new Ajv2020(ajvOptions).compile(resultSchema);
  expect(isValid({ ...agent, cost: 3, job: { ...agent.job, title: 'Docs' } })).toBe(true);
  expect(isValid({ ...agent, cost: 3, followUp: 'no' })).toBe(false);
});

const { $defs: definitions } = resultSchema as { $defs: Readonly<Record<string, Words>> };

interface Words {
  readonly $ref?: string;
  readonly anyOf?: readonly Words[];
  readonly const?: string;
  readonly description?: string;
}

/** The words that a part of the schema allows, with their meanings. */
function wordsOf({ $ref, anyOf, ...word }: Words): unknown[] {
  if ($ref !== undefined) return wordsOf(definitions[$ref.replace('#/$defs/', '')] ?? {});
  return anyOf?.flatMap(wordsOf) ?? [[word.const, word.description]];
}

test.each([
  ['outcome', agentOutcomes],
  ['errorReason', errorReasons],
  ['jobReason', jobReasons],
  ['skipReason', skipReasons],
  ['reportReason', reportReasons],
])('the words of %s are those of the product, each with its meaning', (name, words) => {
  expect(wordsOf(definitions[name] ?? {})).toEqual(
    words.map((word) => [word, expect.stringMatching(/^\S.*\.$/)]),
  );
});

test('the outcomes of all modes are in action.yml, and all reasons in the reference', () => {
  const outcomes = [...agentOutcomes, definitions.reported?.const, definitions.collected?.const];
  const listed = outcomes.map((outcome) => `\`${outcome}\``).join(', ');
  expect(readFileSync(`${root}action.yml`, 'utf8')).toContain(`How the run ended: ${listed}.`);
  for (const word of [...outcomes, ...reasons]) expect(reference).toContain(`| \`${word}\` |`);
});

test('every reason is one that a run can end with', () => {
  const product = globSync('src/**/*.ts', { cwd: root })
    .filter((path) => !path.endsWith('reasons.ts'))
    .map((path) => readFileSync(`${root}${path}`, 'utf8'))
    .join('\n');
  expect(reasons.filter((reason) => !product.includes(`'${reason}'`))).toEqual([]);
});
