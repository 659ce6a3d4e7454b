import type { Player, Run } from '../played.ts';
import { serviceInputs } from '../usual.ts';

/** Two more requests than a report needs: enough to retry a temporary fault, and too few for a lasting one. */
export const maxRequests = 8;
export const reportDir = 'report';
export const historyFile = 'history/visitors.jsonl';

/** The history before the run: one week of this project, one of another, and a line from a newer version. */
export const earlierLines: readonly string[] = [
  '{"v":1,"project":"prj_simulated_docs","start":"2025-12-15","end":"2025-12-22","complete":true,"totals":{"human":7,"ai":2,"total":8},"rows":null}',
  '{"v":1,"project":"prj_other","start":"2025-12-29","end":"2026-01-05","complete":true,"totals":{"human":1,"ai":0,"total":1},"rows":[["/b",1,0,1]]}',
  '{"v":2,"what":"a version to come knows"}',
];

/** Sets up the site and its history, and returns the report run. GitHub knows when that run was created. */
export function stageReport({ core, files }: Player): Run {
  const runId = 7_100_000_001;
  // Three pages per window.
  core.service.visitors.script({ rows: 600 });
  core.github.addRun(runId, 'schedule');
  files.write(historyFile, earlierLines.map((line) => `${line}\n`).join(''));
  const inputs = {
    ...serviceInputs(core),
    mode: 'visitors',
    'report-dir': reportDir,
    'history-file': historyFile,
    'max-requests': String(maxRequests),
    baseline: '0',
  };
  return { event: core.github.scheduleEvent(), inputs, runId };
}
