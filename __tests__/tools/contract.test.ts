import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { ACTION_DIR } from '../../simulator/runner/action.ts';
import { defaultOf } from '../../src/core/common-inputs.ts';
import { endings, errorReasons, skipReasons } from '../../src/core/reasons.ts';
import { modeInput, modeNames, modes } from '../../src/modes.ts';
import { ajvOptions, resultProblems, resultSchema } from '../support/oracle/result.ts';

/* action.yml and result.schema.json are the contract: they have what the code has. A failure says which file to change. */

interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly const?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
}

const read = (file: string) => readFileSync(join(ACTION_DIR, file), 'utf8');
const action = parse(read('action.yml'));
const reference = read('docs/reference.md');
const { $defs, anyOf = [] } = resultSchema as Schema & { $defs: Readonly<Record<string, Schema>> };
const results = anyOf.map(({ $ref }) => definitionOf($ref));

const declared = '`endings` in src/core/reasons.ts';
/** How each mode can end; `no` for a run that ends before its mode begins. */
const ends = [
  ...Object.entries(endings).map(([mode, { outcomes, reasons }]) => {
    return { mode, outcome: [...outcomes, 'failed'], reason: [...reasons, ...errorReasons] };
  }),
  { mode: 'no', outcome: ['skipped', 'failed'], reason: [...skipReasons, ...errorReasons] },
];
const outcomes = [...new Set(ends.flatMap(({ outcome }) => outcome))];
const reasons = [...new Set(ends.flatMap(({ reason }) => reason))];

type Side = readonly [names: readonly string[], place: string];

/** What to do about each name that only one of two places has. */
function differences(one: Side, other: Side): string[] {
  const missing = ([names, place]: Side, [others, otherPlace]: Side) =>
    others
      .filter((name) => !names.includes(name))
      .map((name) => `Add \`${name}\` to ${place}, or remove it from ${otherPlace}.`);
  return [...missing(one, other), ...missing(other, one)];
}

/** The words that a part of the schema allows. */
function wordsOf({ $ref, anyOf = [], const: word }: Schema): string[] {
  const inner = $ref === undefined ? anyOf : [definitionOf($ref)];
  return word === undefined ? inner.flatMap(wordsOf) : [word];
}

function definitionOf(ref = ''): Schema {
  return $defs[ref.replace('#/$defs/', '')] ?? {};
}

test('every mode, outcome, and output is in the code and in action.yml', () => {
  const folders = globSync('src/*/inputs.ts', { cwd: ACTION_DIR }).map((file) =>
    basename(dirname(file)),
  );
  const inSchema = results.flatMap(({ properties }) => properties?.mode?.const ?? []);
  const named = (item: { description: string }) =>
    item.description.match(/(?<=`)[\w-]+(?=`)/g) ?? [];
  const registered = [modeNames, 'src/modes.ts'] as const;
  const all = [
    'outcome',
    'reason',
    'result',
    ...Object.values(endings).flatMap(({ outputs }) => outputs),
  ];
  expect([
    ...differences(registered, [folders, 'the folders of src/ with inputs.ts']),
    ...differences(registered, [Object.keys(endings), declared]),
    ...differences(registered, [inSchema, '`mode` in result.schema.json']),
    ...differences(registered, [named(action.inputs.mode), '`mode` in action.yml']),
    ...differences(
      [outcomes, declared],
      [named(action.outputs.outcome), '`outcome` in action.yml'],
    ),
    ...differences([all, declared], [Object.keys(action.outputs), 'the outputs in action.yml']),
  ]).toEqual([]);
});

