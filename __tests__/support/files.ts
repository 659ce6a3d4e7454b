import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Files } from '../../src/runner/files.ts';

/** The files in a workspace. */
export interface Workspace {
  write(path: string, text: string): void;
  /** All files, including unexpected ones. */
  all(): ReadonlyMap<string, string>;
  /** The known versions of a file, oldest first; at least the current one. */
  versions(path: string): readonly string[];
}

/** Keeps files in memory, including their earlier versions. */
export class MemoryFiles implements Files, Workspace {
  readonly #versions = new Map<string, string[]>();

  read(path: string): string | undefined {
    return this.versions(path).at(-1);
  }

  write(path: string, ...parts: readonly string[]): void {
    this.#versions.set(path, [...this.versions(path), parts.join('')]);
  }

  versions(path: string): readonly string[] {
    return this.#versions.get(path) ?? [];
  }

  all(): ReadonlyMap<string, string> {
    return new Map([...this.#versions].map(([path, versions]) => [path, versions.at(-1) ?? '']));
  }
}

/** The files in a folder. */
export function filesIn(folder: string): Workspace {
  const all = () => {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    const paths = entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));
    return new Map(paths.map((path) => [relative(folder, path), readFileSync(path, 'utf8')]));
  };
  return {
    write: (path, text) => {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    },
    all,
    versions: (path) => [all().get(path) ?? ''],
  };
}
