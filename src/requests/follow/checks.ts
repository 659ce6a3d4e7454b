import { usualCheck } from '../../core/common-inputs.ts';
import { inOurWords } from '../../core/errors.ts';
import type { DepsWithGitHub } from '../../deps.ts';
import type { CheckRun } from '../../github/changes.ts';
import type { GitHub } from '../../github/client.ts';
import { GitHubError } from '../../github/errors.ts';
import { firstFew } from '../../text/counts.ts';
import { shortCode } from '../../text/markdown.ts';
import { isNamed, type SeenPullRequest, verdictOf } from '../card/pull.ts';

const maxNames = 10;
/** A new pull request may not have all its checks yet. */
const settledMs = 3_600_000;
/** Stands for the name of a check in a private repository. */
const hiddenCheck = 'build';
const lacksPermission =
  'This workflow can’t show whether the docs were built: the token lacks `checks: read`. Add it to the job’s `permissions` (in the caller of a reusable workflow) or to the `docs-token`, or set `checks: none`.';

/** Reads the checks of pull requests, and remembers what keeps them from being shown. */
export class CheckReader {
  /** The input `checks`. */
  readonly #patterns: readonly string[];
  readonly #deps: DepsWithGitHub;
  /** All checks of older pull requests, whatever their names. */
  readonly #settledChecks: CheckRun[] = [];
  /** Why the checks of a repository can't be read. */
  readonly #refusals = new Map<GitHub, string>();

  constructor(patterns: readonly string[], deps: DepsWithGitHub) {
    this.#patterns = patterns;
    this.#deps = deps;
  }

  /**
   * What the checks say; `undefined` if they can't be read, maybe only this time. If `isHidden`, no
   * names are kept.
   */
  async read(
    there: GitHub,
    pull: SeenPullRequest,
    isHidden: boolean,
  ): Promise<SeenPullRequest['checks']> {
    const { checkedSha } = pull;
    if (this.#patterns.length === 0 || this.#refusals.has(there)) return undefined;
    if (checkedSha === undefined || pull.state === 'closed') return undefined;
    const { context, clock } = this.#deps;
    try {
      const read = await there.readChecks(checkedSha);
      // This run's own check is unfinished while it looks, and says nothing about the docs.
      const ownPath = `/actions/runs/${context.runId}/`;
      const checks = read?.checks.filter(({ url }) => !url?.includes(ownPath)) ?? [];
      const isSettled = clock.now() - pull.createdAtMs > settledMs;
      if (isSettled && !isHidden) this.#settledChecks.push(...checks);
      const isWhole = read?.isWhole === true;
      const verdict = verdictOf({ checks, isWhole }, pull, this.#patterns);
      if (verdict === undefined) return 'nothing';
      return isHidden ? { ...verdict, name: hiddenCheck, url: undefined } : verdict;
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      const isLacking = error.lacks === 'permission';
      const why = isLacking ? lacksPermission : `The checks couldn’t be read. ${inOurWords(error)}`;
      this.#refusals.set(there, why);
      return undefined;
    }
  }

  /** What keeps the checks from being shown, as Markdown sentences. */
  problems(): string[] {
    if (this.#refusals.size > 0) return [...this.#refusals.values()];
    const checks = this.#settledChecks;
    if (checks.length === 0 || checks.some(({ status }) => status !== 'completed')) return [];
    const isMissing = (pattern: string) => !checks.some((check) => isNamed(check, [pattern]));
    // No one named the usual check: it is the default.
    const missing = this.#patterns.filter((name) => name !== usualCheck).filter(isMissing);
    if (missing.length === 0) return [];
    const named = missing.map(shortCode).join(', ');
    const names = new Set(checks.map(({ app, name }) => shortCode(`${app}/${name}`)));
    const listed = firstFew([...names].sort(), maxNames).join(', ');
    return [
      `The input \`checks\` names ${named}, but no check has that name. These do exist: ${listed}.`,
    ];
  }
}
