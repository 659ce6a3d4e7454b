import { table } from '../text/markdown.ts';
import { formatCount, plural } from './numbers.ts';

/** A part of the report: a text, or a table, which can lose rows if the report would be too long. */
export type Block = string | TableBlock;

interface TableBlock {
  /** Set for a table that is folded away: its title, shown with how many rows there are in all. */
  readonly title?: string;
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

/** A text that GitHub sets off ("Basic writing and formatting syntax", Alerts); `''` without lines. */
export function alertBlock(kind: 'WARNING' | 'CAUTION', lines: readonly string[]): string {
  return lines.length === 0 ? '' : [`[!${kind}]`, ...lines].map((line) => `> ${line}`).join('\n');
}

/** A table of the first items of a list; `''` if the list is empty or not known. */
export function listBlock<T>(
  items: readonly T[] = [],
  most: number,
  { cells, ...shape }: Omit<TableBlock, 'rows' | 'outOf'> & { cells: (item: T) => readonly string[] },
): Block {
  const rows = items.slice(0, most).map(cells);
  return items.length === 0 ? '' : { ...shape, rows, outOf: items.length };
}

/**
 * Joins the blocks that are not empty. If they do not fit, the last table loses its last rows, and is left out whole if none
 * remains; then the table before it. The first table matters most: what comes after it goes before its rows do. The report says
 * what is missing.
 *
 * @param spare the block that goes before all others.
 */
export function fitBlocks(blocks: readonly Block[], { most, measure }: SizeLimit, spare = ''): string {
  let kept = blocks.filter((block) => block !== '');
  const dropped: Block[] = [];
  const drop = (index: number) => dropped.push(...kept.splice(index, 1));
  const fits = (some: readonly Block[]) => measure(join(some, dropped)) <= most;
  if (!fits(kept) && kept.includes(spare)) drop(kept.indexOf(spare));
  while (kept.length > 0 && !fits(kept)) {
    const lastTable = kept.findLastIndex(isTable);
    const index = lastTable === kept.findIndex(isTable) ? kept.length - 1 : lastTable;
    const room = most - measure(join(kept.toSpliced(index, 1), dropped)) - measure('\n\n');
    const shortened = shorten(kept[index], (block) => measure(render(block)) <= room);
    if (shortened === undefined) drop(index);
    else kept = kept.with(index, shortened);
  }
  return join(kept, dropped);
}

/** A table with as many of its rows as fit; `undefined` if none does, or for a text. */
function shorten(block: Block | undefined, fits: (block: Block) => boolean): Block | undefined {
  if (block === undefined || !isTable(block)) return undefined;
  const withRows = (count: number) => ({ ...block, rows: block.rows.slice(0, count) });
  let [low, high] = [0, block.rows.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(withRows(middle))) low = middle;
    else high = middle - 1;
  }
  return low > 0 ? withRows(low) : undefined;
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

function join(kept: readonly Block[], dropped: readonly Block[]): string {
  const rows = dropped.reduce((sum, block) => sum + (isTable(block) ? block.outOf : 0), 0);
  const parts = `${plural(dropped.length, 'more part')}${rows === 0 ? '' : ` with ${plural(rows, 'row')}`}`;
  const note = dropped.length === 0 ? [] : [`*No room for ${parts}.*`];
  return `${[...kept.map(render), ...note].join('\n\n')}\n`;
}

function isTable(block: Block): block is TableBlock {
  return typeof block !== 'string';
}

function render(block: Block): string {
  if (!isTable(block)) return block;
  const { title, lead, head, rows, outOf, numbersFrom = 1 } = block;
  const left = outOf - rows.length;
  const note = left === 0 ? [] : [`*${formatCount(left)} more not listed.*`];
  const body = [lead, table(head, rows, numbersFrom), ...note].filter((part) => part !== '').join('\n\n');
  return title === undefined ? body : fold(`${title} (${formatCount(outOf)})`, body);
}
