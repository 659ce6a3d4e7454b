import { globFilter, globMatcher } from '../../core/globs.ts';
import type { ChangedFile } from '../../github/changes.ts';
import { chooseFitting, linesBytes } from './bounded-block.ts';
import { type Clean, indent } from './clean.ts';

/** Matching longer paths against globs could take minutes, so they always match. */
const maxPathLength = 300;
/** If the lines of a file are longer on average, we assume that a tool generated the file. */
const maxLineLength = 1000;

/** Whether a file matches the `paths` input. */
export type FileFilter = (file: Pick<ChangedFile, 'path' | 'oldPath'>) => boolean;

/**
 * The filter for the input `paths`. A renamed file is chosen by either name, because the old path
 * no longer exists.
 */
export function createFileFilter(globs: readonly string[]): FileFilter {
  // GitHub's paths don't begin with `/` or `./`, so these are removed from the globs.
  const matches = globFilter(globs, (glob) => globMatcher(glob.replace(/^\.?\//, '')));
  const isChosen = (path: string) => path.length > maxPathLength || matches(path);
  return ({ path, oldPath }) => isChosen(path) || (oldPath !== undefined && isChosen(oldPath));
}

/**
 * The names of lock files, minified code, source maps, and snapshots. Their patches say nothing new
 * about a change.
 */
const generatedNames = [
  /[.-]lock(?:b|file|\.(?:json|ya?ml|hcl))?$/,
  /^pylock.*\.toml$|^npm-shrinkwrap\.json$|\.(?:sum|resolved|freeze)$/,
  /\.min\.(?:[cm]?js|css)$|\.(?:[cm]?[jt]s|css)\.map$|\.snap$/,
];

/**
 * Why the patch of a file isn't sent, as the end of a phrase such as “2 files …”; `undefined` if it
 * is sent.
 */
export function whyNoPatch(file: ChangedFile, isChosen: FileFilter): string | undefined {
  if (!isChosen(file)) return 'that `paths` excludes';
  if (isGenerated(file)) return 'that a tool generated (such as lock files)';
  if (file.patch === undefined) return 'without a patch (only renamed, binary, or too large)';
  return undefined;
}

function isGenerated({ path, patch }: ChangedFile) {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (generatedNames.some((pattern) => pattern.test(name))) return true;
  return patch !== undefined && patch.length > maxLineLength * patch.split('\n').length;
}

/** A file in the list: `- src/a.ts (added) +10 -0`. */
export function fileLine(file: ChangedFile, clean: Clean) {
  const { status, lines } = file;
  let text = `- ${pathsOf(file, clean)}`;
  if (status !== 'modified' && status !== 'changed') text += ` (${status})`;
  if (lines) text += ` +${lines.added} -${lines.removed}`;
  return text;
}

function pathsOf({ path, oldPath }: ChangedFile, clean: Clean) {
  if (oldPath === undefined) return clean.line(path);
  return `${clean.line(oldPath)} → ${clean.line(path)}`;
}

/**
 * Chooses the hunks that fit, from the smallest patch up, so that as many patches as possible are
 * complete.
 */
export function choosePatches(files: readonly ChangedFile[], maxBytes: number, clean: Clean) {
  const linesByFile = new Map<ChangedFile, readonly string[]>();
  let remainingBytes = maxBytes;
  let total = 0;
  let missing = 0;
  const sizeOf = ({ patch = '' }: ChangedFile) => patch.length;
  for (const file of files.toSorted((a, b) => sizeOf(a) - sizeOf(b))) {
    const paths = pathsOf(file, clean);
    const hunks = splitPatch(file.patch);
    const partHeading = (count: number) => `=== ${paths} (${count} of ${hunks.length} hunks)`;
    const maxHunkBytes = remainingBytes - linesBytes([partHeading(hunks.length)]);
    // Hunks that are too large are dropped first, because cleaning them takes time.
    const candidates = hunks.filter((hunk) => hunk.length < maxHunkBytes);
    const cleaned = candidates.map((hunk) => indent(clean.lines(hunk)));
    const chosen = chooseFitting(cleaned, maxHunkBytes);
    total += hunks.length;
    missing += hunks.length - chosen.length;
    if (chosen.length === 0) continue;
    const isComplete = chosen.length === hunks.length;
    const heading = isComplete ? `=== ${paths}` : partHeading(chosen.length);
    const lines = [heading, ...chosen];
    linesByFile.set(file, lines);
    remainingBytes -= linesBytes(lines);
  }
  const lines = files.flatMap((file) => linesByFile.get(file) ?? []);
  return { lines, missing, total };
}

function splitPatch(patch: string | undefined) {
  if (!patch) return [];
  // Every line in a hunk begins with a space, `+`, `-`, or `\`. So a line that begins with `@@`
  // starts the next hunk.
  return patch.split(/\n(?=@@ )/);
}
