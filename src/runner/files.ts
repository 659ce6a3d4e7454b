import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ActionError, messageOf } from '../core/errors.ts';
import { code } from '../text/markdown.ts';
import { reasonOf, refuseLinkOut } from './workspace.ts';

/** The files of the workspace, as the modes use them. Paths are relative to it. */
export interface Files {
  /** The text of a file, or `undefined` where there is none. @throws ActionError `file-error`. */
  read(path: string): string | undefined;
  /**
   * Writes a file whole or not at all, even if the process is killed meanwhile; makes its directory.
   * @throws ActionError `file-error`; the file that was there before is then still there.
   */
  write(path: string, text: string): void;
}

/** The files on disk, relative to the working directory. */
export const diskFiles: Files = {
  read(path) {
    try {
      refuseLinkOut(path);
      return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
    } catch (error) {
      throw fileError(`Reading ${code(path)}`, error);
    }
  },
  write(path, text) {
    // In the same directory, since a rename is atomic only within one file system; under a fixed name, so that the next
    // run replaces what a killed one left.
    const temporary = temporaryFor(path);
    try {
      refuseLinkOut(dirname(path));
      mkdirSync(dirname(path), { recursive: true });
      const file = openNew(temporary);
      try {
        writeFileSync(file, text);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      renameSync(temporary, path);
    } catch (error) {
      problemOf(() => remove(temporary));
      throw fileError(`Writing ${code(path)}`, error);
    }
  },
};

/** Makes the directory and tries to write to it; gives what is wrong, or `undefined`. */
export function directoryProblem(path: string): string | undefined {
  return problemOf(() => {
    refuseLinkOut(path);
    mkdirSync(path, { recursive: true });
    // Only writing proves it: on a read-only file system root has the permission and still can't.
    const probe = temporaryFor(join(path, 'probe'));
    closeSync(openNew(probe));
    rmSync(probe);
  });
}

/** Checks that a file can be replaced and, if it exists, read; gives what is wrong, or `undefined`. */
export function fileProblem(path: string): string | undefined {
  return (
    directoryProblem(dirname(path)) ??
    problemOf(() => {
      refuseLinkOut(path);
      if (!existsSync(path)) return;
      if (!statSync(path).isFile()) throw new Error('it is no regular file');
      accessSync(path, constants.R_OK | constants.W_OK);
    })
  );
}

/** Runs it; gives what went wrong, or `undefined`. */
function problemOf(attempt: () => void): string | undefined {
  try {
    attempt();
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

function temporaryFor(path: string): string {
  return join(dirname(path), `.${basename(path)}.docs-agent.tmp`);
}

/** Opens a new file in place of whatever is there: a link is removed, not followed. */
function openNew(path: string): number {
  remove(path);
  return openSync(path, 'wx');
}

function remove(path: string): void {
  rmSync(path, { recursive: true, force: true });
}

function fileError(what: string, cause: unknown): ActionError {
  return new ActionError('file-error', `${what} did not work`, {
    said: messageOf(cause),
    cause,
    hint: 'Check that the disk has room and that the workspace may be written.',
  });
}
