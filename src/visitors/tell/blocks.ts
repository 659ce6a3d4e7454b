import { table, tableRow } from '../../lib/markdown.ts';
import { formatCount, plural } from './numbers.ts';

/** A part of the report. Where the report would be too long, tables lose rows; texts stay whole. */
export type Block = TextBlock | TableBlock;

export interface TextBlock {
  readonly kind: 'text';
  readonly text: string;
  /** Whether it goes first where there is no room: it is long, and others say the most of it. */
  readonly isSpare?: boolean;
}

export interface TableBlock {
  readonly kind: 'table';
  /** Set for a table that is folded away: the title to click. */
  readonly folded?: string;
  readonly lead: string;
  readonly head: readonly string[];
  /** The first of the columns that hold numbers; 1 unless told otherwise. */
  readonly numbersFrom?: number;
  /** The cells of each row, the most useful row first. */
  readonly rows: readonly (readonly string[])[];
  /** How many rows there are in all, listed or not. */
  readonly outOf: number;
}

/** How long a report may be, and how that is measured. */
export interface SizeLimit {
  readonly most: number;
  readonly measure: (text: string) => number;
}

/** GitHub shows nothing of a step's summary above 1 MiB; this leaves room for what else the step may write. */
export const summaryLimit: SizeLimit = { most: 900 * 1024, measure: (text) => Buffer.byteLength(text) };

/** GitHub refuses comments above 65,536 characters. The marker counts too. `length` never counts fewer than GitHub. */
export const commentLimit: SizeLimit = { most: 60_000, measure: (text) => text.length };

/** The most that the note about rows left out takes. */
const noteSize = 80;

/** Joins the blocks. Leaves out rows until they fit, the last ones of the last table first, and says how many. */
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

/** Joins the blocks. Where they do not fit whole, leaves out spare ones, then rows, then the last blocks, and says how many. */
export function fitBlocks(blocks: readonly Block[], limit: SizeLimit): string {
  const fits = (text: string) => limit.measure(text) <= limit.most;
  const whole = joinBlocks(blocks, { ...limit, most: Number.POSITIVE_INFINITY });
  if (fits(whole)) return whole;
  const needed = blocks.filter((block) => block.kind === 'table' || block.isSpare !== true);
  for (let kept = needed.length; kept > 0; kept -= 1) {
    const left = blocks.length - kept;
    const text = joinBlocks([...needed.slice(0, kept), ...(left === 0 ? [] : [partsNote(left)])], limit);
    if (fits(text)) return text;
  }
  return joinBlocks([partsNote(blocks.length)], limit);
}

function partsNote(left: number): Block {
  return { kind: 'text', text: `*No room for ${plural(left, 'more part')} of this section.*` };
}

/** Shares out a room: who needs less than an even share leaves the rest of it to the others. Gives the room of each. */
export function shareOut(needs: readonly number[], room: number): number[] {
  const shares = [...needs];
  let left = room;
  const smallestFirst = [...needs.entries()].sort(([, one], [, other]) => one - other);
  for (const [place, [index, need]] of smallestFirst.entries()) {
    const even = Math.max(0, Math.floor(left / (needs.length - place)));
    shares[index] = Math.min(need, even);
    left -= Math.min(need, even);
  }
  return shares;
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

/** Markdown that is folded away under a title. GitHub reads it as Markdown only between blank lines. */
export function fold(title: string, body: string): string {
  return `<details>\n<summary>${title}</summary>\n\n${body}\n\n</details>`;
}
