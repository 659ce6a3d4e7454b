import {
  nameOfPullRequest,
  nameOfRepository,
  type PullRequestAddress,
  pullRequestUrl,
} from '../../core/address.ts';
import { describeBriefly, describeError } from '../../core/errors.ts';
import type { DepsWithGitHub } from '../../deps.ts';
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

/** Follows the pull requests of cards. `whyUnread` collects why one couldn't be read. */
export function openFollower(publishing: Publishing, whyUnread: Set<string>, deps: DepsWithGitHub) {
  const { github, context } = deps;
  const checks = openCheckReader(publishing.checks, deps);
  /** What was said about each pull request. */
  const observations = new Map<string, PullSighting>();
  /** The repositories with a pull request that the token can't see. */
  const unseen = new Set<string>();
  let isDocsTokenWrong = false;

  async function observe(ref: PullRequestAddress, card: Card): Promise<PullSighting> {
    // It was unseen before, and this run has found another one there that is.
    if (pullOf(card)?.state === 'unseen' && unseen.has(nameOfRepository(ref))) return 'unseen';
    const needsDocsToken = isElsewhere(ref, context);
    if (needsDocsToken && isDocsTokenWrong) return 'unknown';
    if (github.at(ref).isNearlySpent()) {
      whyUnread.add(nearlySpent);
      return 'unknown';
    }
    try {
      return await read(ref, card);
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      if (needsDocsToken && error.status === 401) isDocsTokenWrong = true;
      whyUnread.add(describeBriefly(error));
      deps.runner.info(describeError(error));
      return 'unknown';
    }
  }

  async function read(ref: PullRequestAddress, card: Card): Promise<PullSighting> {
    const state = await github.at(ref).readPullRequestState(ref.number);
    if (state === undefined) {
      unseen.add(nameOfRepository(ref));
      return 'unseen';
    }
    const isHidden = isHiddenHere(state, context);
    const shown = isHidden ? undefined : state.shown;
    const branch = publishing.publishBranch ?? jobBranchOf(card, state.headRef);
    const checkedSha = checkedShaOf(state, branch);
    const pull = { ...state, shown, checkedSha };
    return { ...pull, checks: await checks.read(ref, pull, isHidden) };
  }

  return {
    /** Looks at a card's pull request, once for all its cards, and at its checks. */
    async follow(card: Card): Promise<Followed> {
      if (!isFollowed(card, deps.clock.now())) return { card };
      const ref = pullRefOf(card, context);
      if (ref === undefined) return { card };
      const name = nameOfPullRequest(pullRequestUrl(ref));
      const pull = observations.get(name) ?? (await observe(ref, card));
      observations.set(name, pull);
      return { card: observePull(card, pull), pull };
    },

    problems: checks.problems,
  };
}

/**
 * The branch that the agent's job names, unless it is the pull request's own. The service's
 * documentation says only that the agent works on it.
 */
function jobBranchOf(card: Card, headRef: string): string | undefined {
  const branch = jobOf(card)?.source?.ref?.replace(/^refs\/heads\//, '');
  return branch === headRef ? undefined : branch;
}
