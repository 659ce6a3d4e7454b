import { formatCount } from '../../text/counts.ts';
import { cell, joined, table } from '../../text/markdown.ts';

interface List<T> {
  /** For a collapsed list: its title, which is followed by the total number of items. */
  readonly title?: string;
  readonly lead?: string | undefined;
  readonly head: readonly string[];
  readonly cells: (item: T) => readonly string[];
}

/** A GitHub alert ("Basic writing and formatting syntax", Alerts); `''` if there are no lines. Summaries ignore line breaks. */
export function alertBlock(kind: 'WARNING' | 'CAUTION', texts: readonly string[]): string {
  const lines = texts.filter((text) => text !== '');
  return lines.length === 0 ? '' : `> [!${kind}]\n> ${lines.join('<br>')}`;
}

/** A table of the first items. Returns `''` if the list is empty or unknown. */
export function listBlock<T>(items: readonly T[] = [], most: number, { title, lead, head, cells }: List<T>) {
  if (items.length === 0) return '';
  const rows = items.slice(0, most).map((item) => cells(item).map(cell));
  const unlisted = items.length - rows.length;
  const note = unlisted > 0 && `*${formatCount(unlisted)} more not listed.*`;
  const body = joined([lead, table(head, rows, 1), note], '\n\n');
  return title === undefined ? body : fold(`${title} (${formatCount(items.length)})`, body);
}

/** Collapses Markdown under a title. GitHub needs the blank lines to parse it as Markdown. */
export function fold(title: string, body: string): string {
  return `<details>\n<summary>${title}</summary>\n\n${body}\n\n</details>`;
}
