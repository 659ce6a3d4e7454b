import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { SimulatorOptions } from '../../../simulator/core.ts';
import type { Simulator } from '../../../simulator/index.ts';
import type { RunOptions, RunResult } from '../../../simulator/runner/runner.ts';
import { countAsked, type ReportLeft } from '../oracle/report.ts';
import { filesOf, historyFile, prepareWorkspace, reportRunId, stageReport } from '../scenarios/report.ts';
import { playedOf, withSimulator } from './run.ts';

/** The visitors report in a simulator and a workspace of its own, and how the bundle is run in it. */
export interface ReportStage {
  readonly simulator: Simulator;
  readonly workspace: string;
  readonly options: RunOptions;
  /** What a run left behind; `before` is how many requests there were before it. */
  left(run: RunResult, before: number): ReportLeft;
}

/** Plays a case of the report on the bundle. */
export function onReportStage<T>(
  simulatorOptions: SimulatorOptions,
  act: (stage: ReportStage) => Promise<T>,
): Promise<T> {
  return withSimulator(simulatorOptions, async (simulator) => {
    const workspace = mkdtempSync(join(tmpdir(), 'report-'));
    try {
      prepareWorkspace(workspace);
      const left = (run: RunResult, before: number): ReportLeft => {
        const files = filesOf(workspace);
        const histories = [files.get(historyFile) ?? ''];
        return { played: playedOf(run), files, histories, asked: countAsked(simulator, before) };
      };
      const options = { simulator, ...stageReport(simulator), workspace, runId: reportRunId };
      return await act({ simulator, workspace, options, left });
    } finally {
      rmSync(workspace, { recursive: true });
    }
  });
}
