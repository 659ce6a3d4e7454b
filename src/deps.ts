import type { Clock } from './lib/clock.ts';
import type { ModeResult } from './lib/outcome.ts';
import type { Runner } from './runner/runner.ts';
import type { DocsService } from './service/client.ts';

/** All that a mode needs from outside, as one plain object: tests hand in a clock that jumps and a runner that records. */
export interface Deps {
  readonly service: DocsService;
  readonly runner: Runner;
  readonly clock: Clock;
  /** Aborted when the run is cancelled. */
  readonly signal: AbortSignal;
  /** Called once with the result the run ends in, errors and cancellation included, before outputs are set. */
  onEnd(close: (result: ModeResult) => Promise<ModeResult>): void;
}
