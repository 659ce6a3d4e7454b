import { type ModeResult, skipResult } from '../core/mode-result.ts';
import type { Deps } from '../deps.ts';
import { stopRun } from '../requests/card/transitions.ts';
import { close } from '../requests/run/close.ts';
import { LiveRun } from '../requests/run/live.ts';
import { work } from '../requests/run/work.ts';
import { type Begun, begin } from './begin.ts';
import { admit } from './gate.ts';
import type { AgentConfig } from './inputs.ts';
import { rehearse } from './rehearse.ts';
import { answerHelp, answerStatus, postDenial, postUnsigned } from './reply.ts';
import { resultOf } from './summary.ts';
import { readTrigger } from './trigger.ts';

/** Runs agent mode, from what triggered it to the result. */
export async function startAgent(config: AgentConfig, deps: Deps): Promise<ModeResult<'agent'>> {
  const trigger = readTrigger(config, deps.event);
  if (trigger.kind === 'skip') return skipResult(trigger);
  const begun = begin(trigger, config, deps);
  // Anyone else's permission is checked first.
  if (deps.event.isTrusted && begun.inputError !== undefined) throw begun.inputError;
  if (config.dryRun) return rehearse(begun, config, deps);

  const run = new LiveRun(begun.card, begun.plan, deps);
  let error: unknown;
  try {
    await respond(begun, config, run);
  } catch (thrown) {
    error = thrown;
  }
  // However the run ends, its thread is updated.
  await close(run, error);
  await postUnsigned(begun, run);
  return resultOf(run.card, config, run);
}

/**
 * Responds to a trigger: lets the person in, shows that the run has begun, and answers the command
 * or works on the request.
 */
async function respond(begun: Begun, config: AgentConfig, run: LiveRun): Promise<void> {
  const { trigger } = begun;
  await admit(begun.inputError, config, run);
  if (run.card.answer !== undefined) return postDenial(run);
  if (run.card.stop !== undefined) return;
  run.isCommandDeleted = (await run.react('eyes')) === 'deleted';
  if (run.card.ask !== 'reply') return work(run);
  if (run.isCommandDeleted)
    return run.become(stopRun(run.card, { outcome: 'skipped', reason: 'deleted' }));
  if (trigger.kind === 'help') return answerHelp(trigger.because, run);
  return answerStatus(run);
}
