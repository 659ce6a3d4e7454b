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

/* What a run that was lost or didn't wait left in the threads, and how checking its job changes that. */

/** How long after its deadline a run may still post the result itself. */
const graceMs = 600_000;
/** A run gets from its claim to its job within this time, rate limits included. */
export const claimMs = 3_600_000;

/** Whose cards are searched. */
export interface Owner {
  readonly project: Project;
  /** The project's signer for a thread. */
  readonly signerOf: (thread: number) => Signer;
}

/** A comment that a run left behind. */
export interface Left extends Found, Owner {
  /** The number of the issue or pull request. */
  readonly thread: number;
  /** Whether a run should have deleted it as obsolete; otherwise its result, or its pull request's, is still to come. */
  readonly isOutdated: boolean;
}

/** How a job was found; `undefined` if it wasn't checked, or there was no usable response. */
export type Look = Job | 'gone' | undefined;

/** Finds what was left in threads, given by their numbers: oldest first. */
export function leftIn(
  comments: ReadonlyMap<number, readonly ThreadComment[]>,
  owner: Owner,
  nowMs: number,
): Left[] {
  const threads = [...comments].map(([thread, ones]) => ({
    thread,
    cards: cardsIn(ones, owner.signerOf(thread)),
  }));
  // The login that writes our comments, taken from a comment that its card names.
  const login = threads.flatMap(({ cards }) => cards).find(isBound)?.comment.login;
  const left = threads.flatMap(({ thread, cards }) =>
    [...new Set(cards.map(({ card }) => card.key))].flatMap((key) => {
      const last = statusCommentOf(cards, key, login);
      if (last === undefined) return [];
      // What the token can’t see is checked again only when an event is about it.
      const isOpen = last.card.pull?.state !== 'unseen' && isLeft(last, nowMs);
      const open = isOpen ? [{ ...last, isOutdated: false }] : [];
      const beside = leftBeside(last, cards, nowMs).map((one) => ({ ...one, isOutdated: true }));
      return [...open, ...beside].map((one): Left => ({ ...one, ...owner, thread }));
    }),
  );
  return left.sort(byAge);
}

/** The order to check jobs in: oldest first, but those that were checked without news last. */
export function byTurn(one: Found, other: Found): number {
  return (one.card.checkedAt ?? 0) - (other.card.checkedAt ?? 0) || byAge(one, other);
}

/**
 * Updates a card that no one follows, once its job has been checked. Returns the same card if it may still get a job or its job
 * is still running, and `undefined` if the check failed.
 *
 * @param isTooOld whether we give up on its result.
 */
export function afterLook(card: Card, look: Look, nowMs: number, isTooOld = false): Card | undefined {
  if (jobOf(card) === undefined) return isTooOld ? ended(card, 'unconfirmed') : card;
  if (look === undefined) return undefined;
  if (look === 'gone') return isTooEarly(card.askedAt, nowMs) ? card : ended(card, 'gone');
  const after = looked(card, look, { nowMs, isLinkFinal: true });
  if (after.state.is === 'ended') return after;
  return isTooOld ? stopped(after, { outcome: 'timed-out', reason: 'given-up' }) : card;
}

/** Oldest first: GitHub numbers comments in order. */
function byAge(one: Found, other: Found): number {
  return one.comment.id - other.comment.id;
}

/** Whether no process follows the request anymore, but its result or its pull request's is still to come. */
export function isLeft({ card }: Found, nowMs: number): boolean {
  const { state, stop } = card;
  if (state.is === 'working')
    return stop?.reason !== 'given-up' && (state.until === undefined || nowMs >= state.until + graceMs);
  return state.is === 'claimed' || state.is === 'sent' || isFollowed(card);
}

/** What the process that wrote the winning comment would have deleted. */
function leftBeside(last: Found, cards: readonly Found[], nowMs: number): Found[] {
  const writer = { ...last.card, login: last.comment.login };
  return outdated(cards, { is: 'left', last }, writer).filter(
    // A comment that its card doesn't name may be another workflow's, with our first line copied into it.
    (one) => isBound(one) && nowMs - one.comment.createdAtMs >= claimMs,
  );
}
