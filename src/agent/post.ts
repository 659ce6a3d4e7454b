import { ActionError, messageOf } from '../core/errors.ts';
import type { ModeResult } from '../core/mode-result.ts';
import type { Deps } from '../deps.ts';
import { type Card, endingOf, fromStored, jobOf } from '../requests/card/card.ts';
import { observed } from '../requests/card/transitions.ts';
import { findJob } from '../requests/follow/watch.ts';
import { close } from '../requests/run/close.ts';
import { LiveRun } from '../requests/run/live.ts';
import { planOf } from './begin.ts';
import type { AgentConfig } from './inputs.ts';
import { resultOf } from './summary.ts';

/** Finishes a run that was killed: updates the thread and writes a summary. `saved` is the card that the run saved. */
export async function finishKilled(saved: string, config: AgentConfig, deps: Deps): Promise<ModeResult> {
  const run = new LiveRun({ ...planOf(config, deps), isPost: true }, deps);
  // With the pauses in `close`, that is a minute in total.
  deps.github?.waitAtMost(20_000);
  const read = fromStored(JSON.parse(saved));
  const hint = 'The next run in collect mode, or `/docs status`, updates the thread.';
  // Only a self-hosted runner that replaced the action during the run can cause this.
  if (read === undefined)
    throw new ActionError('newer-version', 'A newer version of this action saved this run’s state', { hint });
  const card = await checkJob(run.keep(read), run);
  const stop = endingOf(card) === undefined ? new ActionError('cancelled', 'The run was killed') : undefined;
  return resultOf(await close(card, run, stop), config, run);
}

async function checkJob(card: Card, { deps }: LiveRun): Promise<Card> {
  const jobId = jobOf(card)?.id;
  if (endingOf(card) !== undefined || jobId === undefined) return card;
  try {
    const job = await findJob(jobId, undefined, deps, { awaitsLink: true, tries: 2 });
    const what = job === undefined ? 'missing' : { job, isLinkFinal: true };
    const after = observed(card, what, deps.clock.now());
    return after.state.is === 'ended' ? after : card;
  } catch (error) {
    deps.runner.info(`The job’s status couldn’t be read: ${messageOf(error)}`);
    return card;
  }
}
