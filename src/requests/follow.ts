import { explain, inOurWords } from '../core/errors.ts';
import type { DepsWithGitHub } from '../deps.ts';
import type { PullRequestState } from '../github/changes.ts';
import { GitHubError } from '../github/errors.ts';
import type { PullRequestRef } from '../github/repository.ts';
import type { Job } from '../service/schemas.ts';
import { oneLine, shortCode } from '../text/markdown.ts';
import { type Card, jobOf } from './card.ts';
import { linksTo, pullRequestOf } from './job.ts';
import { followed, isFollowed } from './pull.ts';
import { pullRequestRef } from './repository.ts';
import type { Run } from './run.ts';
import { nearlySpent } from './saver.ts';
import { noted } from './transitions.ts';

/** The result of checking a pull request. `unseen`: the token can't see it. `unknown`: the check failed. */
type Seen = PullRequestState | 'unseen' | 'unknown';

/** Checks the pull requests of several cards, each pull request once. `whyLeft` collects the reasons for failed checks. */
export function openFollower(whyLeft: Set<string>, deps: DepsWithGitHub) {
  const { github, runner, signal } = deps;
  const looks = new Map<string, Seen>();

  async function lookAt(ref: PullRequestRef): Promise<Seen> {
    if (github.isNearlySpent()) {
      whyLeft.add(nearlySpent);
      return 'unknown';
    }
    try {
      return (await github.readPullRequestState(ref, signal)) ?? 'unseen';
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      whyLeft.add(inOurWords(error));
      runner.warning(explain(error).text, { title: 'Docs Agent' });
      return 'unknown';
    }
  }

  return async (card: Card): Promise<{ readonly card: Card; readonly seen?: Seen }> => {
    const ref = isFollowed(card) ? pullRequestRef(jobOf(card), deps.context) : undefined;
    if (ref === undefined) return { card };
    const name = `${ref.owner}/${ref.repo}#${ref.number}`.toLowerCase();
    const seen = looks.get(name) ?? (await lookAt(ref));
    looks.set(name, seen);
    if (seen === 'unknown') return { card, seen };
    if (seen === 'unseen') return { card: followed(card, undefined), seen };
    return { card: await withReview(followed(card, seen), seen, ref, deps), seen };
  };
}

/** Checks the pull request of an ended job. If this token can't see it, collect mode may have a token that can. */
export async function withPull(card: Card, { deps, keep }: Run): Promise<Card> {
  const { github } = deps;
  if (github === undefined) return card;
  const after = await openFollower(new Set(), { ...deps, github })(card);
  return after.seen === 'unseen' ? card : keep(after.card);
}

/** Adds the head of the job's pull request to the card before a follow-up. `known` is the head of this thread's pull request. */
export async function withHead(card: Card, job: Job, known: string | undefined, run: Run): Promise<Card> {
  const { github, context, signal } = run.deps;
  const url = pullRequestOf(job)?.url ?? '';
  const ref = pullRequestRef(job, context);
  if (github === undefined || ref === undefined) return card;
  let head = linksTo(job, `${context.repositoryUrl}/pull/${card.thread}`) ? known : undefined;
  await run.bestEffort('Checking the pull request', async () => {
    head ??= (await github.readPullRequestState(ref, signal))?.headSha;
  });
  return head === undefined ? card : { ...card, pull: { url, state: 'open', head } };
}

/** Requests a review from the card's reviewer. If GitHub refuses, the card only gets a note. */
async function withReview(
  card: Card,
  look: PullRequestState,
  ref: PullRequestRef,
  { github, runner, signal }: DepsWithGitHub,
): Promise<Card> {
  const { reviewer, ...asked } = card;
  // GitHub doesn't let people review their own pull requests.
  const isReady = look.state === 'open' && !look.isDraft && look.author.login !== reviewer;
  if (reviewer === undefined || !isReady) return card;
  try {
    await github.requestReview(ref, reviewer, signal);
    return asked;
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error;
    const why = error.forbidden ? ': the token needs `pull-requests: write`' : '';
    runner[error.forbidden ? 'warning' : 'info'](`No review was requested${why}. ${oneLine(error.message)}`);
    return noted(asked, `A review could not be requested from ${shortCode(reviewer)}${why}.`);
  }
}
