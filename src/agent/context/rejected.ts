import { isAppLogin } from '../../core/login.ts';
import type { Deps } from '../../deps.ts';
import type { GitHub } from '../../github/client.ts';
import { ignoreGitHubError } from '../../github/errors.ts';
import { isHiddenHere, pullOf, pullRequestRef, pullUrlOf } from '../../requests/card/pull.ts';
import type { CardSearch } from '../../requests/run/plan.ts';
import { pageSize } from '../../requests/thread/find.ts';
import { isOfSeries } from '../../requests/thread/jobs.ts';
import { isSufficient, toPermission } from '../permission.ts';

export type Rejected = NonNullable<Awaited<ReturnType<typeof readRejected>>>;

/**
 * This workflow's newest pull request, if it was closed without merging. Takes at most four
 * requests.
 */
export async function readRejected({ readAll }: Pick<CardSearch, 'readAll'>, deps: Deps) {
  const { context } = deps;
  const cards = await readAll();
  const newest = cards.findLast(
    ({ card }) => isOfSeries(card, context) && pullUrlOf(card, context) !== undefined,
  );
  if (!newest || pullOf(newest.card)?.state === 'merged') return undefined;
  const url = pullUrlOf(newest.card, context);
  const ref = pullRequestRef(url, context);
  if (!url || !ref || !deps.github) return undefined;

  const github = deps.github.at(ref);
  const pull = await github.readPullRequestState(ref.number);
  // The log of a public repository shows what is sent.
  if (pull?.state !== 'closed' || isHiddenHere(pull, context)) return undefined;
  const reading = readLastWords(ref.number, pull.closedAtMs ?? 0, github);
  return { url, title: pull.shown.title, comment: await reading.catch(ignoreGitHubError) };
}

/**
 * The last comment on a pull request, up to a time, by a person who may write there. Asks about two
 * people at most.
 */
async function readLastWords(number: number, untilMs: number, github: GitHub) {
  const { value: comments = [] } = await github.readNewestFirst(number).next();
  const byInsiders = comments.filter((comment) => {
    const isInTime = Math.max(comment.createdAtMs, comment.updatedAtMs) <= untilMs;
    return isInTime && comment.isByInsider && !isAppLogin(comment.login);
  });
  // A second page of comments was a request, too.
  const maxPeople = comments.length < pageSize ? 2 : 1;
  const people = new Set<string>();
  for (const { login, body } of byInsiders.toReversed()) {
    if (people.has(login)) continue;
    if (people.size === maxPeople) return undefined;
    people.add(login);
    const permission = toPermission(await github.permissionOf(login));
    if (!isSufficient(permission, 'write')) continue;
    const visible = body.replace(/<!--[\s\S]*?(?:-->|$)/g, '');
    return { login, text: visible.replace(/^\s*>.*$/gm, '') };
  }
  return undefined;
}
