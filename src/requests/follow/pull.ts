import { parseRunId } from '../../core/address.ts';
import { usualCheck } from '../../core/common-inputs.ts';
import { describeError, inOurWords } from '../../core/errors.ts';
import type { DepsWithGitHub } from '../../deps.ts';
import type { CheckRun } from '../../github/changes.ts';
import type { GitHub } from '../../github/client.ts';
import { GitHubError, nearlySpent } from '../../github/errors.ts';
import type { PullRequestRef } from '../../github/repository.ts';
import { firstFew } from '../../text/counts.ts';
import { shortCode } from '../../text/markdown.ts';
import { type Card, jobOf } from '../card/card.ts';
import { isNamed, verdictOf } from '../card/checks.ts';
import {
  checkedShaOf,
  followed,
  isFollowed,
  isHiddenHere,
  type PullObservation,
  pullOf,
  pullRequestRef,
  pullUrlOf,
  type SeenPullRequest,
} from '../card/pull.ts';

const maxNames = 10;
/** A new pull request may not have all its checks yet. */
const settledMs = 3_600_000;
/** Stands for the name of a check in a private repository. */
const hiddenCheck = 'build';

/** What tells whether a pull request is built and published. */
export interface Publishing {
  /** The input `checks`: the names of the checks. If empty, no checks are read. */
  readonly checks: readonly string[];
  /** The branch that the site is built from, if an input names it. */
  readonly publishBranch?: string | undefined;
}

/** Looks at the pull requests of cards, each once, and at their checks, up to the first error. `whyNot` collects why a look failed. */
export function openFollower(publishing: Publishing, whyNot: Set<string>, deps: DepsWithGitHub) {
  const { github, runner, clock, context } = deps;
  const { checks: patterns, publishBranch } = publishing;
  const answers = new Map<string, PullObservation>();
  const seenChecks: CheckRun[] = [];
  /** Why the checks of a repository can't be read. */
  const refusals = new Map<GitHub, string>();
  /** The repositories with a pull request that the token can't see. */
  const unseen = new Set<GitHub>();
  let isTokenWrong = false;

  async function look(ref: PullRequestRef, branch: string | undefined): Promise<PullObservation> {
    const there = github.at(ref);
    const isElsewhere = there !== github;
    if (isElsewhere && isTokenWrong) return 'unknown';
    if (there.isNearlySpent()) {
      whyNot.add(nearlySpent);
      return 'unknown';
    }
    try {
      const pull = await there.readPullRequestState(ref.number);
      if (pull === undefined) {
        unseen.add(there);
        return 'unseen';
      }
      const isHidden = isHiddenHere(pull, context);
      const checkedSha = checkedShaOf(pull, branch);
      const checks = await readChecks(there, { ...pull, checkedSha }, isHidden);
      return { ...pull, shown: isHidden ? undefined : pull.shown, checkedSha, checks };
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      isTokenWrong ||= isElsewhere && error.status === 401;
      whyNot.add(inOurWords(error));
      runner.info(describeError(error));
      return 'unknown';
    }
  }

  /** What the checks say; `undefined` if they can't be read, maybe only this time. If `isHidden`, no names are kept. */
  async function readChecks(there: GitHub, pull: SeenPullRequest, isHidden: boolean) {
    const { state, checkedSha: sha, createdAtMs } = pull;
    const isOff = patterns.length === 0 || refusals.has(there);
    if (isOff || sha === undefined || state === 'closed') return undefined;
    try {
      const { checks: all = [], isWhole = false } = (await there.readChecks(sha)) ?? {};
      // This run's own check is unfinished while it looks, and says nothing about the docs.
      const checks = all.filter(({ url }) => parseRunId(url) !== context.runId);
      if (!isHidden && clock.now() - createdAtMs > settledMs) seenChecks.push(...checks);
      const verdict = verdictOf({ checks, isWhole }, pull, patterns);
      if (verdict === undefined) return 'nothing';
      return isHidden ? { ...verdict, name: hiddenCheck, url: undefined } : verdict;
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      const lacking =
        'This workflow can’t show whether the docs were built: the token lacks `checks: read`. Add it to the job’s `permissions` (in the caller of a reusable workflow) or to the `docs-token`, or set `checks: none`.';
      const isLacking = error.lacks === 'permission';
      refusals.set(
        there,
        isLacking ? lacking : `The checks couldn’t be read. ${inOurWords(error)}`,
      );
      return undefined;
    }
  }

  return {
    /** The card as its pull request makes it, and what GitHub said, if it was asked. */
    async follow(card: Card): Promise<{ readonly card: Card; readonly answer?: PullObservation }> {
      const ref = isFollowed(card, clock.now())
        ? pullRequestRef(pullUrlOf(card, context), context)
        : undefined;
      if (ref === undefined) return { card };
      const name = `${ref.owner}/${ref.repo}#${ref.number}`.toLowerCase();
      const branch = publishBranch ?? jobOf(card)?.source?.ref?.replace(/^refs\/heads\//, '');
      // It was unseen before, and this run has found another one there that is.
      const isStillUnseen = pullOf(card)?.state === 'unseen' && unseen.has(github.at(ref));
      const answer = answers.get(name) ?? (isStillUnseen ? 'unseen' : await look(ref, branch));
      answers.set(name, answer);
      return { card: followed(card, answer), answer };
    },

    /** What keeps the checks from being shown, as Markdown sentences. */
    problems(): string[] {
      if (refusals.size > 0) return [...refusals.values()];
      const missing = patterns.filter(
        (name) => name !== usualCheck && !seenChecks.some((check) => isNamed(check, [name])),
      );
      const isUnsettled =
        seenChecks.length === 0 || seenChecks.some(({ status }) => status !== 'completed');
      if (missing.length === 0 || isUnsettled) return [];
      const names = [
        ...new Set(seenChecks.map(({ app, name }) => shortCode(`${app}/${name}`))),
      ].sort();
      const which = missing.map(shortCode).join(', ');
      const listed = firstFew(names, maxNames).join(', ');
      return [
        `The input \`checks\` names ${which}, but no check has that name. These do exist: ${listed}.`,
      ];
    },
  };
}
