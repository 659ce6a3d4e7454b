import { byAge, type Left, leftIn, ourLogin } from '../agent/open/find.ts';
import { recall } from '../agent/thread/memory.ts';
import type { CollectConfig } from '../config/parse.ts';
import type { Deps } from '../deps.ts';
import type { GitHub } from '../github/client.ts';
import { GitHubError, missingReadPermission } from '../github/errors.ts';
import type { RepositoryComment } from '../github/schemas.ts';
import { type Markers, mayHoldMarker } from '../lib/marker.ts';

/** Of 100 comments each: all before the first edit, which moves them. */
const mostPages = 30;

/** What nobody is at any more in all threads of the repository. */
export interface FoundOpen extends Left {
  /** Whether all comments were read that are young enough. */
  readonly isWhole: boolean;
}

/**
 * Looks through the comments of all threads, as far back as a job is told as given up at the latest.
 *
 * @throws GitHubError, or the signal's reason.
 */
export async function readOpen(
  github: GitHub,
  markersOf: (thread: number) => Markers,
  { sinceMs }: CollectConfig,
  { clock, runner, signal }: Deps,
): Promise<FoundOpen> {
  const nowMs = clock.now();
  const options = { sinceMs: nowMs - 2 * sinceMs, maxPages: mostPages };
  const { comments, isWhole } = await github.readRepositoryComments(options, signal).catch(namingPermission);
  const threads = Map.groupBy(comments.filter(isLikeOurs), ({ thread }) => thread);
  const memories = [...threads].map(([thread, ours]) => ({ thread, ours: recall(ours, markersOf(thread)) }));
  warnOfOtherKeys(comments.filter(isLikeOurs), markersOf, runner);
  const login = ourLogin(memories.flatMap(({ ours }) => ours));
  const left = memories.map(({ thread, ours }) => leftIn(ours, thread, nowMs, login));
  return {
    open: left.flatMap(({ open }) => open).sort(byAge),
    outdated: left.flatMap(({ outdated }) => outdated),
    isWhole,
  };
}

/** After a key was rotated nothing that was signed with the one before can be told: that must not look as if all were told. */
function warnOfOtherKeys(
  comments: readonly RepositoryComment[],
  markersOf: (thread: number) => Markers,
  runner: Deps['runner'],
): void {
  const isOtherKeys = (one: RepositoryComment) => markersOf(one.thread).unverifiedKey(one) !== undefined;
  const count = comments.filter(isOtherKeys).length;
  if (count === 0) return;
  const text = `Comments of this project that were signed with another API key, and stay as they are: ${count}.`;
  runner.warning(text, { title: 'Docs Agent' });
}

/** Most comments are none of ours: they cost no key. */
function isLikeOurs({ body }: RepositoryComment): boolean {
  return mayHoldMarker(body);
}

function namingPermission(error: unknown): never {
  if (missingReadPermission(error) === undefined || !(error instanceof GitHubError)) throw error;
  const hint = 'Give the job `issues: write` and `pull-requests: write`. Nothing was changed.';
  throw new GitHubError(error.what, { said: error.said, cause: error, hint });
}
