import type { PullRequestState } from '../../github/changes.ts';
import type { Job } from '../../service/schemas.ts';
import { type Card, howEnded, jobOf } from './card.ts';
import type { Verdict } from './checks.ts';
import { endOf, isAsBefore, isTerminal, isTooEarly, lacksLink, pullOf, pullRequestOf } from './job.ts';
import { ended, noted, unended, watched, working } from './transitions.ts';

/**
 * What the service says about a job. `isLinkFinal`: no link will come later. `missing`: two 404s, at least 5 s apart.
 * `unreadable`: anything else that says nothing about the job, such as the first 404.
 */
export type Observation = { readonly job: Job; readonly isLinkFinal: boolean } | 'missing' | 'unreadable';

/**
 * Updates a card from what the service says about its job; without news, returns the same card. An ended job ends the request,
 * unless its status may be older than the follow-up or its link may still come. A missing job ends it, unless it may be too new.
 */
export function observed(card: Card, what: Observation, nowMs: number): Card {
  if (what === 'unreadable') return card;
  const isEarly = isTooEarly(card.askedAt, nowMs);
  if (what === 'missing') return isEarly || howEnded(card) === 'gone' ? card : ended(card, 'gone');
  const { job, isLinkFinal } = what;
  const { state } = card;
  const last = howEnded(card) === 'unseen' ? jobOf(card) : undefined;
  const before = state.is === 'working' ? state.before : last;
  const isFromBefore = before !== undefined && isAsBefore(before, job);
  const isOver = isTerminal(job.status) && !(isFromBefore && isEarly) && (isLinkFinal || !lacksLink(job));
  const after = isOver
    ? ended(card, isFromBefore ? 'unseen' : endOf(job), job)
    : watched(working(unended(card), job, before), 'until' in state ? state.until : undefined);
  return JSON.stringify(state) === JSON.stringify(after.state) ? card : after;
}

const unseen =
  'The token can’t see the pull request, so this comment won’t say when it is merged. To change that, pass a `github-token` that can.';

/** A pull request, and what its checks say: `nothing` if that isn't certain, `undefined` if they weren't read. */
export type PullRequestSeen = PullRequestState & { readonly checks?: Verdict | 'nothing' | undefined };

/** Updates a card from its pull request, or returns the same card. A new head shows that the job has picked up the follow-up. */
export function followed(card: Card, pullRequest: PullRequestSeen | undefined): Card {
  const job = jobOf(card);
  const url = pullRequestOf(job)?.url;
  if (job === undefined || url === undefined) return card;
  const { head, ...before }: Partial<NonNullable<Card['pull']>> = pullOf(card) ?? {};
  // Another run's token may see it, so what is known stays.
  if (pullRequest === undefined)
    return before.state === undefined ? noted({ ...card, pull: { url, state: 'unseen' } }, unseen) : card;
  const { state, shown, headSha, checkedSha, checks: read } = pullRequest;
  const { createdAtMs: openedAt, mergedAtMs: mergedAt } = pullRequest;
  // If the checks couldn't be read, what they said about the same commit is still true.
  const last = before.checks?.sha === checkedSha ? before.checks : undefined;
  const checks = read === 'nothing' ? undefined : (read ?? last);
  const isSame = before.state === state && JSON.stringify(checks) === JSON.stringify(before.checks);
  if (isSame && head === undefined) return card;
  const isUpdated = head === undefined ? before.isUpdated : headSha !== head;
  const pull = { ...before, url, state, shown, checks, openedAt, mergedAt, isUpdated };
  const isTakenUp = head !== undefined && isUpdated && howEnded(card) === 'unseen';
  const notes = card.notes.filter((note) => note !== unseen);
  return { ...card, notes, pull, ...(isTakenUp && { state: { is: 'ended', how: endOf(job), job } }) };
}
