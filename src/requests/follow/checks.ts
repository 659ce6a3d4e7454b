import { nameOfRepository, type PullRequestAddress, parseRunId } from '../../core/address.ts';
import { usualCheck } from '../../core/common-inputs.ts';
import { describeBriefly } from '../../core/errors.ts';
import type { DepsWithGitHub } from '../../deps.ts';
import type { CheckRun } from '../../github/changes.ts';
import { GitHubError } from '../../github/errors.ts';
import { firstFew } from '../../text/counts.ts';
import { code } from '../../text/markdown.ts';
import { isNamedBy, verdictOf } from '../card/checks.ts';
import type { SeenPullRequest } from '../card/pull.ts';

const maxNames = 10;
/** A new pull request may not have all its checks yet. */
const settledMs = 3_600_000;
/** Stands for the name of a check in a private repository. */
const hiddenCheck = 'build';
const lacksPermission =
  'This workflow can’t show whether the docs were built: the token lacks `checks: read`. Add it to the job’s `permissions` (in the caller of a reusable workflow) or to the `docs-token`, or set `checks: none`.';

/** Reads the checks of pull requests. @param patterns the input `checks` */
export function openCheckReader(patterns: readonly string[], deps: DepsWithGitHub) {
  /** All checks of older pull requests, whatever their names. */
  const settledChecks: CheckRun[] = [];
  /** Why the checks of a repository can't be read. */
  const refusals = new Map<string, string>();

  return {
    /**
     * What the checks say; `undefined` if they can't be read, maybe only this time. If `isHidden`,
     * no names are kept.
     */
    async read(
      ref: PullRequestAddress,
      pull: SeenPullRequest,
      isHidden: boolean,
    ): Promise<SeenPullRequest['checks']> {
      const { checkedSha } = pull;
      const repository = nameOfRepository(ref);
      if (patterns.length === 0 || refusals.has(repository)) return undefined;
      if (checkedSha === undefined || pull.state === 'closed') return undefined;
      try {
        const answer = await deps.github.at(ref).readChecks(checkedSha);
        // This run's own check is unfinished while it looks, and says nothing about the docs.
        const { runId } = deps.context;
        const checks = answer?.checks.filter(({ url }) => parseRunId(url) !== runId) ?? [];
        const isSettled = deps.clock.now() - pull.createdAtMs > settledMs;
        if (isSettled && !isHidden) settledChecks.push(...checks);
        const isWhole = answer?.isWhole === true;
        const verdict = verdictOf({ checks, isWhole }, pull, patterns);
        if (verdict === undefined) return 'nothing';
        if (!isHidden) return verdict;
        return { ...verdict, name: hiddenCheck, url: undefined };
      } catch (error) {
        if (!(error instanceof GitHubError)) throw error;
        const unread = `The checks couldn’t be read. ${describeBriefly(error)}`;
        refusals.set(repository, error.lacks === 'permission' ? lacksPermission : unread);
        return undefined;
      }
    },

    /** What keeps the checks from being shown, as Markdown sentences. */
    problems(): string[] {
      if (refusals.size > 0) return [...refusals.values()];
      const isUnsettled = settledChecks.some(({ status }) => status !== 'completed');
      if (settledChecks.length === 0 || isUnsettled) return [];
      const exists = (pattern: string) =>
        settledChecks.some((check) => isNamedBy(check, [pattern]));
      // No one named the usual check: it is the default.
      const missing = patterns.filter((name) => name !== usualCheck && !exists(name));
      if (missing.length === 0) return [];
      const named = missing.map(code).join(', ');
      const names = new Set(settledChecks.map(({ app, name }) => code(`${app}/${name}`)));
      const listed = firstFew([...names].sort(), maxNames).join(', ');
      return [
        `The input \`checks\` names ${named}, but no check has that name. These do exist: ${listed}.`,
      ];
    },
  };
}
