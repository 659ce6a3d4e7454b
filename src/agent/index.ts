import { type ModeResult, skipped } from '../core/mode-result.ts';
import type { Deps } from '../deps.ts';
import { close } from '../requests/run/close.ts';
import { LiveRun } from '../requests/run/live.ts';
import { livePorts } from '../requests/run/ports.ts';
import { Run } from '../requests/run/run.ts';
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
  if (config.dryRun) return rehearse(begun, config, new Run(begun.plan, deps));
  const run = new LiveRun(begun.plan, deps);
  const { ended, error } = await respond(begun, config, run).then(
    (ended) => ({ ended, error: undefined }),
    (error: unknown) => ({ ended: run.kept ?? begun.card, error }),
  );
  const card = await close(ended, run, error);
  await postUnsigned(card, begun, run);
  return resultOf(card, config, run);
}

/** Responds to a trigger: lets the person in, shows that the run has begun, and answers the command or works on the request. */
async function respond(begun: Begun, config: AgentConfig, run: LiveRun) {
  const { trigger } = begun;
  const card = await admit(begun, config, run);
  if (card.stop !== undefined) return card.answer === undefined ? card : postDenial(card, run);
  run.isCommandDeleted = (await run.react('eyes', card)) === 'deleted';
  if (card.ask !== 'reply') return work(card, run, livePorts(run));
  if (run.isCommandDeleted) return { ...card, stop: { outcome: 'skipped', reason: 'deleted' } } as const;
  return trigger.kind === 'help' ? answerHelp(trigger.because, card, run) : answerStatus(card, run);
}
