import * as fs from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { ActionError, messageOf } from '../core/errors.ts';
import { code } from '../text/markdown.ts';

/*
 * Anyone's pull request can add a symbolic link, even to the environment with the key. So we check
 * where each path leads.
 */

export type Files = typeof diskFiles;

/**
 * The files on disk, relative to the working directory. Every method throws an ActionError with
 * the reason `file-error`.
 */
export const diskFiles = {
  /** The text of a file; `undefined` if the file doesn't exist. */
  read(path: string): string | undefined {
    try {
      refuseLinkOut(path);
      if (!fs.existsSync(path)) return undefined;
      return fs.readFileSync(path, 'utf8');
    } catch (error) {
      throw fileError('Reading', path, error);
    }
  },
  /**
   * Writes a file completely or not at all, even if the process is killed. Creates the directory
   * if necessary.
   */
  write(path: string, text: string): void {
    // A rename is atomic only within one file system, so the temporary file is in the same
    // directory.
    const folder = dirname(path);
    const token = crypto.randomUUID().slice(0, 8);
    const temporary = join(folder, `.${basename(path)}.${token}.tmp`);
    try {
      refuseLinkOut(folder);
      fs.mkdirSync(folder, { recursive: true });
      fs.writeFileSync(temporary, text, { flag: 'wx', flush: true });
      fs.renameSync(temporary, path);
    } catch (error) {
      problemOf(() => fs.rmSync(temporary));
      throw fileError('Writing', path, error);
    }
  },
};

/** Creates a directory and checks that it is writable. Returns the problem, if any, as Markdown. */
export function findDirectoryProblem(path: string): string | undefined {
  return problemOf(() => {
    refuseLinkOut(path);
    fs.mkdirSync(path, { recursive: true });
    fs.accessSync(path, fs.constants.W_OK);
  });
}

/**
 * The problem of a path that symbolic links lead outside the workspace, as Markdown; `undefined`
 * if none do.
 */
export function findLinkProblem(path: string): string | undefined {
  return problemOf(() => refuseLinkOut(path));
}

/**
 * The text of a prompt file in the workspace, or in the runner's temporary directory if that is
 * named.
 */
export function readPromptFile(path: string, temporary = ''): string {
  try {
    const hint = 'Is there an `actions/checkout` step before this one?';
    if (!fs.existsSync(path))
      throw new ActionError('file-error', 'there is no such file', { hint });
    const real = fs.realpathSync(path);
    const leadsInto = (folder: string) => isInside(real, realPathOf(folder));
    const namesTemporary = temporary !== '' && isInside(resolve(path), resolve(temporary));
    const isAllowed = leadsInto(process.cwd()) || (namesTemporary && leadsInto(temporary));
    if (!isAllowed) throw new Error('it is outside the workspace');
    // A checkout keeps its token there.
    if (real.split(sep).includes('.git')) throw new Error('it is inside `.git`');
    const stats = fs.statSync(real);
    if (!stats.isFile()) throw new Error('it is not a regular file');
    if (stats.size > 256 * 1024) throw new Error('it is larger than 256 KiB');
    return new TextDecoder('utf-8', { fatal: true }).decode(fs.readFileSync(real));
  } catch (cause) {
    if (cause instanceof ActionError) throw cause;
    throw new Error(reasonOf(cause), { cause });
  }
}

function problemOf(attempt: () => void): string | undefined {
  try {
    attempt();
  } catch (error) {
    return reasonOf(error);
  }
  return undefined;
}

/** The message of an error, as Markdown. Messages from `fs` are shown as code. */
function reasonOf(error: unknown): string {
  if (error instanceof Error && 'code' in error) return code(error.message);
  return messageOf(error);
}

/**
 * Throws if a symbolic link in the workspace leads outside. A path outside is fine, because only a
 * maintainer can set it.
 */
function refuseLinkOut(path: string): void {
  const workspace = process.cwd();
  if (isInside(resolve(path), workspace) && !isInside(realPathOf(path), realPathOf(workspace)))
    throw new Error('a symbolic link makes it point outside the workspace');
}

/** Where a path leads once all symbolic links are followed, even if nothing exists there yet. */
function realPathOf(path: string): string {
  const absolute = resolve(path);
  if (fs.existsSync(absolute)) return fs.realpathSync(absolute);
  return join(realPathOf(dirname(absolute)), basename(absolute));
}

/** Whether an absolute path is a folder, or in it. */
function isInside(path: string, folder: string): boolean {
  return join(path, sep).startsWith(join(folder, sep));
}

function fileError(doing: string, path: string, cause: unknown): ActionError {
  const said = messageOf(cause);
  const hint = 'Check that the disk has space and that the workspace is writable.';
  return new ActionError('file-error', `${doing} ${code(path)} failed`, { said, cause, hint });
}
