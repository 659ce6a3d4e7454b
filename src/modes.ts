import * as z from 'zod/mini';
import { startAgent } from './agent/index.ts';
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
  readonly start: (config: ConfigIn<Name>, deps: Deps) => Promise<ModeResult<Name>>;
}

export const modes: { readonly [Name in ModeName]: Mode<Name> } = {
  agent: { inputs: agentInputs, check: checkAgent, start: startAgent },
  visitors: {
    inputs: visitorsInputs,
    check: checkVisitors,
    async start(config, deps) {
      const { startVisitors } = await import('./visitors/index.ts');
      return startVisitors(config, deps);
    },
  },
  collect: {
    inputs: collectInputs,
    check: checkCollect,
    async start(config, deps) {
      const { startCollect } = await import('./collect/index.ts');
      return startCollect(config, deps);
    },
  },
};

export const modeNames = Object.keys(modes) as ModeName[];

export const inputNames = ['mode', ...modeNames.flatMap((name) => Object.keys(modes[name].inputs))];

export const modeInput = z.prefault(oneOf(modeNames), 'agent');

export function startMode<Name extends ModeName>(
  config: ConfigIn<Name> & { readonly mode: Name },
  deps: Deps,
): Promise<ModeResult> {
  return modes[config.mode].start(config, deps);
}
