import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  formatChange,
  formatPercent,
  formatPoints,
  toPercent,
} from '../../../src/visitors/write/words/figures.ts';

describe('a percentage', () => {
  test.each([
    [0, 7, '0%', '0%', '0.0'],
    [-1, 1, '100%', '−100%', '-100.0'],
    [-150, 10_000, '2%', '−2%', '-1.5'],
    [40, 100_000, '<1%', '<+1%', '0.1'],
    [-40, 100_000, '<1%', '>−1%', '-0.1'],
    [-99_999, 100_000, '>99%', '<−99%', '-99.9'],
    [99_999, 100_000, '>99%', '>+99%', '99.9'],
    [12_345, 10, '123,450%', '+123,450%', '123450.0'],
  ])(
    'of %d in %d is %s as a share, %s as a change, and %s as an output',
    (part, whole, ...expected) => {
      const ratio = { part, whole };
      const shown = [formatPercent(ratio), formatChange(ratio), toPercent(ratio).toFixed(1)];
      expect(shown).toEqual(expected);
    },
  );

  test('has one decimal in outputs, none in texts, and is 0 or 100 only if it is exact', () => {
    const whole = fc.integer({ min: 1, max: 1_000_000 });
    fc.assert(
      fc.property(fc.integer({ min: -3_000_000, max: 3_000_000 }), whole, (a, b) => {
        const ratio = { part: a, whole: b };
        const output = toPercent(ratio).toFixed(1);
        expect(output).toMatch(/^-?\d+\.\d$/);
        const said = formatChange(ratio)
          .replace(/[+,%<>]/g, '')
          .replace('−', '-');
        expect(said).toMatch(/^-?\d+$/);
        expect(Math.abs(Number(said) - Number(output))).toBeLessThanOrEqual(1);
        expect(Number(said) === 0).toBe(a === 0);
        expect(Math.abs(Number(said)) === 100 && Math.abs(a) < b).toBe(false);
        expect(formatPercent(ratio, 1).replace(/[,%<>]/g, '')).toBe(output.replace('-', ''));
        const tenths = Math.round(Number(output) * 10);
        expect(output === '0.0').toBe(a === 0);
        expect(Math.abs(tenths) === 1000 && Math.abs(a) < b).toBe(false);
        // Rounding changes a value by at most 0.05. Values near 0 and 100 may change by 0.1.
        const isBound = /[<>]/.test(formatPercent(ratio, 1));
        expect(Math.abs(2 * (1000 * a - tenths * b))).toBeLessThanOrEqual(isBound ? 2 * b : b);
      }),
      { numRuns: 1000 },
    );
  });
});

test('points are the difference of two shares', () => {
  const shares = [300, 311, 376].map((part) => ({ part, whole: 1000 }));
  const differences = shares.map((share) => formatPoints(share, shares[1]));
  expect(differences).toEqual(['−1 point', '0 points', '+7 points']);
  expect(formatPoints(shares[0], undefined)).toBe('–');
});
