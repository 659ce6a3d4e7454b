import type { ThreadComment } from '../github/changes.ts';
import { type Card, howEnded, jobOf } from './card.ts';
import { isAppLogin } from './sign.ts';

/** A comment with its verified card. */
export interface Found {
  readonly comment: ThreadComment;
  readonly card: Card;
}

/** Who reads a thread: one process of one run, for one trigger. */
export type Onlooker = Pick<Card, 'key' | 'nonce' | 'run' | 'attempt' | 'login'>;

/**
 * Who owns a trigger.
 * `free`: no one. `ours`: this process claimed it. `elsewhere`: another process is working on it.
 * `left`: a process that is over left it, with a job or with a claim whose outcome is unknown.
 */
export interface Holder {
  readonly is: 'free' | 'ours' | 'elsewhere' | 'left';
  /** The status comment, if there is one. */
  readonly last: Found | undefined;
}

/** How long an earlier command may take from its claim to its job. */
const pendingMs = 120_000;

/** Merges several reads of a thread, in the order the comments were written; the latest read of a comment wins. */
export function merged(...looks: readonly (readonly Found[])[]): Found[] {
  const byId = new Map(looks.flat().map((one) => [one.comment.id, one]));
  return [...byId.values()].sort((one, other) => one.comment.id - other.comment.id);
}

/**
 * The status comment of a trigger. Of its claims, the highest generation wins; within it one that has a job, then the lowest
 * comment id. A card that doesn't name its comment yet could be a copy, so it's valid only in a comment of ours that was never
 * edited.
 */
export function statusCommentOf(cards: readonly Found[], key: string, login?: string): Found | undefined {
  const [best] = cards
    .filter((one) => one.card.key === key && howEnded(one.card) !== 'denied' && isGenuine(one, login))
    .sort(
      (one, other) =>
        other.card.generation - one.card.generation ||
        Number(hasJob(other)) - Number(hasJob(one)) ||
        one.comment.id - other.comment.id,
    );
  return best;
}

/** Who owns the onlooker's trigger. */
export function holderOf(cards: readonly Found[], me: Onlooker, nowMs: number): Holder {
  const last = statusCommentOf(cards, me.key, me.login);
  if (last === undefined || last.card.state.is === 'freed') return { is: 'free', last };
  if (last.card.nonce === me.nonce) return { is: 'ours', last };
  const { state } = last.card;
  const isFollowed = 'until' in state && state.until !== undefined && nowMs < state.until;
  return { is: isFollowed && !isEarlierAttempt(last.card, me) ? 'elsewhere' : 'left', last };
}

/**
 * Comments that are obsolete for the trigger: those that the winning claim replaces, those that this run wrote twice or lost a
 * race with, and its denial of someone who is now allowed.
 */
export function outdated(cards: readonly Found[], { is, last }: Holder, me: Onlooker): Found[] {
  return cards.filter((one) => {
    const { card } = one;
    if (card.key !== me.key || one === last || !isGenuine(one, me.login)) return false;
    const isMine = card.nonce === me.nonce || isEarlierAttempt(card, me);
    // Another process withdraws its own.
    const isTaken = is === 'ours' || is === 'left';
    const isPassed = isTaken && howEnded(card) !== 'denied' && card.generation < (last?.card.generation ?? 0);
    return isMine || isPassed;
  });
}

/** Whether a login was denied in this thread before. */
export function wasDenied(cards: readonly Found[], login: string): boolean {
  return cards.some(({ card }) => howEnded(card) === 'denied' && card.asker === login);
}

/** The id of the thread's newest job. */
export function newestJob(cards: readonly Found[]): string | undefined {
  const newest = cards.findLast(hasJob);
  return newest && jobOf(newest.card)?.id;
}

/** The newest command before a comment that was claimed within the last two minutes and has no job yet. */
export function pendingBefore(cards: readonly Found[], commentId: number, nowMs: number): Found | undefined {
  return cards.findLast(
    ({ comment, card }) =>
      comment.id < commentId &&
      card.state.is === 'claimed' &&
      nowMs - comment.createdAtMs < pendingMs &&
      // Neither a copy of its claim nor one that lost the race for the same trigger.
      statusCommentOf(cards, card.key)?.comment === comment,
  );
}

/** Whether a card names the comment it is in, so that it can't be a copy. */
export function isBound({ comment, card }: Found): boolean {
  return card.comment?.id === comment.id;
}

function hasJob(one: Found): boolean {
  return isBound(one) && howEnded(one.card) !== 'answered' && jobOf(one.card) !== undefined;
}

/**
 * Whether a card is in a comment of ours and isn't a copy. Until we know our login, a card that doesn't name its comment is valid
 * only in an app's comment: someone who copies a card has no such login.
 */
function isGenuine(one: Found, login: string | undefined): boolean {
  const { comment } = one;
  const isOurs = login === undefined ? isAppLogin(comment.login) : comment.login === login;
  return isBound(one) || (comment.unedited && isOurs);
}

/** An earlier attempt of the same run is over. */
function isEarlierAttempt({ run, attempt }: Card, me: Onlooker): boolean {
  return run === me.run && attempt < me.attempt;
}
