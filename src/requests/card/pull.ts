import type { CheckRun, PullRequestState } from '../../github/changes.ts';
import type { RunContext } from '../../runner/context.ts';
import { dayMs } from '../../text/duration.ts';
import { type Card, endOf, howEnded, jobOf, pullRequestOf, safeUrl } from './card.ts';
import { remarks } from './sentences.ts';
import { addRemark } from './transitions.ts';

/* A job's pull request and its checks, as last seen. What a check says in words is undocumented: only its conclusion counts. */

/** How long after a merge its checks are read: a later one may fail, and one that failed may be run again. */
const awaitedMs = dayMs;

/** What the checks of one commit say, as the card stores it. */
export type Verdict = NonNullable<NonNullable<Card['pull']>['checks']>;

/** What GitHub says about a pull request and its checks. */
export interface SeenPullRequest extends Omit<PullRequestState, 'shown'> {
  /** `undefined` if it mustn't be shown here. */
  readonly shown: PullRequestState['shown'] | undefined;
  /** The commit whose checks count; `undefined` after a merge that publishes nothing. */
  readonly checkedSha: string | undefined;
  /** `nothing` if that isn't certain, `undefined` if they weren't read. */
  readonly checks?: Verdict | 'nothing' | undefined;
}

/** `unseen`: the token can't see the pull request. `unknown`: it couldn't be read. */
export type PullObservation = SeenPullRequest | 'unseen' | 'unknown';

/** The commit whose checks count: the head, or the merge commit on the `branch` that the site is built from. */
export function checkedShaOf(
  pull: PullRequestState,
  branch = pull.defaultBranch,
): string | undefined {
  if (pull.state !== 'merged') return pull.headSha;
  return pull.baseRef === branch ? pull.mergeCommitSha : undefined;
}

/** Whether a pull request's title and people mustn't be shown: it is in a private repository, and this one is public. */
export function isHiddenHere(
  pull: Pick<PullRequestState, 'isPrivate'>,
  here: Pick<RunContext, 'isPrivate'>,
) {
  return pull.isPrivate && !here.isPrivate;
}

/** The last known state of the pull request. */
export function pullOf(card: Card): Card['pull'] {
  return card.pull?.url === pullRequestOf(jobOf(card))?.url ? card.pull : undefined;
}

/** What the checks say about the pull request in its last known state. */
export function checksOf(card: Card) {
  const { state, checks } = pullOf(card) ?? {};
  const isAboutMerge = checks?.is === 'published' || checks?.is === 'not-published';
  return state === (isAboutMerge ? 'merged' : 'open') ? checks : undefined;
}

/** The pull request as the `result` output describes it; `null` if there is none. */
export function pullRequestDetails(card: Card) {
  const link = pullRequestOf(jobOf(card));
  const { state, shown } = pullOf(card) ?? {};
  const checks = checksOf(card)?.is;
  if (link === undefined) return null;
  return {
    ...link,
    ...(state && state !== 'unseen' && { state, ...shown }),
    ...(checks && { checks }),
  };
}

/** Whether the pull request may still be merged, closed, or reopened, or its merge may still be published. */
export function isFollowed(card: Card, nowMs: number): boolean {
  if (card.state.is !== 'ended' || card.state.how === 'gone' || card.ask === 'reply') return false;
  const { state, mergedAt = 0 } = pullOf(card) ?? {};
  const isAwaited = nowMs - mergedAt < awaitedMs;
  return pullRequestOf(card.state.job) !== undefined && (state !== 'merged' || isAwaited);
}

/** Updates a card from its pull request, or returns the same card. A new head shows that the job has picked up the follow-up. */
export function followed(card: Card, what: PullObservation): Card {
  const job = jobOf(card);
  const url = pullRequestOf(job)?.url;
  if (what === 'unknown' || job === undefined || url === undefined) return card;
  const { head, ...before }: Partial<NonNullable<Card['pull']>> = pullOf(card) ?? {};
  // Another run's token may see it, so what is known stays.
  if (what === 'unseen')
    return before.state === undefined
      ? addRemark({ ...card, pull: { url, state: 'unseen' } }, 'fold', remarks.unseenPull)
      : card;
  const { state, shown, headSha, checkedSha, checks: read } = what;
  const { createdAtMs: openedAt, mergedAtMs: mergedAt } = what;
  // If the checks couldn't be read, what they said about the same commit is still true.
  const last = before.checks?.sha === checkedSha ? before.checks : undefined;
  const checks = read === 'nothing' ? undefined : (read ?? last);
  // A repository may become private.
  const isHidden = before.shown !== undefined && shown === undefined;
  const isSame =
    !isHidden && before.state === state && JSON.stringify(checks) === JSON.stringify(before.checks);
  if (isSame && head === undefined) return card;
  const isUpdated = head === undefined ? before.isUpdated : headSha !== head;
  const pull = { ...before, url, state, shown, checks, openedAt, mergedAt, isUpdated };
  const isTakenUp = head !== undefined && isUpdated && howEnded(card) === 'unseen';
  return {
    ...card,
    remarks: card.remarks.filter(({ text }) => text !== remarks.unseenPull),
    pull,
    ...(isTakenUp && { state: { is: 'ended', how: endOf(job), job } }),
  };
}

/** Whether a check is one of those that the input `checks` names as `app/name`. In the name, `*` stands for any characters. */
export function isNamed(
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
  return ['failure', 'timed_out', 'action_required', 'startup_failure'].includes(conclusion);
}

/** What the checks of a commit say; `undefined` if nothing certain. After a merge, only those that were completed after it count. */
export function verdictOf(
  { checks: all, isWhole }: { readonly checks: readonly CheckRun[]; readonly isWhole: boolean },
  { checkedSha: sha = '', mergedAtMs }: Pick<SeenPullRequest, 'checkedSha' | 'mergedAtMs'>,
  patterns: readonly string[],
): Verdict | undefined {
  const isMerged = mergedAtMs !== undefined;
  const checks = all.filter(
    (check) => isNamed(check, patterns) && check.completedAtMs >= (mergedAtMs ?? 0),
  );
  const found = (is: Verdict['is'], { name, url }: CheckRun) => ({
    is,
    sha,
    name,
    url: safeUrl(url)?.href,
  });
  const failed = checks.find(hasFailed);
  if (failed !== undefined) return found(isMerged ? 'not-published' : 'not-built', failed);
  const unfinished = checks.find(({ status }) => status !== 'completed');
  if (unfinished !== undefined) return isMerged ? undefined : found('building', unfinished);
  const passed = checks.filter(({ conclusion }) => conclusion === 'success');
  const isSure = checks.every(({ conclusion }) =>
    ['success', 'neutral', 'skipped'].includes(conclusion),
  );
  const isEach = patterns.every((pattern) => passed.some((check) => isNamed(check, [pattern])));
  const [first] = passed;
  return first && isSure && isEach && isWhole
    ? found(isMerged ? 'published' : 'built', first)
    : undefined;
}
