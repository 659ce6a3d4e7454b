import { isSamePullRequest, isSameRepository } from '../../core/address.ts';
import type { DepsToRead } from '../../deps.ts';
import { ignoreGitHubError } from '../../github/errors.ts';
import { pullRequestRef, pullUrlOf } from '../card/pull.ts';
import { isBound, type PostedCard } from '../thread/find.ts';

/**
 * Finds the cards whose job opened one of these pull requests, also if its link has a former name
 * of the repository.
 */
export async function findCardsNaming(
  cards: readonly PostedCard[],
  pullRequests: readonly { readonly url: string }[],
  deps: Pick<DepsToRead, 'github' | 'context'>,
): Promise<PostedCard[]> {
  const { context } = deps;
  const linkOf = ({ card }: PostedCard) => pullUrlOf(card, context);
  async function isNaming(url: string | undefined): Promise<boolean> {
    if (pullRequests.some((pull) => isSamePullRequest(url, pull.url))) return true;
    const linked = pullRequestRef(url, context);
    if (linked === undefined) return false;
    // A pull request keeps its number when its repository gets another name.
    const pull = pullRequests
      .map((pullRequest) => pullRequestRef(pullRequest.url, context))
      .find((ref) => ref?.number === linked.number);
    if (pull === undefined) return false;
    const { owner, repo } = linked;
    const github = deps.github?.at(pull);
    const about = await github?.readAbout({ owner, repo }).catch(ignoreGitHubError);
    return about !== undefined && isSameRepository({ ...pull, ...about.current }, pull);
  }

  const bound = cards.filter(isBound);
  const naming = new Set<string | undefined>();
  // Cards may have the same link, and GitHub is asked about each link once.
  for (const url of new Set(bound.map(linkOf))) if (await isNaming(url)) naming.add(url);
  return bound.filter((posted) => naming.has(linkOf(posted)));
}
