import type { ChangedFile } from '../../github/changes.ts';
import { whyNamedOnly } from './block/noise.ts';
import { hunksOf } from './block/patch.ts';
import type { FileFilter } from './paths.ts';

/** So many times what can be sent is kept: of what fits as a whole, and of larger patches for hunks that fit behind it. */
const keptForEach = 4;

/**
 * The files of a change, without the patches that cannot be sent: the smallest go first, so the largest are let go. Their hunks
 * stay counted. Nothing changes while the patches are few.
 *
 * @param limitBytes the most that can be sent.
 */
export function lighten(
  files: readonly ChangedFile[],
  limitBytes: number,
  isChosen: FileFilter,
): readonly ChangedFile[] {
  const most = keptForEach * limitBytes;
  const withPatch = files.filter(({ patch }) => patch !== undefined);
  if (withPatch.reduce((sum, file) => sum + lengthOf(file), 0) <= most) return files;
  let left = most;
  const kept = new Set<ChangedFile>();
  for (const file of withPatch.toSorted((one, other) => lengthOf(one) - lengthOf(other))) {
    if (whyNamedOnly(file, isChosen) !== undefined) continue;
    left -= lengthOf(file);
    if (left < 0) break;
    kept.add(file);
  }
  return files.map((file) => {
    if (file.patch === undefined || kept.has(file)) return file;
    return { ...file, patch: undefined, hunksLetGo: hunksOf(file.patch).length };
  });
}

function lengthOf({ patch = '' }: ChangedFile): number {
  return patch.length;
}
