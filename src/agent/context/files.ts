import { globFilter, globMatcher } from '../../core/globs.ts';
import type { ChangedFile } from '../../github/changes.ts';
import { firstFitting, linesBytes } from './bounded-lines.ts';
import type { Clean } from './clean.ts';

/** In characters. Matching longer paths against globs could take minutes, so they always match. */
const maxPath = 300;
/** In characters. If the lines of a file are longer on average, we assume that a tool generated the file. */
const longLine = 1000;

/** Whether a file matches the `paths` input. */
export type FileFilter = (file: Pick<ChangedFile, 'path' | 'oldPath'>) => boolean;

/** The filter for the input `paths`. A renamed file is chosen by either name, because the old path no longer exists. */
export function fileFilter(globs: readonly string[]): FileFilter {
  // GitHub's paths don't begin with `/` or `./`, so these are removed from the globs.
  const chooses = globFilter(globs, (glob) => globMatcher(glob.replace(/^\.?\//, '')));
  const isChosen = (path: string) => path.length > maxPath || chooses(path);
  return ({ path, oldPath }) => isChosen(path) || (oldPath !== undefined && isChosen(oldPath));
}

/** The names of lock files, minified code, source maps, and snapshots. Their patches say nothing new about a change. */
const generated = [
  /[.-]lock(?:b|file|\.(?:json|ya?ml|hcl))?$|^pylock.*\.toml$|^npm-shrinkwrap\.json$|\.(?:sum|resolved|freeze)$/,
  /\.min\.(?:[cm]?js|css)$|\.(?:[cm]?[jt]s|css)\.map$|\.snap$/,
];

/** Why the patch of a file isn't sent, as the end of a phrase such as “2 files …”; `undefined` if it is sent. */
export function whyNoPatch(file: ChangedFile, isChosen: FileFilter): string | undefined {
  const { path, patch } = file;
  if (!isChosen(file)) return 'that `paths` excludes';
  const name = path.slice(path.lastIndexOf('/') + 1);
  const hasLongLines = patch !== undefined && patch.length > longLine * patch.split('\n').length;
  if (hasLongLines || generated.some((names) => names.test(name)))
    return 'that a tool generated (such as lock files)';
  return patch === undefined ? 'without a patch (only renamed, binary, or too large)' : undefined;
}

/** A file in the list: `- src/a.ts (added) +10 -0`. */
export function fileLine(file: ChangedFile, clean: Clean): string {
  const status = file.status === 'modified' || file.status === 'changed' ? '' : ` (${file.status})`;
  const lines = file.lines === undefined ? '' : ` +${file.lines.added} -${file.lines.removed}`;
  return `- ${pathsOf(file, clean)}${status}${lines}`;
}

function pathsOf({ path, oldPath }: ChangedFile, clean: Clean): string {
  return [oldPath ?? [], path].flat().map(clean.line).join(' → ');
}

/** Chooses the hunks that fit, from the smallest patch up, so that as many patches as possible are complete. */
export function choosePatches(files: readonly ChangedFile[], bytes: number, clean: Clean) {
  const linesOf = new Map<ChangedFile, readonly string[]>();
  let remaining = bytes;
  let [missing, of] = [0, 0];
  const sizeOf = ({ patch = '' }: ChangedFile) => patch.length;
  // No line of a hunk can pass for one of ours.
  const indented = (hunk: string) => clean.lines(hunk).replace(/^/gm, '    ');
  for (const file of files.toSorted((a, b) => sizeOf(a) - sizeOf(b))) {
    // Every line in a hunk begins with a space, `+`, `-`, or `\`. So a line that begins with `@@` starts the next hunk.
    const hunks = file.patch ? file.patch.split(/\n(?=@@ )/) : [];
    const paths = pathsOf(file, clean);
    const partly = (sent: number) => `=== ${paths} (${sent} of ${hunks.length} hunks)`;
    const room = remaining - linesBytes([partly(hunks.length)]);
    // Hunks that are too large are dropped first, because cleaning them takes time.
    const chosen = firstFitting(hunks.filter((hunk) => hunk.length < room).map(indented), room);
    of += hunks.length;
    missing += hunks.length - chosen.length;
    if (chosen.length === 0) continue;
    const lines = [
      chosen.length === hunks.length ? `=== ${paths}` : partly(chosen.length),
      ...chosen,
    ];
    linesOf.set(file, lines);
    remaining -= linesBytes(lines);
  }
  return { lines: files.flatMap((file) => linesOf.get(file) ?? []), missing, of };
}
