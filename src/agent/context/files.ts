import { globFilter, globMatcher } from '../../core/globs.ts';
import type { ChangedFile } from '../../github/changes.ts';
import { firstFitting, linesBytes } from './bounded-lines.ts';
import type { Clean } from './clean.ts';

/** In characters. Longer paths always match, because one can be crafted to keep a glob busy for minutes. */
const longestPath = 300;
/** In characters. A file with longer lines on average is written by tools: prose with one paragraph per line stays well below. */
const longLine = 1000;

/** Whether the docs depend on a file. */
export type FileFilter = (file: Pick<ChangedFile, 'path' | 'oldPath'>) => boolean;

/**
 * The files that the `paths` input chooses: the last matching glob wins, and `!` excludes; without globs, all files. A renamed
 * file is chosen by either name, because it is now missing from the old place.
 */
export function fileFilter(globs: readonly string[]): FileFilter {
  // GitHub's paths have no slash in front, and a glob means the same with it.
  const chooses = globFilter(globs, (glob) => globMatcher(glob.replace(/^\.?\//, '')));
  const isChosen = (path: string) => path.length > longestPath || chooses(path);
  return ({ path, oldPath }) => isChosen(path) || (oldPath !== undefined && isChosen(oldPath));
}

/** Names of lock files, minified code, source maps and snapshots: they say nothing that the rest of the change doesn't. */
const generated = [
  /[.-]lock(?:b|file|\.(?:json|ya?ml|hcl))?$|^pylock.*\.toml$|^npm-shrinkwrap\.json$|\.(?:sum|resolved|freeze)$/,
  /\.min\.(?:[cm]?js|css)$|\.(?:[cm]?[jt]s|css)\.map$|\.snap$/,
];

/** Why a file's patch is not sent, as the rest of a phrase; `undefined` if it is. */
export function whyNoPatch(file: ChangedFile, isChosen: FileFilter): string | undefined {
  const { path, patch } = file;
  if (!isChosen(file)) return 'that `paths` leaves out';
  const name = path.slice(path.lastIndexOf('/') + 1);
  const hasLongLines = patch !== undefined && patch.length > longLine * patch.split('\n').length;
  if (hasLongLines || generated.some((names) => names.test(name)))
    return 'that tools write (such as lock files)';
  return patch === undefined ? 'without a patch (only renamed, binary, or too large)' : undefined;
}

/** A file in a list: `- src/a.ts (added) +10 -0`. */
export function fileLine(file: ChangedFile, clean: Clean): string {
  const status = file.status === 'modified' || file.status === 'changed' ? '' : ` (${file.status})`;
  const lines = file.lines === undefined ? '' : ` +${file.lines.added} -${file.lines.removed}`;
  return `- ${pathsOf(file, clean)}${status}${lines}`;
}

/** `old → new`, or the one path. */
function pathsOf({ path, oldPath }: ChangedFile, clean: Clean): string {
  const paths = oldPath === undefined ? [path] : [oldPath, path];
  return paths.map(clean.line).join(' → ');
}

/**
 * As many hunks as fit, as lines, and how many are missing. The smallest patches are chosen first, so that as many files as
 * possible are complete; of larger patches, the hunks that still fit. They are listed in the order of the files, indented so that
 * none of their lines looks like ours.
 */
export function choosePatches(files: readonly ChangedFile[], bytes: number, clean: Clean) {
  const linesOf = new Map<ChangedFile, readonly string[]>();
  let left = bytes;
  let [missing, of] = [0, 0];
  const sizeOf = ({ patch = '' }: ChangedFile) => patch.length;
  for (const file of files.toSorted((one, other) => sizeOf(one) - sizeOf(other))) {
    // A hunk's lines begin with a space, `+`, `-` or `\`, so a line with `@@` always begins the next one.
    const hunks = file.patch ? file.patch.split(/\n(?=@@ )/) : [];
    const paths = pathsOf(file, clean);
    const partly = (sent: number) => `=== ${paths} (${sent} of ${hunks.length} hunks)`;
    const room = left - linesBytes([partly(hunks.length)]);
    // What is too large is dropped before any work is done on it.
    const smaller = hunks.filter((hunk) => hunk.length < room);
    const chosen = firstFitting(
      smaller.map((hunk) => clean.lines(hunk).replace(/^/gm, '    ')),
      room,
    );
    of += hunks.length;
    missing += hunks.length - chosen.length;
    if (chosen.length === 0) continue;
    const lines = [chosen.length === hunks.length ? `=== ${paths}` : partly(chosen.length), ...chosen];
    linesOf.set(file, lines);
    left -= linesBytes(lines);
  }
  return { lines: files.flatMap((file) => linesOf.get(file) ?? []), missing, of };
}
