import type { RepositoryName } from '../../core/address.ts';
import { dateIn } from '../../core/days.ts';
import { badInput, describeBriefly } from '../../core/errors.ts';
import type { Deps } from '../../deps.ts';
import type { GitHub } from '../../github/client.ts';
import { GitHubError, nearlySpent } from '../../github/errors.ts';
import type { MergedPullRequest } from '../../github/pull-requests.ts';
import { dayMs } from '../../text/duration.ts';
import { code } from '../../text/markdown.ts';
import type { Window } from './window.ts';

/** The files of at most this many pull requests are read. */
const maxPullRequests = 30;

/** A merged pull request, the day it was merged, and the files that it changed. */
export type MergedPull = Pick<MergedPullRequest, 'number' | 'url' | 'isBot'> &
  Readonly<{ date: string; paths: readonly string[]; isWhole: boolean }>;

/** What changed, merged last first. `unread`: how many more were merged; `isLeast`: or others, too. */
export type MergedChanges = Readonly<{
  pulls: readonly MergedPull[];
  unread: number;
  isLeast: boolean;
  tree: readonly string[] | undefined;
}>;

/** What changed, or why that is unknown. */
export type ChangesRead = MergedChanges | { readonly problem: string };

/** From one window’s start to another’s. */
type Range = Readonly<{ from: Window; to: Window; timeZone: string }>;

/** What was merged in a range. @throws InputError if its paths would become public. */
export async function readChanges(
  repository: RepositoryName,
  range: Range,
  deps: Deps,
): Promise<ChangesRead> {
  const { github, signal } = deps;
  if (github === undefined)
    return { problem: 'The input `github-token` is missing, so no pull requests were read.' };
  const name = code(deps.scrub(`${repository.owner}/${repository.repo}`));
  try {
    const about = await github.at(repository).readAbout();
    const isHidden = about.isPrivate && !deps.context.isPrivate;
    if (isHidden && !(await github.readAbout()).isPrivate)
      throw badInput(
        'docs-repository',
        `names ${name}, which is private, but this repository is public`,
        'The report would publish which files changed there. Report from a private repository, or remove the input.',
      );
    return await readMergedPulls(github.at(about.current), about.defaultBranch, range);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof GitHubError)) throw error;
    const isUnseen = error.limitMs === undefined && (error.status === 403 || error.status === 404);
    if (!isUnseen) return { problem: describeBriefly(error) };
    const needs =
      'The token (`docs-token`, or else `github-token`) needs `contents: read` and `pull-requests: read` there.';
    return { problem: `${name} doesn’t exist, or can’t be read. ${needs}` };
  }
}

async function readMergedPulls(docs: GitHub, branch: string, range: Range): Promise<ChangesRead> {
  const { from, to } = range;
  // In every time zone, the day begins less than a day before it does in UTC.
  const sinceMs = Date.parse(from.start) - dayMs;
  const merged = await docs.readMerged(branch, sinceMs);
  const inRange = merged.pulls
    .map((pull) => ({ ...pull, date: dateIn(pull.mergedAtMs, range.timeZone) }))
    .filter(({ date }) => date >= from.start && date < to.start);
  const tree = await docs.readTree(branch);
  const pulls: MergedPull[] = [];
  for (const pull of inRange.slice(0, maxPullRequests)) {
    if (docs.isNearlySpent()) break;
    const files = await docs.readChangedPaths(pull.number);
    if (files !== undefined) pulls.push({ ...pull, ...files });
  }
  if (pulls.length === 0 && docs.isNearlySpent())
    return { problem: `${nearlySpent} Re-run the workflow later.` };
  const unread = inRange.length - pulls.length;
  return { pulls, unread, isLeast: !merged.isWhole, tree: tree && [...tree.keys()] };
}
