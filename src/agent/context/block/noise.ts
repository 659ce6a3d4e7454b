import type { ChangedFile } from '../../../github/changes.ts';
import type { FileFilter } from '../paths.ts';

/** Why a file is named at most, and its patch is not sent. */
export type NamedOnly = 'excluded' | 'no-patch' | 'lock-file' | 'minified' | 'snapshot';

/** Names, without the folder, of files that a tool writes and that tell nothing which the change beside them does not. */
const namesBy: readonly (readonly [NamedOnly, RegExp])[] = [
  // JavaScript and its package managers.
  ['lock-file', /^(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml)$/],
  ['lock-file', /^(?:bun\.lockb?|deno\.lock)$/],
  // Python.
  ['lock-file', /^(?:poetry|uv|pdm|Pipfile|pixi)\.lock$|^pylock(?:\.[^.]+)?\.toml$|^conda-lock\.yml$/],
  // Rust, Go, Ruby, PHP, Elixir, Dart, Swift and Objective-C.
  ['lock-file', /^(?:Cargo|Gemfile|composer|mix|pubspec|Podfile)\.lock$|^go(?:\.work)?\.sum$/],
  ['lock-file', /^(?:Package|Cartfile)\.resolved$/],
  // The JVM, .NET, Haskell, Nix, Bazel, Helm, Terraform.
  ['lock-file', /^(?:gradle\.lockfile|packages\.lock\.json|paket\.lock|stack\.yaml\.lock)$/],
  ['lock-file', /^(?:cabal\.project\.freeze|flake\.lock|MODULE\.bazel\.lock|Chart\.lock)$/],
  ['lock-file', /^\.terraform\.lock\.hcl$/],
  // What a bundler makes of files that are in the change themselves.
  ['minified', /\.min\.(?:[cm]?js|css)$|\.(?:[cm]?[jt]s|css)\.map$/],
  // What tests expect, written by the test runner.
  ['snapshot', /\.snap$/],
];

/** Lines longer than this on average are for machines: prose with a paragraph a line stays well below it. */
const longLineCharacters = 1000;

/** Why the patch of a file is not for the agent; `undefined` where it is. */
export function whyNamedOnly(file: ChangedFile, isChosen: FileFilter): NamedOnly | undefined {
  if (!isChosen(file)) return 'excluded';
  const name = file.path.slice(file.path.lastIndexOf('/') + 1);
  const byName = namesBy.find(([, names]) => names.test(name));
  if (byName !== undefined) return byName[0];
  if (file.patch === undefined)
    return isOnlyRenamed(file) || file.hunksLetGo !== undefined ? undefined : 'no-patch';
  return hasLongLines(file.patch) ? 'minified' : undefined;
}

/** There is nothing more to it than its two names. */
function isOnlyRenamed({ status, lines }: ChangedFile): boolean {
  return (status === 'renamed' || status === 'copied') && lines?.added === 0 && lines.removed === 0;
}

function hasLongLines(patch: string): boolean {
  if (patch.length <= longLineCharacters) return false;
  let allowed = longLineCharacters;
  for (let at = patch.indexOf('\n'); at !== -1; at = patch.indexOf('\n', at + 1)) {
    allowed += longLineCharacters;
    if (patch.length <= allowed) return false;
  }
  return true;
}
