import type { DepsWithGitHub } from '../../deps.ts';
import { GitHubError } from '../../github/errors.ts';
import { code, toOneLine } from '../../text/markdown.ts';
import type { Card } from '../card/card.ts';
import { isHiddenHere, pullRefOf } from '../card/pull.ts';
import { remarks } from '../card/remarks.ts';
import type { Writer } from '../thread/writer.ts';
import type { Followed } from './pull.ts';

/**
 * The request for review itself, and what it may take to save the card: two reactions, an edit, and
 * another edit if GitHub refuses the request.
 */
const maxWritesPerCard = 5;

/** A card, and the request for review that it no longer needs. */
interface Review {
  readonly card: Card;
  /**
   * Requests the review, if one is due. If GitHub refuses, returns a remark. Save `card` first: as
   * long as it isn't saved, each run would request the review again.
   */
  readonly request?: () => Promise<string | undefined>;
}

/**
 * Prepares to request a review from the card's reviewer once the pull request is ready.
 * `postponed`: the next run has to do it.
 */
export function prepareReview(
  { card, pull }: Followed,
  writer: Writer,
  deps: DepsWithGitHub,
): Review | 'postponed' {
  const { context, runner } = deps;
  const { reviewer, ...asked } = card;
  const ref = pullRefOf(card, context);
  if (reviewer === undefined || ref === undefined) return { card };
  if (typeof pull !== 'object' || pull.state !== 'open' || pull.isDraft) return { card };
  const explainRefusal = (why: string) => {
    runner.info(`No review was requested from ${toOneLine(reviewer)}: ${toOneLine(why)}.`);
    return remarks.noReview(reviewer, why);
  };
  if (!writer.canWrite(maxWritesPerCard)) return 'postponed';

  const request = async () => {
    try {
      await writer.write(() => deps.github.at(ref).requestReview(ref.number, reviewer));
      return undefined;
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      writer.stopAtLimit(error);
      if (error.lacks !== undefined)
        return explainRefusal('the token needs `pull-requests: write`');
      // GitHub's words may name people and repositories.
      if (isHiddenHere(pull, context)) return explainRefusal('GitHub refused');
      return explainRefusal(code(error.said ?? error.what));
    }
  };
  return { card: asked, request };
}
