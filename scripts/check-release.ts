import { spawnSync } from 'node:child_process';
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
 * Usage: `node scripts/check-release.ts vX.Y.Z --releases FILE --notes FILE`, in a checkout of that tag with all branches and
 * tags. The first file contains GitHub's list of releases, page by page. If the tag can't be released, prints the reasons.
 * Otherwise, writes the release notes to the second file, and prints the lines for $GITHUB_OUTPUT that release.yml needs.
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
  uses: linesOf(git('grep', '-oE', 'uses: docs-agent/docs-agent@.*', '--', '.github/workflows')),
  parents: linesOf(git('rev-parse', 'HEAD^@')),
  changedFiles: linesOf(git('diff', '--name-only', 'HEAD^', 'HEAD')),
  changedLines: linesOf(git('diff', '--unified=0', 'HEAD^', 'HEAD'))
    .filter((line) => /^[+-](?!\+\+ |-- )/.test(line))
    .map((line) => line.slice(1)),
  changelog: readFileSync('CHANGELOG.md', 'utf8'),
  isOnMain: git('merge-base', '--is-ancestor', 'HEAD', 'refs/remotes/origin/main') !== undefined,
  // One extra day before and after allows for any time zone.
  days: [dayOf(firstCommitMs() - dayMs), dayOf(Date.now() + dayMs)],
  releases,
};
const commit = git('rev-parse', 'HEAD');
const major = majorTagOf(tag);
const problems = releaseProblems(candidate);
if (commit !== commitOf(tag)) problems.push(`This is not a checkout of ${tag}.`);
// Someone may have put the major tag there on purpose, so don't move it.
if (commitOf(major) !== undefined && !published.some((one) => commitOf(one) === commitOf(major)))
  problems.push(`${major} doesn’t point to a release. Move it to one, or delete it.`);
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

function readJson(file: string): Versioned {
  return JSON.parse(readFileSync(file, 'utf8'));
}

function versionOf(versioned: Versioned | undefined): string {
  return String(versioned?.version ?? '');
}

function releasesIn(file: string): Release[] {
  interface Listed {
    readonly tag_name: string;
    readonly draft: boolean;
    readonly body: string | null;
  }
  const pages: readonly (readonly Listed[])[] = JSON.parse(readFileSync(file, 'utf8'));
  return pages.flat().map(({ tag_name: tag, draft, body }) => ({ tag, draft, notes: body ?? '' }));
}

function commitOf(name: string): string | undefined {
  return git('rev-parse', '--quiet', '--verify', `refs/tags/${name}^{commit}`);
}

function firstCommitMs(): number {
  const roots = git('log', '--max-parents=0', '--format=%ct', 'HEAD') ?? '';
  return Math.min(...roots.split('\n').map(Number)) * 1000;
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

function linesOf(text: string | undefined): string[] {
  return (text ?? '').split('\n').filter((line) => line !== '');
}

/** The output of a git command; `undefined` if the command fails. */
function git(...args: string[]): string | undefined {
  const { status, stdout } = spawnSync('git', args, { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}
