import { table, tableRow } from '../lib/markdown.ts';
import { count } from './words.ts';

/** A part of the report. Only tables give way where there is no room, row by row. */
export type Block =
  | { readonly kind: 'text'; readonly text: string }
  | {
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
    };

/** How much a report may hold, and how that is measured. */
export interface Room {
  readonly most: number;
  readonly measure: (text: string) => number;
}

/** GitHub refuses a step's summary above 1 MiB and shows nothing of it; the rest is for what other steps add. */
export const summaryRoom: Room = { most: 900 * 1024, measure: (text) => Buffer.byteLength(text) };

/** GitHub refuses comments above 65,536 characters; the rest is for the marker. UTF-16 units are never fewer. */
export const commentRoom: Room = { most: 60_000, measure: (text) => text.length };

/** What the sentence about rows left out takes, at most. */
const noteRoom = 80;

/** Joins the blocks; drops whole rows, the last of the last table first, until they fit, and says how many. */
export function fitBlocks(blocks: readonly Block[], { most, measure }: Room): string {
  const kept = blocks.map((block) => (block.kind === 'table' ? block.rows.length : 0));
  const join = () => `${blocks.map((block, index) => render(block, kept[index] ?? 0)).join('\n\n')}\n`;
  let text = join();
  for (const [index, block] of [...blocks.entries()].reverse()) {
    let excess = measure(text) - most;
    if (excess <= 0) break;
    if (block.kind === 'text') continue;
    excess += noteRoom;
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

function render(block: Block, kept: number): string {
  if (block.kind === 'text') return block.text;
  const { folded, lead, head, rows, outOf, numbersFrom = 1 } = block;
  const parts = [
    lead,
    kept === 0 ? '' : table(head, rows.slice(0, kept), numbersFrom),
    kept === outOf ? '' : `*${count(outOf - kept)} more not listed.*`,
  ];
  const body = parts.filter((part) => part !== '').join('\n\n');
  return folded === undefined ? body : fold(folded, body);
}

/** Markdown inside HTML needs the blank lines around it. */
export function fold(title: string, body: string): string {
  return `<details>\n<summary>${title}</summary>\n\n${body}\n\n</details>`;
}
