import { ActionError, messageOf } from '../core/errors.ts';
import type { ModeResult } from '../core/mode-result.ts';
import type { Deps } from '../deps.ts';
import { endingOf, fromStored, jobOf } from '../requests/card/card.ts';
import { observe } from '../requests/card/transitions.ts';
import { findJob } from '../requests/follow/observed-job.ts';
import { close } from '../requests/run/close.ts';
import { LiveRun } from '../requests/run/live.ts';
import { scrubAll } from '../text/scrub.ts';
import type { AgentConfig } from './inputs.ts';
import { planOf } from './prepare.ts';
import { resultOf } from './summary.ts';

/**
 * Finishes a run that was killed: updates the thread and writes a summary.
 * @param saved its card
 */
export async function finishKilled(
  saved: string,
  config: AgentConfig,
  deps: Deps,
): Promise<ModeResult> {
  // The runner ends this phase soon after a cancellation.
  deps.github?.waitAtMost(20_000);
  const card = fromStored(scrubAll<unknown>(JSON.parse(saved), deps.scrub));
  // Only a self-hosted runner that replaced the action during the run can cause this.
  if (card === undefined) {
    const title = 'A newer version of this action saved this run’s state';
    const hint = 'The next run in collect mode, or `/docs status`, updates the thread.';
    throw new ActionError('newer-version', title, { hint });
  }
  const run = new LiveRun(card, planOf(config, deps), deps);
  run.isAdmitted = true;
  await checkJob(run);
  const isOver = endingOf(run.card) !== undefined;
  await close(run, isOver ? undefined : new ActionError('cancelled', 'The run was killed'));
  return resultOf(config, run);
}

/** The job may have ended since the run was killed. */
async function checkJob(run: LiveRun) {
  const { card, deps } = run;
  const jobId = jobOf(card)?.id;
  if (endingOf(card) !== undefined || jobId === undefined) return;
  try {
    const job = await findJob(jobId, undefined, deps, { awaitsLink: true, tries: 2 });
    const sighting = job === undefined ? 'missing' : { job, isLinkFinal: true };
    const after = observe(card, sighting, deps.clock.now());
    if (after.state.is === 'ended') run.become(after);
  } catch (error) {
    deps.runner.info(`The job’s status couldn’t be read: ${messageOf(error)}`);
  }
}
