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
import { ActionError, messageOf } from '../lib/errors.ts';

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
      return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
    } catch (error) {
      throw fileError(`Reading ${path}`, error);
    }
  },
  write(path, text) {
    // In the same directory, since a rename is atomic only within one file system.
    const temporary = temporaryFor(path);
    try {
      mkdirSync(dirname(path), { recursive: true });
      const file = openSync(temporary, 'w');
      try {
        writeFileSync(file, text);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      renameSync(temporary, path);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw fileError(`Writing ${path}`, error);
    }
  },
};

/** Makes the directory and tries to write in it; gives what is wrong, or `undefined`. */
export function directoryProblem(path: string): string | undefined {
  return problemOf(() => {
    mkdirSync(path, { recursive: true });
    // Only writing tells: on a read-only file system root has the permission, and still cannot.
    const probe = temporaryFor(join(path, 'probe'));
    closeSync(openSync(probe, 'w'));
    rmSync(probe);
  });
}

/** Tries whether a file can be replaced and, if it is there, read; gives what is wrong, or `undefined`. */
export function fileProblem(path: string): string | undefined {
  return (
    directoryProblem(dirname(path)) ??
    problemOf(() => {
      if (!existsSync(path)) return;
      if (!statSync(path).isFile()) throw new Error('it is no regular file');
      accessSync(path, constants.R_OK | constants.W_OK);
    })
  );
}

function problemOf(attempt: () => void): string | undefined {
  try {
    attempt();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

function temporaryFor(path: string): string {
  return join(dirname(path), `.${basename(path)}.${process.pid}.tmp`);
}

function fileError(what: string, cause: unknown): ActionError {
  return new ActionError('file-error', `${what} failed: ${messageOf(cause)}`, {
    cause,
    hint: 'Check that the disk has room and that the workspace may be written.',
  });
}
