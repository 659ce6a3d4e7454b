import { createCore, type SimulatorOptions } from './core.ts';
import { recordingHandler } from './http/faults.ts';
import { type Delivery, deliveryOf, type IncomingRequest, jsonAnswer } from './http/messages.ts';
import { listen } from './http/server.ts';

export type Simulator = Awaited<ReturnType<typeof startSimulator>>;

const CLOCK_PATH = '/_simulator/clock';

/** Starts the simulated service and GitHub on one port of the loopback interface. */
export async function startSimulator(options: SimulatorOptions = {}) {
  const requests: IncomingRequest[] = [];
  const other = await listen(recordingHandler(requests));
  const server = await listen((request) => handle(request));
  const { exchange, ...core } = createCore(server.url, { url: other.url, requests }, options);

  const handle = (request: IncomingRequest): Promise<Delivery> =>
    request.target === CLOCK_PATH ? moveClock(request) : exchange.handle(request);

  const moveClock = async ({ body }: IncomingRequest): Promise<Delivery> => {
    const { advanceMs } = JSON.parse(body.toString('utf8')) as { advanceMs: number };
    await core.clock.sleep(advanceMs);
    return deliveryOf(jsonAnswer(200, { now: core.clock.now() }));
  };

  return {
    ...core,
    /** Where `clock/preload.mjs` reports the sleeps of a child process. */
    clockUrl: `${server.url}${CLOCK_PATH}`,
    close: () => Promise.all([server.close(), other.close()]),
  };
}
