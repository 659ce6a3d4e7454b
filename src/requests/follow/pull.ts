import {
  branchOf,
  nameOfPullRequest,
  nameOfRepository,
  type PullRequestAddress,
  pullRequestUrl,
} from '../../core/address.ts';
import { describeBriefly, describeError } from '../../core/errors.ts';
import type { DepsWithGitHub } from '../../deps.ts';
import type { PullRequestState } from '../../github/changes.ts';
import { GitHubError, nearlySpent } from '../../github/errors.ts';
import { type Card, jobOf } from '../card/card.ts';
import {
  checkedShaOf,
  isElsewhere,
  isFollowed,
  isHiddenHere,
  observePull,
  type PullSighting,
  pullOf,
  pullRefOf,
  type SeenPullRequest,
} from '../card/pull.ts';
import type { PostedCard } from '../thread/find.ts';
import type { Saved } from '../thread/saver.ts';
import { openCheckReader } from './checks.ts';

/** What tells whether a pull request is built and published. */
export interface Publishing {
  /** The input `checks`: the names of the checks. If empty, no checks are read. */
  readonly checks: readonly string[];
  /** The branch that the site is built from, if an input names it. */
  readonly publishBranch?: string | undefined;
}

/** A card as its pull request makes it, and what GitHub said, if it was asked. */
export interface Followed {
  readonly card: Card;
  readonly pull?: PullSighting | undefined;
}

/** A request after a run that didn't watch it has checked its job and its pull request. */
export interface Settled extends Followed {
  /** The status comment as the run found it. */
  readonly posted: PostedCard;
  /** `waiting`: only the pull request is still open. */
  readonly is: 'working' | 'waiting' | Saved;
}

/** What GitHub says about a pull request, without its checks. */
type PullState = PullRequestState | Exclude<PullSighting, SeenPullRequest>;

/** Follows the pull requests of cards. `whyUnread` collects why one couldn't be read. */
export function openFollower(publishing: Publishing, whyUnread: Set<string>, deps: DepsWithGitHub) {
  const { github, context } = deps;
  const checks = openCheckReader(publishing.checks, deps);
  /** What GitHub said about each pull request. */
  const states = new Map<string, PullState>();
  /** The pull requests with their checks, by name and by the commit whose checks count. */
  const sightings = new Map<string, SeenPullRequest>();
  /** The repositories with a pull request that the token can't see. */
  const unseen = new Set<string>();
  let isDocsTokenWrong = false;

  /** Reads a pull request, once for all its cards. */
  async function readOnce(ref: PullRequestAddress, card: Card): Promise<PullState> {
    const name = nameOfPullRequest(pullRequestUrl(ref));
    const state = states.get(name) ?? (await readState(ref, card));
    states.set(name, state);
    return state;
  }

  async function readState(ref: PullRequestAddress, card: Card): Promise<PullState> {
    // The card says that it was unseen before, and this run couldn't see another one there.
    if (pullOf(card)?.state === 'unseen' && unseen.has(nameOfRepository(ref))) return 'unseen';
    const needsDocsToken = isElsewhere(ref, context);
    if (needsDocsToken && isDocsTokenWrong) return 'unknown';
    if (github.at(ref).isNearlySpent()) {
      whyUnread.add(nearlySpent);
      return 'unknown';
    }
    try {
      const state = await github.at(ref).readPullRequestState(ref.number);
      if (state !== undefined) return state;
      unseen.add(nameOfRepository(ref));
      return 'unseen';
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      if (needsDocsToken && error.status === 401) isDocsTokenWrong = true;
      whyUnread.add(describeBriefly(error));
      deps.runner.info(describeError(error));
      return 'unknown';
    }
  }

  /** Adds the checks of the commit that counts for a card, read once for each commit. */
  async function addChecks(
    state: PullRequestState,
    ref: PullRequestAddress,
    card: Card,
  ): Promise<SeenPullRequest> {
    const branch = publishing.publishBranch ?? jobBranchOf(card, state.headRef);
    const checkedSha = checkedShaOf(state, branch);
    const key = `${nameOfPullRequest(pullRequestUrl(ref))} ${checkedSha}`;
    const known = sightings.get(key);
    if (known !== undefined) return known;
    const isHidden = isHiddenHere(state, context);
    const shown = isHidden ? undefined : state.shown;
    const pull = { ...state, shown, checkedSha };
    const sighting = { ...pull, checks: await checks.read(ref, pull, isHidden) };
    sightings.set(key, sighting);
    return sighting;
  }

  return {
    /** Looks at a card's pull request and its checks. One that isn't followed stays as it is. */
    async follow(card: Card): Promise<Followed> {
      if (!isFollowed(card, deps.clock.now())) return { card };
      const ref = pullRefOf(card, context);
      if (ref === undefined) return { card };
      const state = await readOnce(ref, card);
      const pull = typeof state === 'object' ? await addChecks(state, ref, card) : state;
      return { card: observePull(card, pull), pull };
    },

    problems: checks.problems,
  };
}

/**
 * The branch that the agent's job names, which counts as the one that the site is built from;
 * `undefined` if it is the pull request's own, because the service's documentation says only that
 * the agent works on it.
 */
function jobBranchOf(card: Card, headRef: string): string | undefined {
  const ref = jobOf(card)?.source?.ref;
  if (ref == null) return undefined;
  const branch = branchOf(ref);
  return branch === headRef ? undefined : branch;
}
