import { table, tableRow } from '../text/markdown.ts';
import { formatCount, plural } from './numbers.ts';

/** A part of the report. If the report would be too long, tables lose rows; texts stay whole. */
export type Block = TextBlock | TableBlock;

export interface TextBlock {
  readonly kind: 'text';
  readonly text: string;
  /** Whether it goes first if there is no room: it is long, and others say most of it. */
  readonly isSpare?: boolean;
}

export interface TableBlock {
  readonly kind: 'table';
  /** Set for a table that is folded away: the title to click. */
  readonly folded?: string;
  readonly lead: string;
  readonly head: readonly string[];
  /** The first of the columns that hold numbers; 1 by default. */
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

/** GitHub refuses comments above 65,536 characters. `length` never counts fewer than GitHub. */
export const commentLimit: SizeLimit = { most: 60_000, measure: (text) => text.length };

/** The most room that the note about rows left out takes. */
const noteSize = 80;

/** A text as a block; none if the text is empty. */
export function textBlock(text: string): TextBlock[] {
  return text === '' ? [] : [{ kind: 'text', text }];
}

/** A block that GitHub sets off as a warning ("Basic writing and formatting syntax", Alerts). */
export function warningBlock(lines: readonly string[]): TextBlock[] {
  return lines.length === 0 ? [] : textBlock(['[!WARNING]', ...lines].map((line) => `> ${line}`).join('\n'));
}

/** How a list is shown as a table. */
export interface ListTable<T> extends Pick<TableBlock, 'lead' | 'head'> {
  /** Set for a table that is folded away: its title, shown with the length of the list. */
  readonly title?: string;
  readonly cells: (item: T) => readonly string[];
}

/** A table of the first items of a list; nothing if the list is empty or not known. */
export function listBlock<T>(items: readonly T[] | undefined, most: number, of: ListTable<T>): TableBlock[] {
  if (items === undefined || items.length === 0) return [];
  const { title, lead, head, cells } = of;
  const folded = title === undefined ? {} : { folded: `${title} (${formatCount(items.length)})` };
  const rows = items.slice(0, most).map(cells);
  return [{ kind: 'table', ...folded, lead, head, rows, outOf: items.length }];
}

/** Joins the blocks. Leaves out rows until they fit, the last ones of the last table first, and says how many. */
export function joinBlocks(blocks: readonly Block[], limit: SizeLimit): string {
  return joined(blocks, rowsThatFit(blocks, limit));
}

/**
 * Joins the blocks. If they do not fit whole, leaves out spare ones, then rows, then the last blocks, and says how many. A table
 * without a row is left out whole. For the first table, which matters most, the texts after it give way as well.
 */
export function fitBlocks(blocks: readonly Block[], limit: SizeLimit): string {
  const fits = (text: string) => limit.measure(text) <= limit.most;
  const whole = joinBlocks(blocks, unlimited(limit));
  if (fits(whole)) return whole;
  let kept = blocks.filter((block) => block.kind === 'table' || block.isSpare !== true);
  while (kept.length > 0) {
    const left = blocks.length - kept.length;
    const parts = left === 0 ? kept : [...kept, partsNote(left)];
    const rows = rowsThatFit(parts, limit);
    const text = joined(parts, rows);
    const rowless = kept.findLastIndex((block, index) => block.kind === 'table' && rows[index] === 0);
    if (fits(text) && rowless === -1) return text;
    const firstTable = kept.findIndex(({ kind }) => kind === 'table');
    kept = kept.toSpliced(fits(text) && rowless !== firstTable ? rowless : -1, 1);
  }
  return joinBlocks([partsNote(blocks.length)], limit);
}

/** The limit of a text that may be as long as it is. */
export function unlimited(limit: SizeLimit): SizeLimit {
  return { ...limit, most: Number.POSITIVE_INFINITY };
}

/** Shares out a room: those who need less than an even share leave the rest to the others. Gives the room of each. */
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

/** Markdown that is folded away under a title. GitHub reads it as Markdown only between blank lines. */
export function fold(title: string, body: string): string {
  return `<details>\n<summary>${title}</summary>\n\n${body}\n\n</details>`;
}

function joined(blocks: readonly Block[], kept: readonly number[]): string {
  return `${blocks.map((block, index) => render(block, kept[index] ?? 0)).join('\n\n')}\n`;
}

/** How many rows each table keeps, so that all fit, if they can. */
function rowsThatFit(blocks: readonly Block[], { most, measure }: SizeLimit): number[] {
  const kept = blocks.map((block) => (block.kind === 'table' ? block.rows.length : 0));
  let text = joined(blocks, kept);
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
    text = joined(blocks, kept);
  }
  return kept;
}

function partsNote(left: number): Block {
  return { kind: 'text', text: `*No room for ${plural(left, 'more part')} of this section.*` };
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
