import type { SimulatorOptions } from '../../../simulator/core.ts';
import { createInMemorySimulator } from '../../../simulator/in-memory.ts';
import { MemoryFiles } from '../files.ts';
import { killed, type Played, type Player, type Run } from '../played.ts';
import { runOf, type Scenario } from '../scenarios/agent.ts';
import { type MemoryRun, playMain, playPost } from './play.ts';
import { today } from './version.ts';

/** Runs the action in this process. */
export type MemoryPlayer = ReturnType<typeof memoryPlayer>;

/** @param nextVersion chooses the version of each run. */
export function memoryPlayer(options: SimulatorOptions = {}, nextVersion = () => today) {
  const core = createInMemorySimulator(options);
  const files = new MemoryFiles();
  const runs = new WeakMap<Played, MemoryRun>();
  return {
    core,
    files,
    play: async (given: MemoryRun) => {
      const run = { files, version: nextVersion(), ...given };
      const played = await playMain(core, run);
      runs.set(played, run);
      return played;
    },
    post: async (main: Played, killAt?: Run['killAt']) => {
      const run = runs.get(main);
      if (run === undefined) throw new Error('It was not played here');
      return playPost(core, { ...run, cancelAt: undefined, suspendAt: undefined, killAt }, main);
    },
  } satisfies Player;
}

/** A scenario that is set up in its own in-memory simulator. */
export type MemoryStage = Awaited<ReturnType<typeof stageInMemory>>;

export async function stageInMemory(scenario: Scenario) {
  const player = memoryPlayer();
  const staged = await scenario.stage(player.core);
  /** Starts a run; the inputs are added to the scenario's. @throws if `killAt` doesn't kill it. */
  const play = async (run: Partial<MemoryRun> = {}) => {
    const played = await player.play(runOf(staged, run));
    return run.killAt === undefined ? played : killed(played, run.killAt);
  };
  /** Posts a comment in the scenario's thread, and starts a run for it. */
  const say = (text: string, run: Partial<MemoryRun> = {}) => {
    const { github } = player.core;
    const event = github.issueCommentEvent(github.comment('maintainer', staged.thread, text));
    return play({ event, runId: 2, ...run });
  };
  return { ...player, staged, play, say };
}
