import { dateIn } from '../../core/days.ts';
import { badInput, inOurWords } from '../../core/errors.ts';
import type { Deps } from '../../deps.ts';
import { GitHubError, nearlySpent } from '../../github/errors.ts';
import type { Merged } from '../../github/repository.ts';
import { dayMs } from '../../text/duration.ts';
import { shortCode } from '../../text/markdown.ts';
import type { Window } from './window.ts';

/** The files of at most this many pull requests are read. */
const maxPullRequests = 30;

/** A merged pull request, the day it was merged, and the files that it changed. */
export type MergedPull = Pick<Merged, 'number' | 'url' | 'isBot'> &
  Readonly<{ date: string; paths: readonly string[]; isWhole: boolean }>;

/** What changed, merged last first, or why that is unknown. `unread`: how many more were merged; `isLeast`: or others, too. */
export type ChangesRead =
  | { readonly problem: string }
  | Readonly<{
      pulls: readonly MergedPull[];
      unread: number;
      isLeast: boolean;
      tree: readonly string[] | undefined;
    }>;

/** What was merged from one window’s start to another’s. @throws InputError if its paths would become public. */
export async function readChanges(
  repository: Parameters<NonNullable<Deps['github']>['at']>[0],
  { from, to, timeZone }: { readonly from: Window; readonly to: Window; readonly timeZone: string },
  { github, context, scrub, signal }: Deps,
): Promise<ChangesRead> {
  const name = shortCode(scrub(`${repository.owner}/${repository.repo}`));
  if (github === undefined)
    return { problem: 'The input `github-token` is missing, so no pull requests were read.' };
  try {
    const { defaultBranch, isPrivate, current } = await github.at(repository).readAbout();
    const docs = github.at(current);
    if (isPrivate && !context.isPrivate && !(await github.readAbout()).isPrivate)
      throw badInput(
        'docs-repository',
        `names ${name}, which is private, but this repository is public`,
        'The report would publish which files changed there. Report from a private repository, or remove the input.',
      );
    // In every time zone, the day begins less than a day before it does in UTC.
    const { pulls, isWhole } = await docs.readMerged(defaultBranch, Date.parse(from.start) - dayMs);
    const inRange = pulls
      .map((pull) => ({ ...pull, date: dateIn(pull.mergedAtMs, timeZone) }))
      .filter(({ date }) => date >= from.start && date < to.start);
    const tree = await docs.readTree(defaultBranch);
    const read: MergedPull[] = [];
    for (const pull of inRange.slice(0, maxPullRequests)) {
      if (docs.isNearlySpent()) break;
      const files = await docs.readChangedPaths(pull.number);
      if (files !== undefined) read.push({ ...pull, ...files });
    }
    if (read.length === 0 && docs.isNearlySpent())
      return { problem: `${nearlySpent} Re-run the workflow later.` };
    const unread = inRange.length - read.length;
    return { pulls: read, unread, isLeast: !isWhole, tree: tree && [...tree.keys()] };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof GitHubError)) throw error;
    const isUnseen = error.limitMs === undefined && (error.status === 403 || error.status === 404);
    const needs =
      'The token (`docs-token`, or else `github-token`) needs `contents: read` and `pull-requests: read` there.';
    return {
      problem: isUnseen ? `${name} doesn’t exist, or can’t be read. ${needs}` : inOurWords(error),
    };
  }
}
