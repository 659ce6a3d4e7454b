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
const reasonsByName = {
  errorReason: errorReasons,
  jobReason: jobReasons,
  skipReason: skipReasons,
  reportReason: reportReasons,
};
const reasons = Object.values(reasonsByName).flat();
const reference = readFileSync(`${root}docs/reference.md`, 'utf8');
/** The example result in docs/reference.md. */
const agent = JSON.parse(/^```json\n([\s\S]*?)^```$/m.exec(reference)?.[1] ?? '');
const failed = { version: 1, outcome: 'failed', reason: 'bad-input', error: '`api-key`: missing' };
const skipped = { version: 1, outcome: 'skipped', reason: 'no-command' };

const { job: _, ...withoutJob } = agent;

test('the results in the reference, of an error, and of a skipped run match the schema', () => {
  for (const result of [agent, failed, skipped]) expect(resultProblems(JSON.stringify(result))).toEqual([]);
});

test.each([
  ['a wrong type', { ...agent, durationMs: '153000' }],
  ['a fraction of a millisecond', { ...agent, durationMs: 1.5 }],
  ['another version', { ...agent, version: 2 }],
  ['no version', { outcome: 'skipped', reason: 'no-command' }],
  ['a missing field', withoutJob],
  ['an unknown field', { ...agent, cost: 3 }],
  ['an unknown field of a job', { ...agent, job: { ...agent.job, title: 'Docs' } }],
  ['an unknown field in a result without a mode', { ...skipped, text: 'Skipped' }],
  ['an unknown outcome', { ...agent, outcome: 'done' }],
  ['an outcome of another mode', { ...agent, outcome: 'reported' }],
  ['an unknown reason', { ...agent, reason: 'because' }],
  ['an unknown reason of an error', { ...failed, reason: 'because' }],
  ['a reason of another mode', { ...agent, reason: 'complete' }],
  ['an unknown mode', { ...agent, mode: 'robot' }],
  ['a mode without its fields', { ...failed, mode: 'agent' }],
  ['an empty result', {}],
])('%s is a problem', (_, result) => {
  expect(resultProblems(JSON.stringify(result))).not.toEqual([]);
});

test('a later release may add fields, but never change a type', () => {
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

/** The values that a definition in the schema allows, with their descriptions. */
function wordsOf({ $ref, anyOf, ...word }: Words): unknown[] {
  if ($ref !== undefined) return wordsOf(definitions[$ref.replace('#/$defs/', '')] ?? {});
  return anyOf?.flatMap(wordsOf) ?? [[word.const, word.description]];
}

test.each(Object.entries<readonly string[]>({ outcome: agentOutcomes, ...reasonsByName }))(
  'the schema lists every %s in the code, with a description',
  (name, words) => {
    expect(wordsOf(definitions[name] ?? {})).toEqual(
      words.map((word) => [word, expect.stringMatching(/^\S.*\.$/)]),
    );
  },
);

test('the outcomes of all modes are in action.yml, and all reasons in the reference', () => {
  const outcomes = [...agentOutcomes, definitions.reported?.const, definitions.collected?.const];
  const listed = outcomes.map((outcome) => `\`${outcome}\``).join(', ');
  expect(readFileSync(`${root}action.yml`, 'utf8')).toContain(`How the run ended: ${listed}.`);
  for (const word of [...outcomes, ...reasons]) expect(reference).toContain(`| \`${word}\` |`);
});

test('every reason is used in the code', () => {
  const product = globSync('src/**/*.ts', { cwd: root })
    .filter((path) => !path.endsWith('reasons.ts'))
    .map((path) => readFileSync(`${root}${path}`, 'utf8'))
    .join('\n');
  expect(reasons.filter((reason) => !product.includes(`'${reason}'`))).toEqual([]);
});
