import type { CheckRun } from '../../github/checks.ts';
import type { Card } from './card.ts';
import { safeUrl } from './job.ts';

/* What a commit's checks say about the docs. What a check says in words is undocumented, so only its conclusion counts. */

/** What the checks of one commit say, as the card stores it. */
export type Verdict = NonNullable<NonNullable<Card['pull']>['checks']>;

const failures = ['failure', 'timed_out', 'action_required', 'startup_failure'];

/** Whether a check is one of those that the input `checks` names as `app/name`. In the name, `*` stands for any characters. */
export function isNamed({ app, name }: Pick<CheckRun, 'app' | 'name'>, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => {
    // Names such as `test (20)` have characters that mean something else in a glob.
    const wanted = pattern
      .slice(pattern.indexOf('/') + 1)
      .split('*')
      .map(RegExp.escape)
      .join('.*');
    return isOfApp(app, [pattern]) && new RegExp(`^${wanted}$`, 's').test(name);
  });
}

/** Whether a name in the input `checks` is about an app. GitHub writes its slug in lowercase. */
export function isOfApp(app: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => pattern.toLowerCase().startsWith(`${app}/`));
}

/** Whether a check has failed. */
export function hasFailed({ conclusion }: Pick<CheckRun, 'conclusion'>): boolean {
  return failures.includes(conclusion);
}

/** Where checks were read. */
interface ChecksAt {
  /** The input `checks`. */
  readonly patterns: readonly string[];
  readonly sha: string;
  /** Whether all the checks of the commit were read. */
  readonly isWhole: boolean;
  /** For a merge commit. Checks that were completed before say nothing about what was published. */
  readonly mergedAtMs: number | undefined;
}

/** What the checks of a commit say; `undefined` if they say nothing certain. */
export function verdictOf(all: readonly CheckRun[], at: ChecksAt): Verdict | undefined {
  const { patterns, sha, isWhole, mergedAtMs = 0 } = at;
  const isMerged = at.mergedAtMs !== undefined;
  const checks = all.filter((check) => isNamed(check, patterns) && check.completedAtMs >= mergedAtMs);
  const found = (is: Verdict['is'], { name, url }: CheckRun) => ({ is, sha, name, url: safeUrl(url)?.href });
  const failed = checks.find(hasFailed);
  if (failed !== undefined) return found(isMerged ? 'not-published' : 'not-built', failed);
  const unfinished = checks.find(({ status }) => status !== 'completed');
  if (unfinished !== undefined) return isMerged ? undefined : found('building', unfinished);
  const passed = checks.filter(({ conclusion }) => conclusion === 'success');
  const isSure = checks.every(({ conclusion }) => ['success', 'neutral', 'skipped'].includes(conclusion));
  const isEach = patterns.every((pattern) => passed.some((check) => isNamed(check, [pattern])));
  const [first] = passed;
  return first && isSure && isEach && isWhole ? found(isMerged ? 'published' : 'built', first) : undefined;
}
