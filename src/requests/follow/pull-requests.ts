import { describeError, inOurWords } from '../../core/errors.ts';
import type { DepsWithGitHub } from '../../deps.ts';
import type { PullRequestState } from '../../github/changes.ts';
import { GitHubError } from '../../github/errors.ts';
import type { PullRequestRef } from '../../github/repository.ts';
import { oneLine, shortCode } from '../../text/markdown.ts';
import { type Card, jobOf } from '../card/card.ts';
import { isFollowed, pullRequestRef } from '../card/job.ts';
import { followed, type PullRequestSeen } from '../card/observed.ts';
import { noted } from '../card/transitions.ts';
import { nearlySpent } from '../thread/saver.ts';
import { openChecks } from './checks.ts';

/** What GitHub says about a pull request. `unseen`: the token can't see it. `unknown`: the check failed. */
type Answer = PullRequestSeen | 'unseen' | 'unknown';

/** Reads pull requests and their checks, each once. `patterns` is the input `checks`, and `whyNot` collects why a read failed. */
export function openFollower(patterns: readonly string[], whyNot: Set<string>, deps: DepsWithGitHub) {
  const { github, runner, signal } = deps;
  const answers = new Map<string, Answer>();
  const { read: readChecks, notes } = openChecks(patterns, deps);

  async function ask(ref: PullRequestRef): Promise<Answer> {
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

  async function follow(card: Card): Promise<{ readonly card: Card; readonly answer?: Answer }> {
    const ref = isFollowed(card, deps.clock.now()) ? pullRequestRef(jobOf(card), deps.context) : undefined;
    if (ref === undefined) return { card };
    const name = `${ref.owner}/${ref.repo}#${ref.number}`.toLowerCase();
    const answer = answers.get(name) ?? (await ask(ref));
    answers.set(name, answer);
    if (answer === 'unknown') return { card, answer };
    if (answer === 'unseen' && card.reviewer !== undefined)
      runner.info(
        'No review was requested: the token can’t see the pull request. Pass a `github-token` that can.',
      );
    if (answer === 'unseen') return { card: followed(card, undefined), answer };
    return { card: await withReview(followed(card, answer), answer, ref, deps), answer };
  }
  return { follow, notes };
}

/** Requests a review from the card's reviewer. If GitHub refuses, the card only gets a note. */
async function withReview(card: Card, pull: PullRequestState, ref: PullRequestRef, deps: DepsWithGitHub) {
  const { github, runner, signal } = deps;
  const { reviewer, ...asked } = card;
  if (reviewer === undefined || pull.state !== 'open' || pull.isDraft) return card;
  const refused = (why: string) => {
    runner.info(`No review was requested from ${oneLine(reviewer)}: ${oneLine(why)}.`);
    return noted(asked, `No review was requested from ${shortCode(reviewer)}: ${why}.`);
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
