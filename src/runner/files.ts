import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
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
      return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
    } catch (error) {
      throw fileError(`Reading ${code(path)}`, error);
    }
  },
  /** Writes a file whole or not at all, even if the process is killed meanwhile; makes its directory. */
  write(path: string, text: string): void {
    // In the same directory, since a rename is atomic only within one file system; under a fixed name, so that the next
    // run replaces what a killed one left.
    const temporary = temporaryFor(path);
    try {
      refuseLinkOut(dirname(path));
      mkdirSync(dirname(path), { recursive: true });
      writeNew(temporary, text);
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
    writeNew(probe, '');
    rmSync(probe);
  });
}

/** Checks that a file can be replaced and, if it exists, read; gives what is wrong, or `undefined`. */
export function fileProblem(path: string): string | undefined {
  const check = () => {
    refuseLinkOut(path);
    if (!existsSync(path)) return;
    if (!statSync(path).isFile()) throw new Error('it is no regular file');
    accessSync(path, constants.R_OK | constants.W_OK);
  };
  return directoryProblem(dirname(path)) ?? problemOf(check);
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
  // Opened once, so that what was checked is what is read; without waiting, should it be a pipe.
  const file = openSync(real, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0));
  try {
    const about = fstatSync(file);
    if (!about.isFile()) throw new Error('it is no regular file');
    if (about.size > mostPromptBytes) throw new Error('it has more than 256 KiB');
    const bytes = readFileSync(file);
    const text = bytes.toString();
    if (!Buffer.from(text).equals(bytes)) throw new Error('it is no UTF-8 text');
    return text.replace(/^\ufeff/, '');
  } finally {
    closeSync(file);
  }
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

/** Where a path leads, whether there is something yet or not. */
function realPathOf(path: string): string {
  const absolute = resolve(path);
  if (existsSync(absolute)) return realpathSync(absolute);
  const parent = dirname(absolute);
  return parent === absolute ? absolute : join(realPathOf(parent), relative(parent, absolute));
}

function isInside(path: string, place: string): boolean {
  return path === place || path.startsWith(place.endsWith(sep) ? place : `${place}${sep}`);
}

function temporaryFor(path: string): string {
  return join(dirname(path), `.${basename(path)}.docs-agent.tmp`);
}

/** Writes a new file in place of whatever is there: a link is removed, not followed. */
function writeNew(path: string, text: string): void {
  remove(path);
  writeFileSync(path, text, { flag: 'wx', flush: true });
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
