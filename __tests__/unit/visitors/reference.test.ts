import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ACTION_DIR } from '../../../simulator/runner/action.ts';
import { isLong } from '../../support/long.ts';
import { type Case, judgeCase } from '../../support/usual-weeks/cases.ts';

/*
 * The rule of docs/visitors-method.md has a reference implementation in Python. Both must say the same about made-up weeks: every
 * name, side, range, and shown number. By day, these are the weeks in a file, which `generate.py` wrote (250 weeks, seed 7, small).
 */

const python = process.env.PYTHON ?? 'python3';
const generator = join(ACTION_DIR, '__tests__/support/usual-weeks/generate.py');
const reference = join(ACTION_DIR, '../shared/simulations');

function parseCases(text: string): Case[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

function expectSame(cases: readonly Case[]): void {
  for (const [index, given] of cases.entries()) {
    const said = judgeCase(given);
    expect({ index, ...said }).toEqual({ index, ...given.says });
  }
}

/** How often something is said about the cases: a comparison of nothing proves nothing. */
function countSaid(cases: readonly Case[]): Record<string, number> {
  const counts: Record<string, number> = {};
  const count = (what: string) => {
    counts[what] = (counts[what] ?? 0) + 1;
  };
  for (const { says } of cases) {
    count(`people: ${says.usual?.[2] ?? 'no range'}`);
    const lists = says.whole ? 'whole lists' : 'first rows';
    for (const [kind, , side] of says.named ?? []) count(`${lists}: ${kind}, ${side}`);
    for (const [, became] of says.changed ?? []) count(`changed: ${became}`);
    for (const what of ['new', 'gone', 'moves'] as const)
      for (const _ of says[what] ?? []) count(what);
    if (says.level !== undefined && says.level !== 1) count('leveled');
  }
  return counts;
}

test('250 weeks are judged as by the reference', () => {
  const path = join(ACTION_DIR, '__tests__/fixtures/usual-weeks.jsonl');
  const cases = parseCases(readFileSync(path, 'utf8'));
  expectSame(cases);
  expect(cases).toHaveLength(250);
  expect(countSaid(cases)).toMatchSnapshot();
});

const hasPackages = () => spawnSync(python, ['-c', 'import numpy, scipy']).status === 0;
const canCompare = isLong && existsSync(join(reference, 'rule7.py')) && hasPackages();
if (isLong && !canCompare)
  console.error(`NOT COMPARED: ${python} with numpy and scipy, or ${reference}, isn’t there.`);
const compared = canCompare ? test : test.skip;

compared('2,000 new weeks of larger sites are judged as by the reference', () => {
  const seed = process.env.TESTS_SEED ?? `${Date.now()}`;
  console.log(`seed ${seed}`);
  const text = execFileSync(python, [generator, reference, '2000', seed], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  const cases = parseCases(text);
  expectSame(cases);
  console.log(JSON.stringify(countSaid(cases)));
  expect(cases).toHaveLength(2000);
});
