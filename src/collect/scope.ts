import type { DepsWithGitHub } from '../deps.ts';
import type { OpenedPull } from '../github/changes.ts';
import { ignoreGitHubError } from '../github/errors.ts';
import { pullRequestRef, pullUrlHere } from '../requests/card/pull.ts';
import { findCardsNaming } from '../requests/follow/naming.ts';
import type { findCards, PostedCard } from '../requests/thread/find.ts';
import { mayOpenPull } from '../requests/thread/jobs.ts';
import { isUnwatched } from '../requests/thread/requests.ts';
import { type CollectConfig, maxAgeMs } from './inputs.ts';

/**
 * The most pages of 100 comments. All pages are read before the first edit, because an edit changes
 * the order of comments.
 */
const maxPages = 30;

/** Which requests a run is about. */
interface Scope {
  /** The pull requests that these requests led to; `undefined` if the run is about all requests. */
  readonly pullRequests: readonly { readonly url: string }[] | undefined;
  /** The URL of a pull request that was just opened. */
  readonly openedUrl: string | undefined;
  /** Where the comments of these requests are. */
  readonly place: Parameters<typeof findCards>[0];
}

export async function chooseScope(config: CollectConfig, deps: DepsWithGitHub): Promise<Scope> {
  const { github, event, clock } = deps;
  const place = { sinceMs: clock.now() - maxAgeMs(config.collectSince), maxPages };
  const all: Scope = { pullRequests: undefined, openedUrl: undefined, place };
  if (config.pullRequest !== undefined) return findScope(config.pullRequest, all, deps);
  if (event.kind === 'check-suite') return limitTo(await github.pullRequestsOf(event.sha));
  if (event.kind !== 'thread') return all;
  const { number, createdAtMs } = event.thread;
  if (createdAtMs === undefined) return all;
  const url = pullUrlHere(number, deps.context);
  if (event.isTurned) return limitTo([{ url, createdAtMs }]);
  // Anyone may have opened it: our cards tell, not its author.
  if (event.isOpened) return limitTo([{ url, createdAtMs }], url);
  return all;
}

function limitTo(pullRequests: readonly OpenedPull[], openedUrl?: string): Scope {
  return { pullRequests, openedUrl, place: { pullRequests } };
}

/** The requests that led to the pull request which the input `pull-request` names. */
async function findScope(url: string, all: Scope, deps: DepsWithGitHub): Promise<Scope> {
  const pullRequests = [{ url }];
  const ref = pullRequestRef(url, deps.context);
  if (ref === undefined) return { ...all, pullRequests };
  const reading = deps.github.at(ref).readPullRequestState(ref.number);
  // If it can't be read, the later look at it says why.
  const pull = await reading.catch(ignoreGitHubError);
  if (pull === undefined) return { ...all, pullRequests };
  const openedUrl = pull.state === 'open' ? url : undefined;
  return { pullRequests, openedUrl, place: { pullRequests: [pull] } };
}

/** Chooses the requests that a run checks, from those in the comments that it read. */
export async function chooseOpenCards(
  requests: readonly PostedCard[],
  { pullRequests, openedUrl }: Scope,
  deps: DepsWithGitHub,
): Promise<readonly PostedCard[]> {
  const nowMs = deps.clock.now();
  const unwatched = requests.filter(({ card }) => isUnwatched(card, nowMs));
  if (pullRequests === undefined) return unwatched;
  const naming = await findCardsNaming(unwatched, pullRequests, deps);
  if (naming.length > 0 || openedUrl === undefined) return naming;
  // No card names a pull request that was just opened, because its job is still running.
  return unwatched.filter(mayOpenPull);
}
