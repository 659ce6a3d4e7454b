import { createHash } from 'node:crypto';
import { outdated, type Remembered, statusCommentOf } from '../thread/memory.ts';

/** How long after its time a run may still be about to tell the end itself. */
const graceMs = 600_000;
/** A run gets from its claim to its job within minutes, rate limits included. */
const claimMs = 3_600_000;
const hourMs = 3_600_000;

/** A comment of ours that nobody is at any more, with its thread. */
export interface Open extends Remembered {
  /** The number of the issue or pull request. */
  readonly thread: number;
}

/** What nobody is at any more in a thread. */
export interface Left {
  /** Status comments that do not tell their end, the oldest first. */
  readonly open: readonly Open[];
  /** Comments that a run should have taken back, since they no longer count for their trigger. */
  readonly outdated: readonly Open[];
}

/** Who our comments are from, by one whose marker names it; `undefined` where there is none. */
export function ourLogin(remembered: readonly Remembered[]): string | undefined {
  return remembered.find(({ comment, marker }) => marker.comment === comment.id)?.comment.login;
}

/**
 * Finds in the verified markers of a thread what nobody is at any more.
 *
 * @param login who our comments are from, where that is known.
 */
export function leftIn(
  remembered: readonly Remembered[],
  thread: number,
  nowMs: number,
  login = ourLogin(remembered),
): Left {
  const keys = [...new Set(remembered.map(({ marker }) => marker.key))];
  const counting = keys
    .map((key) => statusCommentOf(remembered, key, login))
    .filter((one) => one !== undefined);
  const inThread = (one: Remembered): Open => ({ ...one, thread });
  return {
    open: counting
      .filter((one) => isOpen(one, nowMs))
      .map(inThread)
      .sort(byAge),
    outdated: counting.flatMap((one) => leftBeside(one, remembered, nowMs)).map(inThread),
  };
}

/** The oldest first; GitHub numbers comments as they come. */
export function byAge(one: Remembered, other: Remembered): number {
  return one.comment.id - other.comment.id;
}

/** Their jobs, each once. */
export function jobIdsOf(open: readonly Remembered[]): string[] {
  return [...new Set(open.map(({ marker }) => marker.job))].filter((jobId) => jobId !== undefined);
}

/**
 * The order to look at jobs in, when there are more than requests: half of the requests go to the oldest, and the others to
 * where the hour's lot falls, so that jobs which do not end keep nobody else's from being seen for long.
 */
export function inTurn<Job>(jobs: readonly Job[], requests: number, nowMs: number): readonly Job[] {
  if (jobs.length <= requests) return jobs;
  const first = Math.floor(requests / 2);
  const others = jobs.slice(first);
  const begin = lotOf(Math.floor(nowMs / hourMs)) % others.length;
  return [...jobs.slice(0, first), ...others.slice(begin), ...others.slice(0, begin)];
}

/** A number drawn for an hour: counted on from one hour to the next, runs with some hours between them would pass over jobs. */
function lotOf(hour: number): number {
  return createHash('sha256').update(`${hour}`).digest().readUInt32BE();
}

function isOpen({ comment, marker }: Remembered, nowMs: number): boolean {
  switch (marker.phase) {
    case 'working':
      return marker.until === undefined || nowMs >= marker.until * 1000 + graceMs;
    case 'claimed':
      return nowMs - comment.createdAtMs >= claimMs;
    default:
      return false;
  }
}

/** What the process that wrote the comment that counts would have taken back. */
function leftBeside(last: Remembered, remembered: readonly Remembered[], nowMs: number): Remembered[] {
  const { key, nonce, run, attempt } = last.marker;
  // Only runs of agent mode name themselves so; a report keeps its comments itself.
  if (nonce === undefined) return [];
  const writer = { key, nonce, run, attempt, login: last.comment.login, nowMs };
  return outdated(remembered, { is: 'left', last }, writer).filter(
    // One whose marker does not name it may be another workflow's, with our first line in it.
    ({ comment, marker }) => marker.comment === comment.id && nowMs - comment.createdAtMs >= claimMs,
  );
}
