import { usualCheck } from '../../core/common-inputs.ts';
import { describeError, inOurWords } from '../../core/errors.ts';
import type { DepsWithGitHub } from '../../deps.ts';
import type { PullRequestState } from '../../github/changes.ts';
import type { CheckRun } from '../../github/checks.ts';
import { GitHubError } from '../../github/errors.ts';
import type { PullRequestRef } from '../../github/repository.ts';
import { firstFew } from '../../text/counts.ts';
import { oneLine, shortCode } from '../../text/markdown.ts';
import { type Card, pullRequestRef, pullUrlOf } from '../card/card.ts';
import { followed, isFollowed, isNamed, type PullObservation, verdictOf } from '../card/pull.ts';
import { remarks } from '../card/sentences.ts';
import { noted } from '../card/transitions.ts';
import { nearlySpent } from '../thread/store.ts';

const maxNames = 10;
/** A new pull request may not have all its checks yet. */
const settledMs = 3_600_000;

/**
 * Looks at the pull requests of cards, each once, and at their checks, up to the first error. `patterns` is the input `checks`;
 * if empty, no checks are read. `whyNot` collects why a look failed.
 */
export function openFollower(patterns: readonly string[], whyNot: Set<string>, deps: DepsWithGitHub) {
  const { github, runner, clock, context, signal } = deps;
  const answers = new Map<string, PullObservation>();
  const seenChecks: CheckRun[] = [];
  let refusal: string | undefined;

  async function look(ref: PullRequestRef): Promise<PullObservation> {
    if (github.isNearlySpent()) {
      whyNot.add(nearlySpent);
      return 'unknown';
    }
    try {
      const pull = await github.readPullRequestState(ref, signal);
      return pull === undefined ? 'unseen' : { ...pull, checks: await readChecks(ref, pull) };
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      whyNot.add(inOurWords(error));
      runner.info(describeError(error));
      return 'unknown';
    }
  }

  /** What the checks say; `undefined` if they can't be read, maybe only this time. */
  async function readChecks({ owner, repo }: PullRequestRef, pull: PullRequestState) {
    const { state, checkedSha: sha, mergedAtMs, createdAtMs } = pull;
    const isOff = patterns.length === 0 || refusal !== undefined;
    if (isOff || sha === undefined || state === 'closed') return undefined;
    try {
      const { checks: all = [], isWhole = false } =
        (await github.readChecks(sha, signal, { owner, repo })) ?? {};
      // This run's own check is unfinished while it looks, and says nothing about the docs.
      const checks = all.filter(({ url }) => !url?.includes(`/actions/runs/${context.runId}/`));
      if (clock.now() - createdAtMs > settledMs) seenChecks.push(...checks);
      return verdictOf(checks, { patterns, sha, isWhole, mergedAtMs }) ?? 'nothing';
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      refusal =
        error.lacks === 'permission'
          ? 'This workflow can’t show whether the docs were built: the token lacks `checks: read`. Add it to this job’s `permissions`, or set `checks: none`.'
          : `The checks couldn’t be read. ${inOurWords(error)}`;
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
      const answer = answers.get(name) ?? (await look(ref));
      answers.set(name, answer);
      if (answer === 'unseen' && card.reviewer !== undefined)
        runner.info(
          'No review was requested: the token can’t see the pull request. Pass a `github-token` that can.',
        );
      const after = followed(card, answer);
      return {
        card: typeof answer === 'object' ? await withReview(after, answer, ref, deps) : after,
        answer,
      };
    },

    /** What keeps the checks from being shown, as Markdown sentences. */
    notes(): string[] {
      if (refusal !== undefined) return [refusal];
      const missing = patterns.filter(
        (name) => name !== usualCheck && !seenChecks.some((check) => isNamed(check, [name])),
      );
      const isUnsettled = seenChecks.length === 0 || seenChecks.some(({ status }) => status !== 'completed');
      if (missing.length === 0 || isUnsettled) return [];
      const names = [...new Set(seenChecks.map(({ app, name }) => shortCode(`${app}/${name}`)))].sort();
      const which = missing.map(shortCode).join(', ');
      const listed = firstFew(names, maxNames).join(', ');
      return [`The input \`checks\` names ${which}, but no check has that name. These do exist: ${listed}.`];
    },
  };
}

/** Requests a review from the card's reviewer. If GitHub refuses, the card only gets a note. */
async function withReview(card: Card, pull: PullRequestState, ref: PullRequestRef, deps: DepsWithGitHub) {
  const { github, runner, signal } = deps;
  const { reviewer, ...asked } = card;
  if (reviewer === undefined || pull.state !== 'open' || pull.isDraft) return card;
  const refused = (why: string) => {
    runner.info(`No review was requested from ${oneLine(reviewer)}: ${oneLine(why)}.`);
    return noted(asked, remarks.noReview(reviewer, why));
  };
  // GitHub doesn't let people review their own pull requests.
  if (pull.author.login === reviewer) return refused('they opened the pull request');
  try {
    await github.requestReview(ref, reviewer, signal);
    return asked;
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error;
    const needs = 'the token needs `pull-requests: write`';
    return refused(error.lacks === undefined ? shortCode(error.said ?? error.what) : needs);
  }
}
