import { inTurn, jobIdsOf } from '../agent/open/find.ts';
import { finishOpen, type Handled } from '../agent/open/finish.ts';
import { Looks } from '../agent/open/looks.ts';
import { Teller } from '../agent/open/tell.ts';
import type { CollectConfig } from '../config/parse.ts';
import type { Deps } from '../deps.ts';
import { Budget } from '../lib/budget.ts';
import { InputError } from '../lib/errors.ts';
import { resultOfError } from '../lib/failure.ts';
import { createMarkers } from '../lib/marker.ts';
import type { ModeResult, Outcome } from '../lib/outcome.ts';
import { readOpen } from './read.ts';
import { collectedResult } from './result.ts';

/**
 * Collect mode: finds the status comments that nobody is at any more, looks at their jobs, and tells what has ended. Errors
 * and cancellation are results too.
 */
export async function runCollect(config: CollectConfig, deps: Deps): Promise<ModeResult> {
  // The outputs of a run that is killed: a run that comes to its end writes over them.
  deps.runner.setOutput('outcome', 'failed' satisfies Outcome);
  deps.runner.setOutput('reason', 'interrupted');
  try {
    return await collect(config, deps);
  } catch (error) {
    return resultOfError(error);
  }
}

async function collect(config: CollectConfig, deps: Deps): Promise<ModeResult> {
  const { github, event, clock } = deps;
  if (github === undefined) throw new InputError([noToken]);

  // Read: all that is open, before the first edit.
  const { repositoryId } = deps.context;
  const markersOf = (thread: number) => createMarkers({ service: config.service, repositoryId, thread });
  const found = await readOpen(github, markersOf, config, deps);

  // Look: at each job once, and after an opened pull request until its job is found. Nothing is changed before that.
  const looks = new Looks(new Budget(config.maxRequests), deps);
  const jobIds = jobIdsOf(found.open);
  await looks.at(inTurn(jobIds, config.maxRequests, clock.now()));
  if (event.kind === 'thread' && event.opened !== undefined) await looks.until(event.opened, jobIds);

  // Tell: what has ended, the oldest first, and take back what no longer counts.
  const teller = new Teller({ github, markersOf, command: config.command }, deps);
  const handled: Handled[] = [];
  try {
    await finishOpen(found, looks, teller, { clock, sinceMs: config.sinceMs }, handled);
  } catch (error) {
    if (!deps.signal.aborted) throw error;
    // What was told before is told, and is said.
    const sofar = collectedResult(handled, { ...found, isWhole: false }, config);
    return { ...sofar, outcome: 'failed', reason: 'cancelled', red: false };
  }
  return collectedResult(handled, found, config);
}

const noToken = {
  input: 'github-token',
  got: undefined,
  takes: 'missing. `mode: collect` reads and edits the comments of the repository.',
};
