import { describeError, inOurWords } from '../../core/errors.ts';
import type { DepsWithGitHub } from '../../deps.ts';
import type { GitHub } from '../../github/client.ts';
import { GitHubError, nearlySpent } from '../../github/errors.ts';
import { type Card, jobOf, pullRequestRef, pullUrlOf } from '../card/card.ts';
import {
  checkedShaOf,
  followed,
  isFollowed,
  isHiddenHere,
  type PullObservation,
  pullOf,
} from '../card/pull.ts';
import { CheckReader } from './checks.ts';

/** What tells whether a pull request is built and published. */
export interface Publishing {
  /** The input `checks`: the names of the checks. If empty, no checks are read. */
  readonly checks: readonly string[];
  /** The branch that the site is built from, if an input names it. */
  readonly publishBranch?: string | undefined;
}

/** A card as its pull request makes it, and what GitHub said, if it was asked. */
interface Followed {
  readonly card: Card;
  readonly pull?: PullObservation;
}

/** Looks at the pull requests of cards, each once, and at their checks. */
export class PullFollower {
  readonly #publishBranch: string | undefined;
  /** Collects why a pull request couldn't be read. */
  readonly #whyUnread: Set<string>;
  readonly #deps: DepsWithGitHub;
  readonly #checks: CheckReader;
  /** What was said about each pull request. */
  readonly #observations = new Map<string, PullObservation>();
  /** The repositories with a pull request that the token can't see. */
  readonly #unseen = new Set<GitHub>();
  #isDocsTokenWrong = false;

  constructor(publishing: Publishing, whyUnread: Set<string>, deps: DepsWithGitHub) {
    this.#publishBranch = publishing.publishBranch;
    this.#whyUnread = whyUnread;
    this.#deps = deps;
    this.#checks = new CheckReader(publishing.checks, deps);
  }

  async follow(card: Card): Promise<Followed> {
    const { github, clock, context } = this.#deps;
    if (!isFollowed(card, clock.now())) return { card };
    const ref = pullRequestRef(pullUrlOf(card, context), context);
    if (ref === undefined) return { card };
    const name = `${ref.owner}/${ref.repo}#${ref.number}`.toLowerCase();
    const pull =
      this.#observations.get(name) ?? (await this.#look(github.at(ref), ref.number, card));
    this.#observations.set(name, pull);
    return { card: followed(card, pull), pull };
  }

  /** What keeps the checks from being shown, as Markdown sentences. */
  problems(): string[] {
    return this.#checks.problems();
  }

  async #look(there: GitHub, number: number, card: Card): Promise<PullObservation> {
    // It was unseen before, and this run has found another one there that is.
    if (pullOf(card)?.state === 'unseen' && this.#unseen.has(there)) return 'unseen';
    const isElsewhere = there !== this.#deps.github;
    if (isElsewhere && this.#isDocsTokenWrong) return 'unknown';
    if (there.isNearlySpent()) {
      this.#whyUnread.add(nearlySpent);
      return 'unknown';
    }
    const branch = this.#publishBranch ?? jobOf(card)?.source?.ref?.replace(/^refs\/heads\//, '');
    try {
      return await this.#read(there, number, branch);
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      if (isElsewhere && error.status === 401) this.#isDocsTokenWrong = true;
      this.#whyUnread.add(inOurWords(error));
      this.#deps.runner.info(describeError(error));
      return 'unknown';
    }
  }

  /** Reads a pull request and its checks. `branch` is the one that the site is built from. */
  async #read(there: GitHub, number: number, branch: string | undefined): Promise<PullObservation> {
    const state = await there.readPullRequestState(number);
    if (state === undefined) {
      this.#unseen.add(there);
      return 'unseen';
    }
    const isHidden = isHiddenHere(state, this.#deps.context);
    const shown = isHidden ? undefined : state.shown;
    const pull = { ...state, shown, checkedSha: checkedShaOf(state, branch) };
    return { ...pull, checks: await this.#checks.read(there, pull, isHidden) };
  }
}
