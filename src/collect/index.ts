import { InputError } from '../core/errors.ts';
import { type ModeResult, resultOfError } from '../core/mode-result.ts';
import type { Outcome } from '../core/reasons.ts';
import type { Deps, DepsWithGitHub } from '../deps.ts';
import type { ThreadComment } from '../github/changes.ts';
import { GitHubError } from '../github/errors.ts';
import { remind } from '../requests/follow/remind.ts';
import { settle } from '../requests/follow/settle.ts';
import {
  findCardsOf,
  isUnwatched,
  type OpenedPullRequest,
  openCardsIn,
} from '../requests/thread/repository-cards.ts';
import { permissionsHint } from '../requests/thread/saver.ts';
import { containsMarker, type Owner, ownerOf } from '../requests/thread/sign.ts';
import { readCards, unverifiedKeyOf } from '../requests/thread/store.ts';
import type { CollectConfig } from './inputs.ts';
import { collectedResult } from './result.ts';

const tokenTakes = 'missing. `mode: collect` reads and edits comments in the repository.';
/** The most pages of 100 comments. All pages are read before the first edit, because an edit changes the order of comments. */
const mostPages = 30;

/** Runs collect mode: finds requests that no run watches, checks their jobs and pull requests, and posts the results. */
export async function runCollect(config: CollectConfig, deps: Deps): Promise<ModeResult> {
  // These outputs remain if the run is killed. A run that finishes overwrites them.
  deps.runner.setOutput('outcome', 'failed' satisfies Outcome);
  deps.runner.setOutput('reason', 'interrupted');
  try {
    return await collect(config, deps);
  } catch (error) {
    return resultOfError(error, { mode: 'collect' });
  }
}

async function collect(config: CollectConfig, deps: Deps): Promise<ModeResult> {
  const { github, event, runner } = deps;
  if (github === undefined) throw new InputError([{ input: 'github-token', takes: tokenTakes }]);
  const withGitHub = { ...deps, github };
  // The projects share the list of comments, and the limits for requests and writes.
  const owners = config.projects.map((project) => ownerOf(project, config, deps));
  const { turned, opened } = event.kind === 'thread' ? event : {};
  const { cards, comments, isWhole } = await findOpenCards(turned, owners, config, withGitHub);
  const notes = ofOtherKeys(comments, owners);
  for (const note of notes) runner.warning(note, { title: 'Docs Agent' });
  const unreadable = unreadableOf(comments, owners);
  if (unreadable > 0)
    runner.info(
      `Status comments of a newer version, left unchanged: ${unreadable}. Update this workflow, too.`,
    );
  const { maxRequests: requests, collectSince: sinceMs, remindAfter: afterMs } = config;
  const { settled, whyPostponed, isCanceled, saver } = await settle(
    cards,
    { requests, sinceMs, opened },
    withGitHub,
  );
  // A run that was started by a merged, closed, or reopened pull request posts no reminders.
  const isReminding = afterMs !== undefined && turned === undefined && !isCanceled;
  const reminders = isReminding ? await remind(settled, afterMs, comments, saver, withGitHub) : 0;
  const unread = [
    ...(isCanceled ? ['The run was canceled before it finished.'] : []),
    ...(isWhole ? [] : ['There are more comments than a single run can read; the oldest weren’t checked.']),
  ];
  return collectedResult(settled, { isCanceled, unread, whyPostponed, notes, reminders }, config);
}

/**
 * Finds the requests to check, and the comments in which they were found. A run that was started by a merged, closed, or reopened
 * pull request handles only the requests for that pull request. Other runs read the comments as far back as a request can still be
 * open.
 *
 * @throws GitHubError, or the signal's reason.
 */
async function findOpenCards(
  turned: OpenedPullRequest | undefined,
  owners: readonly Owner[],
  { collectSince }: CollectConfig,
  deps: DepsWithGitHub,
) {
  const { github, clock, signal } = deps;
  if (turned !== undefined) {
    const { naming } = await findCardsOf(turned, owners, deps).catch(namingPermission);
    return {
      cards: naming.filter(({ card }) => isUnwatched(card, clock.now())),
      comments: [],
      isWhole: true,
    };
  }
  const options = { sinceMs: clock.now() - 2 * collectSince, maxPages: mostPages };
  const read = await github.readRepositoryComments(options, signal).catch(namingPermission);
  // Most comments aren't ours, and checking a signature takes time.
  const comments = read.comments.filter(({ body }) => containsMarker(body));
  const cards = owners.flatMap((owner) => openCardsIn(comments, owner, clock.now()));
  return { cards, comments, isWhole: read.isWhole };
}

function namingPermission(error: unknown): never {
  if (!(error instanceof GitHubError) || !error.forbidden) throw error;
  throw new GitHubError(error.what, { said: error.said, cause: error, hint: permissionsHint });
}

/** A sentence about status comments that were signed with a different API key. They stay open, because we can't edit them. */
function ofOtherKeys(comments: readonly ThreadComment[], owners: readonly Owner[]): string[] {
  const count = comments.filter((comment) =>
    owners.some(({ signerOf }) => unverifiedKeyOf(comment, signerOf(comment.thread)) !== undefined),
  ).length;
  if (count === 0) return [];
  const whose = owners.length === 1 ? 'this project' : 'these projects';
  return [
    `Status comments for ${whose} that were signed with a different API key and left unchanged: ${count}.`,
  ];
}

/** The number of status comments that a newer version wrote and this version can't read. */
function unreadableOf(comments: readonly ThreadComment[], owners: readonly Owner[]): number {
  const isUnreadable =
    (comment: ThreadComment) =>
    ({ signerOf }: Owner) =>
      readCards([comment], signerOf(comment.thread)).unreadable.length > 0;
  return comments.filter((comment) => owners.some(isUnreadable(comment))).length;
}
