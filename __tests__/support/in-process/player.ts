import type { SimulatorOptions } from '../../../simulator/core.ts';
import { createInMemorySimulator, type InMemorySimulator } from '../../../simulator/in-memory.ts';
import { MemoryFiles } from '../files.ts';
import { killed, type Played, type Player } from '../played.ts';
import { runOf, type Scenario, type Staged } from '../scenarios/agent.ts';
import { type MemoryRun, playMain, playPost } from './play.ts';

/** Runs the action in this process. */
export interface MemoryPlayer extends Player {
  readonly core: InMemorySimulator;
  readonly files: MemoryFiles;
  play(run: MemoryRun): Promise<Played>;
}

export function memoryPlayer(options: SimulatorOptions = {}): MemoryPlayer {
  const core = createInMemorySimulator(options);
  const files = new MemoryFiles();
  const runs = new WeakMap<Played, MemoryRun>();
  return {
    core,
    files,
    play: async (run) => {
      const played = await playMain(core, { files, ...run });
      runs.set(played, run);
      return played;
    },
    post: async (main, killAt) => {
      const run = runs.get(main);
      if (run === undefined) throw new Error('It was not played here');
      return playPost(core, { ...run, cancelAt: undefined, killAt }, main);
    },
  };
}

/** A scenario that is set up in its own in-memory simulator. */
export interface MemoryStage extends Omit<MemoryPlayer, 'play'> {
  readonly staged: Staged;
  /** Starts a run; the inputs are added to the scenario's. @throws if `killAt` doesn't kill it. */
  play(run?: Partial<MemoryRun>): Promise<Played>;
}

export async function stageInMemory(scenario: Scenario): Promise<MemoryStage> {
  const player = memoryPlayer();
  const staged = await scenario.stage(player.core);
  const play = async (run: Partial<MemoryRun> = {}) => {
    const played = await player.play(runOf(staged, run));
    return run.killAt === undefined ? played : killed(played, run.killAt);
  };
  return { ...player, staged, play };
}
