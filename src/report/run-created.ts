import { messageOf } from '../core/errors.ts';
import type { Deps } from '../deps.ts';

/** How late a run is assumed to have started if GitHub does not say: a schedule is seldom later. */
const assumedDelayMs = 2 * 60 * 60 * 1000;

/**
 * When the run was created, in milliseconds since the epoch; two hours ago if that cannot be read. A re-run keeps the time, and
 * so reports the same window.
 *
 * @throws the signal's reason.
 */
export async function runCreatedAtMs({ github, context, clock, runner, signal }: Deps): Promise<number> {
  const assumed = clock.now() - assumedDelayMs;
  if (github === undefined || context.runId === '') return assumed;
  try {
    return await github.readRunCreatedAt(context.runId, signal);
  } catch (error) {
    signal.throwIfAborted();
    runner.warning(
      `When the run was created could not be read, so two hours ago is assumed; it takes \`actions: read\`. ${messageOf(error)}`,
    );
    return assumed;
  }
}
