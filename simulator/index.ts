import { createCore, type SimulatorOptions } from './core.ts';
import { recordingHandler } from './http/faults.ts';
import { deliveryOf, type IncomingRequest, jsonAnswer } from './http/messages.ts';
import { listen } from './http/server.ts';

export type Simulator = Awaited<ReturnType<typeof startSimulator>>;

const CLOCK_PATH = '/_simulator/clock';

/** Starts the simulated service and GitHub on one port of the loopback interface. */
export async function startSimulator(options: SimulatorOptions = {}) {
  const requests: IncomingRequest[] = [];
  const other = await listen(recordingHandler(requests));
  const server = await listen(async (request) => {
    if (request.target !== CLOCK_PATH) return handle(request);
    await core.clock.sleep(Number(request.body));
    return deliveryOf(jsonAnswer(200, core.clock.now()));
  });
  const { handle, ...core } = createCore(server.url, { url: other.url, requests }, options);

  return {
    ...core,
    /** Where `clock/preload.mjs` reports the sleeps of a child process. */
    clockUrl: `${server.url}${CLOCK_PATH}`,
    close: () => Promise.all([server.close(), other.close()]),
  };
}
