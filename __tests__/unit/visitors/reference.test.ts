import { readFileSync } from 'node:fs';
import { test, expect } from '@jest/globals';
import { judgeCase } from '../../support/usual-weeks/cases.ts';
test('x', () => {
  const lines = readFileSync(process.env.CASES ?? '', 'utf8').trimEnd().split('\n');
  let bad = 0;
  for (const [index, line] of lines.entries()) {
    const given = JSON.parse(line);
    const said: Record<string, unknown> = judgeCase(given) as never;
    for (const key of new Set([...Object.keys(said), ...Object.keys(given.says)])) {
      const a = JSON.stringify(said[key]); const b = JSON.stringify(given.says[key]);
      if (a !== b && bad < 25) { bad += 1; console.log(index, key, 'TS', a, 'PY', b); }
    }
  }
  expect(bad).toBe(0);
});
