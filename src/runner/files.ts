import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { ActionError, messageOf } from '../core/errors.ts';
import { code, shortCode } from '../text/markdown.ts';

/*
 * A checkout may contain links from anyone's pull request: to the environment of this process, with its key, or to a file
 * of the runner. So where a path really leads is checked before it is read or written.
 */

const mostPromptBytes = 256 * 1024;

/** The files of the workspace, as the modes use them. */
export type Files = typeof diskFiles;

/** The files on disk, by paths relative to the working directory. Every method throws ActionError `file-error`. */
export const diskFiles = {
  /** The text of a file, or `undefined` where there is none. */
  read(path: string): string | undefined {
    try {
      refuseLinkOut(path);
      refuseOtherThanFile(path);
      return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
    } catch (error) {
      throw fileError(`Reading ${code(path)}`, error);
    }
  },
  /** Writes a file whole or not at all, even if the process is killed meanwhile; makes its directory. */
  write(path: string, ...parts: readonly string[]): void {
    // In the same directory, since a rename is atomic only within one file system. Each run has its own name.
    const temporary = join(dirname(path), `.${basename(path)}.${crypto.randomUUID().slice(0, 8)}.tmp`);
    try {
      refuseLinkOut(dirname(path));
      refuseOtherThanFile(path);
      makeDirectory(dirname(path));
      const file = openSync(temporary, 'wx');
      try {
        for (const part of parts) writeFileSync(file, part);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      renameSync(temporary, path);
    } catch (error) {
      problemOf(() => rmSync(temporary));
      throw fileError(`Writing ${code(path)}`, error);
    }
  },
};

/** Makes the directory and checks that it can be written to; gives what is wrong, or `undefined`. */
export function directoryProblem(path: string): string | undefined {
  return problemOf(() => {
    refuseLinkOut(path);
    makeDirectory(path);
    accessSync(path, constants.W_OK);
  });
}

/** Checks that no link leads a path out of the workspace; gives what is wrong, or `undefined`. */
export function linkProblem(path: string): string | undefined {
  return problemOf(() => refuseLinkOut(path));
}

/**
 * The text of a prompt file: a regular UTF-8 file of at most 256 KiB that really lies in the workspace, which is the working
 * directory of an action, but not in `.git`, where a checkout keeps its token; or in the runner's temporary directory, where
 * the workflow names that itself.
 *
 * @throws Error that says what is wrong with it, as Markdown.
 */
export function readPromptFile(path: string, temporary = ''): string {
  try {
    return promptIn(path, temporary);
  } catch (cause) {
    throw new Error(reasonOf(cause), { cause });
  }
}

function promptIn(path: string, temporary: string): string {
  if (!existsSync(path))
    throw new Error('there is no such file. Is there an `actions/checkout` step before this one?');
  const real = realpathSync(path);
  const isIn = (place: string) => isInside(real, realPathOf(place));
  const isNamedTemporary = temporary !== '' && isInside(resolve(path), resolve(temporary)) && isIn(temporary);
  if (!isIn(process.cwd()) && !isNamedTemporary) throw new Error('it leads out of the workspace');
  if (real.split(sep).includes('.git')) throw new Error('it leads into `.git`');
  const about = statSync(real);
  if (!about.isFile()) throw new Error('it is no regular file');
  if (about.size > mostPromptBytes) throw new Error('it has more than 256 KiB');
  return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(real));
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

/** Why a file cannot be used, as Markdown: what this file says as it is, and what `fs` says as code. */
function reasonOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? shortCode(error.message) : messageOf(error);
}

/** @throws Error if a link leads a path of the workspace out of it. A path that names a place outside was chosen so. */
function refuseLinkOut(path: string): void {
  const workspace = process.cwd();
  if (isInside(resolve(path), workspace) && !isInside(realPathOf(path), realPathOf(workspace)))
    throw new Error('a link leads it out of the workspace');
}

/** @throws Error if there is something else than a file: a pipe never ends, and a device would be replaced. */
function refuseOtherThanFile(path: string): void {
  if (existsSync(path) && !statSync(path).isFile()) throw new Error('it is no regular file');
}

/** Where a path leads, whether there is something yet or not. */
function realPathOf(path: string): string {
  const absolute = resolve(path);
  return existsSync(absolute)
    ? realpathSync(absolute)
    : join(realPathOf(dirname(absolute)), basename(absolute));
}

function isInside(path: string, place: string): boolean {
  return path === place || path.startsWith(place.endsWith(sep) ? place : `${place}${sep}`);
}

function fileError(what: string, cause: unknown): ActionError {
  return new ActionError('file-error', `${what} did not work`, {
    said: messageOf(cause),
    cause,
    hint: 'Check that the disk has room and that the workspace may be written.',
  });
}

/** Makes a directory and those above it. Node's `recursive` never ends below a place such as `/proc`, which says that it has none. */
function makeDirectory(path: string): void {
  // Of a file it says that it is none.
  if (existsSync(path)) return void mkdirSync(path, { recursive: true });
  makeDirectory(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    // Another run may have made it meanwhile.
    if (!existsSync(path)) throw error;
  }
}
