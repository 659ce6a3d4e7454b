import { table, tableRow } from '../../lib/markdown.ts';
import { formatCount } from './numbers.ts';

/** A part of the report. Where the report would be too long, tables lose rows; texts stay whole. */
export type Block = { readonly kind: 'text'; readonly text: string } | TableBlock;

export interface TableBlock {
  readonly kind: 'table';
  /** Folds the table away under this title. */
  readonly folded?: string;
  readonly lead: string;
  readonly head: readonly string[];
  /** The first column of numbers; all but the first column unless told otherwise. */
  readonly numbersFrom?: number;
  /** Cells by row, the most useful row first. */
  readonly rows: readonly (readonly string[])[];
  /** Rows there are in all, listed or not. */
  readonly outOf: number;
}

/** How long a report may be, and how that is measured. */
export interface SizeLimit {
  readonly most: number;
  readonly measure: (text: string) => number;
}

/** GitHub refuses a step's summary above 1 MiB and shows nothing of it; the rest is for what other steps add. */
export const summaryLimit: SizeLimit = { most: 900 * 1024, measure: (text) => Buffer.byteLength(text) };

/** GitHub refuses comments above 65,536 characters; the rest is for the marker. UTF-16 units are never fewer. */
export const commentLimit: SizeLimit = { most: 60_000, measure: (text) => text.length };

/** What the sentence about rows left out takes, at most. */
const noteSize = 80;

/** Joins the blocks; leaves out whole rows, the last of the last table first, until they fit, and says how many. */
export function joinBlocks(blocks: readonly Block[], { most, measure }: SizeLimit): string {
  const kept = blocks.map((block) => (block.kind === 'table' ? block.rows.length : 0));
  const join = () => `${blocks.map((block, index) => render(block, kept[index] ?? 0)).join('\n\n')}\n`;
  let text = join();
  for (const [index, block] of [...blocks.entries()].reverse()) {
    let excess = measure(text) - most;
    if (excess <= 0) break;
    if (block.kind === 'text') continue;
    excess += noteSize;
    let left = block.rows.length;
    while (left > 0 && excess > 0) {
      left -= 1;
      excess -= measure(`${tableRow(block.rows[left] ?? [])}\n`);
    }
    kept[index] = left;
    text = join();
  }
  return text;
}

/** A block with the first rows of its table. */
function render(block: Block, kept: number): string {
  if (block.kind === 'text') return block.text;
  const { folded, lead, head, rows, outOf, numbersFrom = 1 } = block;
  const parts = [
    lead,
    kept === 0 ? '' : table(head, rows.slice(0, kept), numbersFrom),
    kept === outOf ? '' : `*${formatCount(outOf - kept)} more not listed.*`,
  ];
  const body = parts.filter((part) => part !== '').join('\n\n');
  return folded === undefined ? body : fold(folded, body);
}

/** Markdown that is shown when its title is clicked. Inside HTML it needs the blank lines around it. */
export function fold(title: string, body: string): string {
  return `<details>\n<summary>${title}</summary>\n\n${body}\n\n</details>`;
}
