import type { SkipReason } from '../../core/reasons.ts';
import type { ListedPull } from '../../github/changes.ts';
import type { GitHub } from '../../github/client.ts';
import type { CardSearch } from '../../requests/run/plan.ts';
import { firstFew, joinWithAnd } from '../../text/counts.ts';
import type { About } from '../about.ts';
import { type PartOfChange, type RelevanceOptions, whySkipPull } from './change.ts';
import type { Merged, Pushed } from './push.ts';

/** How many pull requests are named. */
const maxNamed = 10;

type Part = ListedPull & PartOfChange;
type Asking = Pick<CardSearch, 'findOwn'> & { readonly about: Pick<About, 'maySkip'> };

/** The pull requests that make up a push, sorted by whether each would be skipped alone. */
export interface Parts {
  readonly all: readonly Part[];
  readonly kept: readonly Part[];
  readonly leftOut: readonly { readonly part: Part; readonly reason: SkipReason }[];
  /** The one whose thread gets the result; `undefined` if the push is skipped. */
  readonly main: Part | undefined;
  /** What else is in the push. If it can't be told, all of it is sent. */
  readonly rest: Exclude<Merged['rest'], 'commits'>;
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
  if (!comparison || !merged || merged.rest === 'commits') return undefined;
  const messages = new Map(comparison.commits.map(({ sha, message }) => [sha, message]));
  const pulls = await readParts(merged.pullRequests, asking);
  const all = pulls.map((pull) => ({
    ...pull,
    message: messages.get(pull.mergeCommitSha ?? ''),
  }));
  const judged = all.map((part) => ({ part, reason: whySkipPull(part, options)?.reason }));
  const kept = judged.filter(({ reason }) => reason === undefined).map(({ part }) => part);
  const { rest, requestsLeft } = merged;
  const sent = rest === 'unknown' && kept.length === 0 ? all : kept;
  return {
    all,
    kept,
    leftOut: judged.flatMap(({ part, reason }) => (reason === undefined ? [] : [{ part, reason }])),
    main: sent.at(-1),
    rest,
    requestsLeft,
  };
}

/**
 * The paths that only the pull requests that are left out changed; `undefined` if it can't be told
 * what else is in the push, if that takes too many requests, or if a list of files isn't complete.
 */
export async function findPathsLeftOut(
  { all, kept, rest, requestsLeft }: Parts,
  github: GitHub,
): Promise<ReadonlySet<string> | undefined> {
  if (rest === 'unknown' || all.length > requestsLeft) return undefined;
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
 * The pull requests that may have the request in their threads. The main one comes last, because it
 * gets the request if none has it. An earlier attempt may have chosen another: newest first.
 */
export function threadsOf({ all, main }: Parts, attempt: number): number[] {
  if (!main) return [];
  const others = attempt > 1 ? all.filter((part) => part !== main) : [];
  return [...others.toReversed(), main].map(({ number }) => number);
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
