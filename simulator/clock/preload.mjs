// Preload this file with `NODE_OPTIONS=--import=<this file>`. The process then uses the simulator's time: a sleep with
// node:timers/promises advances the simulator's clock and ends immediately. Global timers stay real, because undici needs
// them.
import { request } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { performance } from 'node:perf_hooks';
import { json } from 'node:stream/consumers';
import timers from 'node:timers/promises';

/** How much faster `AbortSignal.timeout` fires, for tests in which a request hangs. On a busy machine, any request may be slow. */
const TIMEOUT_SPEED = Number(process.env.SIMULATOR_TIMEOUT_SPEED);

const address = process.env.SIMULATOR_CLOCK;
const startMs = Number(process.env.SIMULATOR_CLOCK_START);
if (address === undefined || !Number.isFinite(startMs)) {
  throw new Error(
    'clock-preload needs SIMULATOR_CLOCK and SIMULATOR_CLOCK_START in the environment',
  );
}

let nowMs = startMs;

/** Advances the simulator's clock over a separate connection that is closed right away, so it keeps no process alive. */
function advance(advanceMs, signal) {
  return new Promise((resolve, reject) => {
    const call = request(address, { method: 'POST', agent: false }, (response) => {
      json(response).then(resolve, reject);
    });
    call.on('error', reject);
    const onAbort = () => {
      call.destroy();
      resolve(nowMs);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    call.end(String(advanceMs));
  });
}

const { setTimeout: sleep } = timers;
timers.setTimeout = async (delayMs = 1, value = undefined, options = {}) => {
  const ms = Number.isFinite(Number(delayMs)) ? Math.max(0, Number(delayMs)) : 1;
  // Responses to parallel sleeps may arrive out of order, but time must not go back.
  if (!options.signal?.aborted) nowMs = Math.max(nowMs, await advance(ms, options.signal));
  return sleep(0, value, options);
};
syncBuiltinESMExports();

const RealDate = Date;
globalThis.Date = new Proxy(RealDate, {
  apply: () => new RealDate(nowMs).toString(),
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [nowMs] : args, newTarget),
});
RealDate.now = () => nowMs;
performance.now = () => nowMs - startMs;

const realTimeout = AbortSignal.timeout.bind(AbortSignal);
AbortSignal.timeout = (ms) => realTimeout(Math.ceil(ms / TIMEOUT_SPEED));
