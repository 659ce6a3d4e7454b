import type { Deps } from '../../deps.ts';
import type { Reaction } from '../../github/client.ts';
import { GitHubError } from '../../github/errors.ts';
import type { Card } from '../card/card.ts';
import { reactionsTo } from '../thread/saver.ts';
import { isGone } from '../thread/store.ts';
import type { LiveRun } from './run.ts';

/* What a run writes in the thread, as far as it can. */

const graceMs = 1_500;

/** Posts or edits the status comment. `isOver`: there is no point in trying again. `isShown`: the thread shows the card. */
export async function show(card: Card, run: LiveRun, within = run.deps.signal) {
  let shown = run.keep(card);
  let isShown = false;
  const save = async () => {
    shown = run.keep((await run.storeOf(card)?.save(card, within)) ?? card);
    isShown = true;
  };
  // The run could write here a moment ago, so `post` may be able to write again.
  const mayPass = card.comment !== undefined && !run.plan.isPost;
  const isOver = await run.bestEffort(save, { mayPass });
  return { card: shown, isOver, isShown };
}

/** Reacts to the request's comment. `failed`: another try may help. `deleted`: the comment is gone. */
export async function react(reaction: Reaction, card: Card, run: LiveRun, within = run.deps.signal) {
  const { github } = run.deps;
  const { source } = card;
  if (source === undefined || github === undefined) return 'done';
  let isDeleted = false;
  const act = async () => {
    try {
      for (const write of reactionsTo(card, reaction, undefined, github, within)) await write();
    } catch (error) {
      // GitHub may return a single 404 from an outdated replica.
      isDeleted = isGone(error) && !(await github.isThere(source, within));
      // If the problem lasts, the reaction at the end of the run reports it.
      const isReported = reaction === 'eyes' && error instanceof GitHubError;
      if (!isDeleted && !isReported) throw error;
    }
  };
  const isOver = await run.bestEffort(act, { meaning: 'The status comment isn’t affected.' });
  if (isDeleted) return 'deleted';
  return isOver ? 'done' : 'failed';
}

/** Lets a call wait a moment for its response after the run is canceled, because the response contains an ID that we need. */
export async function withGrace<T>(
  { clock, signal }: Pick<Deps, 'clock' | 'signal'>,
  act: (within: AbortSignal) => Promise<T>,
): Promise<T> {
  const within = new AbortController();
  const over = new AbortController();
  const end = () => within.abort(signal.reason);
  const cancel = () => clock.sleep(graceMs, over.signal).then(end, () => undefined);
  if (signal.aborted) cancel();
  signal.addEventListener('abort', cancel, { once: true, signal: over.signal });
  try {
    return await act(within.signal);
  } finally {
    over.abort();
  }
}
