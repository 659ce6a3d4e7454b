import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { SimulatorOptions } from '../../simulator/core.ts';
import { type Simulator, startSimulator } from '../../simulator/index.ts';
import { type RunOptions, type RunResult, rerun, runAction } from '../../simulator/runner/runner.ts';
import { type CancelPoint, cancelAt } from './crash-cancel.ts';
import { playedOf, post } from './crash-play.ts';
import { identity } from './faults-cases.ts';
import { askedSince, judgeRerun } from './report-faults.ts';
import { filesOf, historyFile, prepareWorkspace, stageReport, type Truth, truthAt } from './report-stage.ts';
import { type ReportLeft, reportUntruths } from './report-truth.ts';
import type { Boundary } from './routes.ts';

const killPreload = new URL('./kill-preload.mjs', import.meta.url).href;

/** How a report ended that was not let come to its end, and all that is wrong with what it and its re-run left. */
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

/** Plays the report in real time, cancels it as GitHub does, runs post, and then all of it again. */
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

/** The report is killed for good at a boundary; then post, and then all of it again. */
export function playKilledReport(killAt: Boundary): Promise<ReportEnd> {
  return onReportStage({}, async (stage) => {
    const run = await runAction({ ...stage.options, killAt });
    return finish(`${killAt.at} (${killAt.nth}), ${killAt.phase}`, run, stage);
  });
}

/** Where in the writing of its files a report is killed; they are counted in their order, from 1. */
export interface WritePoint {
  readonly step: 'write' | 'rename';
  readonly file: number;
}

/** The report is killed for good in the middle of writing a file, or before the file has its name. */
export function playKilledWrite({ step, file }: WritePoint): Promise<ReportEnd> {
  return onReportStage({}, async (stage) => {
    const env = { NODE_OPTIONS: `--import=${killPreload}`, KILL_AT: `${step} ${file}` };
    const run = await runAction({ ...stage.options, time: 'real', env });
    const unnamed = [...filesOf(stage.workspace).keys()].filter((path) => path.endsWith('.tmp'));
    if (unnamed.length !== 1) throw new Error(`Killed at ${step} ${file} there is ${unnamed} without a name`);
    // What was being written stays beside its place, hidden; nothing takes it for the file.
    for (const path of unnamed) rmSync(join(stage.workspace, path));
    return finish(`${step} ${file}`, { ...run, options: stage.options }, stage);
  });
}

interface ReportStage {
  readonly simulator: Simulator;
  readonly workspace: string;
  readonly options: RunOptions;
  readonly truth: Truth;
}

async function onReportStage<T>(
  options: SimulatorOptions,
  act: (stage: ReportStage) => Promise<T>,
): Promise<T> {
  const simulator = await startSimulator(options);
  const workspace = mkdtempSync(join(tmpdir(), 'report-'));
  try {
    prepareWorkspace(workspace);
    const staged = stageReport(simulator);
    const truth = await truthAt(simulator.clock.startMs);
    return await act({
      simulator,
      workspace,
      options: { simulator, ...staged, workspace, runId: identity.runId },
      truth,
    });
  } finally {
    await simulator.close();
    rmSync(workspace, { recursive: true });
  }
}

async function finish(name: string, run: RunResult, stage: ReportStage): Promise<ReportEnd> {
  const { simulator, workspace, truth } = stage;
  const left = (result: RunResult, since: number): ReportLeft => {
    const files = filesOf(workspace);
    const asked = askedSince(simulator, since);
    return { played: playedOf(result), files, histories: [files.get(historyFile) ?? ''], asked };
  };
  const main = left(run, 0);
  const problems = reportUntruths(simulator, main, truth);
  const finished = await post(run);
  if (finished.exitCode !== 0 || finished.summary !== '' || Object.keys(finished.outputs).length > 0)
    problems.push(`post said ${finished.log}${finished.summary}`);
  const before = simulator.requests.length;
  const again = left(await rerun(run), before);
  problems.push(...judgeRerun(simulator, again, truth));
  const { outcome, reason } = run.outputs;
  return {
    name,
    end: `${outcome} (${reason})`,
    exitCode: run.exitCode,
    signal: run.signal,
    askedAgain: again.asked,
    problems: [...problems, ...simulator.violations],
  };
}
