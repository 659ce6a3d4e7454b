import type { ChildProcess } from 'node:child_process';

export interface CancelTimes {
  /** From SIGINT to SIGTERM. */
  readonly sigtermAfterMs?: number;
  /** From SIGTERM to SIGKILL. */
  readonly sigkillAfterMs?: number;
}

/** How a cancelled child came to its end. */
export interface CancelResult {
  /** The last signal that was sent before it ended. */
  readonly lastSignal: 'SIGINT' | 'SIGTERM' | 'SIGKILL';
  readonly durationMs: number;
}

/** Cancels a running step as GitHub's runner does, each signal only where the one before did not do. */
export async function cancelAction(
  child: ChildProcess,
  { sigtermAfterMs = 7_500, sigkillAfterMs = 2_500 }: CancelTimes = {},
): Promise<CancelResult> {
  const startedAt = performance.now();
  let lastSignal: CancelResult['lastSignal'] = 'SIGINT';
  child.kill('SIGINT');
  if (!(await endsWithin(child, sigtermAfterMs))) {
    lastSignal = 'SIGTERM';
    child.kill('SIGTERM');
    if (!(await endsWithin(child, sigkillAfterMs))) {
      lastSignal = 'SIGKILL';
      child.kill('SIGKILL');
      await endsWithin(child, undefined);
    }
  }
  return { lastSignal, durationMs: performance.now() - startedAt };
}

function endsWithin(child: ChildProcess, ms: number | undefined): Promise<boolean> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(true);
  return new Promise((resolve) => {
    const timer = ms === undefined ? undefined : setTimeout(() => settle(false), ms);
    const onExit = (): void => settle(true);
    const settle = (ended: boolean): void => {
      clearTimeout(timer);
      child.off('exit', onExit);
      resolve(ended);
    };
    child.once('exit', onExit);
  });
}
