import type { SkipReason } from '../../core/reasons.ts';
import type { ListedPull } from '../../github/changes.ts';
import type { GitHub } from '../../github/client.ts';
import type { CardSearch } from '../../requests/run/plan.ts';
import { firstFew, joinWithAnd } from '../../text/counts.ts';
import type { About } from '../about.ts';
import { type PartOfChange, type RelevanceOptions, whySkipPull } from './change.ts';
import type { Pushed } from './push.ts';

/** How many pull requests are named. */
const maxNamed = 10;

type Part = ListedPull & PartOfChange;
type Asking = Pick<CardSearch, 'findOwn'> & { readonly about: Pick<About, 'maySkip'> };

/** The pull requests that make up a push, sorted by whether each would be skipped alone. */
export interface Parts {
  readonly all: readonly Part[];
  readonly kept: readonly Part[];
  readonly leftOut: readonly { readonly part: Part; readonly reason: SkipReason }[];
  /** The one whose thread gets the result. */
  readonly main: Part | undefined;
  /** Whether the push may contain more. Then all of it is sent. */
  readonly mayHaveMore: boolean;
  readonly requestsLeft: number;
}

/** The pull requests of the change, and whether each is the agent's own. */
export async function readParts(pulls: readonly ListedPull[], { about, findOwn }: Asking) {
  const own = about.maySkip && pulls.length > 0 ? await findOwn(pulls) : undefined;
  return pulls.map((pull) => ({ ...pull, isOwn: own?.has(pull.url) === true }));
}

/** Sorts the pull requests of a push; `undefined` if it contains other commits. */
export async function sortParts(
  { comparison, merged }: Pushed,
  options: Pick<RelevanceOptions, 'allowUsers' | 'checks'>,
  asking: Asking,
): Promise<Parts | undefined> {
  if (!comparison || !merged?.isAll) return undefined;
  const messages = new Map(comparison.commits.map(({ sha, message }) => [sha, message]));
  const pulls = await readParts(merged.pullRequests, asking);
  const all = pulls.map((pull) => ({
    ...pull,
    message: messages.get(pull.mergeCommitSha ?? ''),
  }));
  const judged = all.map((part) => ({ part, reason: whySkipPull(part, options)?.reason }));
  const kept = judged.filter(({ reason }) => reason === undefined).map(({ part }) => part);
  const { mayHaveMore, requestsLeft } = merged;
  const sent = mayHaveMore && kept.length === 0 ? all : kept;
  return {
    all,
    kept,
    leftOut: judged.flatMap(({ part, reason }) => (reason === undefined ? [] : [{ part, reason }])),
    main: sent.at(-1),
    mayHaveMore,
    requestsLeft,
  };
}

/**
 * The paths that only the pull requests that are left out changed; `undefined` if the push may
 * contain more, if that takes too many requests, or if a list of files isn't complete.
 */
export async function findPathsLeftOut(
  { all, kept, mayHaveMore, requestsLeft }: Parts,
  github: GitHub,
): Promise<ReadonlySet<string> | undefined> {
  if (mayHaveMore || all.length > requestsLeft) return undefined;
  const listed = new Set<string>();
  const pathsKept = new Set<string>();
  const pathsLeftOut = new Set<string>();
  for (const part of all) {
    const list = await github.readChangedPaths(part.number);
    if (!list?.isWhole) return undefined;
    const ofPart = kept.includes(part) ? pathsKept : pathsLeftOut;
    for (const { paths, hash } of list.files) {
      const content = `${hash} ${paths.join(' ')}`;
      // In a stack, a pull request may also list what those below it changed.
      if (!listed.has(content)) for (const path of paths) ofPart.add(path);
      listed.add(content);
    }
  }
  return pathsLeftOut.difference(pathsKept);
}

/**
 * The pull requests that may have a request in their threads, newest first. The last one is where it
 * goes if none has it: the newer ones are skipped, but may not have been in an earlier attempt.
 */
export function threadsOf({ all, main }: Parts): number[] {
  if (!main) return [];
  const parts = all.slice(all.indexOf(main)).toReversed();
  return parts.map(({ number }) => number);
}

/** Which pull requests a request is for, as a sentence for its status comment. */
export function nameParts({ kept }: Pick<Parts, 'kept'>): string | undefined {
  if (kept.length === 0) return undefined;
  return `For ${listNames(kept.map(({ number }) => `#${number}`))}.`;
}

/**
 * What became of the pull requests that would be skipped alone, as a sentence. @param isTold
 * whether their files could be told from the others
 */
export function describeLeftOut({ leftOut }: Parts, isTold: boolean): string {
  const names = listNames(leftOut.map(({ part, reason }) => `#${part.number} (${reason})`));
  if (isTold) return `Not sent: what only ${names} changed.`;
  return `What ${names} changed went along, because it couldn’t be told from the rest.`;
}

function listNames(names: readonly string[]) {
  if (names.length > maxNamed) return firstFew(names, maxNamed).join(', ');
  return joinWithAnd(names);
}
