import { type ModeResult, skipResult } from '../core/mode-result.ts';
import type { Deps } from '../deps.ts';
import { close } from '../requests/run/close.ts';
import { LiveRun } from '../requests/run/live.ts';
import { work } from '../requests/run/work.ts';
import { letIn, skipRequest } from './gate.ts';
import type { AgentConfig } from './inputs.ts';
import { type PreparedRequest, prepareRequest } from './prepare.ts';
import { rehearse } from './rehearse.ts';
import { postDenial, replyIfUnsigned, replyWithHelp, replyWithStatus } from './reply.ts';
import { resultOf } from './summary.ts';
import { readTrigger } from './trigger.ts';

/** Runs agent mode, from what triggered it to the result. */
export async function startAgent(config: AgentConfig, deps: Deps): Promise<ModeResult<'agent'>> {
  const trigger = readTrigger(config, deps.event);
  if (trigger.kind === 'skip') return skipResult(trigger);
  const request = prepareRequest(trigger, config, deps);
  // People without permission must not see what is wrong with the inputs, so `respond` checks the
  // permission first. If only people who can push trigger the event, no thread has to be told.
  const needsNoCheck = deps.event.isTrusted;
  if (needsNoCheck && request.inputError !== undefined) throw request.inputError;
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
  await replyIfUnsigned(request, run);
  return resultOf(config, run);
}

/**
 * Responds to a trigger: lets the person in, shows that the run has begun, and answers the command
 * or works on the request.
 */
async function respond(request: PreparedRequest, config: AgentConfig, run: LiveRun) {
  const { trigger, inputError } = request;
  await letIn(inputError, config, run);
  if (run.card.stop !== undefined) return postDenial(run);
  const reaction = await run.react('eyes');
  run.isCommandDeleted = reaction === 'deleted';
  // A request that was already sent is followed even if its comment is gone, so `work` reads the
  // thread first.
  if (trigger.kind === 'ask' || trigger.kind === 'inputs') return work(run);
  if (run.isCommandDeleted) return skipRequest('deleted', run);
  if (trigger.kind === 'help') return replyWithHelp(trigger.mistake, run);
  return replyWithStatus(run);
}
