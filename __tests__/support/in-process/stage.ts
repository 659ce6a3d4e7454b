import type { RequestMoment } from '../../../simulator/http/exchange.ts';
import { createInMemorySimulator, type InMemorySimulator } from '../../../simulator/in-memory.ts';
import { ActionError } from '../../../src/core/errors.ts';
import type { Played } from '../oracle/played.ts';
import type { Scenario, Staged } from '../scenarios/agent.ts';
import { Life } from './life.ts';
import { type InProcess, playMain } from './play.ts';

/** A scenario in a simulator of its own in memory, and its runs. */
export interface MemoryStage {
  readonly core: InMemorySimulator;
  readonly staged: Staged;
  /** A run of it, to be played. */
  run(runId: number, attempt?: number): InProcess;
}

export async function stageInMemory(scenario: Scenario): Promise<MemoryStage> {
  const core = createInMemorySimulator();
  const staged = await scenario.stage(core);
  return {
    core,
    staged,
    run: (runId, attempt = 1) => ({ core, staged, identity: { runId, attempt } }),
  };
}

/** Plays main, and cancels it at that moment. */
export function playCancelled(options: InProcess, moment: RequestMoment): Promise<Played> {
  const cancel = new AbortController();
  options.core.once(moment, () => cancel.abort(new ActionError('cancelled', 'The run was cancelled')));
  return playMain({ ...options, signal: cancel.signal });
}

/** Plays main, and kills it at that moment. */
export async function playKilled(options: InProcess, moment: RequestMoment): Promise<Played> {
  const life = new Life();
  options.core.once(moment, () => life.kill());
  const main = await playMain({ ...options, life });
  if (!life.isOver) throw new Error(`It never came to ${moment.at} (${moment.nth ?? 1}), ${moment.phase}`);
  return main;
}
