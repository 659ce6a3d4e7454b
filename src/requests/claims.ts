import type { ThreadComment } from '../github/changes.ts';
import { type Card, howEnded, jobOf } from './card.ts';
import { isAppLogin } from './sign.ts';

/** A comment with its verified card. */
export interface Found {
  readonly comment: ThreadComment;
  readonly card: Card;
}

/** The process that reads a thread, and the request it works on. */
export type Onlooker = Pick<Card, 'key' | 'nonce' | 'run' | 'attempt' | 'login'>;

/** Who owns a request: no one, this process, another running process (`elsewhere`), or a process that has ended (`left`). */
export interface Holder {
  readonly is: 'free' | 'ours' | 'elsewhere' | 'left';
  readonly last: Found | undefined;
}

/** How long we wait, after an earlier command's claim, for that command to get a job. */
const pendingMs = 120_000;

/** Merges several reads of a thread and sorts the comments by ID. The last read of a comment wins. */
export function merged(...looks: readonly (readonly Found[])[]): Found[] {
  const byId = new Map(looks.flat().map((one) => [one.comment.id, one]));
  return [...byId.values()].sort((one, other) => one.comment.id - other.comment.id);
}

/**
 * The status comment of a request. The claim with the highest generation wins; then one that has a job; then the one with the
 * lowest comment ID. A card without its comment's ID could be a pasted copy, so it counts only in a comment of ours that was
 * never edited.
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

/** Decides which process owns a request. */
export function holderOf(cards: readonly Found[], me: Onlooker, nowMs: number): Holder {
  const last = statusCommentOf(cards, me.key, me.login);
  if (last === undefined || last.card.state.is === 'freed') return { is: 'free', last };
  if (last.card.nonce === me.nonce) return { is: 'ours', last };
  const { state } = last.card;
  const isFollowed = 'until' in state && state.until !== undefined && nowMs < state.until;
  return { is: isFollowed && !isEarlierAttempt(last.card, me) ? 'elsewhere' : 'left', last };
}

/** The obsolete comments of a request, such as claims that the winning claim replaces. */
export function outdated(cards: readonly Found[], { is, last }: Holder, me: Onlooker): Found[] {
  return cards.filter((one) => {
    const { card } = one;
    if (card.key !== me.key || one === last || !isGenuine(one, me.login)) return false;
    const isMine = card.nonce === me.nonce || isEarlierAttempt(card, me);
    // If another process owns the request, that process deletes its own old claims.
    const isTaken = is === 'ours' || is === 'left';
    const isPassed = isTaken && howEnded(card) !== 'denied' && card.generation < (last?.card.generation ?? 0);
    return isMine || isPassed;
  });
}

/** Whether this thread already shows that a login was denied. */
export function wasDenied(cards: readonly Found[], login: string): boolean {
  return cards.some(({ card }) => howEnded(card) === 'denied' && card.asker === login);
}

/** The ID of the newest job in a thread. */
export function newestJob(cards: readonly Found[]): string | undefined {
  const newest = cards.findLast(hasJob);
  return newest && jobOf(newest.card)?.id;
}

/** The newest earlier command that was claimed less than two minutes ago and has no job yet. */
export function pendingBefore(cards: readonly Found[], commentId: number, nowMs: number): Found | undefined {
  return cards.findLast(
    ({ comment, card }) =>
      comment.id < commentId &&
      card.state.is === 'claimed' &&
      nowMs - comment.createdAtMs < pendingMs &&
      // Ignore pasted copies and claims that lost to another claim.
      statusCommentOf(cards, card.key)?.comment === comment,
  );
}

/** Whether a card contains its comment's ID, so it can't be a pasted copy. */
export function isBound({ comment, card }: Found): boolean {
  return card.comment?.id === comment.id;
}

function hasJob(one: Found): boolean {
  return isBound(one) && howEnded(one.card) !== 'answered' && jobOf(one.card) !== undefined;
}

/**
 * Whether a card is in a comment of ours and isn't a pasted copy. Before we know our login, a card without its comment's ID
 * counts only in an app's comment, because people can't have an app's login.
 */
function isGenuine(one: Found, login: string | undefined): boolean {
  const { comment } = one;
  const isOurs = login === undefined ? isAppLogin(comment.login) : comment.login === login;
  return isBound(one) || (comment.unedited && isOurs);
}

function isEarlierAttempt({ run, attempt }: Card, me: Onlooker): boolean {
  return run === me.run && attempt < me.attempt;
}
