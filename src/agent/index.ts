import { type ModeResult, skipResult } from '../core/mode-result.ts';
import type { Deps } from '../deps.ts';
import { stopRun } from '../requests/card/transitions.ts';
import { close } from '../requests/run/close.ts';
import { LiveRun } from '../requests/run/live.ts';
import { work } from '../requests/run/work.ts';
import { admit } from './gate.ts';
import type { AgentConfig } from './inputs.ts';
import { type PreparedRequest, prepareRequest } from './prepare.ts';
import { rehearse } from './rehearse.ts';
import { postDenial, postUnsigned, replyWithHelp, replyWithStatus } from './reply.ts';
import { resultOf } from './summary.ts';
import { readTrigger } from './trigger.ts';

/** Runs agent mode, from what triggered it to the result. */
export async function startAgent(config: AgentConfig, deps: Deps): Promise<ModeResult<'agent'>> {
  const trigger = readTrigger(config, deps.event);
  if (trigger.kind === 'skip') return skipResult(trigger);
  const request = prepareRequest(trigger, config, deps);
  // A person without a permission must not see what is wrong with the inputs; see `admit`.
  if (deps.event.isTrusted && request.inputError !== undefined) throw request.inputError;
  if (config.dryRun) return rehearse(request, config, deps);

  const run = new LiveRun(request.card, request.plan, deps);
  let error: unknown;
  try {
    await respond(request, config, run);
  } catch (thrown) {
    error = thrown;
  }
  // However the run ends, its thread is updated.
  await close(run, error);
  await postUnsigned(request, run);
  return resultOf(run.card, config, run);
}

/**
 * Responds to a trigger: lets the person in, shows that the run has begun, and answers the command
 * or works on the request.
 */
async function respond(request: PreparedRequest, config: AgentConfig, run: LiveRun) {
  const { trigger, inputError } = request;
  await admit(inputError, config, run);
  if (!run.isAdmitted) return postDenial(run);
  if (run.card.stop !== undefined) return;
  run.isCommandDeleted = (await run.react('eyes')) === 'deleted';
  if (trigger.kind === 'ask' || trigger.kind === 'inputs') return work(run);
  if (run.isCommandDeleted)
    return run.become(stopRun(run.card, { outcome: 'skipped', reason: 'deleted' }));
  if (trigger.kind === 'help') return replyWithHelp(trigger.because, run);
  return replyWithStatus(run);
}
