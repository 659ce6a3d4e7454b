import { explain } from '../../core/errors.ts';
import { bindDeps } from '../../deps.ts';
import { GitHubError } from '../../github/errors.ts';
import { type Card, endingOf, howEnded } from '../card/card.ts';
import { openText } from '../card/comment.ts';
import { styleOf } from '../card/situation.ts';
import { interruptRun, isUnsent, stopRun } from '../card/transitions.ts';
import type { LiveRun } from './live.ts';
import type { Attempt } from './run.ts';

/**
 * GitHub kills a canceled run after 10 s. With this limit, the run ends in time even if a request
 * is still pending.
 */
const canceledCloseMs = 2_500;
const closeMs = 300_000;

/** The last step of every run: updates the thread. `error` ended the run early. */
export async function close(run: LiveRun, error?: unknown): Promise<void> {
  run.keepFromWarning(error);
  const last = withError(run.card, error);
  // A person without permission already has a reply (see `postDenial`).
  if (!run.isAdmitted) return run.become(last);
  const closing = startClosing(run.deps.signal);
  // The run may already be canceled, so requests from here on have a time of their own.
  run.deps = bindDeps(run.deps, closing);
  const isKnown = isSkipped(last) || (await findComment(run));
  // The outputs are set first, because the run may be killed while it writes to the thread.
  run.become(withError(run.card, error));
  if (!isKnown) {
    // The result isn't posted, because the new comment could be a duplicate.
    await reactToEnd(run);
    return;
  }
  await run.tidy();
  const isFinished = isSkipped(run.card) || (await postResult(run));
  if (isFinished) run.forget();
}

/** The card at the end of the run, with the error that ended the run, if any. */
export function withError(card: Card, error: unknown): Card {
  if (error === undefined || card.stop?.reason === 'another-run') return card;
  const { reason, ...words } = explain(error);
  if (reason === 'cancelled') return interruptRun(card, 'cancelled', words);
  return stopRun(card, { outcome: 'failed', reason, error: words });
}

/**
 * Whether the run leaves the thread alone, for example because another run works on the request.
 */
function isSkipped(card: Card): boolean {
  return endingOf(card)?.outcome === 'skipped';
}

/** A signal that aborts when the time for the last step is up. A canceled run has less time. */
function startClosing(canceled: AbortSignal): AbortSignal {
  const closing = new AbortController();
  const late = new GitHubError('GitHub didn’t respond before the run had to end');
  const closeIn = (ms: number) =>
    AbortSignal.timeout(ms).addEventListener('abort', () => closing.abort(late), { once: true });
  closeIn(canceled.aborted ? canceledCloseMs : closeMs);
  canceled.addEventListener('abort', () => closeIn(canceledCloseMs), { once: true });
  return closing.signal;
}

/** Returns whether the run knows its comment, or that it has none. If in doubt, reads the thread. */
async function findComment(run: LiveRun): Promise<boolean> {
  const { card } = run;
  if (!isInDoubt(run)) return true;
  const attempt = await run.tryTo(() => run.readThread('own comment'));
  return attempt === 'done' || card.comment !== undefined;
}

/**
 * Whether the thread may show something else than the run knows: it wasn't read, and no comment is
 * known; or the request was claimed and not sent. Then, GitHub's response to the claim may have been
 * lost, or another run may have won.
 */
function isInDoubt({ card, found }: LiveRun): boolean {
  if (card.thread === undefined) return false;
  const isUnread = card.comment === undefined && found === undefined;
  const hasOnlyClaimed = card.generation > 0 && isUnsent(card);
  return isUnread || hasOnlyClaimed;
}

/** Posts the result in the thread. Returns whether the post phase has nothing left to do there. */
async function postResult(run: LiveRun): Promise<boolean> {
  const { takenOver, card } = run;
  const isShown = takenOver?.state.is === 'ended' && card.ask !== 'reply';
  const shown = isShown ? takenOver : undefined;
  // If the thread shows how the job ended, a timeout or error of this run must not replace that.
  const hasOnlyStopped =
    card.stop !== undefined && card.state.is === 'ended' && howEnded(card) !== 'unconfirmed';
  if (isShown && hasOnlyStopped) return true;
  const attempt = isPosted(card, shown) ? 'done' : await run.show();
  const reaction = await reactToEnd(run);
  return attempt !== 'failed' && reaction !== 'failed';
}

/** Whether there is nothing to post. @param shown the result that the thread already shows */
function isPosted(card: Card, shown: Card | undefined): boolean {
  // A comment that was signed with a different key can't be edited.
  if (card.stop?.reason === 'key-changed') return true;
  // The answer to `help` or `status` is already posted.
  if (card.answer !== undefined) return true;
  return shown !== undefined && openText(shown) === openText(card);
}

async function reactToEnd(run: LiveRun): Promise<Attempt | 'deleted'> {
  const { reaction } = styleOf(run.card);
  if (reaction === undefined) return 'done';
  return run.react(reaction);
}
