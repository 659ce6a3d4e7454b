import { describeError } from '../../core/errors.ts';
import { isAppLogin } from '../../core/sign.ts';
import type { Deps } from '../../deps.ts';
import { GitHubError } from '../../github/errors.ts';
import { pullRequestRef, pullUrlOf } from '../../requests/card/card.ts';
import { pullOf } from '../../requests/card/pull.ts';
import type { PostedCard } from '../../requests/thread/find.ts';

/** A pull request that was closed without merging, and the last comment of a person who may write there, before it was closed. */
export interface Rejected {
  readonly url: string;
  readonly title: string;
  readonly comment: { readonly login: string; readonly text: string } | undefined;
}

/**
 * This workflow's newest pull request, if it was closed without merging; otherwise, or if it can't be read, `undefined`. It takes at
 * most four requests.
 */
export async function readRejected(
  readCards: () => Promise<readonly PostedCard[]>,
  { github, context, runner, signal }: Deps,
): Promise<Rejected | undefined> {
  if (github === undefined) return undefined;
  try {
    const series = (await readCards()).filter(({ card }) => card.series === context.workflow);
    const { card } = series.findLast(({ card }) => pullUrlOf(card, context) !== undefined) ?? {};
    const url = card && pullUrlOf(card, context);
    const ref = pullRequestRef(url, context);
    if (card === undefined || url === undefined || ref === undefined || pullOf(card)?.state === 'merged')
      return undefined;
    const there = github.at(ref);
    const pull = await there.readPullRequestState(ref.number, signal);
    // The log of a public repository shows what is sent.
    const isHidden = pull?.isPrivate === true && !context.isPrivate;
    if (pull?.state !== 'closed' || isHidden) return undefined;
    const { value: comments = [] } = await there.readNewestFirst(ref.number, signal).next();
    const last = comments.findLast(
      ({ isByInsider, login, createdAtMs, updatedAtMs }) =>
        isByInsider && !isAppLogin(login) && Math.max(createdAtMs, updatedAtMs) <= (pull.closedAtMs ?? 0),
    );
    const { permission = '' } = (last && (await there.permissionOf(last.login, signal))) ?? {};
    const text = last?.body.replace(/<!--[\s\S]*?(?:-->|$)/g, '').replace(/^\s*>.*$/gm, '') ?? '';
    const comment = last && /^(?:admin|write)$/.test(permission) ? { login: last.login, text } : undefined;
    return { url, title: pull.shown.title, comment };
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error;
    runner.info(describeError(error));
    return undefined;
  }
}
