import type { ChangedFile } from '../../../github/changes.ts';
import type { Clean } from './clean.ts';

/** `old → new`, or the one name. */
export function namesOf({ path, oldPath }: ChangedFile, clean: Clean): string {
  const names = oldPath === undefined ? [path] : [oldPath, path];
  return names.map((name) => clean.oneLine(name)).join(' → ');
}

/** A file in the list of names: `src/a.ts (added) +10 -0`. */
export function fileLine(file: ChangedFile, clean: Clean): string {
  const status = file.status === 'modified' || file.status === 'changed' ? '' : ` (${file.status})`;
  const lines = file.lines === undefined ? '' : ` +${file.lines.added} -${file.lines.removed}`;
  return `- ${namesOf(file, clean)}${status}${lines}`;
}
