import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Candidate, majorTagOf, movesForward, notesOf, releaseProblems } from './release-rules.ts';

/*
 * `node scripts/check-release.ts vX.Y.Z --notes FILE`, in a checkout of that tag with all branches and tags: says why it must
 * not be released, or writes the release's notes and prints what release.yml goes on with, ready for $GITHUB_OUTPUT.
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { notes: { type: 'string' } },
});
const [tag] = positionals;
if (tag === undefined || values.notes === undefined)
  throw new Error('Usage: node scripts/check-release.ts vX.Y.Z --notes FILE');

const candidate: Candidate = {
  tag,
  packageVersion: versionIn('package.json'),
  lockVersion: versionIn('package-lock.json'),
  changelog: readFileSync('CHANGELOG.md', 'utf8'),
  isOnMain: succeeds('merge-base', '--is-ancestor', 'HEAD', 'refs/remotes/origin/main'),
};
const problems = releaseProblems(candidate);
if (git('rev-parse', 'HEAD') !== git('rev-parse', `refs/tags/${tag}^{commit}`))
  problems.push(`This is not a checkout of ${tag}.`);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else {
  writeFileSync(values.notes, notesOf(candidate.changelog, tag));
  const major = majorTagOf(tag);
  console.log(
    `commit=${git('rev-parse', 'HEAD')}\nmajor=${major}\nforward=${movesForward(tag, releasesAt(major))}`,
  );
}

function versionIn(file: string): string {
  const { version }: { readonly version?: unknown } = JSON.parse(readFileSync(file, 'utf8'));
  return String(version ?? '');
}

/** The releases that a tag stands at; none where it does not exist. */
function releasesAt(name: string): string[] {
  if (!succeeds('rev-parse', '--quiet', '--verify', `refs/tags/${name}`)) return [];
  const found = git('tag', '--list', 'v*.*.*', '--points-at', `refs/tags/${name}^{commit}`);
  // A major tag that somebody put elsewhere: nobody can say whether it would go forward.
  if (found === '') throw new Error(`${name} stands at no release.`);
  return found.split('\n');
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
