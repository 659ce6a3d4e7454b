import type { ThreadComment } from '../../github/schemas.ts';
import { isAppLogin, type Marker, type Markers } from '../../requests/marker.ts';

/** A comment of ours with its marker verified. */
export interface Remembered {
  readonly comment: ThreadComment;
  readonly marker: Marker;
}

/** Who looks at a thread: one process of one run, for one trigger. */
export interface Onlooker {
  readonly key: string;
  readonly nonce: string;
  readonly run: string;
  readonly attempt: number;
  /** Who its comments are from, once GitHub has taken one. */
  readonly login: string | undefined;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

/**
 * Whose a trigger is, by what stands in the thread.
 * `free`: nobody's, or nothing came of it. `ours`: this process has claimed it. `elsewhere`: another process is at it.
 * `left`: a process that is over has left it, with its job or with a claim of which nobody knows what came.
 */
export type Standing =
  | { readonly is: 'free'; readonly last: Remembered | undefined }
  | { readonly is: 'ours' | 'elsewhere' | 'left'; readonly last: Remembered };

/** How long an earlier command may take from its claim to its job. */
const pendingMs = 120_000;

/** The verified markers among some comments, in the order the comments were written. */
export function recall(comments: readonly ThreadComment[], markers: Markers): Remembered[] {
  return comments
    .flatMap((comment) => {
      const marker = markers.read(comment);
      return marker === undefined ? [] : [{ comment, marker }];
    })
    .sort((one, other) => one.comment.id - other.comment.id);
}

/** Two looks at a thread as one, in the order the comments were written; the later look counts. */
export function merge(before: readonly Remembered[], later: readonly Remembered[]): Remembered[] {
  const byId = new Map([...before, ...later].map((one) => [one.comment.id, one]));
  return [...byId.values()].sort((one, other) => one.comment.id - other.comment.id);
}

/**
 * The status comment of a trigger: of its claims the highest generation counts, within it one that has a job, else the lowest
 * id. A marker that does
 * not name its comment yet can be copied, so it counts only in a comment of ours that was never edited.
 */
export function statusCommentOf(
  remembered: readonly Remembered[],
  key: string,
  login?: string,
): Remembered | undefined {
  const [best] = remembered
    .filter((one) => one.marker.key === key && one.marker.phase !== 'denied' && isGenuine(one, login))
    .sort(
      (one, other) =>
        generationOf(other) - generationOf(one) ||
        Number(hasJob(other)) - Number(hasJob(one)) ||
        one.comment.id - other.comment.id,
    );
  return best;
}

/** Whose the trigger is, as the onlooker sees it. */
export function standingOf(remembered: readonly Remembered[], me: Onlooker): Standing {
  const last = statusCommentOf(remembered, me.key, me.login);
  if (last === undefined || last.marker.phase === 'released') return { is: 'free', last };
  if (last.marker.nonce === me.nonce) return { is: 'ours', last };
  return { is: isAtIt(last.marker, me) ? 'elsewhere' : 'left', last };
}

/**
 * Comments that no longer count for the trigger: what the claim that counts follows, what this run wrote twice or lost with, and its
 * refusal of somebody who is let in by now.
 */
export function outdated(remembered: readonly Remembered[], standing: Standing, me: Onlooker): Remembered[] {
  const { is, last } = standing;
  return remembered.filter((one) => {
    const { key, nonce, run, attempt, phase } = one.marker;
    if (key !== me.key || one === last) return false;
    if (!isGenuine(one, me.login) || !isOurs(one, me.login)) return false;
    // An earlier attempt of the same run is over.
    const isMine = nonce === me.nonce || (run === me.run && attempt < me.attempt);
    // What another process follows is its own to take back, unless it is over.
    const isTaken = is === 'ours' || is === 'left';
    const isFollowed = isTaken && phase !== 'denied' && generationOf(one) < generationOf(last);
    return isMine || isFollowed;
  });
}

/** Whether a login was told before that it may not command here. */
export function wasDenied(remembered: readonly Remembered[], login: string): boolean {
  return remembered.some(({ marker }) => marker.phase === 'denied' && marker.denied === login);
}

/** The thread's newest job. */
export function newestJob(remembered: readonly Remembered[]): string | undefined {
  return remembered.findLast(hasJob)?.marker.job;
}

/**
 * The newest trigger that has claimed the agent before a comment but has no job yet, within the last two minutes; not a copy
 * of its claim, nor one that lost the race for the same trigger.
 */
export function pendingBefore(
  remembered: readonly Remembered[],
  commentId: number,
  nowMs: number,
): Remembered | undefined {
  return remembered.findLast(
    ({ comment, marker }) =>
      comment.id < commentId &&
      marker.phase === 'claimed' &&
      nowMs - comment.createdAtMs < pendingMs &&
      statusCommentOf(remembered, marker.key)?.comment === comment,
  );
}

export function generationOf({ marker }: Remembered): number {
  return marker.generation ?? 1;
}

/**
 * Whether a comment may be edited or deleted as one of ours. Before GitHub has told who we are, only an app's counts: whoever
 * copies a marker has no such login.
 */
export function isOurs(one: Remembered, login: string | undefined): boolean {
  const { comment } = one;
  return isBound(one) || (login === undefined ? isAppLogin(comment.login) : comment.login === login);
}

function isBound({ comment, marker }: Remembered): boolean {
  return marker.comment === comment.id;
}

function hasJob(one: Remembered): boolean {
  return isBound(one) && one.marker.job !== undefined;
}

function isGenuine(one: Remembered, login: string | undefined): boolean {
  return isBound(one) || (one.comment.unedited && isOurs(one, login));
}

/** Whether another process may still be at it. An earlier attempt of the same run is over. */
function isAtIt({ phase, run, attempt, until }: Marker, me: Onlooker): boolean {
  if (phase !== 'claimed' && phase !== 'working') return false;
  if (run === me.run && attempt < me.attempt) return false;
  return until !== undefined && me.nowMs < until * 1000;
}
