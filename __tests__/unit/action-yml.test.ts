import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { ACTION_DIR } from '../../simulator/runner/action.ts';

const action = parse(readFileSync(join(ACTION_DIR, 'action.yml'), 'utf8'));

test('the description is short enough for the Marketplace, which takes less than 125 characters', () => {
  expect(action.description).toMatch(/^[A-Z].{40,123}$/u);
});

test('the Marketplace finds a name, an icon and a colour', () => {
  expect(action).toMatchObject({
    name: expect.stringMatching(/\S/),
    branding: { icon: expect.stringMatching(/^[a-z-]+$/), color: expect.stringMatching(/^[a-z]+$/) },
  });
});
