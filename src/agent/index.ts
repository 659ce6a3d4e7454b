import { type ModeResult, skipped } from '../core/mode-result.ts';
import type { Deps } from '../deps.ts';
import { stopped } from '../requests/card/transitions.ts';
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

/** Runs agent mode. However the run ends, `close` updates the thread. */
export async function runAgent(config: AgentConfig, deps: Deps): Promise<ModeResult<'agent'>> {
  const trigger = readTrigger(config, deps.event);
  if (trigger.kind === 'skip') return skipped(trigger);
  const begun = begin(trigger, config, deps);
  // Anyone else's permission is checked first.
  if (deps.event.isTrusted && begun.inputError !== undefined) throw begun.inputError;
  if (config.dryRun) return rehearse(begun, config, deps);
  const run = new LiveRun(begun.card, begun.plan, deps);
  const error = await respond(begun, config, run).catch((error: unknown) => ({ error }));
  await close(run, error?.error);
  await postUnsigned(begun, run, deps);
  return resultOf(run.card, config, run);
}

/** Responds to a trigger: lets the person in, shows that the run has begun, and answers the command or works on the request. */
async function respond(
  { trigger, inputError }: Begun,
  config: AgentConfig,
  run: LiveRun,
): Promise<undefined> {
  await admit(inputError, config, run);
  const { stop, answer, ask } = run.card;
  if (stop !== undefined) return answer === undefined ? undefined : postDenial(run);
  run.isCommandDeleted = (await run.react('eyes')) === 'deleted';
  if (ask !== 'reply') await work(run);
  else if (run.isCommandDeleted)
    run.become(stopped(run.card, { outcome: 'skipped', reason: 'deleted' }));
  else if (trigger.kind === 'help') await answerHelp(trigger.because, run);
  else await answerStatus(run);
  return undefined;
}
