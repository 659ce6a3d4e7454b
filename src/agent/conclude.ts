import { GitHubError } from '../github/errors.ts';
import type { Card } from '../requests/card/card.ts';
import { endingOf, marksOf } from '../requests/card/situation.ts';
import { closed, closingOf, isOfAnotherRun, mayHaveComment } from '../requests/run/closing.ts';
import type { Request } from '../requests/run/next.ts';
import { readThread, tidied } from '../requests/run/read-thread.ts';
import { type Run, react, show } from '../requests/run/run.ts';
import type { AgentConfig } from './inputs.ts';
import { resultOf } from './summary.ts';

/** GitHub kills a canceled run after 10 s. With this limit, the run ends in time even if a request is still pending. */
const canceledCloseMs = 2_500;
const closeMs = 300_000;
/** GitHub may be down for a moment, so the post phase tries three times within a minute. That time is billed. */
const [postCloseMs, postTries, againMs] = [60_000, 3, 20_000];

/**
 * The last step of every run: updates the thread and returns the result. The outputs are set first, because the run may be killed
 * while it writes to the thread.
 *
 * @param error the error that ended the run early.
 */
export async function conclude(request: Request, config: AgentConfig, run: Run, error?: unknown) {
  run.willReport(error);
  const within = closingSignal(run.deps.signal, run.isPost ? postCloseMs : closeMs);
  const { outcome } = endingOf(closed(request, error)) ?? {};
  // A skipped run writes nothing in the thread. A person without permission already has a reply (see `deny`).
  const mayPost = run.kept !== undefined && !run.isDry && outcome !== 'skipped';
  const current = mayPost ? await readAgain(request, run, within) : request;
  const card = closed(current ?? request, error);
  if (isOfAnotherRun(card)) run.deps.runner.info('Skipped: another run is already working on this request.');
  if (run.kept !== undefined) run.keep(card);
  if (current === undefined) {
    // The result isn't posted, because the new comment could be a duplicate.
    await reactTo(card, run, within);
    return resultOf(card, config, run);
  }
  const [final, isDone] = mayPost ? await postResult({ ...current, card }, run, within) : [card, true];
  if (isDone) run.forget();
  return resultOf(final, config, run);
}

/** A signal that aborts when the time for the last step is up. A canceled run has less time. */
function closingSignal(canceled: AbortSignal, maxMs: number): AbortSignal {
  const closing = new AbortController();
  const closeIn = (ms: number) => {
    const over = AbortSignal.timeout(ms);
    const late = new GitHubError('GitHub didn’t respond before the run had to end');
    over.addEventListener('abort', () => closing.abort(late), { once: true });
  };
  closeIn(canceled.aborted ? canceledCloseMs : maxMs);
  canceled.addEventListener('abort', () => closeIn(canceledCloseMs), { once: true });
  return closing.signal;
}

/** Reads the thread again if it may contain a comment of this run. Returns `undefined` if that fails. */
async function readAgain(request: Request, run: Run, within: AbortSignal): Promise<Request | undefined> {
  if (!mayHaveComment(request)) return request;
  let current: Request | undefined;
  await run.bestEffort(async () => {
    current = await readThread(request, run, 'own comment', within);
  });
  // This run was able to write in the thread earlier, so the problem may be temporary, and the post phase tries again.
  const isLost = request.card.generation > 0 && current?.card.thread === undefined;
  return isLost ? undefined : current;
}

/** Posts the result in the thread. Returns the card, and whether the post phase has nothing left to do there. */
async function postResult(
  { card, known }: Request,
  run: Run,
  within: AbortSignal,
): Promise<[card: Card, isDone: boolean]> {
  const closing = closingOf(card, known);
  if (closing === 'nothing') return [card, true];
  await tidied(known.cards ?? [], card, run, within);
  let final = card;
  let isShown = closing === 'reaction';
  let isDone = isShown;
  const maxTries = run.isPost ? postTries : 1;
  for (let tries = 1; !isDone && tries <= maxTries && !within.aborted; tries += 1) {
    ({ card: final, isOver: isDone, isShown } = await show(card, run, within));
    if (!isDone && tries < maxTries) await run.deps.clock.sleep(againMs, within).catch(() => undefined);
  }
  const hasReacted = await reactTo(card, run, within);
  // A command can't find a job that the thread doesn't show.
  return [isShown ? final : { ...final, thread: undefined }, isDone && hasReacted];
}

/** Adds the reaction for how the request ended. Returns false if it's worth trying again. */
async function reactTo(card: Card, run: Run, within: AbortSignal): Promise<boolean> {
  const { reaction } = marksOf(card);
  return reaction === undefined || (await react(reaction, card, run, within)) !== 'failed';
}
