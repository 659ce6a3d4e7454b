import { isAppLogin } from '../../core/sign.ts';
import type { Deps } from '../../deps.ts';
import type { GitHub } from '../../github/client.ts';
import { ignoreGitHubError } from '../../github/errors.ts';
import { pullRequestRef, pullUrlOf } from '../../requests/card/card.ts';
import { isHiddenHere, pullOf } from '../../requests/card/pull.ts';
import { isOfSeries } from '../../requests/thread/claims.ts';
import { type PostedCard, pageSize } from '../../requests/thread/find.ts';
import { permissionHeldBy, suffices } from '../permission.ts';

type ReadCards = () => Promise<readonly PostedCard[]>;

/** This workflow's newest pull request, if it was closed without merging. Takes at most four requests. */
export async function readRejected(readCards: ReadCards, { github, context }: Deps) {
  const series = (await readCards()).filter(({ card }) => isOfSeries(card, context));
  const { card } = series.findLast(({ card }) => pullUrlOf(card, context) !== undefined) ?? {};
  const url = card && pullUrlOf(card, context);
  const ref = pullRequestRef(url, context);
  if (!card || !url || !ref || !github || pullOf(card)?.state === 'merged') return undefined;
  const there = github.at(ref);
  const pull = await there.readPullRequestState(ref.number);
  // The log of a public repository shows what is sent.
  if (pull?.state !== 'closed' || isHiddenHere(pull, context)) return undefined;
  const comment = await lastWords(ref.number, pull.closedAtMs ?? 0, there).catch(ignoreGitHubError);
  return { url, title: pull.shown.title, comment };
}

/** The last comment on a pull request, up to a time, by a person who may write there. Asks about two people at most. */
async function lastWords(number: number, untilMs: number, there: GitHub) {
  const { value: comments = [] } = await there.readNewestFirst(number).next();
  const byInsiders = comments.filter(
    ({ isByInsider, login, createdAtMs, updatedAtMs }) =>
      isByInsider && !isAppLogin(login) && Math.max(createdAtMs, updatedAtMs) <= untilMs,
  );
  // A second page of comments was a request, too.
  const maxPeople = comments.length < pageSize ? 2 : 1;
  const newestFirst = [...Map.groupBy(byInsiders.toReversed(), ({ login }) => login)];
  for (const [login, [newest]] of newestFirst.slice(0, maxPeople)) {
    if (!suffices(permissionHeldBy(await there.permissionOf(login)), 'write')) continue;
    const shown = newest?.body.replace(/<!--[\s\S]*?(?:-->|$)/g, '') ?? '';
    return { login, text: shown.replace(/^\s*>.*$/gm, '') };
  }
  return undefined;
}
