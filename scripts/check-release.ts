import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import {
  type Candidate,
  isLatest,
  majorTagOf,
  movesForward,
  notesOf,
  publishedTags,
  type Release,
  releaseProblems,
} from './release-rules.ts';

/*
 * `node scripts/check-release.ts vX.Y.Z --releases FILE --notes FILE`, in a checkout of that tag with all branches and tags,
 * with GitHub's list of the releases, page by page: says why it must not be released, or writes the release's notes and prints
 * what release.yml goes on with, ready for $GITHUB_OUTPUT.
 */

const dayMs = 86_400_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { releases: { type: 'string' }, notes: { type: 'string' } },
});
const [tag] = positionals;
if (tag === undefined || values.releases === undefined || values.notes === undefined)
  throw new Error('Usage: node scripts/check-release.ts vX.Y.Z --releases FILE --notes FILE');

const releases = releasesIn(values.releases);
const published = publishedTags(releases);
const lock = readJson('package-lock.json');
const candidate: Candidate = {
  tag,
  packageVersion: versionOf(readJson('package.json')),
  lockVersions: [versionOf(lock), versionOf(lock.packages?.[''])],
  changelog: readFileSync('CHANGELOG.md', 'utf8'),
  isOnMain: succeeds('merge-base', '--is-ancestor', 'HEAD', 'refs/remotes/origin/main'),
  // A day more at both ends, for whoever is in another time zone.
  days: [dayOf(firstCommitMs() - dayMs), dayOf(Date.now() + dayMs)],
  releases,
};
const commit = git('rev-parse', 'HEAD');
const major = majorTagOf(tag);
const problems = releaseProblems(candidate);
if (commit !== commitOf(tag)) problems.push(`This is not a checkout of ${tag}.`);
// Somebody put it there for a reason that nobody here knows.
if (commitOf(major) !== undefined && !published.some((one) => commitOf(one) === commitOf(major)))
  problems.push(`${major} stands at no release. Put it to one, or delete it.`);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else {
  writeFileSync(values.notes, notesOf(candidate.changelog, tag));
  const facts = {
    commit,
    major,
    published: published.includes(tag),
    latest: isLatest(tag, published),
    forward: movesForward(tag, published),
  };
  for (const [name, value] of Object.entries(facts)) console.log(`${name}=${value}`);
}

interface Versioned {
  readonly version?: unknown;
  readonly packages?: Readonly<Record<string, Versioned>>;
}

/** A release as GitHub lists it. */
interface Listed {
  readonly tag_name: string;
  readonly draft: boolean;
  readonly body: string | null;
}

function readJson(file: string): Versioned {
  return JSON.parse(readFileSync(file, 'utf8'));
}

function versionOf(versioned: Versioned | undefined): string {
  return String(versioned?.version ?? '');
}

function releasesIn(file: string): Release[] {
  const pages: readonly (readonly Listed[])[] = JSON.parse(readFileSync(file, 'utf8'));
  return pages.flat().map(({ tag_name: tag, draft, body }) => ({ tag, draft, notes: body ?? '' }));
}

/** The commit that a tag stands at; `undefined` where it does not exist. */
function commitOf(name: string): string | undefined {
  const commit = `refs/tags/${name}^{commit}`;
  return succeeds('rev-parse', '--quiet', '--verify', commit) ? git('rev-parse', commit) : undefined;
}

function firstCommitMs(): number {
  const roots = git('log', '--max-parents=0', '--format=%ct', 'HEAD').split('\n');
  return Math.min(...roots.map(Number)) * 1000;
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

function git(...args: string[]): string {
  return execFileSync('git', args, { encoding: 'utf8' }).trim();
}

function succeeds(...args: string[]): boolean {
  try {
    execFileSync('git', args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
