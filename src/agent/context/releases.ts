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
 * and compares the two. A full release is compared with the last full one.
 */
export async function compareWithEarlier(
  release: Ref,
  github: GitHub,
): Promise<{ since: string; comparison: Comparison } | undefined> {
  const isEarlier = (other: Ref) =>
    other.tag !== release.tag &&
    other.publishedAtMs <= release.publishedAtMs &&
    packageOf(other.tag) === packageOf(release.tag) &&
    (release.isPrerelease || !other.isPrerelease);
  let compared = 0;
  let elsewhere = 0;
  for (let page = 1; page <= maxPages; page += 1) {
    const { releases, isLast } = await github.readReleases(page);
    for (const { tag: since } of releases.filter(isEarlier)) {
      if (compared === maxCompared || elsewhere === maxElsewhere) return undefined;
      const comparison = await github.compare(since, release.tag);
      if (comparison?.status === 'ahead') return { since, comparison };
      compared += 1;
      if (comparison?.status !== 'identical') elsewhere += 1;
    }
    if (isLast) return undefined;
  }
  return undefined;
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
