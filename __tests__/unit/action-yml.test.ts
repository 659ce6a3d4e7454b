import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { ACTION_DIR } from '../../simulator/runner/action.ts';
import { defaultOf } from '../../src/core/inputs/inputs.ts';
import { modeInput, modeNames, modes } from '../../src/modes.ts';

const read = (file: string) => readFileSync(join(ACTION_DIR, file), 'utf8');
const action = parse(read('action.yml'));
const docs = read('docs/reference.md');

test.each(modeNames)('action.yml has the inputs of %s mode, with their defaults', async (mode) => {
  for (const [name, schema] of Object.entries({ mode: modeInput, ...modes[mode].inputs })) {
    const { success: isOptional } = await schema.safeParseAsync(undefined);
    const usual = name === 'github-token' ? '${{ github.token }}' : defaultOf(schema) || undefined;
    const { description: _, ...input } = action.inputs[name];
    expect([name, input]).toEqual([name, { required: !isOptional, default: usual }]);
  }
});

test('action.yml has no other inputs', () => {
  const names = modeNames.flatMap((mode) => Object.keys(modes[mode].inputs));
  expect(Object.keys(action.inputs).filter((name) => !['mode', ...names].includes(name))).toEqual([]);
});

test.each(Object.entries<{ description: string }>({ ...action.inputs, ...action.outputs }))(
  '%s is described in action.yml and in the reference',
  (name, { description }) => {
    expect(description).toMatch(/^\S.*\.$/);
    expect(docs).toContain(`| \`${name}\` |`);
  },
);

test('the Marketplace gets a name, a description shorter than 125 characters, an icon, and a color', () => {
  expect(action).toMatchObject({
    name: expect.stringMatching(/\S/),
    description: expect.stringMatching(/^[A-Z].{40,123}$/u),
    branding: { icon: expect.stringMatching(/^[a-z-]+$/), color: expect.stringMatching(/^[a-z]+$/) },
  });
});
