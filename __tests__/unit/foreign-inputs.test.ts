import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readAction } from '../../simulator/runner/action.ts';
import type { RawInputs } from '../../src/core/inputs/given.ts';
import { modeNames, modes } from '../../src/modes.ts';
import { inputProblems } from '../support/samples/config.ts';

const inputs = modeNames.flatMap((mode) => Object.keys(modes[mode].inputs));
/** The defaults in action.yml, which every mode gets. The two required inputs have none. */
const { 'api-key': _, 'project-id': __, ...defaults } = Object.fromEntries(readAction().inputs);
const needed = { agent: { prompt: 'x' }, visitors: {}, collect: {} };
const ownersOf = (input: string) => modeNames.filter((mode) => input in modes[mode].inputs);

const problemsOf = (mode: (typeof modeNames)[number], raw: RawInputs) =>
  inputProblems({ ...defaults, ...needed[mode], mode, ...raw });

test.each(modeNames)('%s mode accepts the defaults of all inputs in action.yml', async (mode) => {
  for (const raw of [{}, { 'fail-on': 'none' }, { 'dry-run': 'False' }])
    expect(await problemsOf(mode, raw)).toEqual([]);
});

test('in every mode, an input that only other modes have is an error that names those modes', async () => {
  const values = fc.constantFrom('x', '7', 'total < -30%', 'thread');
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...modeNames),
      fc.constantFrom(...inputs),
      values,
      async (mode, input, value) => {
        const owners = ownersOf(input);
        const problems = await problemsOf(mode, { [input]: value });
        const whose = owners.map((owner) => `\`mode: ${owner}\``).join(' and ');
        const takes = `\`${input}\` belongs to ${whose}, but this is \`mode: ${mode}\``;
        if (owners.includes(mode)) expect(problems).not.toContainEqual(expect.objectContaining({ takes }));
        else expect(problems).toEqual([{ input: 'mode', got: undefined, takes }]);
      },
    ),
  );
});

test('several inputs of other modes are a single error, grouped by mode', async () => {
  const inputs = { alerts: 'total > 1%', top: '3', 'max-requests': '7', 'collect-since': '1 day' };
  const takes =
    '`top` and `alerts` belong to `mode: visitors`; `max-requests` belongs to `mode: visitors` and `mode: collect`; `collect-since` belongs to `mode: collect`, but this is `mode: agent`';
  expect(await problemsOf('agent', inputs)).toEqual([{ input: 'mode', got: undefined, takes }]);
});

test.each([
  [
    'agent',
    'alert\nincomplete',
    '`alert` belongs to `mode: visitors`; `incomplete` belongs to `mode: visitors` and `mode: collect`, but this is `mode: agent`',
  ],
  ['visitors', 'detached, alert', '`detached` belongs to `mode: agent`, but this is `mode: visitors`'],
] as const)('in %s mode, `fail-on` %j is an error: %s', async (mode, value, takes) => {
  expect(await problemsOf(mode, { 'fail-on': value })).toEqual([{ input: 'fail-on', got: undefined, takes }]);
});
