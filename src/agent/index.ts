import { InputError } from '../core/errors.ts';
import type { ModeResult } from '../core/mode-result.ts';
import { skipped } from '../core/mode-result.ts';
import type { Deps } from '../deps.ts';
import type { Card } from '../requests/card/card.ts';
import { close } from '../requests/run/close.ts';
import { LiveRun } from '../requests/run/live.ts';
import { livePorts } from '../requests/run/ports.ts';
import { Run } from '../requests/run/run.ts';
import { work } from '../requests/run/work.ts';
import { begin } from './begin.ts';
import { admit } from './gate.ts';
import type { AgentConfig } from './inputs.ts';
import { rehearse } from './rehearse.ts';
import { answerHelp, answerStatus, postDenial, postProblems } from './reply.ts';
import { resultOf } from './summary.ts';
import { readTrigger, type TriggerToAnswer } from './trigger.ts';

/** Runs agent mode. However the run ends, `close` updates the thread. */
export async function runAgent(config: AgentConfig, deps: Deps): Promise<ModeResult<'agent'>> {
  const trigger = readTrigger(config, deps.event, deps.context);
  if (trigger.kind === 'skip') return skipped(trigger);
  const { card, plan } = await begin(trigger, config, deps);
  if (config.dryRun) return rehearse(trigger, card, config, new Run(plan, deps));
  const run = new LiveRun(plan, deps);
  const { ended, error } = await respond(trigger, card, config, run).then(
    (ended) => ({ ended, error: undefined }),
    (error: unknown) => ({ ended: run.kept ?? card, error }),
  );
  if (error instanceof InputError) await postProblems(error, trigger, config, run);
  return resultOf(await close(ended, run, error), config, run);
}

/** Responds to a trigger: lets the person in, shows that the run has begun, and answers the command or works on the request. */
async function respond(trigger: TriggerToAnswer, begun: Card, config: AgentConfig, run: LiveRun) {
  const card = await admit(trigger, begun, config, run);
  if (card.stop !== undefined) return card.answer === undefined ? card : postDenial(card, run);
  run.isTakenBack = (await run.react('eyes', card)) === 'deleted';
  if (trigger.kind === 'ask') return work(card, run, livePorts(run));
  if (run.isTakenBack) return { ...card, stop: { outcome: 'skipped', reason: 'deleted' } } as const;
  return trigger.kind === 'help' ? answerHelp(trigger.because, card, run) : answerStatus(card, run);
}
