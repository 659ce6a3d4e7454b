import type { DepsWithGitHub } from '../../deps.ts';
import { GitHubError } from '../../github/errors.ts';
import { shortCode, toOneLine } from '../../text/markdown.ts';
import type { Card } from '../card/card.ts';
import { isHiddenHere, pullRequestRef, pullUrlOf } from '../card/pull.ts';
import { remarks } from '../card/remarks.ts';
import { addRemark } from '../card/transitions.ts';
import type { Writer } from '../thread/writer.ts';
import type { Followed } from './pull.ts';

const unseenReview =
  'No review was requested: the token can’t see the pull request. In another repository, it needs a `docs-token`.';
/**
 * The request for review itself, and what it may take to save the card: two reactions and an edit.
 */
const maxWritesPerCard = 4;

/**
 * Requests a review from the card's reviewer once the pull request is ready. If GitHub refuses, the
 * card only gets a remark. Returns `undefined` if the next run has to do it.
 */
export async function requestReview(
  { card, pull }: Followed,
  writer: Writer,
  deps: DepsWithGitHub,
): Promise<Card | undefined> {
  const { context, runner } = deps;
  const { reviewer, ...asked } = card;
  const ref = pullRequestRef(pullUrlOf(card, context), context);
  if (reviewer === undefined || ref === undefined) return card;
  if (pull === 'unseen') runner.info(unseenReview);
  if (typeof pull !== 'object' || pull.state !== 'open' || pull.isDraft) return card;
  const skip = (why: string) => {
    runner.info(`No review was requested from ${toOneLine(reviewer)}: ${toOneLine(why)}.`);
    return addRemark(asked, 'fold', remarks.noReview(reviewer, why));
  };
  // GitHub doesn't let people review their own pull requests.
  if (pull.author.login === reviewer) return skip('they opened the pull request');
  if (!writer.canWrite(maxWritesPerCard)) return undefined;
  try {
    await writer.write(() => deps.github.at(ref).requestReview(ref.number, reviewer));
    return asked;
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error;
    writer.stopAtLimit(error);
    if (error.lacks !== undefined) return skip('the token needs `pull-requests: write`');
    // GitHub's words may name people and repositories.
    if (isHiddenHere(pull, context)) return skip('GitHub refused');
    return skip(shortCode(error.said ?? error.what));
  }
}
