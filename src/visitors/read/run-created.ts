import type { Deps } from '../../deps.ts';
import { messageOf } from '../../lib/errors.ts';

/** How late a run is assumed to be where GitHub does not tell: a schedule seldom starts later. */
const assumedDelayMs = 2 * 60 * 60 * 1000;

/**
 * When the run was created, in milliseconds since the epoch. Running it again keeps that time, so that it is about the
 * same window. Outside a run of GitHub, and where it cannot be read, two hours before now.
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
