import type { ThreadComment } from '../github/schemas.ts';
import type { Marker, Markers } from '../lib/marker.ts';

/** A comment of ours with its marker verified. */
export interface Remembered {
  readonly comment: ThreadComment;
  readonly marker: Marker;
}

/** The verified markers among some comments. */
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

/** The status comment of a trigger; one that was given up beats no other. */
export function ofTrigger(remembered: readonly Remembered[], key: string): Remembered | undefined {
  const own = remembered.filter(({ marker }) => marker.key === key && marker.phase !== 'denied');
  return genuine(own.filter(({ marker }) => marker.phase !== 'released')) ?? genuine(own);
}

/**
 * A marker that names its comment beats one that does not yet. Among those the oldest that was never edited counts: ours is
 * bound by its first edit, and a copy is younger than what it copies, unless it was put into an older comment later.
 */
function genuine(own: readonly Remembered[]): Remembered | undefined {
  return own.find(isBound) ?? own.find(({ comment }) => comment.unedited) ?? own[0];
}

/** The thread's newest job. */
export function newestJob(remembered: readonly Remembered[]): string | undefined {
  return remembered.findLast((one) => isBound(one) && one.marker.job !== undefined)?.marker.job;
}

/**
 * The newest trigger that has claimed the agent before us but has no job yet, within the last two minutes; not a copy of
 * its claim, nor one that lost the race for the same trigger.
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
      ofTrigger(remembered, marker.key)?.comment === comment,
  );
}

/** What the trigger's commenter was denied with. */
export function denialOf(remembered: readonly Remembered[], key: string): Remembered | undefined {
  return remembered.find(({ marker }) => marker.key === key && marker.phase === 'denied');
}

/** Whether a login was told before that it may not command here. */
export function wasDenied(remembered: readonly Remembered[], login: string): boolean {
  return remembered.some(({ marker }) => marker.phase === 'denied' && marker.denied === login);
}

const pendingMs = 120_000;

function isBound({ comment, marker }: Remembered): boolean {
  return marker.comment === comment.id;
}
