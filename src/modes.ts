import { checkAgent } from './agent/check.ts';
import { runAgent } from './agent/index.ts';
import { type AgentConfig, agentInputs } from './agent/inputs.ts';
import { agentOutputs } from './agent/outputs.ts';
import { type CollectConfig, collectInputs } from './collect/inputs.ts';
import { collectOutputs } from './collect/outputs.ts';
import type { Checked, ToCheck } from './core/inputs/given.ts';
import { input, oneOf } from './core/inputs/inputs.ts';
import type { ModeResult } from './core/mode-result.ts';
import type { Deps } from './deps.ts';
import { type VisitorsConfig, visitorsInputs } from './visitors/inputs.ts';
import { visitorsOutputs } from './visitors/outputs.ts';

/** What a run was asked to do, checked whole. */
export type Config = AgentConfig | VisitorsConfig | CollectConfig;

export type ModeName = Config['mode'];

/** The modes. Agent mode is loaded at the start; of the others only the inputs are, until one of them runs. */
export const modes = {
  agent: {
    inputs: agentInputs,
    outputs: agentOutputs,
    load: async () => ({ check: checkAgent, run: runAgent }),
  },
  visitors: {
    inputs: visitorsInputs,
    outputs: visitorsOutputs,
    load: async () => (await import('./visitors/mode.ts')).visitorsMode,
  },
  collect: {
    inputs: collectInputs,
    outputs: collectOutputs,
    load: async () => ({ run: (await import('./collect/index.ts')).runCollect }),
  },
};

export const modeNames = Object.keys(modes) as ModeName[];

/** The input that chooses a mode. */
export const modeInput = input(oneOf(modeNames), {
  description:
    'What to do: `agent` asks the writing agent for changes; `visitors` writes the visitors report; `collect` finishes the threads of jobs that nobody waits for.',
  default: 'agent',
});

/** What any mode exports. It takes its own config, whose type is unknown here. */
interface Loaded {
  /** Finds what is wrong with the inputs together, or with their surroundings. */
  readonly check?: (inputs: ToCheck<never>) => Checked<object>;
  readonly run: (config: never, deps: Deps) => Promise<ModeResult>;
}

/** Checks the inputs of a mode that were read one by one. */
export async function checkInputs(mode: ModeName, inputs: ToCheck<object>): Promise<Checked<object>> {
  const { check }: Loaded = await modes[mode].load();
  return check?.(inputs as ToCheck<never>) ?? { problems: [] };
}

/** Runs the mode that was chosen. */
export async function runMode(config: Config, deps: Deps): Promise<ModeResult> {
  const { run }: Loaded = await modes[config.mode].load();
  return run(config as never, deps);
}
