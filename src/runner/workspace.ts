import { closeSync, constants, existsSync, fstatSync, openSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { messageOf } from '../core/errors.ts';
import { shortCode } from '../text/markdown.ts';

/*
 * A checkout may contain links from anyone's pull request: to the environment of this process, with its key, or to a file
 * of the runner. So where a path really leads is checked before it is read or written.
 */

const mostPromptBytes = 256 * 1024;

/**
 * The text of a prompt file: a regular UTF-8 file of at most 256 KiB that really lies in the workspace, which is the working
 * directory of an action, but not in `.git`, where a checkout keeps its token; or in the runner's temporary directory, where
 * the workflow names that itself.
 *
 * @throws Error that says what is wrong with it, as Markdown.
 */
export function readPromptFile(path: string, temporary = ''): string {
  try {
    return textOf(bytesOf(path, temporary));
  } catch (cause) {
    throw new Error(reasonOf(cause), { cause });
  }
}

function bytesOf(path: string, temporary: string): Uint8Array {
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
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new Error('it is no UTF-8 text', { cause });
  }
}

/** Why a file cannot be used, as Markdown: what this file says as it is, and what `fs` says as code. */
export function reasonOf(error: unknown): string {
  const isOfFs = error instanceof Error && 'code' in error;
  return isOfFs ? shortCode(error.message) : messageOf(error);
}

/** @throws Error if a link leads a path of the workspace out of it. A path that names a place outside was chosen so. */
export function refuseLinkOut(path: string): void {
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
