import { rmSync } from 'node:fs';
import { join } from 'node:path';

import type { Simulator } from '../../../simulator/index.ts';
import type { RunResult } from '../../../simulator/runner/runner.ts';
import { type CancelPoint, cancelAt } from '../bundle/cancel.ts';
import { onReportStage, type ReportStage } from '../bundle/report-stage.ts';
import { post, rerun, runAction } from '../bundle/run.ts';
import { endOf } from '../oracle/played.ts';
import { reportUntruths, rerunUntruths, truthAt } from '../oracle/report.ts';
import type { Boundary } from '../routes.ts';
import { filesOf } from '../scenarios/report.ts';

const killPreload = new URL('../bundle/kill-preload.mjs', import.meta.url).href;

/** How a report ended that was cancelled or killed, and everything that is wrong with what it and its re-run left. */
export interface ReportEnd {
  readonly name: string;
  readonly end: string;
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
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
  return onReportStage({ clock: { mode: 'real' } }, async (stage) => {
    one.prepare?.(stage.simulator);
    const cancelled = cancelAt(stage.simulator, one);
    const run = await runAction({ ...stage.options, ...cancelled.options });
    const cancelledForMs = performance.now() - cancelled.atMs();
    cancelled.release();
    return { ...(await finish(one.name, run, stage)), cancelledForMs };
  });
}

/** Kills the report at a boundary, runs post, and then plays the report again. */
export function playKilledReport(killAt: Boundary): Promise<ReportEnd> {
  return onReportStage({}, async (stage) => {
    const run = await runAction({ ...stage.options, killAt });
    return finish(`${killAt.at} (${killAt.nth}), ${killAt.phase}`, run, stage);
  });
}

/** At which of the files that a report writes, counted from 1, it is killed: while it writes, or before it renames. */
export interface WritePoint {
  readonly step: 'write' | 'rename';
  readonly file: number;
}

/** Kills the report while it writes a file, or before the file gets its name; then runs post and plays the report again. */
export function playKilledWrite({ step, file }: WritePoint): Promise<ReportEnd> {
  return onReportStage({}, async (stage) => {
    const env = { NODE_OPTIONS: `--import=${killPreload}`, KILL_AT: `${step} ${file}` };
    const run = await runAction({ ...stage.options, time: 'real', env });
    const unnamed = [...filesOf(stage.workspace).keys()].filter((path) => path.endsWith('.tmp'));
    if (unnamed.length !== 1) throw new Error(`Killed at ${step} ${file} there is ${unnamed} without a name`);
    // The half-written temporary file stays where it is. Nothing reads it, so it is no fault of the report.
    for (const path of unnamed) rmSync(join(stage.workspace, path));
    return finish(`${step} ${file}`, { ...run, options: stage.options }, stage);
  });
}

/** Judges what the run left, plays post, then the run again, and judges that. */
async function finish(name: string, run: RunResult, { simulator, left }: ReportStage): Promise<ReportEnd> {
  const truth = await truthAt(simulator.clock.startMs);
  const problems = reportUntruths(simulator, left(run, 0), truth);
  const finished = await post(run);
  if (finished.exitCode !== 0 || finished.summary !== '' || Object.keys(finished.outputs).length > 0)
    problems.push(`post said ${finished.log}${finished.summary}`);
  const before = simulator.requests.length;
  const again = left(await rerun(run), before);
  problems.push(...rerunUntruths(simulator, again, truth));
  return {
    name,
    end: endOf(run),
    exitCode: run.exitCode,
    signal: run.signal,
    askedAgain: again.asked,
    problems: [...problems, ...simulator.violations],
  };
}
