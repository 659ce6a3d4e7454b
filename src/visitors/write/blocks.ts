import { counted, formatCount } from '../../text/counts.ts';
import { cell, joined, table } from '../../text/markdown.ts';

/** A part of the report: a text, or a table, which can lose rows to make the report shorter. */
export type Block = string | TableBlock;

interface TableBlock {
  /** For a collapsed table: its title, which is followed by the total number of rows. */
  readonly title?: string;
  readonly lead: string;
  readonly head: readonly string[];
  /** The cells of each row. The most useful row comes first. */
  readonly rows: readonly (readonly string[])[];
  /** The total number of rows, including those that are not listed. */
  readonly outOf: number;
}

/** The maximum length of a report, and how to measure it. */
export interface SizeLimit {
  readonly most: number;
  readonly measure: (text: string) => number;
}

/** GitHub drops a step's summary above 1 MiB. This leaves room for anything else the step writes. */
export const summaryLimit: SizeLimit = { most: 900 * 1024, measure: (text) => Buffer.byteLength(text) };

/** GitHub rejects comments above 65,536 characters. `length` never returns less than GitHub's own count. */
export const commentLimit: SizeLimit = { most: 60_000, measure: (text) => text.length };

/** A GitHub alert ("Basic writing and formatting syntax", Alerts); `''` if there are no lines. */
export function alertBlock(kind: 'WARNING' | 'CAUTION', texts: readonly string[]): string {
  const lines = texts.filter((text) => text !== '');
  return lines.length === 0 ? '' : [`[!${kind}]`, ...lines].map((line) => `> ${line}`).join('\n');
}

/** Lists the first items in a table. Returns `''` if the list is empty or unknown. */
export function listBlock<T>(
  items: readonly T[] = [],
  most: number,
  { cells, ...shape }: Omit<TableBlock, 'rows' | 'outOf'> & { cells: (item: T) => readonly string[] },
): Block {
  const rows = items.slice(0, most).map((item) => cells(item).map(cell));
  return items.length === 0 ? '' : { ...shape, rows, outOf: items.length };
}

/**
 * Joins the blocks. To make them fit, drops `spare`, then shortens and drops the tables from the last one up. The first table
 * matters most, so it keeps its rows until everything after it is dropped. A note says how much is missing.
 */
export function fitBlocks(blocks: readonly Block[], { most, measure }: SizeLimit, spare = ''): string {
  const kept = blocks.filter((block) => block !== '');
  const dropped: Block[] = [];
  const fits = () => kept.length === 0 || measure(join(kept, dropped)) <= most;
  if (!fits() && kept.includes(spare)) dropped.push(...kept.splice(kept.indexOf(spare), 1));
  while (!fits()) {
    const lastTable = kept.findLastIndex(isTable);
    const index = lastTable === kept.findIndex(isTable) ? kept.length - 1 : lastTable;
    const block = kept[index] ?? '';
    if (isTable(block) && block.rows.length > 1)
      kept[index] = { ...block, rows: block.rows.slice(0, 0.9 * block.rows.length) };
    else dropped.push(...kept.splice(index, 1));
  }
  return join(kept, dropped);
}

/** Collapses Markdown under a title. GitHub needs the blank lines to parse it as Markdown. */
export function fold(title: string, body: string): string {
  return `<details>\n<summary>${title}</summary>\n\n${body}\n\n</details>`;
}

function join(kept: readonly Block[], dropped: readonly Block[]): string {
  const rows = dropped.reduce((sum, block) => sum + (isTable(block) ? block.outOf : 0), 0);
  const parts = `${counted(dropped.length, 'more part')}${rows === 0 ? '' : ` with ${counted(rows, 'row')}`}`;
  const note = dropped.length > 0 && `*Left out for lack of space: ${parts}.*`;
  return `${joined([...kept.map(render), note], '\n\n')}\n`;
}

function isTable(block: Block): block is TableBlock {
  return typeof block !== 'string';
}

function render(block: Block): string {
  if (!isTable(block)) return block;
  const { title, lead, head, rows, outOf } = block;
  const unlisted = outOf - rows.length;
  const note = unlisted > 0 && `*${formatCount(unlisted)} more not listed.*`;
  const body = joined([lead, table(head, rows, 1), note], '\n\n');
  return title === undefined ? body : fold(`${title} (${formatCount(outOf)})`, body);
}
