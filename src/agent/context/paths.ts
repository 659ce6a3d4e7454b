import type { ChangedFile } from '../../github/changes.ts';
import { globFilter, globMatcher } from '../../lib/globs.ts';

/** Tells whether a file of a change is one of those that are meant. */
export type FileFilter = (file: Pick<ChangedFile, 'path' | 'oldPath'>) => boolean;

/**
 * The files that the `paths` input chooses: ordered globs, the last that matches a name decides, `!` excludes; all files where
 * there are none. A file that was renamed is chosen by its new name or its old one, since it has left where it was.
 */
export function fileFilter(globs: readonly string[]): FileFilter {
  // GitHub's paths have no slash in front; in a glob one says the same as none.
  const chooses = globFilter(globs, (glob) => globMatcher(glob.replace(/^\.?\//, '')));
  return ({ path, oldPath }) => chooses(path) || (oldPath !== undefined && chooses(oldPath));
}
