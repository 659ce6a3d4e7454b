import type { Comparison, Release } from '../../github/changes.ts';
import type { GitHub } from '../../github/client.ts';

/** How many releases on other branches are compared before there is no earlier one. */
const maxElsewhere = 5;
/** How many releases are compared in all. Those of the same commit bring nothing new. */
const maxCompared = 20;
/** In a repository with many packages, the last release of one of them may be on a later page. */
const maxPages = 5;

type Ref = Pick<Release, 'tag' | 'isPrerelease' | 'publishedAtMs'>;

/**
 * Finds the nearest earlier release of the same package whose commit is an ancestor of this one's,
 * and compares the two. If there is none, says why, as a sentence.
 */
export async function compareWithEarlier(
  release: Ref,
  github: GitHub,
): Promise<{ since: string; comparison: Comparison } | { whyNone: string }> {
  let compared = 0;
  let elsewhere = 0;
  for await (const since of findEarlier(release, github)) {
    if (compared === maxCompared || elsewhere === maxElsewhere) break;
    const comparison = await github.compare(since, release.tag);
    if (comparison?.status === 'ahead') return { since, comparison };
    compared += 1;
    if (comparison?.status !== 'identical') elsewhere += 1;
  }
  const where = 'are of the same commit or on other branches';
  let why = `the earlier releases that were compared (${compared}) ${where}`;
  if (compared === 0) why = 'no earlier release of this package was found';
  return { whyNone: `No changes were sent: ${why}.` };
}

/** The earlier releases of the same package, newest first. A full one only follows full ones. */
async function* findEarlier(release: Ref, github: GitHub) {
  const isEarlier = (other: Ref) =>
    other.tag !== release.tag &&
    other.publishedAtMs <= release.publishedAtMs &&
    packageOf(other.tag) === packageOf(release.tag) &&
    (release.isPrerelease || !other.isPrerelease);
  for (let page = 1; page <= maxPages; page += 1) {
    const { releases, isLast } = await github.readReleases(page);
    for (const { tag } of releases.filter(isEarlier)) yield tag;
    if (isLast) return;
  }
}

/** Where a version may begin in a tag, from the clearest sign to the weakest. */
const versionStarts = [/(?<![a-z\d.])v?\d+\.\d/i, /(?<![a-z\d.])v?\d/i, /v?\d+\.\d/i];

/** What a tag says before its version: `@acme/sdk@` or `cli-`; `undefined` without a version. */
export function packageOf(tag: string): string | undefined {
  for (const start of versionStarts) {
    const at = tag.search(start);
    if (at >= 0) return tag.slice(0, at);
  }
  return undefined;
}
