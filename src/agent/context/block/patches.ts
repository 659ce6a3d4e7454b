import type { ChangedFile } from '../../../github/changes.ts';
import type { Clean } from './clean.ts';
import { namesOf } from './files.ts';
import { lineBytes } from './page.ts';
import { hunksOf } from './patch.ts';

/** The patches that fit, as lines, and how many hunks there are and do not fit. */
export interface ChosenPatches {
  readonly lines: readonly string[];
  readonly missing: number;
  readonly of: number;
}

/**
 * As much of the patches as fits, in whole hunks. The smallest patches go first, so that as many files as can be are shown whole
 * and no giant takes the room of many; of the larger ones go those hunks that still fit. All are shown in the order given.
 */
export function choosePatches(files: readonly ChangedFile[], bytes: number, clean: Clean): ChosenPatches {
  const linesOf = new Map<ChangedFile, readonly string[]>();
  let left = bytes;
  let [missing, of] = [0, 0];
  for (const file of files.toSorted((one, other) => patchLength(one) - patchLength(other))) {
    const hunks = hunksOf(file.patch ?? '');
    const names = namesOf(file, clean);
    const partly = (sent: number) => `=== ${names} (${sent} of ${hunks.length} hunks)`;
    const chosen = hunksWithin(left - lineBytes(partly(hunks.length)), hunks, clean);
    const ofFile = file.hunksLetGo ?? hunks.length;
    of += ofFile;
    missing += ofFile - chosen.length;
    if (chosen.length === 0) continue;
    const lines = [chosen.length === hunks.length ? `=== ${names}` : partly(chosen.length), ...chosen];
    linesOf.set(file, lines);
    left -= lines.reduce((sum, line) => sum + lineBytes(line), 0);
  }
  return { lines: files.flatMap((file) => linesOf.get(file) ?? []), missing, of };
}

/** The hunks that fit, cleaned; looked at as GitHub gave them first, so that of a giant only what may fit is worked on. */
function hunksWithin(bytes: number, hunks: readonly string[], clean: Clean): string[] {
  let left = bytes;
  return hunks.flatMap((hunk) => {
    if (hunk.length >= left || lineBytes(hunk) > left) return [];
    const text = clean.hunk(hunk);
    if (lineBytes(text) > left) return [];
    left -= lineBytes(text);
    return [text];
  });
}

function patchLength({ patch }: ChangedFile): number {
  return patch?.length ?? 0;
}
