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

/** The most requests to the service: a few status checks of one job. */
const mostRequests = 10;

/** Enough for GitHub to recover: an hour later, collect mode would report a job that only this process knows as unknown. */
const mostTries = 8;

/** Finishes a killed run: updates the thread and writes a summary. The main phase has already decided whether the step fails. */
export async function finishKilled(saved: string, config: AgentConfig, deps: Deps): Promise<ModeResult> {
  const run = openRun({ ...runOptions(config), tries: mostTries }, deps);
  const card = run.keep(cardSchema.parse(JSON.parse(saved)));
  const seen = await lookOnce(card, run);
  const stop = endingOf(seen) === undefined ? new ActionError('cancelled', 'The run was killed') : undefined;
  return conclude({ card: seen, seen: {} }, stop, config, run);
}

/** The card with its job's current status, if that can be read. */
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
