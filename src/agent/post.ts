import { ActionError, messageOf } from '../core/errors.ts';
import type { ModeResult } from '../core/mode-result.ts';
import type { Deps } from '../deps.ts';
import { endingOf, jobOf } from '../requests/card/card.ts';
import { observe } from '../requests/card/transitions.ts';
import { fromStored } from '../requests/card/versions.ts';
import { findJob } from '../requests/follow/watch.ts';
import { close } from '../requests/run/close.ts';
import { LiveRun } from '../requests/run/live.ts';
import { planOf } from './begin.ts';
import type { AgentConfig } from './inputs.ts';
import { resultOf } from './summary.ts';

/** Finishes a run that was killed: updates the thread and writes a summary. `saved` is the card that the run saved. */
export async function finishKilled(
  saved: string,
  config: AgentConfig,
  deps: Deps,
): Promise<ModeResult> {
  // With the pauses in `close`, that is a minute in total.
  deps.github?.waitAtMost(20_000);
  const read = fromStored(JSON.parse(saved));
  const hint = 'The next run in collect mode, or `/docs status`, updates the thread.';
  // Only a self-hosted runner that replaced the action during the run can cause this.
  if (read === undefined)
    throw new ActionError(
      'newer-version',
      'A newer version of this action saved this run’s state',
      { hint },
    );
  const run = new LiveRun(read, { ...planOf(config, deps), isPost: true }, deps);
  run.isAdmitted = true;
  await checkJob(run);
  const stop =
    endingOf(run.card) === undefined
      ? new ActionError('cancelled', 'The run was killed')
      : undefined;
  await close(run, stop);
  return resultOf(run.card, config, run);
}

async function checkJob(run: LiveRun): Promise<void> {
  const { card, deps } = run;
  const jobId = jobOf(card)?.id;
  if (endingOf(card) !== undefined || jobId === undefined) return;
  try {
    const job = await findJob(jobId, undefined, deps, { awaitsLink: true, tries: 2 });
    const what = job === undefined ? 'missing' : { job, isLinkFinal: true };
    const after = observe(card, what, deps.clock.now());
    if (after.state.is === 'ended') run.become(after);
  } catch (error) {
    deps.runner.info(`The job’s status couldn’t be read: ${messageOf(error)}`);
  }
}
