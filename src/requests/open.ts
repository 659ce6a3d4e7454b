import type { Card } from './card.ts';
import { type Found, isBound, outdated, statusCommentOf } from './claims.ts';

/** How long after its time a run may still be about to write the end itself. */
const graceMs = 600_000;
/** A run gets from its claim to its job within minutes, rate limits included. */
const claimMs = 3_600_000;

/** A comment of ours that no process follows any more, with its thread. */
export interface Open extends Found {
  /** The number of the issue or pull request. */
  readonly thread: number;
}

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
  const counting = keys.map((key) => statusCommentOf(cards, key, login)).filter((one) => one !== undefined);
  const inThread = (one: Found): Open => ({ ...one, thread });
  return {
    open: counting
      .filter((one) => isOpen(one, nowMs))
      .map(inThread)
      .sort(byAge),
    outdated: counting.flatMap((one) => leftBeside(one, cards, nowMs)).map(inThread),
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

function isOpen({ comment, card }: Found, nowMs: number): boolean {
  const { state, stop } = card;
  if (state.is === 'working')
    return stop?.reason !== 'given-up' && (state.until === undefined || nowMs >= state.until + graceMs);
  return isClaim(card) && nowMs - comment.createdAtMs >= claimMs;
}

function isClaim({ state }: Card): boolean {
  return state.is === 'claimed' || state.is === 'sent';
}

/** What the process that wrote the comment that counts would have deleted. */
function leftBeside(last: Found, cards: readonly Found[], nowMs: number): Found[] {
  const writer = { ...last.card, login: last.comment.login };
  return outdated(cards, { is: 'left', last }, writer).filter(
    // One that does not name itself may be another workflow's, with our first line in it.
    (one) => isBound(one) && nowMs - one.comment.createdAtMs >= claimMs,
  );
}
