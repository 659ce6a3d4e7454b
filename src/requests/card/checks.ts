import type { CheckRun } from '../../github/changes.ts';
import { titleOf } from '../../text/markdown.ts';
import { type Card, safeUrl } from './card.ts';

/*
 * What the checks of a commit say. What one says in words is undocumented: only its conclusion
 * counts.
 */

/** What the checks of one commit say, as the card stores it. */
export type Verdict = NonNullable<NonNullable<Card['pull']>['checks']>;

/** The commit whose checks count, and when it was merged, if it was. */
interface CheckedCommit {
  readonly checkedSha: string | undefined;
  readonly mergedAtMs: number | undefined;
}

/** What the checks say of an open pull request's head, and of a merge commit. */
const wordsOfHead = { failed: 'not-built', unfinished: 'building', passed: 'built' } as const;
const wordsOfMerge = {
  failed: 'not-published',
  unfinished: undefined,
  passed: 'published',
} as const;

const failures = ['failure', 'timed_out', 'action_required', 'startup_failure'];
/** The conclusions of checks that don't keep the others from counting as passed. */
const passes = ['success', 'neutral', 'skipped'];

/** Whether a check is one that the input `checks` names as `app/name`, where `*` is any text. */
export function isNamedBy(
  { app, name }: Pick<CheckRun, 'app' | 'name'>,
  patterns: readonly string[],
): boolean {
  return patterns.some((pattern) => {
    // Names such as `test (20)` have characters that mean something else in a glob.
    const parts = pattern.slice(pattern.indexOf('/') + 1).split('*');
    const wanted = new RegExp(`^${parts.map(RegExp.escape).join('.*')}$`, 's');
    return isOfApp(app, [pattern]) && wanted.test(name);
  });
}

/** Whether a name in the input `checks` is about an app. GitHub writes its slug in lowercase. */
export function isOfApp(app: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => pattern.toLowerCase().startsWith(`${app}/`));
}

export function hasFailed({ conclusion }: Pick<CheckRun, 'conclusion'>): boolean {
  return failures.includes(conclusion);
}

/**
 * What the checks of a commit say; `undefined` if nothing certain. After a merge, only those that
 * were completed after it count.
 * @param isWhole whether these are all checks of the commit.
 */
export function verdictOf(
  { checks, isWhole }: { readonly checks: readonly CheckRun[]; readonly isWhole: boolean },
  { checkedSha = '', mergedAtMs }: CheckedCommit,
  patterns: readonly string[],
): Verdict | undefined {
  const words = mergedAtMs === undefined ? wordsOfHead : wordsOfMerge;
  const decide = (is: Verdict['is'] | undefined, { name, url }: CheckRun): Verdict | undefined =>
    is && { is, sha: checkedSha, name: titleOf(name), url: safeUrl(url)?.href };
  const named = checks.filter(
    (check) => isNamedBy(check, patterns) && check.completedAtMs >= (mergedAtMs ?? 0),
  );
  const failed = named.find(hasFailed);
  if (failed !== undefined) return decide(words.failed, failed);
  const unfinished = named.find(({ status }) => status !== 'completed');
  if (unfinished !== undefined) return decide(words.unfinished, unfinished);
  const passed = named.find(({ conclusion }) => conclusion === 'success');
  if (passed === undefined || !isWhole || !haveAllPassed(named, patterns)) return undefined;
  return decide(words.passed, passed);
}

/** Whether no check speaks against it, and for each pattern, one has succeeded. */
function haveAllPassed(checks: readonly CheckRun[], patterns: readonly string[]): boolean {
  if (!checks.every(({ conclusion }) => passes.includes(conclusion))) return false;
  const succeeded = checks.filter(({ conclusion }) => conclusion === 'success');
  return patterns.every((pattern) => succeeded.some((check) => isNamedBy(check, [pattern])));
}
