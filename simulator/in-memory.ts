import { createCore, type SimulatorOptions } from './core.ts';
import { InMemoryDispatcher } from './http/dispatcher.ts';
import { recordingHandler } from './http/faults.ts';
import type { Handle, IncomingRequest } from './http/messages.ts';

const ORIGIN = 'http://simulator.test';
const OTHER_ORIGIN = 'http://other-origin.test';

export type InMemorySimulator = ReturnType<typeof createInMemorySimulator>;

/** Creates both APIs without a socket, for thousands of runs in one process. */
export function createInMemorySimulator(options: SimulatorOptions = {}) {
  const requests: IncomingRequest[] = [];
  const { handle, ...core } = createCore(ORIGIN, { url: OTHER_ORIGIN, requests }, options);
  const hosts = new Map<string, Handle>([
    [ORIGIN, handle],
    [OTHER_ORIGIN, recordingHandler(requests)],
  ]);
  return { ...core, dispatcher: new InMemoryDispatcher(hosts) };
}
