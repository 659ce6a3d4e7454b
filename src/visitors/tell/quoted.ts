import { capped, cell, code } from '../../lib/markdown.ts';

/** Characters shown of a path, glob or rule; the files have paths whole. */
const longest = 160;

/** A glob or rule as code in a sentence. */
export function quoted(text: string): string {
  return code(capped(text, longest));
}

/** A path as code in a sentence. */
export function pathCode(path: string, most = longest): string {
  return path === '' ? emptyPath : code(capped(path, most));
}

/** A path as code in the cell of a table. */
export function pathCell(path: string, most = longest): string {
  return cell(pathCode(path, most));
}

/** Stands for a path without characters; no code, since a page may have these words for a path. */
export const emptyPath = '(empty path)';
