import * as z from 'zod/mini';
import { runAgent } from './agent/index.ts';
import { type AgentConfig, agentInputs, checkAgent } from './agent/inputs.ts';
import { type CollectConfig, checkCollect, collectInputs } from './collect/inputs.ts';
import { type Check, type Inputs, oneOf } from './core/common-inputs.ts';
import type { ModeResult } from './core/mode-result.ts';
import type { Deps } from './deps.ts';
import { checkVisitors, type VisitorsConfig, visitorsInputs } from './visitors/inputs.ts';

export type Config = AgentConfig | VisitorsConfig | CollectConfig;

export type ModeName = Config['mode'];

type ConfigIn<Name> = Extract<Config, { readonly mode: Name }>;

interface Mode<Name extends ModeName> {
  readonly inputs: Inputs;
  readonly check: Check<ConfigIn<Name>>;
  readonly load: () => Promise<(config: ConfigIn<Name>, deps: Deps) => Promise<ModeResult<Name>>>;
}

export const modes: { readonly [Name in ModeName]: Mode<Name> } = {
  agent: { inputs: agentInputs, check: checkAgent, load: async () => runAgent },
  visitors: {
    inputs: visitorsInputs,
    check: checkVisitors,
    load: async () => (await import('./visitors/index.ts')).runVisitors,
  },
  collect: {
    inputs: collectInputs,
    check: checkCollect,
    load: async () => (await import('./collect/index.ts')).runCollect,
  },
};

export const modeNames = Object.keys(modes) as ModeName[];

export const modeInput = z.prefault(oneOf(modeNames), 'agent');

export async function runMode<Name extends ModeName>(
  config: ConfigIn<Name> & { readonly mode: Name },
  deps: Deps,
): Promise<ModeResult> {
  const run = await modes[config.mode].load();
  return run(config, deps);
}
