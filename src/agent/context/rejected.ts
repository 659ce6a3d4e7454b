import { describeError } from '../../core/errors.ts';
import { isAppLogin } from '../../core/sign.ts';
import type { Deps } from '../../deps.ts';
import type { GitHub } from '../../github/client.ts';
import { GitHubError } from '../../github/errors.ts';
import { pullRequestRef, pullUrlOf } from '../../requests/card/card.ts';
import { isHiddenHere, pullOf } from '../../requests/card/pull.ts';
import { isOfSeries } from '../../requests/thread/claims.ts';
import { type PostedCard, pageSize } from '../../requests/thread/find.ts';

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
    const series = (await readCards()).filter(({ card }) => isOfSeries(card, context));
    const { card } = series.findLast(({ card }) => pullUrlOf(card, context) !== undefined) ?? {};
    const url = card && pullUrlOf(card, context);
    const ref = pullRequestRef(url, context);
    if (card === undefined || url === undefined || ref === undefined || pullOf(card)?.state === 'merged')
      return undefined;
    const there = github.at(ref);
    const pull = await there.readPullRequestState(ref.number, signal);
    // The log of a public repository shows what is sent.
    if (pull?.state !== 'closed' || isHiddenHere(pull, context)) return undefined;
    const said = await lastWords(ref.number, pull.closedAtMs ?? 0, there, signal).catch(ignore);
    return { url, title: pull.shown.title, comment: said };
  } catch (error) {
    return ignore(error);
  }

  /** The agent can do without it. */
  function ignore(error: unknown): undefined {
    if (!(error instanceof GitHubError)) throw error;
    runner.info(describeError(error));
  }
}

/** The last comment on a pull request, up to a time, by a person who may write there. Asks about two people at most. */
async function lastWords(
  number: number,
  untilMs: number,
  there: GitHub,
  signal: AbortSignal,
): Promise<Rejected['comment']> {
  const { value: comments = [] } = await there.readNewestFirst(number, signal).next();
  const byInsiders = comments.filter(
    ({ isByInsider, login, createdAtMs, updatedAtMs }) =>
      isByInsider && !isAppLogin(login) && Math.max(createdAtMs, updatedAtMs) <= untilMs,
  );
  const byPerson = new Map(byInsiders.map(({ login, body }) => [login, body]));
  // A second page of comments was a request, too.
  const maxPeople = comments.length < pageSize ? 2 : 1;
  const newestFirst = [...new Set(byInsiders.map(({ login }) => login).reverse())].slice(0, maxPeople);
  for (const login of newestFirst) {
    const { permission = '' } = (await there.permissionOf(login, signal)) ?? {};
    const text = (byPerson.get(login) ?? '').replace(/<!--[\s\S]*?(?:-->|$)/g, '').replace(/^\s*>.*$/gm, '');
    if (/^(?:admin|write)$/.test(permission)) return { login, text };
  }
  return undefined;
}
