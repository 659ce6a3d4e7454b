import type { DepsToRead } from '../../deps.ts';
import { ignoreGitHubError } from '../../github/errors.ts';
import type { PullRequestRef } from '../../github/pull-requests.ts';
import { type Card, howEnded, isSameUrl, jobOf, pullRequestRef, pullUrlOf } from '../card/card.ts';
import { statusComment } from '../card/comment.ts';
import { isFollowed } from '../card/pull.ts';
import { ended, isUnsent, placed, stopped, takenOver } from '../card/transitions.ts';
import { type Found, isBound, isFirstWrite, merged, type PostedCard } from './find.ts';

/* Decides who owns a request, from the cards in its thread. */

/** The process that reads a thread, and the request it works on. */
export type Reader = RequestId & Pick<Card, 'nonce' | 'run' | 'attempt' | 'login'>;

/** What identifies a request across runs. */
type RequestId = Pick<Card, 'key' | 'contextInputs'>;

/** Who owns a request: no one, this process, another running process (`elsewhere`), or a process that has ended (`ended`). */
type Holder = {
  readonly is: 'free' | 'ours' | 'elsewhere' | 'ended';
  readonly last: PostedCard | undefined;
};

/** How long we wait, after an earlier command's claim, for that command to get a job. */
const pendingMs = 120_000;
/** How long a run may still post the result after its deadline. */
const graceMs = 600_000;
/** The longest time between a run's claim and its job, rate limits included. */
export const claimMs = 3_600_000;

/** The status comment of each request in these cards, with all cards of its thread. */
export function requestsIn(all: readonly PostedCard[]) {
  // A comment whose card contains the comment's ID is ours, so its author is our login.
  const login = all.find(isBound)?.comment.login;
  const places = Map.groupBy(all, ({ comment, owner }) => `${comment.thread} ${owner.project.id}`);
  return [...places.values()].flatMap((cards) =>
    [...new Set(cards.map(({ card }) => statusCommentOf(cards, card, login)))].flatMap((last) =>
      last === undefined ? [] : [{ last, cards }],
    ),
  );
}

/** The times at which a request was sent, or may have been. */
export function sendTimes({ comment, card }: PostedCard): readonly number[] {
  const { state, ask, askedAt, sentBefore = [] } = card;
  const isUnsent = state.is === 'freed' || ask === 'attach' || ask === 'reply';
  return isUnsent ? sentBefore : [...sentBefore, askedAt ?? comment.createdAtMs];
}

/** The status comment of a request: the claim with the highest generation; then one that has a job; then the lowest comment ID. */
export function statusCommentOf(cards: readonly PostedCard[], request: RequestId, login?: string) {
  const claims = cards.filter(
    ({ card }) => isSameRequest(card, request) && howEnded(card) !== 'denied',
  );
  const [best] = claims
    .filter((posted) => isGenuine(posted, login))
    .sort(
      (first, second) =>
        second.card.generation - first.card.generation ||
        Number(hasJob(second)) - Number(hasJob(first)) ||
        first.comment.id - second.comment.id,
    );
  return best;
}

export function holderOf(cards: readonly PostedCard[], me: Reader, nowMs: number): Holder {
  const last = statusCommentOf(cards, me, me.login);
  if (last === undefined || last.card.state.is === 'freed') return { is: 'free', last };
  if (last.card.nonce === me.nonce) return { is: 'ours', last };
  const { state } = last.card;
  const isWatched = 'until' in state && state.until !== undefined && nowMs < state.until;
  return { is: isWatched && !isEarlierAttempt(last.card, me) ? 'elsewhere' : 'ended', last };
}

/** The obsolete comments of a request, such as claims that the winning claim replaces. */
export function outdated(
  cards: readonly PostedCard[],
  { is, last }: Holder,
  me: Reader,
): PostedCard[] {
  return cards.filter((posted) => {
    const { card } = posted;
    if (!isSameRequest(card, me) || posted === last || !isGenuine(posted, me.login)) return false;
    const isMine = card.nonce === me.nonce || isEarlierAttempt(card, me);
    // If another process owns the request, that process deletes its own old claims.
    const isTaken = is === 'ours' || is === 'ended';
    const isPassed =
      isTaken && howEnded(card) !== 'denied' && card.generation < (last?.card.generation ?? 0);
    return isMine || isPassed;
  });
}

/** What the thread means for a request. `earlier` is the card of an ended process, whose request this process continues. */
export function learned({ ours, ofOtherKeys, newer }: Found, card: Card, nowMs: number) {
  const { is, last } = holderOf(ours, card, nowMs);
  if (is === 'elsewhere') {
    const { comment: _, ...kept } = card;
    const stop = { outcome: 'skipped', reason: 'another-run' } as const;
    return { card: { ...kept, stop } };
  }
  // The claim is ours although GitHub's response was lost, or the request in the comment was never sent.
  const isOwn = last !== undefined && (is !== 'ended' || isUnsent(card));
  const sentBefore = card.sentBefore ?? last?.card.sentBefore;
  const own = isOwn ? { ...placed(card, last.comment), sentBefore } : card;
  if (!isUnsent(card)) return { card: own };
  if (last !== undefined && is === 'ended')
    return { card: placed(takenOver(last.card, card), last.comment), earlier: last.card };
  if (card.ask === 'reply') return { card: own };
  // This request's card was signed with a different key, so the previous attempt may have sent the request.
  if (
    last === undefined &&
    card.attempt > 1 &&
    ofOtherKeys.some((other) => other.card.key === card.key)
  )
    return {
      card: stopped(ended(card, 'unconfirmed'), { outcome: 'failed', reason: 'key-changed' }),
    };
  // A card that can't be read may be this request's, or may have the thread's newest job.
  if (!isUnreadable(newer, card.key)) return { card: own };
  return { card: stopped(own, { outcome: 'failed', reason: 'newer-version' }) };
}

