import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Block, joinBlocks } from '../../../src/report/blocks.ts';

const bytes = (text: string) => Buffer.byteLength(text);
const tables = fc.array(
  fc.array(fc.tuple(fc.string({ unit: fc.constantFrom('x', 'é', '😀'), maxLength: 30 }), fc.constant('7')), {
    minLength: 1,
    maxLength: 20,
  }),
  { minLength: 1, maxLength: 4 },
);

const blocksOf = (rows: readonly (readonly (readonly string[])[])[]): Block[] => [
  { kind: 'text', text: 'First.' },
  ...rows.map(
    (cells, index): Block => ({
      kind: 'table',
      lead: `Table ${index}`,
      head: ['Page', 'Visitors'],
      rows: cells,
      outOf: cells.length,
    }),
  ),
  { kind: 'text', text: 'Last.' },
];

test('blocks fit into any room that holds what cannot give way, the last rows going first, each one accounted for', () => {
  fc.assert(
    fc.property(tables, fc.integer({ min: 0, max: 1200 }), (rows, spare) => {
      const least = joinBlocks(blocksOf(rows), { most: 0, measure: bytes });
      const most = bytes(least) + spare;
      const text = joinBlocks(blocksOf(rows), { most, measure: bytes });
      expect(bytes(text)).toBeLessThanOrEqual(most);
      expect(text).toMatch(/^First\.\n\n[\s\S]*\n\nLast\.\n$/);
      const kept = text
        .split(/^Table \d$/m)
        .slice(1)
        .map((part) => [...part.matchAll(/\| 7 \|$/gm)].length);
      const left = text
        .split(/^Table \d$/m)
        .slice(1)
        .map((part) => Number(part.match(/\*(\d+) more not listed\.\*/)?.[1] ?? 0));
      for (const [index, cells] of rows.entries())
        expect((kept[index] ?? 0) + (left[index] ?? 0)).toBe(cells.length);
      // A table gives way only once those after it have nothing left to give.
      const firstCut = left.findIndex((count) => count > 0);
      if (firstCut !== -1) expect(kept.slice(firstCut + 1).every((count) => count === 0)).toBe(true);
    }),
    { numRuns: 300 },
  );
});
