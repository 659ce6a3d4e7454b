import type { Deps } from '../deps.ts';
import type { RepositoryComment } from '../github/changes.ts';
import type { GitHub } from '../github/client.ts';
import { GitHubError, missingReadPermission } from '../github/errors.ts';
import { permissionsHint } from '../requests/saver.ts';
import { byAge, type Left, leftIn, ourLogin } from '../requests/settle.ts';
import { mayBeSigned, type Signer } from '../requests/sign.ts';
import { cardsIn, unverifiedKeyOf } from '../requests/store.ts';
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
 * Reads the comments of all threads, back to when a job is given up at the latest; one listing for all projects.
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
  // Most comments are none of ours: they cost no key.
  return { comments: comments.filter(({ body }) => mayBeSigned(body)), isWhole };
}

/** What no process follows any more of a project, in all threads; `signerOf` a thread reads the project's cards alone. */
export function openIn(
  comments: readonly RepositoryComment[],
  signerOf: (thread: number) => Signer,
  nowMs: number,
): Left {
  const threads = Map.groupBy(comments, ({ thread }) => thread);
  const read = [...threads].map(([thread, ours]) => ({ thread, cards: cardsIn(ours, signerOf(thread)) }));
  const login = ourLogin(read.flatMap(({ cards }) => cards));
  const left = read.map(({ thread, cards }) => leftIn(cards, thread, nowMs, login));
  return {
    open: left.flatMap(({ open }) => open).sort(byAge),
    outdated: left.flatMap(({ outdated }) => outdated),
  };
}

/**
 * After a key was rotated, what the key before has signed cannot be edited: that must not look as if all had ended. Gives how
 * many such comments there are, as a sentence; nothing if there are none.
 */
export function ofOtherKeys(
  comments: readonly RepositoryComment[],
  projects: readonly { readonly signerOf: (thread: number) => Signer }[],
): string[] {
  const isOtherKeys = (one: RepositoryComment) =>
    projects.some(({ signerOf }) => unverifiedKeyOf(one, signerOf(one.thread)) !== undefined);
  const count = comments.filter(isOtherKeys).length;
  if (count === 0) return [];
  const whose = projects.length === 1 ? 'this project' : 'these projects';
  return [`Comments of ${whose} that were signed with another API key, and stay as they are: ${count}.`];
}

function namingPermission(error: unknown): never {
  if (missingReadPermission(error) === undefined || !(error instanceof GitHubError)) throw error;
  throw new GitHubError(error.what, { said: error.said, cause: error, hint: permissionsHint });
}