/** Whether a newer version wrote a card that this version can't read, and that may be about this request. */
export function isUnreadable(newer: Found['newer'], key: string): boolean {
  return newer.some((card) => (card.key ?? key) === key);
}

export function wasDenied(cards: readonly PostedCard[], login: string): boolean {
  return cards.some(({ card }) => howEnded(card) === 'denied' && card.requester === login);
}

export function newestJob(cards: readonly PostedCard[]) {
  const { card } = cards.findLast(hasJob) ?? {};
  const jobId = card && jobOf(card)?.id;
  return jobId === undefined ? undefined : { jobId, askedAt: card?.askedAt };
}

/** The newest earlier command that was claimed less than two minutes ago and has no job yet. */
export function pendingBefore(cards: readonly PostedCard[], commentId: number, nowMs: number) {
  return cards.findLast(
    ({ comment, card }) =>
      comment.id < commentId &&
      card.state.is === 'claimed' &&
      nowMs - comment.createdAtMs < pendingMs &&
      // Ignore pasted copies and claims that lost to another claim.
      statusCommentOf(cards, card)?.comment === comment,
  );
}

/** Whether two cards, or a card and a run, are about the same request. */
export function isSameRequest(card: RequestId, { key, contextInputs }: RequestId): boolean {
  // A card of an earlier version doesn't say which context inputs it was sent with.
  return (
    card.key === key &&
    (card.contextInputs ?? contextInputs) === (contextInputs ?? card.contextInputs)
  );
}

function hasJob(posted: PostedCard): boolean {
  return (
    isBound(posted) && howEnded(posted.card) !== 'answered' && jobOf(posted.card) !== undefined
  );
}

/** Whether a card is in a comment of ours and isn't a pasted copy. */
function isGenuine(posted: PostedCard, login: string | undefined): boolean {
  return isBound(posted) || isFirstWrite(posted.comment, login);
}

function isEarlierAttempt({ run, attempt }: Card, me: Reader): boolean {
  return run === me.run && attempt < me.attempt;
}

/** Comments that a run has to look at, oldest first: the unfinished ones, and those to be deleted. */
export type OpenCards = Readonly<Record<'unwatched' | 'obsolete', readonly PostedCard[]>>;

export function openCardsOf(requests: ReturnType<typeof requestsIn>, nowMs: number): OpenCards {
  const unwatched = requests.flatMap(({ last }) => (isUnwatched(last.card, nowMs) ? last : []));
  const obsolete = requests.flatMap(({ last, cards }) => {
    const writer = { ...last.card, login: last.comment.login };
    return outdated(cards, { is: 'ended', last }, writer).filter(
      (posted) =>
        (isBound(posted) || isUntouched(posted)) && nowMs - posted.comment.createdAtMs >= claimMs,
    );
  });
  return { unwatched: merged(unwatched), obsolete: merged(obsolete) };
}

/** Whether a comment is exactly as we posted it. If another workflow copied our signed line, there is other text, too. */
function isUntouched({ comment, card }: PostedCard): boolean {
  return comment.body.replace(/^.*\n/, '').trim() === statusComment(card).trim();
}

/** Whether no process is watching the request anymore, but its job or its pull request isn't final. */
export function isUnwatched(card: Card, nowMs: number): boolean {
  const { state, stop } = card;
  if (state.is === 'working')
    return (
      stop?.reason !== 'given-up' && (state.until === undefined || nowMs >= state.until + graceMs)
    );
  return state.is === 'claimed' || state.is === 'sent' || isFollowed(card, nowMs);
}

/** Whether this workflow made a request with `continue: repository`. The repository may have had another name then. */
export function isOfSeries({ series }: Card, { workflow }: { readonly workflow: string }): boolean {
  const fileOf = (path = '') => path.split('/').slice(2).join('/');
  return series !== undefined && fileOf(series) === fileOf(workflow);
}

/** Whether a card's job is running without a pull request, so it may open one. */
export function mayOpenPull(posted: PostedCard): boolean {
  const { state } = posted.card;
  return isBound(posted) && state.is === 'working' && state.job.prLink === null;
}

/** The cards whose job opened one of these pull requests, also if its link has a former name of the repository. */
export async function cardsNaming(
  cards: readonly PostedCard[],
  pullRequests: readonly { readonly url: string }[],
  { github, context }: Pick<DepsToRead, 'github' | 'context'>,
): Promise<PostedCard[]> {
  const refOf = (url: string | undefined) => pullRequestRef(url, context);
  const nameOf = ({ owner, repo }: Pick<PullRequestRef, 'owner' | 'repo'>) =>
    `${owner}/${repo}`.toLowerCase();
  const names = new Map<string, Promise<string | undefined> | undefined>();
  const isNamed = async (posted: PostedCard) => {
    const url = pullUrlOf(posted.card, context);
    if (pullRequests.some((pull) => isSameUrl(url, pull.url))) return true;
    const ref = refOf(url);
    const now = refOf(pullRequests.find((pull) => refOf(pull.url)?.number === ref?.number)?.url);
    if (ref === undefined || now === undefined) return false;
    const { owner, repo } = ref;
    const readName = async () =>
      github && nameOf((await github.at(now).readAbout({ owner, repo })).current);
    const name = names.get(nameOf(ref)) ?? readName().catch(ignoreGitHubError);
    names.set(nameOf(ref), name);
    return (await name) === nameOf(now);
  };
  const bound = cards.filter(isBound);
  const isEach = await Promise.all(bound.map(isNamed));
  return bound.filter((_, index) => isEach[index]);
}
