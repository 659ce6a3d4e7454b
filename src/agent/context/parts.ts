import type { SkipReason } from '../../core/reasons.ts';
import type { PullRequest } from '../../github/changes.ts';
import type { GitHub } from '../../github/client.ts';
import type { CardSearch } from '../../requests/run/plan.ts';
import { firstFew } from '../../text/counts.ts';
import type { About } from '../about.ts';
import { type PartOfChange, type RelevanceOptions, whySkipPull } from './change.ts';
import type { Pushed } from './push.ts';

/** How many pull requests are named. */
const maxNamed = 10;

type Part = PullRequest & PartOfChange;
type Asking = Pick<CardSearch, 'findOwn'> & { readonly about: Pick<About, 'maySkip'> };

/** The pull requests that make up a push, sorted by whether each would be skipped alone. */
export interface Parts {
  readonly all: readonly Part[];
  readonly kept: readonly Part[];
  readonly leftOut: readonly { readonly part: Part; readonly reason: SkipReason }[];
  /** How many more there are, which weren't read. */
  readonly unread: number;
  readonly requestsLeft: number;
}

/** The pull requests of the change, and whether each is the agent's own. */
export async function readParts(pulls: readonly PullRequest[], { about, findOwn }: Asking) {
  const own = about.maySkip && pulls.length > 0 ? await findOwn(pulls) : undefined;
  return pulls.map((pull) => ({ ...pull, isOwn: own?.has(pull.url) === true }));
}

/** Sorts the pull requests of a push; `undefined` if it contains anything else. */
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
  const { unread, requestsLeft } = merged;
  return {
    all,
    kept: judged.filter(({ reason }) => reason === undefined).map(({ part }) => part),
    leftOut: judged.flatMap(({ part, reason }) => (reason === undefined ? [] : [{ part, reason }])),
    unread,
    requestsLeft,
  };
}

/**
 * The paths that only the pull requests that are left out changed; `undefined` if that takes too
 * many requests, or if a list of files isn't complete.
 */
export async function findPathsLeftOut(
  { kept, leftOut, unread, requestsLeft }: Parts,
  github: GitHub,
): Promise<ReadonlySet<string> | undefined> {
  if (unread > 0 || kept.length + leftOut.length > requestsLeft) return undefined;
  const others = new Set<string>();
  for (const { number } of kept) {
    const list = await github.readChangedPaths(number);
    if (!list?.isWhole) return undefined;
    for (const path of list.paths) others.add(path);
  }
  const paths = new Set<string>();
  for (const { part } of leftOut) {
    const list = await github.readChangedPaths(part.number);
    for (const path of list?.paths ?? []) if (!others.has(path)) paths.add(path);
  }
  return paths;
}

/** Which pull requests a request is for, as a sentence for its status comment. */
export function nameParts({ kept, unread }: Pick<Parts, 'kept' | 'unread'>): string | undefined {
  const names = kept.map(({ number }) => `#${number}`);
  if (names.length === 0) return undefined;
  const isAllNamed = unread === 0 && names.length <= maxNamed;
  if (isAllNamed) return `For ${new Intl.ListFormat('en').format(names)}.`;
  const all = [...names, ...Array.from({ length: unread }, () => '')];
  return `For ${firstFew(all, Math.min(names.length, maxNamed)).join(', ')}.`;
}

/** What isn't sent, for the agent and the summary. */
export function describeLeftOut({ leftOut }: Parts): string {
  const names = leftOut.map(({ part, reason }) => `#${part.number} (${reason})`);
  return `what only ${new Intl.ListFormat('en').format(names)} changed`;
}
