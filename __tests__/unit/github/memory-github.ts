import type { FaultSpec } from '../../../simulator/http/faults.ts';
import { createInMemorySimulator, type InMemorySimulator } from '../../../simulator/in-memory.ts';
import type { Clock } from '../../../src/core/clock.ts';
import { createGitHub, type GitHub } from '../../../src/github/client.ts';
import { createScrub } from '../../../src/text/scrub.ts';

export const token = 'ghs_fake_for_unit_tests';
export const scrub = createScrub([token]);
/** The thread that is there, an issue without comments. */
export const thread = 7;

/** A fault, wherever it lies. */
export type Fault = Omit<FaultSpec, 'at'> & Record<string, unknown>;

/** Lays a fault in the way of every request of these methods. */
export function failAt(simulator: InMemorySimulator, methods: readonly string[], fault: Fault): void {
  simulator.faults.add({ at: ({ method }) => methods.includes(method), ...fault } as FaultSpec);
}

export interface MemoryGitHub {
  readonly simulator: InMemorySimulator;
  readonly github: GitHub;
}

/**
 * The action's own client of GitHub, against a GitHub in memory whose clock jumps over every sleep.
 * @param aheadMs by how much the client's clock is ahead of GitHub's.
 */
export function memoryGitHub(aheadMs = 0): MemoryGitHub {
  const simulator = createInMemorySimulator();
  simulator.github.addThread({ number: thread });
  simulator.github.addToken(token);
  const { githubUrl: apiUrl, dispatcher } = simulator;
  const clock: Clock = {
    now: () => simulator.clock.now() + aheadMs,
    monotonic: () => simulator.clock.monotonic(),
    sleep: (ms, signal) => simulator.clock.sleep(ms, signal),
  };
  const github = createGitHub({ apiUrl, token, repository: 'octo-org/docs', clock, dispatcher, scrub });
  return { simulator, github };
}