test('every input is in action.yml, with its default', async () => {
  const names = ['mode', ...modeNames.flatMap((mode) => Object.keys(modes[mode].inputs))];
  const problems = differences(
    [names, 'inputs.ts of a mode'],
    [Object.keys(action.inputs), 'action.yml'],
  );
  for (const mode of modeNames) {
    for (const [name, schema] of Object.entries({ mode: modeInput, ...modes[mode].inputs })) {
      const { success: isOptional } = await schema.safeParseAsync(undefined);
      const usual = name === 'github-token' ? '${{ github.token }}' : defaultOf(schema);
      const wanted = { required: !isOptional, ...(usual ? { default: usual } : {}) };
      const { description: _, ...given } = action.inputs[name] ?? wanted;
      if (!isDeepStrictEqual(given, wanted))
        problems.push(
          `Give \`${name}\` ${JSON.stringify(wanted)} in action.yml, as in ${mode}/inputs.ts.`,
        );
    }
  }
  expect(problems).toEqual([]);
});

test.each(ends)('every outcome and reason of $mode mode is in the schema', ({ mode, ...words }) => {
  const isOfMode = ({ properties }: Schema) => (properties?.mode?.const ?? 'no') === mode;
  const problems = (['outcome', 'reason'] as const).flatMap((kind) => {
    const allowed = results
      .filter(isOfMode)
      .flatMap(({ properties }) => wordsOf(properties?.[kind] ?? {}));
    const place = `\`${kind}\` of ${mode} mode in result.schema.json`;
    return differences([words[kind], `src/core/reasons.ts, for ${mode} mode`], [allowed, place]);
  });
  expect(problems).toEqual([]);
});

test.each([
  ['inputs', Object.keys(action.inputs), 'action.yml'],
  ['outputs', Object.keys(action.outputs), 'action.yml'],
  ['outcomes', outcomes, 'result.schema.json'],
  ['reasons', reasons, 'result.schema.json'],
])('all %s are in the tables of the reference, with whole sentences', (kind, names, file) => {
  const markers = Array.from(reference.matchAll(/<!-- generated:(\w+) (.+) -->/g));
  const inTables = markers.flatMap(([, of, listed = '']) => (of === kind ? listed.split(' ') : []));
  const marker = `a marker \`<!-- generated:${kind} … -->\` in docs/reference.md (then run \`npm run docs\`)`;
  const isBare = (name: string) =>
    !new RegExp(`^\\| \`${name}\` \\|.*\\S\\. \\|$`, 'm').test(reference);
  expect([
    ...differences([names, file], [inTables, marker]),
    ...inTables
      .filter(isBare)
      .map((name) => `Describe \`${name}\` in ${file}, then run \`npm run docs\`.`),
  ]).toEqual([]);
});

test('every outcome and reason is used in the code', () => {
  const files = globSync('src/**/*.ts', { cwd: ACTION_DIR }).filter(
    (path) => !path.endsWith('reasons.ts'),
  );
  const product = files.map(read).join('\n');
  const unused = [...outcomes, ...reasons].filter((word) => !product.includes(`'${word}'`));
  expect(
    unused.map((word) => `Remove \`${word}\` from src/core/reasons.ts: no code uses it.`),
  ).toEqual([]);
});

test('the Marketplace gets a name, a description shorter than 125 characters, an icon, and a color', () => {
  expect(action).toMatchObject({
    name: expect.stringMatching(/\S/),
    description: expect.stringMatching(/^[A-Z].{40,123}$/u),
    branding: {
      icon: expect.stringMatching(/^[a-z-]+$/),
      color: expect.stringMatching(/^[a-z]+$/),
    },
  });
});

/** The example result in docs/reference.md. */
const agent = JSON.parse(/^```json\n([\s\S]*?)^```$/m.exec(reference)?.[1] ?? '');
const failed = { version: 1, outcome: 'failed', reason: 'bad-input', error: '`api-key`: missing' };
const skipped = { version: 1, outcome: 'skipped', reason: 'no-command' };

const { job: _, ...withoutJob } = agent;

test('the results in the reference, of an error, and of a skipped run match the schema', () => {
  for (const result of [agent, failed, skipped])
    expect(resultProblems(JSON.stringify(result))).toEqual([]);
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
