import { checkAgent } from './agent/check.ts';
import { runAgent } from './agent/index.ts';
import { type AgentConfig, agentInputs } from './agent/inputs.ts';
import { agentOutputs } from './agent/outputs.ts';
import { type CollectConfig, collectInputs } from './collect/inputs.ts';
import { collectOutputs } from './collect/outputs.ts';
import type { Checked, RawInputs, Surroundings } from './core/inputs/given.ts';
import { input, oneOf } from './core/inputs/inputs.ts';
import type { ModeResult } from './core/mode-result.ts';
import type { Deps } from './deps.ts';
import { type VisitorsConfig, visitorsInputs } from './visitors/inputs.ts';
import { visitorsOutputs } from './visitors/outputs.ts';

/** What a run was asked to do, checked whole. */
export type Config = AgentConfig | VisitorsConfig | CollectConfig;

export type ModeName = Config['mode'];

export const modes = {
  agent: { inputs: agentInputs, outputs: agentOutputs },
  visitors: { inputs: visitorsInputs, outputs: visitorsOutputs },
  collect: { inputs: collectInputs, outputs: collectOutputs },
};

export const modeNames = Object.keys(modes) as ModeName[];

/** The input that chooses a mode. */
export const modeInput = input(oneOf(modeNames), {
  description:
    'What to do: `agent` asks the writing agent for changes; `visitors` writes the visitors report; `collect` finishes the threads of jobs that nobody waits for.',
  default: 'agent',
});

type Draft<C extends Config> = C extends Config ? Partial<C> & Pick<C, 'mode'> : never;

/**
 * Finds what is wrong with the inputs together, or with their surroundings. `config` has the inputs that are right by themselves,
 * `given` all that are set.
 */
export async function checkInputs(
  config: Draft<Config>,
  given: RawInputs,
  surroundings: Surroundings,
): Promise<Checked> {
  switch (config.mode) {
    case 'agent':
      return checkAgent(config, given, surroundings);
    case 'visitors':
      return (await visitorsMode()).check(config, given, surroundings);
    case 'collect':
      return { problems: [] };
  }
}

/** Runs the mode that was chosen. Only agent mode is loaded at the start. */
export async function runMode(config: Config, deps: Deps): Promise<ModeResult> {
  switch (config.mode) {
    case 'agent':
      return runAgent(config, deps);
    case 'visitors':
      return (await visitorsMode()).run(config, deps);
    case 'collect':
      return (await import('./collect/index.ts')).runCollect(config, deps);
  }
}

async function visitorsMode() {
  return (await import('./visitors/mode.ts')).visitorsMode;
}
