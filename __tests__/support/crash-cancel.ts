import { setTimeout as delay } from 'node:timers/promises';

import type { RequestMoment } from '../../simulator/http/exchange.ts';
import type { RecordedRequest } from '../../simulator/http/messages.ts';
import { type Simulator, startSimulator } from '../../simulator/index.ts';
import type { CancelTimes } from '../../simulator/runner/cancel.ts';
import { type RunResult, runAction } from '../../simulator/runner/runner.ts';
import { playedOf, post } from './crash-play.ts';
import { simpleCommand } from './faults-scenarios.ts';
import { type Expected, untruths } from './faults-truth.ts';

const headStartMs = 250;

/** When a run is cancelled, and what else is the matter then. */
export interface CancelPoint extends RequestMoment {
  /** How long after that; none unless told otherwise. */
  readonly laterMs?: number;
  /** Which APIs answer nothing any more from that request on. */
  readonly hanging?: readonly RecordedRequest['to'][];
  readonly by?: 'SIGTERM';
}

/** A command that is cancelled. */
export interface CancelCase extends CancelPoint {
  readonly name: string;
  readonly cancelTimes?: CancelTimes;
  readonly prepare?: (simulator: Simulator) => void;
  /** The status comments there must be once main is over, and what its outputs say. */
  readonly comments: Expected['comments'];
  readonly ends: readonly string[];
}

export interface CancelEnd {
  readonly name: string;
  readonly end: string;
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly cancelledForMs: number;
  readonly jobs: number;
  readonly problems: readonly string[];
}

/** Plays a command in real time, cancels it as GitHub does, and runs post afterwards. */
export async function playCancel(one: CancelCase): Promise<CancelEnd> {
  const simulator = await startSimulator({ clock: { mode: 'real' } });
  try {
    const staged = simpleCommand.stage(simulator);
    one.prepare?.(simulator);
    const cancelled = cancelAt(simulator, one);
    const { event, inputs } = staged;
    const { cancelTimes } = one;
    const main = await runAction({
      simulator,
      event,
      inputs,
      ...cancelled.options,
      ...(cancelTimes === undefined ? {} : { cancelTimes }),
    });
    const cancelledForMs = performance.now() - cancelled.atMs();
    cancelled.release();
    const problems = isReachable(one) ? check('main', main, main.summary, one.comments) : [];
    const finished = await post(main);
    problems.push(...check('post', main, `${main.summary}${finished.summary}`, one.comments));
    return {
      name: one.name,
      end: `${main.outputs.outcome} (${main.outputs.reason})`,
      exitCode: main.exitCode,
      signal: main.signal,
      cancelledForMs,
      jobs: simulator.service.jobs.length,
      problems: [...problems, ...simulator.violations],
    };

    function check(
      phase: string,
      result: RunResult,
      summary: string,
      comments: Expected['comments'],
    ): string[] {
      const played = { ...playedOf(result), summary };
      return untruths(simulator, staged, played, { comments, reaction: comments === 'one' }).map(
        (problem) => `${phase}: ${problem}`,
      );
    }
  } finally {
    await simulator.close();
  }
}

/** Whether main itself can tell the thread. */
function isReachable({ hanging = [], cancelTimes }: CancelCase): boolean {
  return !hanging.includes('github') && cancelTimes === undefined;
}

/** Lies in wait for the point; gives the options to run with, and when the run was cancelled. */
export function cancelAt(simulator: Simulator, { laterMs = 0, hanging = [], by, ...moment }: CancelPoint) {
  const cancel = new AbortController();
  const released = Promise.withResolvers<void>();
  let send: () => void = () => cancel.abort();
  let cancelledAtMs = Number.NaN;
  simulator.once(moment, () => {
    cancelledAtMs = performance.now() + laterMs;
    setTimeout(() => send(), laterMs);
  });
  const end = simulator.onBoundary(async (request) => {
    if (Number.isNaN(cancelledAtMs)) return;
    if (hanging.includes(request.to)) await released.promise;
    // The signal is to be there before the answer.
    else if (laterMs === 0) await delay(headStartMs);
  });
  return {
    atMs: () => cancelledAtMs,
    release: () => {
      end();
      released.resolve();
    },
    options:
      by === undefined
        ? { signal: cancel.signal }
        : {
            onSpawn: (child: { kill(signal: NodeJS.Signals): boolean }) => {
              send = () => void child.kill(by);
            },
          },
  };
}
