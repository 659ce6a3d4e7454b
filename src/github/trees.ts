import type { ChangedFile, FileList } from './changes.ts';

/** All files of a commit, submodules included: from the path to what tells whether it is the same. */
export interface Tree {
  readonly files: ReadonlyMap<string, string>;
  /** Whether GitHub gave all of it. */
  readonly isWhole: boolean;
}

/**
 * The files of a change of which GitHub listed only some: those as they are, then the others that two trees tell, by name
 * alone; a rename among these is a removal and an addition.
 */
export function completed(listed: readonly ChangedFile[], base: Tree, head: Tree): FileList {
  if (!base.isWhole || !head.isWhole) return { files: listed, isWhole: false };
  const named = new Set(listed.flatMap(namesOf));
  const paths = new Set([...base.files.keys(), ...head.files.keys()]);
  const others = [...paths]
    .filter((path) => !named.has(path) && base.files.get(path) !== head.files.get(path))
    .map((path) => byName(path, base.files.has(path), head.files.has(path)));
  return { files: [...listed, ...others], isWhole: true };
}

/** The names that a file of the list stands for. The origin of a copy is a file of its own. */
function namesOf({ path, oldPath, status }: ChangedFile): string[] {
  return oldPath !== undefined && status === 'renamed' ? [oldPath, path] : [path];
}

function byName(path: string, wasThere: boolean, isThere: boolean): ChangedFile {
  const status = !wasThere ? 'added' : isThere ? 'modified' : 'removed';
  return { path, oldPath: undefined, status, lines: undefined, patch: undefined };
}
