import { expect, test } from '@jest/globals';
import { agentInputs } from '../../src/agent/inputs.ts';
import { collectInputs } from '../../src/collect/inputs.ts';
import { parseConfig } from '../../src/config.ts';
import { commonInputs, modes } from '../../src/core/inputs/common.ts';
import { inputDocs } from '../../src/core/inputs/inputs.ts';
import { ownEndings, ownInputs, strayInputs } from '../../src/core/inputs/stray.ts';
import { failOnValues } from '../../src/core/outcome.ts';
import { visitorsInputs } from '../../src/visitors/inputs.ts';
import { outside } from '../support/samples/config.ts';

const schemas = { agent: agentInputs, visitors: visitorsInputs, collect: collectInputs };

test.each(modes)('the inputs that %s mode alone has, without a default, are all listed', (mode) => {
  const others = modes
    .filter((other) => other !== mode)
    .flatMap((other) => Object.keys(schemas[other].shape));
  const own = Object.entries(schemas[mode].shape)
    .filter(([name]) => !(name in commonInputs) && !others.includes(name))
    .filter(([, schema]) => schema.safeParse(undefined).data === undefined)
    .map(([name]) => name);
  for (const name of own) expect(inputDocs.has(schemas[mode].shape[name as never])).toBe(true);
  expect([...ownInputs[mode]].sort()).toEqual(own.sort());
});

test('an input of another mode is a mistake that names the mode it belongs to', async () => {
  expect(strayInputs('agent', { alerts: 'total > 1%', prompt: 'x' })).toEqual([
    { input: 'alerts', got: undefined, takes: 'belongs to `mode: visitors`; this is `mode: agent`' },
  ]);
  const raw = { 'api-key': 'mint_fake_key', 'project-id': 'prj_1', alerts: 'total > 1%' };
  await expect(parseConfig(raw, outside)).rejects.toThrow('belongs to `mode: visitors`');
});

test('a value of `fail-on` that the mode never ends with is a mistake; those of the default are taken in every mode', async () => {
  expect(strayInputs('agent', { 'fail-on': 'failed, alert\nincomplete' })).toEqual([
    {
      input: 'fail-on',
      got: undefined,
      takes: '`incomplete` belongs to `mode: visitors` and `mode: collect`; this is `mode: agent`',
    },
    { input: 'fail-on', got: undefined, takes: '`alert` belongs to `mode: visitors`; this is `mode: agent`' },
  ]);
  expect(strayInputs('collect', { 'fail-on': 'alert, incomplete' })).toHaveLength(1);
  expect(strayInputs('visitors', { 'fail-on': 'detached, alert, incomplete' })).toHaveLength(1);
  expect([...Object.keys(ownEndings), 'failed', 'timed-out'].sort()).toEqual([...failOnValues].sort());
  for (const mode of modes) expect(strayInputs(mode, { 'fail-on': 'failed, timed-out' })).toEqual([]);
  for (const mode of modes) expect(strayInputs(mode, { 'fail-on': 'none' })).toEqual([]);
});

test.each(['visitors', 'collect'] as const)(
  '%s mode plays no dry run, and says so before it writes',
  (mode) => {
    const takes = `belongs to \`mode: agent\`; this is \`mode: ${mode}\``;
    expect(strayInputs(mode, { 'dry-run': 'True' })).toEqual([{ input: 'dry-run', got: undefined, takes }]);
    expect(strayInputs(mode, { 'dry-run': 'false' })).toEqual([]);
    expect(strayInputs('agent', { 'dry-run': 'true' })).toEqual([]);
  },
);
