import { describeError } from '../../core/errors.ts';
import { usualCheck } from '../../core/inputs/common.ts';
import type { DepsWithGitHub } from '../../deps.ts';
import type { PullRequestState } from '../../github/changes.ts';
import type { CheckRun } from '../../github/checks.ts';
import { GitHubError } from '../../github/errors.ts';
import type { PullRequestRef } from '../../github/repository.ts';
import { firstFew } from '../../text/counts.ts';
import { shortCode } from '../../text/markdown.ts';
import { isNamed, verdictOf } from '../card/checks.ts';

const mostNames = 10;
const noPermission =
  'This workflow can’t show whether the docs were built: the token lacks `checks: read`. Add it to this job’s `permissions`, or set `checks: none`.';

/** Reads the checks of pull requests. `patterns` is the input `checks`; if it is empty, nothing is read. */
export function openChecks(patterns: readonly string[], { github, runner, signal }: DepsWithGitHub) {
  const seen: CheckRun[] = [];
  let isRefused = false;

  /** What the checks say; `undefined` if they can't be read, maybe only this time. */
  async function read({ owner, repo }: PullRequestRef, { state, checkedSha: sha }: PullRequestState) {
    if (patterns.length === 0 || isRefused || sha === undefined || state === 'closed') return undefined;
    try {
      const checks = (await github.readChecks(sha, signal, { owner, repo })) ?? [];
      seen.push(...checks);
      const named = checks.filter((check) => isNamed(check, patterns));
      return verdictOf(named, sha, state === 'merged') ?? 'nothing';
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      isRefused = error.lacks === 'permission';
      if (!isRefused) runner.info(describeError(error));
      return undefined;
    }
  }

  /** What keeps the checks from being shown, as Markdown sentences. */
  function notes(): string[] {
    if (isRefused) return [noPermission];
    const missing = patterns.filter(
      (name) => name !== usualCheck && !seen.some((check) => isNamed(check, [name])),
    );
    // A check that isn't listed yet may still begin.
    if (missing.length === 0 || seen.length === 0 || seen.some(({ status }) => status !== 'completed'))
      return [];
    const names = [...new Set(seen.map(({ app, name }) => shortCode(`${app}/${name}`)))].sort();
    const which = missing.map(shortCode).join(', ');
    return [
      `No check is named ${which}, as \`checks\` says. The names found: ${firstFew(names, mostNames).join(', ')}.`,
    ];
  }

  return { read, notes };
}
