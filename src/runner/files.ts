import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
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
 * A checkout may contain links from anyone's pull request, for example to this process's environment, which has the key, or to
 * a file of the runner. So before we read or write a path, we check where it really leads.
 */

const mostPromptBytes = 256 * 1024;

/** Access to the workspace's files. */
export type Files = typeof diskFiles;

/** The files on disk; paths are relative to the working directory. Every method throws ActionError `file-error`. */
export const diskFiles = {
  /** The text of a file; `undefined` if there is none. */
  read(path: string): string | undefined {
    try {
      refuseLinkOut(path);
      refuseOtherThanFile(path);
      return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
    } catch (error) {
      throw fileError(`Reading ${code(path)}`, error);
    }
  },
  /** Writes a file completely or not at all, even if the process is killed meanwhile. Creates its directory. */
  write(path: string, ...parts: readonly string[]): void {
    // In the same directory, because a rename is atomic only within one file system. The name is unique to this run.
    const temporary = join(dirname(path), `.${basename(path)}.${crypto.randomUUID().slice(0, 8)}.tmp`);
    try {
      refuseLinkOut(dirname(path));
      refuseOtherThanFile(path);
      makeDirectory(dirname(path));
      for (const [index, part] of parts.entries()) {
        const flag = index === 0 ? 'wx' : 'a';
        writeFileSync(temporary, part, { flag, flush: index === parts.length - 1 });
      }
      renameSync(temporary, path);
    } catch (error) {
      problemOf(() => rmSync(temporary));
      throw fileError(`Writing ${code(path)}`, error);
    }
  },
};

/** Creates the directory and checks that it is writable; returns the problem, or `undefined`. */
export function directoryProblem(path: string): string | undefined {
  return problemOf(() => {
    refuseLinkOut(path);
    makeDirectory(path);
    accessSync(path, constants.W_OK);
  });
}

/** Checks that no symbolic link makes a path point outside the workspace; returns the problem, or `undefined`. */
export function linkProblem(path: string): string | undefined {
  return problemOf(() => refuseLinkOut(path));
}

/**
 * The text of a prompt file: a regular UTF-8 file of at most 256 KiB, really inside the workspace (the action's working
 * directory), but not in `.git`, where a checkout keeps its token. It may also be in the runner's temporary directory, if the
 * workflow names that.
 *
 * @throws Error that says what is wrong, as Markdown.
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
    throw new Error('no such file. Is there an `actions/checkout` step before this one?');
  const real = realpathSync(path);
  const isIn = (place: string) => isInside(real, realPathOf(place));
  const isNamedTemporary = temporary !== '' && isInside(resolve(path), resolve(temporary)) && isIn(temporary);
  if (!isIn(process.cwd()) && !isNamedTemporary) throw new Error('it is outside the workspace');
  if (real.split(sep).includes('.git')) throw new Error('it is inside `.git`');
  const about = statSync(real);
  if (!about.isFile()) throw new Error('it is not a regular file');
  if (about.size > mostPromptBytes) throw new Error('it is larger than 256 KiB');
  return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(real));
}

/** Runs it; returns what went wrong, or `undefined`. */
function problemOf(attempt: () => void): string | undefined {
  try {
    attempt();
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

/** Why a file can't be used, as Markdown: our words as they are, and those of `fs` as code. */
function reasonOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? shortCode(error.message) : messageOf(error);
}

/**
 * @throws Error if a symbolic link makes a workspace path point outside the workspace. A path that is explicitly outside was
 * chosen by the maintainer.
 */
function refuseLinkOut(path: string): void {
  const workspace = process.cwd();
  if (isInside(resolve(path), workspace) && !isInside(realPathOf(path), realPathOf(workspace)))
    throw new Error('a symbolic link makes it point outside the workspace');
}

/** @throws Error if something other than a file is there: a pipe never ends, and a device would be replaced. */
function refuseOtherThanFile(path: string): void {
  if (existsSync(path) && !statSync(path).isFile()) throw new Error('it is not a regular file');
}

/** Where a path really leads, even if nothing exists there yet. */
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
  return new ActionError('file-error', `${what} failed`, {
    said: messageOf(cause),
    cause,
    hint: 'Check that the disk has space and that the workspace is writable.',
  });
}

/**
 * Creates a directory and its parents. Node's `recursive` never returns below a place such as `/proc`, where every directory
 * seems missing.
 */
function makeDirectory(path: string): void {
  // If a file is in the way, this throws.
  if (existsSync(path)) return void mkdirSync(path, { recursive: true });
  makeDirectory(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    // Another run may have created it meanwhile.
    if (!existsSync(path)) throw error;
  }
}
