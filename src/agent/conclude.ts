import { explain } from '../core/errors.ts';
import type { ModeResult } from '../core/mode-result.ts';
import { type Card, endingOf, howEnded } from '../requests/card.ts';
import type { Request } from '../requests/next.ts';
import { react, verdictOn } from '../requests/reactions.ts';
import type { Run } from '../requests/run.ts';
import { readThread, show, tidied } from '../requests/thread.ts';
import { interrupted, stopped } from '../requests/transitions.ts';
import type { AgentConfig } from './inputs.ts';
import { resultOf } from './summary.ts';

/** GitHub kills a canceled run after 10 s. With this limit, the run ends in time even if a request is still pending. */
const canceledCloseMs = 2_500;
const closeMs = 300_000;
/** How long to wait before the next attempt to post the result in the thread. */
const againMs = 30_000;

/**
 * The last step of every run: updates the thread and returns the result. The outputs are set first, because the run may be killed
 * while it writes to the thread.
 *
 * @param error the error that ended the run early.
 */
export async function conclude(
  request: Request,
  config: AgentConfig,
  run: Run,
  error?: unknown,
): Promise<ModeResult<'agent'>> {
  const within = closingSignal(run.deps.signal);
  const { outcome } = endingOf(ended(request, error)) ?? {};
  // A skipped run writes nothing in the thread. A person without permission already has a reply (see `deny`).
  const mayPost = run.kept !== undefined && !run.isDry && outcome !== 'skipped';
  const known = mayPost ? await lookIfUnsure(request, run, within) : request;
  const card = ended(known ?? request, error);
  const isElsewhere = isOfAnotherRun(card);
  if (isElsewhere) run.deps.runner.info('Skipped: another run is already working on this request.');
  if (run.kept !== undefined) run.keep(card);
  // If the thread can't be read, the result isn't posted, because the new comment could be a duplicate.
  if (known === undefined) return resultOf(card, config, run);
  const [final, isDone] = mayPost && !isElsewhere ? await postResult(card, known, run, within) : [card, true];
  if (isDone) run.forget();
  return resultOf(final, config, run);
}

/** The card at the end of the run, with the error that ended the run, if any. */
function ended({ card }: Request, error: unknown): Card {
  if (error === undefined || isOfAnotherRun(card)) return card;
  const { reason, ...words } = explain(error);
  if (reason === 'cancelled') return interrupted(card, 'cancelled');
  return stopped(card, { outcome: 'failed', reason, error: words });
}

function isOfAnotherRun({ stop }: Card): boolean {
  return stop?.reason === 'another-run';
}

/** A signal that aborts when the time for the last step is up. A canceled run has less time. */
function closingSignal(canceled: AbortSignal): AbortSignal {
  const closing = new AbortController();
  const closeIn = (ms: number) => {
    const over = AbortSignal.timeout(ms);
    over.addEventListener('abort', () => closing.abort(over.reason), { once: true });
  };
  closeIn(canceled.aborted ? canceledCloseMs : closeMs);
  canceled.addEventListener('abort', () => closeIn(canceledCloseMs), { once: true });
  return closing.signal;
}

/**
 * If the request to write the status comment got no response, the comment may exist. In that case, reads the thread again. Returns
 * `undefined` if that fails.
 */
async function lookIfUnsure(request: Request, run: Run, within: AbortSignal): Promise<Request | undefined> {
  const { card, seen } = request;
  const isUnsure = seen.cards === undefined || card.generation > 0;
  if (card.thread === undefined || card.comment !== undefined || !isUnsure) return request;
  let known: Request | undefined;
  await run.bestEffort('Looking for the status comment', async () => {
    known = await readThread(request, run, 'own comment', within);
  });
  // This run was able to write in the thread earlier, so the problem may be temporary, and the post phase tries again.
  const isLost = card.generation > 0 && known?.card.thread === undefined;
  return isLost ? undefined : known;
}

/** Posts the result in the thread. Returns the card, and whether the post phase has nothing left to do there. */
async function postResult(
  card: Card,
  { seen }: Request,
  run: Run,
  within: AbortSignal,
): Promise<[card: Card, isDone: boolean]> {
  const shown = seen.takenOver?.state.is === 'ended' && card.ask !== 'reply' ? seen.takenOver : undefined;
  // If the thread shows how the job ended, a timeout or error of this run must not replace that.
  const isOfRun = card.stop !== undefined && card.state.is === 'ended' && howEnded(card) !== 'unconfirmed';
  if (shown !== undefined && isOfRun) return [card, true];

  const store = run.storeOf(card);
  if (store !== undefined) await tidied(seen.cards ?? [], card, store, run, within);
  let final = card;
  const isShown = shown !== undefined && endingOf(shown)?.outcome === endingOf(card)?.outcome;
  // A comment that was signed with a different key can't be edited. The answer to `help` or `status` is already posted.
  let isDone = isShown || card.stop?.reason === 'key-changed' || card.answer !== undefined;
  for (let tries = 1; !isDone && tries <= run.tries && !within.aborted; tries += 1) {
    [final, isDone] = await show('Editing the status comment', card, run, within);
    if (!isDone && tries < run.tries) await run.deps.clock.sleep(againMs, within).catch(() => undefined);
  }
  const verdict = verdictOn(card);
  if (verdict !== undefined && (await react(verdict, card, run, within)) === 'failed') isDone = false;
  return [final, isDone];
}
