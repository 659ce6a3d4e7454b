import type { GitCommit } from './types.ts';

type Commits = ReadonlyMap<string, GitCommit>;

/** A commit and all before it, parents before their children. */
export function ancestorsOf(commits: Commits, sha: string): ReadonlyMap<string, GitCommit> {
  const found = new Map<string, GitCommit>();
  const waiting = [sha];
  const seen = new Set<string>();
  while (waiting.length > 0) {
    const next = waiting.at(-1) ?? '';
    const commit = commits.get(next);
    const unseen = commit?.parents.filter((parent) => !seen.has(parent)) ?? [];
    seen.add(next);
    if (unseen.length > 0) waiting.push(...unseen.reverse());
    else {
      waiting.pop();
      if (commit !== undefined) found.set(next, commit);
    }
  }
  return found;
}

/** The commits that the head has and the base has not, the oldest first. */
export function commitsBetween(commits: Commits, base: string, head: string): GitCommit[] {
  const before = ancestorsOf(commits, base);
  return [...ancestorsOf(commits, head).values()].filter(({ sha }) => !before.has(sha));
}

/** Where two commits last were one; `undefined` where nothing connects them. */
export function mergeBaseOf(commits: Commits, one: string, other: string): GitCommit | undefined {
  const ofOther = ancestorsOf(commits, other);
  return [...ancestorsOf(commits, one).values()].findLast(({ sha }) => ofOther.has(sha));
}
