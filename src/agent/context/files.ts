import { globFilter, globMatcher } from '../../core/globs.ts';
import type { ChangedFile } from '../../github/changes.ts';

/** In characters. Longer paths count as chosen, because one can be written to keep a glob busy for minutes. */
const longestPath = 300;
/** In characters. Longer lines, on average, are for machines: prose with a paragraph per line stays well below. */
const longLine = 1000;

/** Whether the docs depend on a file. */
export type FileFilter = (file: Pick<ChangedFile, 'path' | 'oldPath'>) => boolean;

/**
 * The files that the `paths` input chooses: ordered globs, the last match decides, `!` excludes; all files without any globs. A
 * renamed file is chosen by either name, because it is now missing from the old place.
 */
export function fileFilter(globs: readonly string[]): FileFilter {
  // GitHub's paths have no slash in front, and a glob means the same with it.
  const chooses = globFilter(globs, (glob) => globMatcher(glob.replace(/^\.?\//, '')));
  const isChosen = (path: string) => path.length > longestPath || chooses(path);
  return ({ path, oldPath }) => isChosen(path) || (oldPath !== undefined && isChosen(oldPath));
}

/** Why a file's patch is not sent. */
export type NoPatchReason = 'excluded' | 'no-patch' | 'lock-file' | 'minified' | 'snapshot';

/** File names of what tools write: it says nothing that the rest of the change doesn't. */
const namesBy: readonly (readonly [NoPatchReason, RegExp])[] = [
  // JavaScript.
  ['lock-file', /^(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml)$/],
  ['lock-file', /^(?:yarn|bun|deno)\.lock$|^bun\.lockb$/],
  // Python.
  ['lock-file', /^(?:poetry|uv|pdm|Pipfile|pixi)\.lock$|^pylock(?:\.[^.]+)?\.toml$|^conda-lock\.yml$/],
  // Rust, Go, Ruby, PHP, Elixir, Dart, Swift and Objective-C.
  ['lock-file', /^(?:Cargo|Gemfile|composer|mix|pubspec|Podfile)\.lock$|^go(?:\.work)?\.sum$/],
  ['lock-file', /^(?:Package|Cartfile)\.resolved$/],
  // The JVM, .NET, Haskell, Nix, Bazel, Helm, Terraform.
  ['lock-file', /^(?:gradle\.lockfile|packages\.lock\.json|paket\.lock|stack\.yaml\.lock)$/],
  ['lock-file', /^(?:cabal\.project\.freeze|flake\.lock|MODULE\.bazel\.lock|Chart\.lock)$/],
  ['lock-file', /^\.terraform\.lock\.hcl$/],
  ['minified', /\.min\.(?:[cm]?js|css)$|\.(?:[cm]?[jt]s|css)\.map$/],
  ['snapshot', /\.snap$/],
];

/** Why a file's patch is not sent; `undefined` if it is. */
export function whyNoPatch(file: ChangedFile, isChosen: FileFilter): NoPatchReason | undefined {
  const { path, patch } = file;
  if (!isChosen(file)) return 'excluded';
  const name = path.slice(path.lastIndexOf('/') + 1);
  const [byName] = namesBy.find(([, names]) => names.test(name)) ?? [];
  if (byName !== undefined) return byName;
  if (patch === undefined) return isOnlyRenamed(file) ? undefined : 'no-patch';
  return patch.length > longLine * patch.split('\n').length ? 'minified' : undefined;
}

/** Whether its names say all there is to say. */
function isOnlyRenamed({ status, lines }: ChangedFile): boolean {
  return (status === 'renamed' || status === 'copied') && lines?.added === 0 && lines.removed === 0;
}
