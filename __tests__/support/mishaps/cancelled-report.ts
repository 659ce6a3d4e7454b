import { rmSync } from 'node:fs';
import { join } from 'node:path';

import type { Simulator } from '../../../simulator/index.ts';
import { type CancelPoint, cancelAt } from '../bundle/cancel.ts';
import { type BundlePlayed, type BundlePlayer, onBundle } from '../bundle/player.ts';
import { reportJudge } from '../oracle/report.ts';
import { endOf, type Run } from '../played.ts';
import { stageReport } from '../scenarios/report.ts';

const killPreload = new URL('../bundle/kill-preload.mjs', import.meta.url).href;

/** How a report ended that was cancelled or killed, and everything that is wrong with what it and its re-run left. */
export interface ReportEnd extends Pick<BundlePlayed, 'exitCode' | 'signal'> {
  readonly name: string;
  readonly end: string;
  /** Requests that the re-run sent to the service. */
  readonly askedAgain: number;
  readonly problems: readonly string[];
}

export interface CancelledReport extends ReportEnd {
  readonly cancelledForMs: number;
}

/** When a report is cancelled. */
export interface ReportCancelCase extends CancelPoint {
  readonly name: string;
  readonly prepare?: (simulator: Simulator) => void;
}

/** Plays the report in real time, cancels it as GitHub does, runs post, and then plays the report again. */
export function playCancelledReport(one: ReportCancelCase): Promise<CancelledReport> {
  return onBundle(
    async (player) => {
      one.prepare?.(player.core);
      const cancelled = cancelAt(player.core, one);
      let cancelledForMs = Number.NaN;
      const ended = await playAndAgain(one.name, player, async (run) => {
        const main = await player.play(run, cancelled.options);
        cancelledForMs = performance.now() - cancelled.atMs();
        cancelled.release();
        return main;
      });
      return { ...ended, cancelledForMs };
    },
    { clock: { mode: 'real' } },
  );
}

/** At which of the files that a report writes, counted from 1, it is killed: while it writes, or before it renames. */
export interface WritePoint {
  readonly step: 'write' | 'rename';
  readonly file: number;
}

/** Kills the report while it writes a file, or before the file gets its name; then runs post and plays the report again. */
export function playKilledWrite({ step, file }: WritePoint): Promise<ReportEnd> {
  return onBundle((player) =>
    playAndAgain(`${step} ${file}`, player, async (run) => {
      const env = { NODE_OPTIONS: `--import=${killPreload}`, KILL_AT: `${step} ${file}` };
      const main = await player.play(run, { time: 'real', env });
      const unnamed = [...player.files.all().keys()].filter((path) => path.endsWith('.tmp'));
      if (unnamed.length !== 1)
        throw new Error(`Killed at ${step} ${file} there is ${unnamed} without a name`);
      // The half-written temporary file stays where it is. Nothing reads it, so it is no fault of the report.
      for (const path of unnamed) rmSync(join(player.workspace, path));
      return main;
    }),
  );
}

/** Plays the report, its post and the report again, and judges what each has left. */
async function playAndAgain(
  name: string,
  player: BundlePlayer,
  play: (run: Run) => Promise<BundlePlayed>,
): Promise<ReportEnd> {
  const run = stageReport(player);
  const judge = await reportJudge(player);
  const main = await play(run);
  const problems = judge.run(main);
  const { env: _, ...options } = main.options;
  const post = await player.post({ ...main, options });
  if (post.exitCode !== 0 || post.summary !== '' || Object.keys(post.outputs).length > 0)
    problems.push(`post said ${post.log}${post.summary}`);
  problems.push(...judge.next(await player.play({ ...run, attempt: 2 })), ...player.core.violations);
  const { exitCode, signal } = main;
  return { name, end: endOf(main), exitCode, signal, askedAgain: judge.asked(), problems };
}
