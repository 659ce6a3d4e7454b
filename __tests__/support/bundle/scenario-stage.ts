import type { SimulatorOptions } from '../../../simulator/core.ts';
import type { Simulator } from '../../../simulator/index.ts';
import type { RunOptions } from '../../../simulator/runner/runner.ts';
import type { Scenario, Staged } from '../scenarios/agent.ts';
import { withSimulator } from './run.ts';

/** A scenario in a simulator of its own, and how the bundle is run in it. */
export interface ScenarioStage {
  readonly simulator: Simulator;
  readonly staged: Staged;
  readonly options: RunOptions;
}

/** Plays a case of a scenario on the bundle. */
export function onScenarioStage<T>(
  scenario: Scenario,
  act: (stage: ScenarioStage) => Promise<T>,
  simulatorOptions: SimulatorOptions = {},
): Promise<T> {
  return withSimulator(simulatorOptions, async (simulator) => {
    const staged = await scenario.stage(simulator);
    const { event, inputs } = staged;
    return act({ simulator, staged, options: { simulator, event, inputs } });
  });
}
