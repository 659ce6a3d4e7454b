import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Block, fitBlocks } from '../../../src/visitors/write/blocks.ts';

const bytes = (text: string) => Buffer.byteLength(text);
const cell = fc.string({ unit: fc.constantFrom('x', 'é', '😀'), maxLength: 30 });
const rowsOfTable = fc.array(fc.tuple(cell, fc.constant('7')), { minLength: 1, maxLength: 20 });
const tables = fc.array(rowsOfTable, { minLength: 1, maxLength: 4 });

test('a report that is too long loses its last rows first, and counts the rows that it leaves out', () => {
  fc.assert(
    fc.property(tables, fc.integer({ min: 100, max: 1200 }), (rows, most) => {
      const head = ['Page', 'Visitors'];
      const blocks = rows.map((cells, index): Block => {
        return { lead: `Table ${index}`, head, rows: cells, outOf: cells.length };
      });
      const text = fitBlocks(['First.', ...blocks, 'Last.'], { most, measure: bytes });
      expect(bytes(text)).toBeLessThanOrEqual(most);
      expect(text).toMatch(/^First\.\n\n/);
      const shown = text.split(/^Table (?=\d$)/m).slice(1);
      const kept = rows.map((_, index) => {
        const part = shown.find((table) => table.startsWith(`${index}\n`)) ?? '';
        return [...part.matchAll(/\| 7 \|$/gm)].length;
      });
      const notes = /\*Left out for lack of space: .* with (\d+) rows?\.\*|\*(\d+) more not listed\.\*/g;
      for (const match of text.matchAll(notes)) kept.push(Number(match[1] ?? match[2]));
      const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
      expect(sum(kept)).toBe(sum(rows.map(({ length }) => length)));
      // A table loses rows only after all later tables are gone, and no table appears without rows.
      const firstCut = rows.findIndex(({ length }, index) => (kept[index] ?? 0) < length);
      if (firstCut !== -1) expect(sum(kept.slice(firstCut + 1, rows.length))).toBe(0);
      expect(shown).toHaveLength(kept.slice(0, rows.length).filter((count) => count > 0).length);
    }),
    { numRuns: 300 },
  );
});
