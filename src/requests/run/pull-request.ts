import type { Job } from '../../service/schemas.ts';
import type { Card } from '../card/card.ts';
import { linksTo, pullRequestOf } from '../card/job.ts';
import { pullRequestRef } from '../card/pull.ts';
import { openFollower } from '../follow/pull-requests.ts';
import type { Run } from './run.ts';

/** Checks the pull request of an ended job. If this token can't see it, collect mode may have a token that can. */
export async function withPull(card: Card, { deps, keep }: Run): Promise<Card> {
  const { github } = deps;
  if (github === undefined) return card;
  const after = await openFollower(new Set(), { ...deps, github })(card);
  return after.answer === 'unseen' ? card : keep(after.card);
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
