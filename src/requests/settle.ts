import { Budget } from '../core/budget.ts';
import type { Job } from '../service/schemas.ts';
import { bestEffort } from './best-effort.ts';
import { type Card, jobOf } from './card.ts';
import { type Found, isBound, type Open, outdated, statusCommentOf } from './claims.ts';
import { isTooEarly } from './job.ts';
import { type Look, Looks } from './looks.ts';
import type { Run } from './run.ts';
import { Saver } from './saver.ts';
import { gone, looked, stopped, unconfirmed } from './transitions.ts';

/** How long after its time a run may still be about to write the end itself. */
const graceMs = 600_000;
/** A run gets from its claim to its job within minutes, rate limits included. */
const claimMs = 3_600_000;

/** What no process follows any more in a thread. */
export interface Left {
  /** Status comments without an end, the oldest first. */
  readonly open: readonly Open[];
  /** Comments that a run should have deleted, since they no longer count for their trigger. */
  readonly outdated: readonly Open[];
}

/** Who writes our comments, by one whose card names it; `undefined` if there is none. */
export function ourLogin(cards: readonly Found[]): string | undefined {
  return cards.find(isBound)?.comment.login;
}

/**
 * Finds in the cards of a thread what no process follows any more.
 *
 * @param login who writes our comments, if that is known.
 */
export function leftIn(
  cards: readonly Found[],
  thread: number,
  nowMs: number,
  login = ourLogin(cards),
): Left {
  const keys = [...new Set(cards.map(({ card }) => card.key))];
  const counting = keys.flatMap((key) => statusCommentOf(cards, key, login) ?? []);
  const inThread = (ones: readonly Found[]) => ones.map((one): Open => ({ ...one, thread }));
  return {
    open: inThread(counting.filter((one) => isOpen(one, nowMs)).sort(byAge)),
    outdated: inThread(counting.flatMap((one) => leftBeside(one, cards, nowMs))),
  };
}

/** The oldest first; GitHub numbers comments as they come. */
export function byAge(one: Found, other: Found): number {
  return one.comment.id - other.comment.id;
}

/** The order to look at jobs in: the oldest first, and those that were looked at in vain last. */
export function byTurn(one: Found, other: Found): number {
  return (one.card.checkedAt ?? 0) - (other.card.checkedAt ?? 0) || byAge(one, other);
}

/** Requests to the service for one thread: it seldom has more than a few jobs that no process follows. */
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
  const { open, outdated } = leftIn(cards, thread, clock.now());
  await bestEffort('Finishing what was left open in the thread', run, async () => {
    const looks = new Looks(new Budget(mostRequests), deps);
    if (newest !== undefined) looks.add(newest);
    const jobIds = open.flatMap(({ card }) => jobOf(card)?.id ?? []);
    await looks.at([...new Set(jobIds)]);
    const saver = new Saver(github, deps);
    for (const one of open) {
      const card = afterLook(one, looks.found(jobOf(one.card)?.id), clock.now());
      if (card !== undefined && card !== one.card) await saver.save(one, card, signerOf(thread));
    }
    for (const one of outdated) await saver.delete(one);
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
  if (look === undefined || look === 'unseen') return undefined;
  if (look === 'gone') return isTooEarly(card.askedAt, nowMs) ? card : gone(card);
  const after = looked(card, look, { nowMs, isLinkFinal: true });
  if (after.state.is === 'ended') return after;
  const isGivenUp = nowMs - (card.askedAt ?? comment.createdAtMs) >= sinceMs;
  return isGivenUp ? stopped(after, { outcome: 'timed-out', reason: 'given-up' }) : card;
}

function isOpen({ comment, card }: Found, nowMs: number): boolean {
  const { state, stop } = card;
  if (state.is === 'working')
    return stop?.reason !== 'given-up' && (state.until === undefined || nowMs >= state.until + graceMs);
  return (state.is === 'claimed' || state.is === 'sent') && nowMs - comment.createdAtMs >= claimMs;
}

/** What the process that wrote the comment that counts would have deleted. */
function leftBeside(last: Found, cards: readonly Found[], nowMs: number): Found[] {
  const writer = { ...last.card, login: last.comment.login };
  return outdated(cards, { is: 'left', last }, writer).filter(
    // One that does not name itself may be another workflow's, with our first line in it.
    (one) => isBound(one) && nowMs - one.comment.createdAtMs >= claimMs,
  );
}
