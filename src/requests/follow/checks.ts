import { usualCheck } from '../../core/common-inputs.ts';
import { inOurWords } from '../../core/errors.ts';
import type { DepsWithGitHub } from '../../deps.ts';
import type { PullRequestState } from '../../github/changes.ts';
import type { CheckRun } from '../../github/checks.ts';
import { GitHubError } from '../../github/errors.ts';
import type { PullRequestRef } from '../../github/repository.ts';
import { firstFew } from '../../text/counts.ts';
import { shortCode } from '../../text/markdown.ts';
import { isNamed, verdictOf } from '../card/checks.ts';

const maxNames = 10;
/** A new pull request may not have all its checks yet. */
const settledMs = 3_600_000;
const noPermission =
  'This workflow can’t show whether the docs were built: the token lacks `checks: read`. Add it to this job’s `permissions`, or set `checks: none`.';

/** Reads the checks of pull requests, up to the first error. `patterns` is the input `checks`; if empty, nothing is read. */
export function openChecks(patterns: readonly string[], { github, clock, signal }: DepsWithGitHub) {
  const seen: CheckRun[] = [];
  let refusal: string | undefined;

  /** What the checks say; `undefined` if they can't be read, maybe only this time. */
  async function read({ owner, repo }: PullRequestRef, pull: PullRequestState) {
    const { state, checkedSha: sha, mergedAtMs, createdAtMs } = pull;
    const isOff = patterns.length === 0 || refusal !== undefined;
    if (isOff || sha === undefined || state === 'closed') return undefined;
    try {
      const { checks = [], isWhole = false } = (await github.readChecks(sha, signal, { owner, repo })) ?? {};
      if (clock.now() - createdAtMs > settledMs) seen.push(...checks);
      return verdictOf(checks, { patterns, sha, isWhole, mergedAtMs }) ?? 'nothing';
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      const couldNot = `The checks couldn’t be read. ${inOurWords(error)}`;
      refusal = error.lacks === 'permission' ? noPermission : couldNot;
      return undefined;
    }
  }

  /** What keeps the checks from being shown, as Markdown sentences. */
  function notes(): string[] {
    if (refusal !== undefined) return [refusal];
    const missing = patterns.filter(
      (name) => name !== usualCheck && !seen.some((check) => isNamed(check, [name])),
    );
    if (missing.length === 0 || seen.length === 0 || seen.some(({ status }) => status !== 'completed'))
      return [];
    const names = [...new Set(seen.map(({ app, name }) => shortCode(`${app}/${name}`)))].sort();
    const which = missing.map(shortCode).join(', ');
    const listed = firstFew(names, maxNames).join(', ');
    return [`The input \`checks\` names ${which}, but no check has that name. These do exist: ${listed}.`];
  }

  return { read, notes };
}
