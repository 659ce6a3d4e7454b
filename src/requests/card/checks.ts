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

/** What a commit's named checks say; `undefined` if they say nothing certain. */
export function verdictOf(checks: readonly CheckRun[], sha: string, isMerged: boolean): Verdict | undefined {
  const found = (is: Verdict['is'], { name, url }: CheckRun) => ({ is, sha, name, url: safeUrl(url)?.href });
  const failed = checks.find(hasFailed);
  if (failed !== undefined) return found(isMerged ? 'not-published' : 'not-built', failed);
  const unfinished = checks.find(({ status }) => status !== 'completed');
  if (unfinished !== undefined) return isMerged ? undefined : found('building', unfinished);
  const passed = checks.find(({ conclusion }) => conclusion === 'success');
  return passed && found(isMerged ? 'published' : 'built', passed);
}
