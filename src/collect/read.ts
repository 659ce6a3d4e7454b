import { byAge, type Left, leftIn } from '../agent/open/find.ts';
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
  { clock, signal }: Deps,
): Promise<FoundOpen> {
  const nowMs = clock.now();
  const options = { sinceMs: nowMs - 2 * sinceMs, maxPages: mostPages };
  const { comments, isWhole } = await github.readRepositoryComments(options, signal).catch(namingPermission);
  const threads = Map.groupBy(comments.filter(isLikeOurs), ({ thread }) => thread);
  const left = [...threads].map(([thread, ours]) => leftIn(recall(ours, markersOf(thread)), thread, nowMs));
  return {
    open: left.flatMap(({ open }) => open).sort(byAge),
    outdated: left.flatMap(({ outdated }) => outdated),
    isWhole,
  };
}

/** Most comments are none of ours: they cost no key. */
function isLikeOurs({ body }: RepositoryComment): boolean {
  return mayHoldMarker(body);
}

function namingPermission(error: unknown): never {
  if (missingReadPermission(error) === undefined || !(error instanceof GitHubError)) throw error;
  const hint = 'Give the job `issues: write` and `pull-requests: write`. Nothing was changed.';
  throw new GitHubError(error.message, { cause: error, hint });
}
