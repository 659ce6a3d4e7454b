import { accessTo, type Project } from '../core/inputs/projects.ts';
import type { Deps } from '../deps.ts';
import type { ThreadComment } from '../github/changes.ts';
import type { Job } from '../service/schemas.ts';
import { type Card, jobOf } from './card.ts';
import { type Found, isBound, outdated, statusCommentOf } from './claims.ts';
import { isTooEarly } from './job.ts';
import { isFollowed } from './pull.ts';
import { createSigner } from './sign.ts';
import { cardsIn } from './store.ts';
import { ended, looked, stopped } from './transitions.ts';

/* Finds the requests that no run is watching anymore, and updates their cards after checking their jobs. */

/** How long a run may still post the result after its deadline. */
const graceMs = 600_000;
/** The longest time between a run's claim and its job, rate limits included. */
export const claimMs = 3_600_000;

/** A project whose cards are searched. */
export type Owner = Readonly<ReturnType<typeof ownerOf>>;

export function ownerOf(
  project: Project,
  config: Parameters<typeof accessTo>[0],
  { context, scrub }: Pick<Deps, 'context' | 'scrub'>,
) {
  const scope = { service: accessTo(config, project), repositoryId: context.repositoryId, scrub };
  return { project, signerOf: (thread: number) => createSigner({ ...scope, thread }) };
}

/** A comment for a request that no run is watching anymore. */
export interface Left extends Found, Owner {
  /** Whether the comment is obsolete and should be deleted. Otherwise, its job or pull request still has to be checked. */
  readonly isOutdated: boolean;
}

/** The result of checking a job; `undefined` if there was no check or no usable response. */
export type Look = Job | 'gone' | undefined;

/** Finds the comments that runs left behind in these threads, oldest first. */
export function leftIn(comments: readonly ThreadComment[], owner: Owner, nowMs: number): Left[] {
  const byThread = [...Map.groupBy(comments, ({ thread }) => thread)];
  const threads = byThread.map(([thread, ones]) => cardsIn(ones, owner.signerOf(thread)));
  // A comment whose card contains the comment's ID is ours, so its author is our login.
  const login = threads.flat().find(isBound)?.comment.login;
  const left = threads.flatMap((cards) =>
    [...new Set(cards.map(({ card }) => card.key))].flatMap((key) => {
      const last = statusCommentOf(cards, key, login);
      if (last === undefined) return [];
      // If the token can't see the pull request, only an event about it triggers another check.
      const isOpen = last.card.pull?.state !== 'unseen' && isLeft(last, nowMs);
      const open = isOpen ? [{ ...last, isOutdated: false }] : [];
      const writer = { ...last.card, login: last.comment.login };
      // If a card doesn't contain its comment's ID, another workflow may have copied our signed line.
      const beside = outdated(cards, { is: 'left', last }, writer)
        .filter((one) => isBound(one) && nowMs - one.comment.createdAtMs >= claimMs)
        .map((one) => ({ ...one, isOutdated: true }));
      return [...open, ...beside].map((one): Left => ({ ...one, ...owner }));
    }),
  );
  return left.sort(byAge);
}

/** Sorts the jobs to check: oldest comment first, but jobs whose last check found nothing new go last. */
export function byTurn(one: Found, other: Found): number {
  return (one.card.checkedAt ?? 0) - (other.card.checkedAt ?? 0) || byAge(one, other);
}

/** Updates a card after its job was checked; `undefined` if the check failed. `isTooOld`: gives up on the job. */
export function afterLook(card: Card, look: Look, nowMs: number, isTooOld = false): Card | undefined {
  if (jobOf(card) === undefined) return isTooOld ? ended(card, 'unconfirmed') : card;
  if (look === undefined) return undefined;
  if (look === 'gone') return isTooEarly(card.askedAt, nowMs) ? card : ended(card, 'gone');
  const after = looked(card, look, { nowMs, isLinkFinal: true });
  if (after.state.is === 'ended') return after;
  return isTooOld ? stopped(after, { outcome: 'timed-out', reason: 'given-up' }) : card;
}

function byAge(one: Found, other: Found): number {
  return one.comment.id - other.comment.id;
}

/** Whether no process is watching the request anymore, but its job or its pull request isn't final. */
export function isLeft({ card }: Found, nowMs: number): boolean {
  const { state, stop } = card;
  if (state.is === 'working')
    return stop?.reason !== 'given-up' && (state.until === undefined || nowMs >= state.until + graceMs);
  return state.is === 'claimed' || state.is === 'sent' || isFollowed(card);
}
