import type { ChangedFile } from '../../github/changes.ts';
import { lineBytes, linesBytes } from './bounded-lines.ts';
import type { Clean } from './clean.ts';
import { pathsOf } from './lines.ts';

/**
 * As many hunks as fit, as lines, and how many of all are missing. The smallest patches go first, so that as many files as
 * possible are complete and a giant doesn't take the room of many; of larger patches, the hunks that still fit. They are shown
 * in the order of the files.
 */
export function choosePatches(files: readonly ChangedFile[], bytes: number, clean: Clean) {
  const linesOf = new Map<ChangedFile, readonly string[]>();
  let left = bytes;
  let [missing, of] = [0, 0];
  for (const file of files.toSorted((one, other) => patchLength(one) - patchLength(other))) {
    const hunks = hunksOf(file.patch ?? '');
    const paths = pathsOf(file, clean);
    const partly = (sent: number) => `=== ${paths} (${sent} of ${hunks.length} hunks)`;
    const chosen = hunksWithin(left - lineBytes(partly(hunks.length)), hunks, clean);
    of += hunks.length;
    missing += hunks.length - chosen.length;
    if (chosen.length === 0) continue;
    const lines = [chosen.length === hunks.length ? `=== ${paths}` : partly(chosen.length), ...chosen];
    linesOf.set(file, lines);
    left -= linesBytes(lines);
  }
  return { lines: files.flatMap((file) => linesOf.get(file) ?? []), missing, of };
}

/**
 * The hunks that fit, cleaned, and indented so that none of their lines looks like ours. What is too large to fit is dropped
 * before any work is done on it.
 */
function hunksWithin(bytes: number, hunks: readonly string[], clean: Clean): string[] {
  let left = bytes;
  return hunks.flatMap((hunk) => {
    if (hunk.length >= left) return [];
    const text = clean.hunk(hunk).replace(/^/gm, '    ');
    if (lineBytes(text) > left) return [];
    left -= lineBytes(text);
    return [text];
  });
}

/** The hunks of a patch. Their lines begin with a space, `+`, `-` or `\`, so a line with `@@` always begins the next hunk. */
export function hunksOf(patch: string): string[] {
  return patch === '' ? [] : patch.split(/\n(?=@@ )/);
}

function patchLength({ patch }: ChangedFile): number {
  return patch?.length ?? 0;
}
