import * as z from 'zod/mini';
import { runAgent } from './agent/index.ts';
import { type AgentConfig, agentInputs, checkAgent } from './agent/inputs.ts';
import { type CollectConfig, collectInputs } from './collect/inputs.ts';
import type { Checked, Inputs, RawInputs, Surroundings } from './core/inputs/given.ts';
import { oneOf } from './core/inputs/inputs.ts';
import type { ModeResult } from './core/mode-result.ts';
import type { Deps } from './deps.ts';
import { type VisitorsConfig, visitorsInputs } from './visitors/inputs.ts';

interface Configs {
  readonly agent: AgentConfig;
  readonly visitors: VisitorsConfig;
  readonly collect: CollectConfig;
}

export type ModeName = keyof Configs;

/** The checked inputs of a run. */
export type Config = Configs[ModeName];

interface Mode<Name extends ModeName> {
  readonly inputs: Inputs;
  /** Loads the code of the mode. Only the code of agent mode is part of main.js. */
  readonly load: () => Promise<{
    /** Checks the inputs in combination. `config` has the inputs that are valid separately; `given` has all that are set. */
    readonly check: (config: Partial<Configs[Name]>, given: RawInputs, surroundings: Surroundings) => Checked;
    readonly run: (config: Configs[Name], deps: Deps) => Promise<ModeResult<Name>>;
  }>;
}

export const modes: { readonly [Name in ModeName]: Mode<Name> } = {
  agent: { inputs: agentInputs, load: async () => ({ check: checkAgent, run: runAgent }) },
  visitors: { inputs: visitorsInputs, load: () => import('./visitors/mode.ts') },
  collect: { inputs: collectInputs, load: () => import('./collect/mode.ts') },
};

export const modeNames = Object.keys(modes) as ModeName[];

/** The input `mode`. */
export const modeInput = z.prefault(oneOf(modeNames), 'agent');

/** Runs the chosen mode. */
export async function runMode<Name extends ModeName>(
  config: Configs[Name] & { readonly mode: Name },
  deps: Deps,
): Promise<ModeResult> {
  const { run } = await modes[config.mode].load();
  return run(config, deps);
}
