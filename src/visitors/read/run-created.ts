import { messageOf } from '../../core/errors.ts';
import type { Deps } from '../../deps.ts';

/** How late a run is assumed to have started if GitHub doesn't say. Schedules are rarely later. */
const assumedDelayMs = 2 * 60 * 60 * 1000;

/**
 * When the run was created, or two hours ago if that is unknown. A re-run keeps the time, so it
 * reports the same window.
 */
export async function readRunCreationTime(deps: Deps): Promise<number> {
  const { runId } = deps.context;
  const assumed = deps.clock.now() - assumedDelayMs;
  if (deps.github === undefined || runId === '') return assumed;
  try {
    return await deps.github.readRunCreatedAt(runId);
  } catch (error) {
    deps.signal.throwIfAborted();
    deps.runner.warning(
      `Couldn’t find out when the run was created, so the report assumes that it was created two hours ago. Add \`actions: read\` under \`permissions:\`. ${messageOf(error)}`,
    );
    return assumed;
  }
}
