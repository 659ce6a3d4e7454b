import { Budget } from '../core/budget.ts';
import type { Deps } from '../deps.ts';
import type { Job } from '../service/schemas.ts';
import { bestEffort } from './best-effort.ts';
import { type Card, endingOf, jobOf } from './card.ts';
import type { Found } from './claims.ts';
import { isTooEarly } from './job.ts';
import { type Look, Looks } from './looks.ts';
import { type Left, leftIn, type Open } from './open.ts';
import type { Run } from './run.ts';
import { type Saved, Saver } from './saver.ts';
import type { Signer } from './sign.ts';
import { gone, looked, lookedInVain, stopped, unconfirmed } from './transitions.ts';

/** An open comment after one look at its job. */
export interface Settled {
  readonly open: Open;
  /** The card as it is now; `undefined` if the job could not be seen: another run will. */
  readonly card: Card | undefined;
  /** What came of writing its end, if there was one. */
  readonly saved: Saved | undefined;
}

export interface SettleOptions {
  readonly clock: Deps['clock'];
  /** How long after the request to look for a job; `undefined` for ever. */
  readonly sinceMs: number | undefined;
  readonly signerOf: (thread: number) => Signer;
  /** Whether to note what was looked at in vain, since there are more jobs than requests. */
  readonly marksTurns?: boolean;
}

/**
 * Brings what was left open to its end, once its jobs were looked at, and deletes what no longer counts.
 *
 * @param done takes what was settled, one by one, for a caller that may be interrupted.
 */
export async function settle(
  { open, outdated }: Left,
  looks: Looks,
  saver: Saver,
  { clock, sinceMs, signerOf, marksTurns = false }: SettleOptions,
  done: Settled[] = [],
): Promise<void> {
  for (const one of open) {
    const card = afterLook(one, looks.found(jobOf(one.card)?.id ?? ''), clock.now(), sinceMs);
    const isOver = card !== undefined && endingOf(card) !== undefined && card !== one.card;
    const saved = isOver ? await saver.save(one, card, signerOf(one.thread)) : undefined;
    done.push({ open: one, card, saved });
    if (marksTurns && !isOver && card !== undefined)
      await saver.mark(one, lookedInVain(one.card, clock.now()), signerOf(one.thread));
  }
  for (const one of outdated) await saver.delete(one);
}

/** A thread has few jobs that no process follows. */
const mostRequests = 40;

/**
 * Brings a thread's open comments to their end, as far as possible.
 *
 * @param newest its newest job, which was looked at already.
 */
export async function settleThread(
  cards: readonly Found[],
  newest: Job | undefined,
  { thread }: Card,
  run: Run,
): Promise<void> {
  const { deps, signerOf } = run;
  const { github, clock } = deps;
  if (github === undefined || thread === undefined) return;
  const left = leftIn(cards, thread, clock.now());
  await bestEffort('Finishing what was left open in the thread', run, async () => {
    const looks = new Looks(new Budget(mostRequests), deps);
    if (newest !== undefined) looks.add(newest.id, newest);
    const jobIds = left.open.map(({ card }) => jobOf(card)?.id).filter((id) => id !== undefined);
    await looks.at([...new Set(jobIds)]);
    await settle(left, looks, new Saver(github, deps), { clock, sinceMs: undefined, signerOf });
  });
}

/** What a look shows of an open card: the same card if its job is still at work, `undefined` if nobody knows. */
export function afterLook(
  { card, comment }: Open,
  look: Look | undefined,
  nowMs: number,
  sinceMs = Number.POSITIVE_INFINITY,
): Card | undefined {
  if (jobOf(card) === undefined) return unconfirmed(card);
  if (look === undefined || look.is === 'unseen') return undefined;
  if (look.is === 'gone') return isTooEarly(card.askedAt, nowMs) ? card : gone(card);
  const after = looked(card, look.job, { nowMs, isLinkFinal: true });
  if (after.state.is === 'ended') return after;
  const isGivenUp = nowMs - (card.askedAt ?? comment.createdAtMs) >= sinceMs;
  return isGivenUp ? stopped(after, { outcome: 'timed-out', reason: 'given-up' }) : card;
}
