import { explain } from '../../core/errors.ts';
import { bindDeps } from '../../deps.ts';
import { GitHubError } from '../../github/errors.ts';
import { type Card, endingOf, howEnded } from '../card/card.ts';
import { openText } from '../card/comment.ts';
import { remarks } from '../card/remarks.ts';
import { shownAs } from '../card/situation.ts';
import { addRemark, interrupted, stopped } from '../card/transitions.ts';
import type { LiveRun } from './live.ts';

/** GitHub kills a canceled run after 10 s. With this limit, the run ends in time even if a request is still pending. */
const canceledCloseMs = 2_500;
const closeMs = 300_000;
/** GitHub may be down for a moment, so the post phase tries three times within a minute. That time is billed. */
const [postCloseMs, postTries, againMs] = [60_000, 3, 20_000];

/** The last step of every run: updates the thread. `error` ended the run early. */
export async function close(run: LiveRun, error?: unknown): Promise<void> {
  run.willReport(error);
  const last = closed(run.card, error);
  // A person without permission already has a reply (see `postDenial`).
  if (!run.isAdmitted) return run.become(last);
  const closing = closingSignal(run.deps.signal, run.plan.isPost ? postCloseMs : closeMs);
  // The run may already be canceled, so requests from here on have a time of their own.
  run.deps = bindDeps(run.deps, closing);
  const isKnown = isSkipped(last) || (await readAgain(run));
  // The outputs are set first, because the run may be killed while it writes to the thread.
  run.become(closed(run.card, error));
  if (!isKnown) {
    // The result isn't posted, because the new comment could be a duplicate.
    await reactTo(run);
    return;
  }
  await run.tidy(run.card);
  if (isSkipped(run.card) || (await postResult(run, closing))) run.forget();
}

/** The card at the end of the run, with the error that ended the run, if any. */
export function closed(card: Card, error: unknown): Card {
  if (error === undefined || card.stop?.reason === 'another-run') return card;
  const { reason, ...words } = explain(error);
  if (reason === 'cancelled') return interrupted(card, 'cancelled', words);
  return stopped(card, { outcome: 'failed', reason, error: words });
}

/** Whether the run leaves the thread alone, for example because another run works on the request. */
function isSkipped(card: Card): boolean {
  return endingOf(card)?.outcome === 'skipped';
}

/** A signal that aborts when the time for the last step is up. A canceled run has less time. */
function closingSignal(canceled: AbortSignal, maxMs: number): AbortSignal {
  const closing = new AbortController();
  const late = new GitHubError('GitHub didn’t respond before the run had to end');
  const closeIn = (ms: number) =>
    AbortSignal.timeout(ms).addEventListener('abort', () => closing.abort(late), { once: true });
  closeIn(canceled.aborted ? canceledCloseMs : maxMs);
  canceled.addEventListener('abort', () => closeIn(canceledCloseMs), { once: true });
  return closing.signal;
}

/** Reads the thread again if GitHub's response to a claim may have been lost. Returns whether the run knows its comment. */
async function readAgain(run: LiveRun): Promise<boolean> {
  const { card } = run;
  const isUnsure = run.found === undefined || card.generation > 0;
  if (card.thread === undefined || card.comment !== undefined || !isUnsure) return true;
  const { isDone } = await run.bestEffort(() => run.readThread('own comment'));
  // This run was able to write in the thread earlier, so the problem may be temporary, and the post phase tries again.
  const isLost = card.generation > 0 && run.card.thread === undefined;
  if (isDone && !isLost) return true;
  run.card = card;
  return false;
}

/** Posts the result in the thread. Returns whether the post phase has nothing left to do there. */
async function postResult(run: LiveRun, closing: AbortSignal): Promise<boolean> {
  const { takenOver, card } = run;
  const shown = takenOver?.state.is === 'ended' && card.ask !== 'reply' ? takenOver : undefined;
  // If the thread shows how the job ended, a timeout or error of this run must not replace that.
  const isOfRun =
    card.stop !== undefined && card.state.is === 'ended' && howEnded(card) !== 'unconfirmed';
  if (shown !== undefined && isOfRun) return true;
  // A comment that was signed with a different key can't be edited. The answer to `help` or `status` is already posted.
  let isShown = card.stop?.reason === 'key-changed' || card.answer !== undefined;
  isShown ||= shown !== undefined && openText(shown) === openText(card);
  let isDone = isShown;
  const maxTries = run.plan.isPost ? postTries : 1;
  for (let tries = 1; !isDone && tries <= maxTries && !closing.aborted; tries += 1) {
    ({ isOver: isDone, isShown } = await run.show());
    if (!isDone && tries < maxTries) await run.deps.clock.sleep(againMs).catch(() => undefined);
  }
  const hasReacted = await reactTo(run);
  if (!isShown) {
    const mayStillAsk = card.comment !== undefined && card.state.is === 'freed';
    // A command can't find a job that the thread doesn't show.
    run.card = {
      ...addRemark(run.card, 'fold', mayStillAsk ? remarks.mayStillAsk : undefined),
      thread: undefined,
    };
  }
  return isDone && hasReacted;
}

/** Adds the reaction for how the request ended. Returns false if it's worth trying again. */
async function reactTo(run: LiveRun): Promise<boolean> {
  const { reaction } = shownAs(run.card);
  return reaction === undefined || (await run.react(reaction)) !== 'failed';
}
