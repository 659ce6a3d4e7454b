import { byAge, type Left, leftIn, ourLogin } from '../agent/open/find.ts';
import { permissionsHint } from '../agent/open/tell.ts';
import { recall } from '../agent/thread/memory.ts';
import type { Deps } from '../deps.ts';
import type { GitHub } from '../github/client.ts';
import { GitHubError, missingReadPermission } from '../github/errors.ts';
import type { RepositoryComment } from '../github/schemas.ts';
import { type Markers, mayHoldMarker } from '../requests/marker.ts';
import type { CollectConfig } from './inputs.ts';

/** Of 100 comments each: all before the first edit, which moves them. */
const mostPages = 30;

/** The comments of all threads of the repository that may be ours. */
export interface Listing {
  readonly comments: readonly RepositoryComment[];
  /** Whether all were read that are young enough. */
  readonly isWhole: boolean;
}

/**
 * Reads the comments of all threads, as far back as a job is told as given up at the latest; one listing for all projects.
 *
 * @throws GitHubError, or the signal's reason.
 */
export async function readComments(
  github: GitHub,
  { collectSince }: CollectConfig,
  { clock, signal }: Deps,
): Promise<Listing> {
  const options = { sinceMs: clock.now() - 2 * collectSince, maxPages: mostPages };
  const { comments, isWhole } = await github.readRepositoryComments(options, signal).catch(namingPermission);
  return { comments: comments.filter(isLikeOurs), isWhole };
}

/** What nobody is at any more of a project, in all threads; `markersOf` a thread reads the project's markers alone. */
export function openIn(
  comments: readonly RepositoryComment[],
  markersOf: (thread: number) => Markers,
  nowMs: number,
): Left {
  const threads = Map.groupBy(comments, ({ thread }) => thread);
  const memories = [...threads].map(([thread, ours]) => ({ thread, ours: recall(ours, markersOf(thread)) }));
  const login = ourLogin(memories.flatMap(({ ours }) => ours));
  const left = memories.map(({ thread, ours }) => leftIn(ours, thread, nowMs, login));
  return {
    open: left.flatMap(({ open }) => open).sort(byAge),
    outdated: left.flatMap(({ outdated }) => outdated),
  };
}

/**
 * After a key was rotated nothing that was signed with the one before can be told: that must not look as if all were told. Gives
 * how many comments there are of that, as a sentence; nothing where there is none.
 */
export function ofOtherKeys(
  comments: readonly RepositoryComment[],
  projects: readonly { readonly markersOf: (thread: number) => Markers }[],
): string[] {
  const isOtherKeys = (one: RepositoryComment) =>
    projects.some(({ markersOf }) => markersOf(one.thread).unverifiedKey(one) !== undefined);
  const count = comments.filter(isOtherKeys).length;
  if (count === 0) return [];
  const whose = projects.length === 1 ? 'this project' : 'these projects';
  return [`Comments of ${whose} that were signed with another API key, and stay as they are: ${count}.`];
}

/** Most comments are none of ours: they cost no key. */
function isLikeOurs({ body }: RepositoryComment): boolean {
  return mayHoldMarker(body);
}

function namingPermission(error: unknown): never {
  if (missingReadPermission(error) === undefined || !(error instanceof GitHubError)) throw error;
  throw new GitHubError(error.what, { said: error.said, cause: error, hint: permissionsHint });
}
