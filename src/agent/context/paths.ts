import { globFilter, globMatcher } from '../../core/globs.ts';
import type { ChangedFile } from '../../github/changes.ts';

/** In characters. Longer ones count as chosen, so that nothing is skipped for them. */
const longestPath = 300;

/** Tells whether a file of a change is one of those that are meant. */
export type FileFilter = (file: Pick<ChangedFile, 'path' | 'oldPath'>) => boolean;

/**
 * The files that the `paths` input chooses: ordered globs, the last that matches a name decides, `!` excludes; all files where
 * there are none. A file that was renamed is chosen by its new name or its old one, since it has left where it was.
 */
export function fileFilter(globs: readonly string[]): FileFilter {
  // GitHub's paths have no slash in front; in a glob one says the same as none.
  const chooses = globFilter(globs, (glob) => globMatcher(glob.replace(/^\.?\//, '')));
  // A name may be made to keep a glob busy for minutes: one that is longer than any of a repository's is not tried.
  const isChosen = (path: string) => path.length > longestPath || chooses(path);
  return ({ path, oldPath }) => isChosen(path) || (oldPath !== undefined && isChosen(oldPath));
}
