import { createTwoFilesPatch, OMIT_HEADERS } from 'diff/lib/patch/create.js';
import type { GitFile, GitTree } from './git.ts';

/** A file that differs between two trees. */
export interface FileChange {
  readonly path: string;
  /** The path before a rename. */
  readonly oldPath: string | undefined;
  readonly status: 'added' | 'removed' | 'modified' | 'renamed';
  readonly before: GitFile | undefined;
  readonly after: GitFile | undefined;
}

/** If at least this fraction of lines is unchanged, Git treats two files as a rename. */
const similarity = 0.5;
/** If more files than this were removed, Git detects only renames without changes. */
const maxRenames = 50;

/** The files that differ between two trees, sorted by path. */
export function changesBetween(base: GitTree, head: GitTree): FileChange[] {
  const changes: FileChange[] = [];
  const removed = new Map([...base].filter(([path]) => !head.has(path)));
  const added: [string, GitFile][] = [];
  for (const [path, after] of head) {
    const before = base.get(path);
    if (before === undefined) added.push([path, after]);
    else if (before.blob !== after.blob || before.mode !== after.mode)
      changes.push({ path, oldPath: undefined, status: 'modified', before, after });
  }
  for (const [path, after] of added) {
    const oldPath = originOf(after, removed);
    const status = oldPath === undefined ? 'added' : 'renamed';
    changes.push({ path, oldPath, status, before: removed.get(oldPath ?? ''), after });
    removed.delete(oldPath ?? '');
  }
  for (const [path, before] of removed)
    changes.push({ path, oldPath: undefined, status: 'removed', before, after: undefined });
  return changes.sort((one, other) => (one.path < other.path ? -1 : 1));
}

/** The patch of a change; `undefined` for binaries, submodules, and unchanged content. */
export function patchOf({ before, after }: FileChange) {
  const isText = [before, after].every((file) => file === undefined || file.text !== undefined);
  if (!isText || before?.blob === after?.blob) return undefined;
  const options = { context: 3, headerOptions: OMIT_HEADERS };
  const patch = createTwoFilesPatch('', '', before?.text ?? '', after?.text ?? '', '', '', options);
  // Git omits a hunk's length if it is 1.
  const lines = patch
    .replace(/^@@ .*/gm, (head) => head.replace(/,1 /g, ' '))
    .split('\n')
    .slice(0, -1);
  const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length;
  if (count('@@') === 0) return undefined;
  return { text: lines.join('\n'), lines: lines.length, added: count('+'), removed: count('-') };
}

function originOf(
  { blob, text }: GitFile,
  removed: ReadonlyMap<string, GitFile>,
): string | undefined {
  for (const [path, file] of removed) if (file.blob === blob) return path;
  if (text === undefined || removed.size > maxRenames) return undefined;
  for (const [path, file] of removed)
    if (sharedFraction(file.text ?? '', text) >= similarity) return path;
  return undefined;
}

function sharedFraction(one: string, other: string): number {
  const lines = new Set(one.split('\n').filter((line) => line !== ''));
  const others = other.split('\n').filter((line) => line !== '');
  const shared = others.filter((line) => lines.has(line)).length;
  return shared / Math.max(1, lines.size, others.length);
}
