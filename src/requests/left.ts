import type { Project } from '../core/inputs/projects.ts';
import type { ThreadComment } from '../github/changes.ts';
import type { Job } from '../service/schemas.ts';
import { type Card, jobOf } from './card.ts';
import { type Found, isBound, outdated, statusCommentOf } from './claims.ts';
import { isTooEarly } from './job.ts';
import { isFollowed } from './pull.ts';
import type { Signer } from './sign.ts';
import { cardsIn } from './store.ts';
import { ended, looked, stopped } from './transitions.ts';

/* What a lost run, or one that did not wait, has left in the threads, and what a look at its job makes of it. */

/** How long after its time a run may still be about to write the end itself. */
const graceMs = 600_000;
/** A run gets from its claim to its job within minutes, rate limits included. */
export const claimMs = 3_600_000;

/** Whose cards are looked through. */
export interface Owner {
  readonly project: Project;
  /** The project's signer for a thread. */
  readonly signerOf: (thread: number) => Signer;
}

/** A comment that a run has left. */
export interface Left extends Found, Owner {
  /** The number of the issue or pull request. */
  readonly thread: number;
  /** Whether a run should have deleted it, since it no longer counts; otherwise its end, or its pull request's, is to come. */
  readonly isOutdated: boolean;
}

/** How a job was found; `undefined` if it was not looked at, or no usable answer came. */
export type Look = Job | 'gone' | undefined;

/** Finds what was left in threads, by their numbers: the oldest first. */
export function leftIn(
  comments: ReadonlyMap<number, readonly ThreadComment[]>,
  owner: Owner,
  nowMs: number,
): Left[] {
  const threads = [...comments].map(([thread, ones]) => ({
    thread,
    cards: cardsIn(ones, owner.signerOf(thread)),
  }));
  // Who writes our comments, by one whose card names it.
  const login = threads.flatMap(({ cards }) => cards).find(isBound)?.comment.login;
  const left = threads.flatMap(({ thread, cards }) =>
    [...new Set(cards.map(({ card }) => card.key))].flatMap((key) => {
      const last = statusCommentOf(cards, key, login);
      if (last === undefined) return [];
      const open = isLeft(last, nowMs) ? [{ ...last, isOutdated: false }] : [];
      const beside = leftBeside(last, cards, nowMs).map((one) => ({ ...one, isOutdated: true }));
      return [...open, ...beside].map((one): Left => ({ ...one, ...owner, thread }));
    }),
  );
  return left.sort(byAge);
}

/** The order to look at jobs in: the oldest first, and those that were looked at in vain last. */
export function byTurn(one: Found, other: Found): number {
  return (one.card.checkedAt ?? 0) - (other.card.checkedAt ?? 0) || byAge(one, other);
}

/**
 * What a look shows of a card that no one follows: the same card if it may still get a job, or its job is still at work;
 * `undefined` if no one knows.
 *
 * @param isTooOld whether its end is no longer waited for.
 */
export function afterLook(card: Card, look: Look, nowMs: number, isTooOld = false): Card | undefined {
  if (jobOf(card) === undefined) return isTooOld ? ended(card, 'unconfirmed') : card;
  if (look === undefined) return undefined;
  if (look === 'gone') return isTooEarly(card.askedAt, nowMs) ? card : ended(card, 'gone');
  const after = looked(card, look, { nowMs, isLinkFinal: true });
  if (after.state.is === 'ended') return after;
  return isTooOld ? stopped(after, { outcome: 'timed-out', reason: 'given-up' }) : card;
}

/** The oldest first; GitHub numbers comments as they come. */
function byAge(one: Found, other: Found): number {
  return one.comment.id - other.comment.id;
}

/** Whether no process follows the request any more, and its own end or its pull request's is still to come. */
export function isLeft({ card }: Found, nowMs: number): boolean {
  const { state, stop } = card;
  if (state.is === 'working')
    return stop?.reason !== 'given-up' && (state.until === undefined || nowMs >= state.until + graceMs);
  return state.is === 'claimed' || state.is === 'sent' || isFollowed(card);
}

/** What the process that wrote the comment that counts would have deleted. */
function leftBeside(last: Found, cards: readonly Found[], nowMs: number): Found[] {
  const writer = { ...last.card, login: last.comment.login };
  return outdated(cards, { is: 'left', last }, writer).filter(
    // One that does not name itself may be another workflow's, with our first line in it.
    (one) => isBound(one) && nowMs - one.comment.createdAtMs >= claimMs,
  );
}
