import { ActionError, badInput, inOurWords } from '../../core/errors.ts';
import { GitHubError } from '../../github/errors.ts';
import { dayMs } from '../../text/duration.ts';
import { pullOf, pullUrlOf } from '../card/pull.ts';
import { whyNot } from '../card/remarks.ts';
import { addRemark, stopped, turnedDown } from '../card/transitions.ts';
import { isSameRequest } from '../thread/claims.ts';
import { find } from '../thread/find.ts';
import { requestsIn, sendTimes } from '../thread/requests.ts';
import { chooseJob, readPull, readRepository } from './find-job.ts';
import type { Run } from './run.ts';

/* The limits that a team sets: how many requests are sent (`max-jobs`), and how many pull requests may wait (`max-open`). */

const maxPages = 30;
/** The most pull requests that are read to count the open ones. */
const maxPulls = 50;
const permission = 'Add `issues: read` or `pull-requests: read` to this job’s `permissions`.';

/** At the cap of `max-jobs`, or with too many comments, stops the card. A prompt that was already sent is never stopped. */
export async function countRequests(run: Run): Promise<void> {
  const { card } = run;
  const { cap, ask, owner } = run.plan;
  const { clock } = run.deps;
  if (cap === undefined || ask.prompt === undefined || card.sentBefore !== undefined) return;
  const sinceMs = clock.now() - cap.days * dayMs;
  const read = () => find({ sinceMs, maxPages }, [owner], run.deps);
  const found = await counting('requests', 'max-jobs', run, read);
  if (!found.isWhole) return run.become(turnedDown(card, 'max-jobs', whyNot.tooManyToCount(cap)));
  const sent = requestsIn(found.ours)
    // Another run may already work on this request. It must not cap itself.
    .flatMap(({ last }) => (isSameRequest(last.card, card) ? [] : sendTimes(last)));
  const all = [...sent, ...found.newer.map(({ comment }) => comment.createdAtMs)];
  const recent = all.filter((at) => at > sinceMs).toSorted((a, b) => a - b);
  const [freedBy] = recent.slice(-cap.max);
  if (recent.length >= cap.max && freedBy !== undefined) {
    // At the end of that minute, it is free.
    const freeAtMs = freedBy + cap.days * dayMs + 60_000;
    return run.become(
      turnedDown(card, 'max-jobs', whyNot.capReached(cap, recent.length, freeAtMs)),
    );
  }
  run.left = cap.max - recent.length;
}

/** With `max-open` of the agent's pull requests open, skips a prompt from the inputs that would start a new job. */
export async function countOpen(run: Run): Promise<void> {
  const { card } = run;
  const { maxOpen, ask } = run.plan;
  if (maxOpen === undefined || card.isCommand || ask.prompt === undefined || card.sentBefore)
    return;
  const open = await counting('open pull requests', 'max-open', run, () => openPulls(maxOpen, run));
  if (open.length < maxOpen) return;
  const { job } = await chooseJob(run);
  if (job !== undefined) return;
  run.become(
    stopped(card, { outcome: 'skipped', reason: 'max-open', because: whyNot.tooManyOpen(open) }),
  );
}

/** The URLs of the agent's open pull requests, newest first, at most `max`. */
async function openPulls(max: number, run: Run): Promise<string[]> {
  const { context } = run.deps;
  const { ours } = await readRepository(run);
  // The newest card of a pull request knows best how it ended.
  const states = new Map(ours.map(({ card }) => [pullUrlOf(card, context), pullOf(card)?.state]));
  const pending = [...states]
    .flatMap(([url, state]) => (url && state !== 'merged' ? url : []))
    .toReversed();
  const open: string[] = [];
  for (const url of pending.slice(0, maxPulls)) {
    if (open.length === max) break;
    const pull = await readPull(url, run);
    if (pull?.state === 'open') open.push(url);
    if (pull === undefined) run.card = addRemark(run.card, 'summary', whyNot.uncounted(url));
  }
  return open;
}

/** Reads what a limit counts. @throws ActionError if that fails; InputError without a token. */
async function counting<T>(
  what: string,
  input: string,
  { deps }: Run,
  read: () => Promise<T>,
): Promise<T> {
  if (deps.github === undefined)
    throw badInput('github-token', 'is missing', `\`${input}\` needs it to count ${what}.`);
  return read().catch((error: unknown) => {
    if (!(error instanceof GitHubError)) throw error;
    const hint = error.lacks === 'permission' ? permission : inOurWords(error);
    const details = { doing: error.doing, said: error.said, hint };
    throw new ActionError(
      'github-error',
      `The ${what} couldn’t be counted for \`${input}\``,
      details,
    );
  });
}
