import {
  isSameRepository,
  type PullRequestAddress,
  parsePullRequest,
  parseRepository,
  pullRequestUrl,
} from '../../core/address.ts';
import type { PullRequestState } from '../../github/changes.ts';
import type { RunContext } from '../../runner/context.ts';
import { dayMs } from '../../text/duration.ts';
import { type Card, endOf, howEnded, jobOf, pullRequestOf } from './card.ts';
import type { Verdict } from './checks.ts';
import { remarks } from './remarks.ts';
import { addRemark } from './transitions.ts';

/* A job's pull request and what its checks say, as last seen. */

/** How long after a merge its checks are read: one may fail late, or run again after a failure. */
const awaitedMs = dayMs;

type Pull = NonNullable<Card['pull']>;
type Here = Pick<RunContext, 'repositoryUrl'>;

/** What GitHub says about a pull request and its checks. */
export interface SeenPullRequest extends Omit<PullRequestState, 'shown'> {
  /** `undefined` if it mustn't be shown here. */
  readonly shown: PullRequestState['shown'] | undefined;
  /** The commit whose checks count; `undefined` after a merge that publishes nothing. */
  readonly checkedSha: string | undefined;
  /** `nothing` if that isn't certain, `undefined` if they weren't read. */
  readonly checks?: Verdict | 'nothing' | undefined;
}

/** `unseen`: the token can't see the pull request. `unknown`: it couldn't be read. */
export type PullSighting = SeenPullRequest | 'unseen' | 'unknown';

/** The pull request at a URL; `undefined` if it isn't on the same server as this repository. */
export function pullRequestRef(
  url: string | undefined,
  here: Here,
): PullRequestAddress | undefined {
  const pull = parsePullRequest(url);
  return pull?.server === new URL(here.repositoryUrl).origin ? pull : undefined;
}

/**
 * Where a pull request of this repository is now. The event of a run that waited or is run again
 * may have a former name of the repository.
 */
export function pullUrlHere(number: number, here: Here): string {
  return `${here.repositoryUrl}/pull/${number}`;
}

/**
 * Where the pull request of a card's job is now. The repository may have had another name when the
 * run named it in `runUrl`.
 */
export function pullUrlOf(card: Card, here: Here, job = jobOf(card)): string | undefined {
  const url = pullRequestOf(job)?.url;
  const pull = parsePullRequest(url);
  const formerly = parseRepository(card.runUrl);
  const now = parseRepository(here.repositoryUrl);
  if (pull === undefined || formerly === undefined || now === undefined) return url;
  if (!isSameRepository(pull, formerly)) return url;
  return pullRequestUrl({ ...pull, ...now });
}

/** Whether a pull request is in another repository, which the `docs-token` is for. */
export function isElsewhere(ref: PullRequestAddress, here: Here): boolean {
  const own = parseRepository(here.repositoryUrl);
  return own === undefined || !isSameRepository(ref, own);
}

/** The pull request of a card's job, if it is on the same server as this repository. */
export function pullRefOf(card: Card, here: Here): PullRequestAddress | undefined {
  return pullRequestRef(pullUrlOf(card, here), here);
}

/**
 * The commit whose checks count: the head, or the merge commit on the `branch` that the site is
 * built from.
 */
export function checkedShaOf(
  pull: PullRequestState,
  branch = pull.defaultBranch,
): string | undefined {
  if (pull.state !== 'merged') return pull.headSha;
  return pull.baseRef === branch ? pull.mergeCommitSha : undefined;
}

/**
 * Whether a pull request's title and people mustn't be shown: it is in a private repository, and
 * this one is public.
 */
export function isHiddenHere(
  pull: Pick<PullRequestState, 'isPrivate'>,
  here: Pick<RunContext, 'isPrivate'>,
) {
  return pull.isPrivate && !here.isPrivate;
}

/** The last known state of the pull request. */
export function pullOf(card: Card): Card['pull'] {
  return card.pull?.url === pullRequestOf(jobOf(card))?.url ? card.pull : undefined;
}

/** What the checks say about the pull request in its last known state. */
export function checksOf(card: Card): Verdict | undefined {
  const { state, checks } = pullOf(card) ?? {};
  const isAboutMerge = checks?.is === 'published' || checks?.is === 'not-published';
  const stateOfChecks = isAboutMerge ? 'merged' : 'open';
  return state === stateOfChecks ? checks : undefined;
}

/** The pull request as the `result` output describes it; `null` if there is none. */
export function pullRequestDetails(card: Card) {
  const link = pullRequestOf(jobOf(card));
  if (link === undefined) return null;
  const pull = pullOf(card);
  if (pull === undefined || pull.state === 'unseen') return link;
  const draft = pull.isDraft === true;
  return { ...link, state: pull.state, draft, ...pull.shown, checks: checksOf(card)?.is };
}

/** Whether it may still be merged, closed, or reopened, or its merge may still be published. */
export function isFollowed(card: Card, nowMs: number): boolean {
  if (card.state.is !== 'ended' || card.state.how === 'gone' || card.ask === 'reply') return false;
  if (pullRequestOf(card.state.job) === undefined) return false;
  const { state, mergedAt = 0 } = pullOf(card) ?? {};
  return state !== 'merged' || nowMs - mergedAt < awaitedMs;
}

/**
 * Updates a card from its pull request; without news, returns the same card. A new head shows that
 * the job has picked up the follow-up.
 */
export function observePull(card: Card, sighting: PullSighting): Card {
  const job = jobOf(card);
  const url = pullRequestOf(job)?.url;
  if (sighting === 'unknown' || job === undefined || url === undefined) return card;
  const before = pullOf(card);
  if (sighting === 'unseen') {
    // Another run's token may see it, so what is known stays.
    if (before !== undefined) return card;
    return addRemark({ ...card, pull: { url, state: 'unseen' } }, 'fold', remarks.unseenPull);
  }
  const checks = checksAfter(before, sighting);
  const isWaiting = before?.head !== undefined;
  if (!isWaiting && isAsBefore(before, sighting, checks)) return card;
  const isUpdated = isWaiting ? sighting.headSha !== before.head : before?.isUpdated;
  const pull: Pull = {
    ...before,
    url,
    state: sighting.state,
    shown: sighting.shown,
    head: undefined,
    isUpdated,
    isDraft: sighting.isDraft ? true : undefined,
    checks,
    openedAt: sighting.createdAtMs,
    mergedAt: sighting.mergedAtMs,
  };
  const seen = {
    ...card,
    remarks: card.remarks.filter(({ text }) => text !== remarks.unseenPull),
    pull,
  };
  if (!isWaiting || !isUpdated || howEnded(card) !== 'unseen') return seen;
  return { ...seen, state: { is: 'ended', how: endOf(job), job } };
}

/** What the checks say. If they couldn't be read, what they said about the same commit stays. */
function checksAfter(before: Pull | undefined, sighting: SeenPullRequest): Verdict | undefined {
  if (sighting.checks === 'nothing') return undefined;
  if (sighting.checks !== undefined) return sighting.checks;
  return before?.checks?.sha === sighting.checkedSha ? before?.checks : undefined;
}

function isAsBefore(
  before: Pull | undefined,
  sighting: SeenPullRequest,
  checks: Verdict | undefined,
): boolean {
  if (before?.state !== sighting.state) return false;
  if ((before.isDraft === true) !== sighting.isDraft) return false;
  // A repository may become private.
  if (before.shown !== undefined && sighting.shown === undefined) return false;
  return JSON.stringify(checks) === JSON.stringify(before.checks);
}
