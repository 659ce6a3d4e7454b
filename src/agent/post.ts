import { ActionError, messageOf } from '../core/errors.ts';
import type { ModeResult } from '../core/mode-result.ts';
import type { Deps } from '../deps.ts';
import { type Card, cardSchema, endingOf, jobOf } from '../requests/card.ts';
import { afterLook } from '../requests/left.ts';
import { lookAtAll, type Target } from '../requests/looks.ts';
import { openRun, type Run } from '../requests/run.ts';
import { runOptions } from './begin.ts';
import { conclude } from './conclude.ts';
import type { AgentConfig } from './inputs.ts';

/** The most requests to the service: enough to check one job a few times. */
const mostRequests = 10;

/** How many times to try to post the result, because GitHub may be down for a few minutes. */
const mostTries = 8;

/** Finishes a run that was killed: updates the thread and writes a summary. `saved` is the card that the run saved. */
export async function finishKilled(saved: string, config: AgentConfig, deps: Deps): Promise<ModeResult> {
  const run = openRun({ ...runOptions(config, deps), tries: mostTries }, deps);
  const card = run.keep(cardSchema.parse(JSON.parse(saved)));
  const seen = await lookOnce(card, run);
  const stop = endingOf(seen) === undefined ? new ActionError('cancelled', 'The run was killed') : undefined;
  return conclude({ card: seen, seen: {} }, config, run, stop);
}

/** The card, updated with the current status of its job if the job can be read. */
async function lookOnce(card: Card, { deps, owner }: Run): Promise<Card> {
  const jobId = jobOf(card)?.id;
  if (endingOf(card) !== undefined || jobId === undefined) return card;
  const target: Target = { project: owner.project, jobId };
  try {
    await lookAtAll([target], { requests: mostRequests }, deps);
    return afterLook(card, target.look, deps.clock.now()) ?? card;
  } catch (error) {
    deps.runner.info(`The job’s status couldn’t be read: ${messageOf(error)}`);
    return card;
  }
}
