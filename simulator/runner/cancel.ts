import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

export interface CancelTimes {
  /** From SIGINT to SIGTERM. */
  readonly sigtermAfterMs?: number;
  /** From SIGTERM to SIGKILL. */
  readonly sigkillAfterMs?: number;
}

/** Cancels a running step as GitHub's runner does: each signal only where the one before was not enough. */
export async function cancelAction(
  child: ChildProcess,
  { sigtermAfterMs = 7_500, sigkillAfterMs = 2_500 }: CancelTimes = {},
): Promise<void> {
  child.kill('SIGINT');
  if (await endsWithin(child, sigtermAfterMs)) return;
  child.kill('SIGTERM');
  if (await endsWithin(child, sigkillAfterMs)) return;
  child.kill('SIGKILL');
}

async function endsWithin(child: ChildProcess, ms: number): Promise<boolean> {
  if (child.exitCode !== null || child.signalCode !== null) return true;
  return once(child, 'exit', { signal: AbortSignal.timeout(ms) }).then(
    () => true,
    () => false,
  );
}
