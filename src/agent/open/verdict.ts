import type { Job } from '../../service/schemas.ts';
import { isTerminal } from '../job/status.ts';
import { isAsBefore, takeUpMs } from '../job/watch.ts';
import { type Ending, endingOf, unseenEndingOf } from '../tell/ending.ts';
import type { Remembered } from '../thread/memory.ts';
import type { Look } from './looks.ts';

/** What becomes of an open comment. */
export type Verdict =
  | Over
  /** Its job goes on. */
  | { readonly is: 'at work' }
  /** How its job stands is not known: another run will see. */
  | { readonly is: 'unseen' };

/** Its end can be told. */
export interface Over {
  readonly is: 'over';
  readonly ending: Ending;
  readonly job: Job | undefined;
}

export interface Patience {
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  /** How long after it was asked a job is looked for; `undefined` for ever. */
  readonly sinceMs: number | undefined;
}

/** What becomes of an open comment whose job was found so, or of a claim without a job. */
export function verdictOn(
  { comment, marker }: Remembered,
  look: Look | undefined,
  { nowMs, sinceMs = Number.POSITIVE_INFINITY }: Patience,
): Verdict {
  const { job: jobId, before, askedAt } = marker;
  if (jobId === undefined) return failed('unconfirmed');
  if (look === undefined || look.is === 'unseen') return { is: 'unseen' };
  // What is seen right after a request may be from before it. The comment was last edited after the request at the earliest.
  const isFresh = nowMs - comment.editedAtMs < takeUpMs;
  if (look.is === 'gone') return isFresh ? { is: 'at work' } : failed('not-found');

  const { job } = look;
  if (isTerminal(job.status)) {
    const isSeen = before === undefined || !isAsBefore(before, job);
    if (isSeen) return { is: 'over', ending: endingOf(job), job };
    return isFresh ? { is: 'at work' } : { is: 'over', ending: unseenEndingOf(job), job };
  }
  const askedAtMs = askedAt === undefined ? comment.createdAtMs : askedAt * 1000;
  if (nowMs - askedAtMs < sinceMs) return { is: 'at work' };
  return { is: 'over', ending: { outcome: 'timed-out', reason: 'given-up' }, job };
}

function failed(reason: Ending['reason']): Over {
  return { is: 'over', ending: { outcome: 'failed', reason }, job: undefined };
}
