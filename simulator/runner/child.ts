import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

import type { RunnerLog } from './log.ts';
import type { CancelTimes, Ended, RunOptions, Surroundings } from './run-options.ts';

/** Runs a file with Node until the process ends. */
export async function runChild(
  entry: string,
  { env, cwd }: Surroundings,
  log: RunnerLog,
  { simulator, signal: cancel, cancelTimes, killAfterMs = 60_000, killAt }: RunOptions,
): Promise<Ended> {
  const startedAt = performance.now();
  const limit = { timeout: killAfterMs, killSignal: 'SIGKILL' } as const;
  const child = spawn(process.execPath, [entry], {
    env,
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...limit,
  });
  const closed = once(child, 'close');
  const stdout = collect(child.stdout, log);
  const stderr = collect(child.stderr, log);
  const onCancel = (): unknown =>
    cancel?.reason === 'SIGTERM' ? child.kill('SIGTERM') : cancelAction(child, cancelTimes);
  if (cancel?.aborted === true) onCancel();
  cancel?.addEventListener('abort', onCancel, { once: true });
  const callOff =
    killAt === undefined ? undefined : simulator.once(killAt, () => killForGood(child));
  try {
    const [exitCode, signal] = (await closed) as [number | null, NodeJS.Signals | null];
    const durationMs = performance.now() - startedAt;
    const killedByBound = durationMs >= killAfterMs;
    return { exitCode, signal, stdout: stdout(), stderr: stderr(), durationMs, killedByBound };
  } finally {
    cancel?.removeEventListener('abort', onCancel);
    callOff?.();
  }
}

/** Kills a process during its request. Throws, so that the API doesn't handle a request from a dead client. */
async function killForGood(child: ChildProcess): Promise<never> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
  throw new Error('The client was killed');
}

/** Passes a stream to the log line by line. The returned function passes on the rest, and returns the whole text. */
function collect(stream: NodeJS.ReadableStream, log: RunnerLog): () => string {
  let text = '';
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    text += chunk;
    // A carriage return also ends a line. At the end of a chunk, a newline may follow it.
    const lines = (rest + chunk).split(/\r?\n|\r(?!\n|$)/);
    rest = lines.pop() ?? '';
    for (const line of lines) log.line(line);
  });
  return () => {
    if (rest !== '') log.line(rest);
    return text;
  };
}

/** Cancels a step as GitHub's runner does: with SIGINT, then SIGTERM, then SIGKILL, until the process ends. */
async function cancelAction(
  child: ChildProcess,
  { sigtermAfterMs = 7_500, sigkillAfterMs = 2_500 }: CancelTimes = {},
): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGINT');
  await Promise.race([exited, sleep(sigtermAfterMs, undefined, { ref: false })]);
  child.kill('SIGTERM');
  await Promise.race([exited, sleep(sigkillAfterMs, undefined, { ref: false })]);
  child.kill('SIGKILL');
}
