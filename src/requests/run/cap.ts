import { nameOfPullRequest } from '../../core/address.ts';
import type { Cap } from '../../core/cap.ts';
import { ActionError, badInput, describeBriefly } from '../../core/errors.ts';
import { GitHubError } from '../../github/errors.ts';
import { dayMs } from '../../text/duration.ts';
import type { Ending } from '../card/card.ts';
import { pullOf, pullUrlOf } from '../card/pull.ts';
import { whyNot } from '../card/remarks.ts';
import { addRemark, explainRefusal } from '../card/transitions.ts';
import { isSameRequest } from '../thread/claims.ts';
import { type Found, findCards } from '../thread/find.ts';
import { requestsIn, sendTimes } from '../thread/requests.ts';
import { chooseJob, readPull, readRepository } from './find-job.ts';
import type { Run } from './run.ts';

/*
 * The limits that a team sets: how many requests are sent (`max-jobs`), and how many pull requests
 * may wait (`max-open`).
 */

const maxPages = 30;
/** The most pull requests that are read to count the open ones. */
const maxPulls = 50;
const minuteMs = 60_000;
const permission = 'Add `issues: read` or `pull-requests: read` to this job’s `permissions`.';

/**
 * At the cap of `max-jobs`, or with too many comments to count, returns how the request ends. A
 * prompt that was already sent is never stopped.
 */
export async function checkMaxJobs(run: Run): Promise<Ending | undefined> {
  const { card } = run;
  const { cap, ask } = run.plan;
  if (cap === undefined || ask.prompt === undefined) return undefined;
  if (card.sentBefore !== undefined) return undefined;
  const periodMs = cap.days * dayMs;
  const sinceMs = run.deps.clock.now() - periodMs;
  const read = () => findCards({ sinceMs, maxPages }, [run.plan.owner], run.deps);
  const found = await readToCount('requests', 'max-jobs', run, read);
  if (!found.isWhole) return explainRefusal(card, 'max-jobs', whyNot.tooManyToCount(cap));
  const times = findSendTimes(found, run).filter((timeMs) => timeMs > sinceMs);
  run.requestsLeft = cap.max - times.length;
  if (run.requestsLeft > 0) return undefined;
  const why = whyNot.capReached(cap, times.length, freeAtMs(cap, times));
  return explainRefusal(card, 'max-jobs', why);
}

/** When other requests were sent, or may have been. */
function findSendTimes(found: Found, run: Run): number[] {
  // Another run may already work on this request. It must not cap itself.
  const others = requestsIn(found.ours).filter(({ card }) => !isSameRequest(card, run.card));
  const nowMs = run.deps.clock.now();
  const times = others.flatMap((posted) => sendTimes(posted, nowMs));
  return [...times, ...found.newer.map(({ comment }) => comment.createdAtMs)];
}

/**
 * When the next request can be sent: a minute after the oldest one that counts leaves the period.
 */
function freeAtMs(cap: Cap, times: readonly number[]): number {
  const newestFirst = times.toSorted((first, second) => second - first);
  const oldestMs = Math.min(...newestFirst.slice(0, cap.max));
  return oldestMs + cap.days * dayMs + minuteMs;
}

/**
 * With `max-open` of the agent's pull requests open, a prompt from the inputs that would start a
 * new job is skipped: returns how it ends.
 */
export async function checkMaxOpen(run: Run): Promise<Ending | undefined> {
  const { maxOpen, ask } = run.plan;
  if (maxOpen === undefined || ask.prompt === undefined) return undefined;
  if (run.card.isCommand || run.card.sentBefore !== undefined) return undefined;
  const read = () => findOpenPulls(maxOpen, run);
  const urls = await readToCount('open pull requests', 'max-open', run, read);
  if (urls.length < maxOpen) return undefined;
  const choice = await chooseJob(run);
  if (choice.job !== undefined) return undefined;
  return { outcome: 'skipped', reason: 'max-open', because: whyNot.tooManyOpen(urls) };
}

/** The URLs of the agent's open pull requests, newest first, at most `max`. */
async function findOpenPulls(max: number, run: Run): Promise<string[]> {
  const { ours } = await readRepository(run);
  const pulls = new Map<string, { url: string; state: string | undefined }>();
  for (const { card } of ours) {
    const url = pullUrlOf(card, run.deps.context);
    // The newest card of a pull request knows best how it ended.
    if (url !== undefined) pulls.set(nameOfPullRequest(url), { url, state: pullOf(card)?.state });
  }
  const pending = [...pulls.values()].filter(({ state }) => state !== 'merged');
  const open: string[] = [];
  for (const { url } of pending.toReversed().slice(0, maxPulls)) {
    if (open.length === max) break;
    const pull = await readPull(url, run);
    if (pull?.state === 'open') open.push(url);
    if (pull === undefined) run.become(addRemark(run.card, 'summary', whyNot.uncounted(url)));
  }
  return open;
}

/** Reads what a limit counts. @throws ActionError if that fails; InputError without a token. */
async function readToCount<T>(
  counted: string,
  input: string,
  run: Run,
  read: () => Promise<T>,
): Promise<T> {
  if (run.deps.github === undefined)
    throw badInput('github-token', 'is missing', `\`${input}\` needs it to count ${counted}.`);
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error;
    const { doing, said } = error;
    const hint = error.lacks === 'permission' ? permission : describeBriefly(error);
    const title = `The ${counted} couldn’t be counted for \`${input}\``;
    throw new ActionError('github-error', title, { doing, said, hint });
  }
}
