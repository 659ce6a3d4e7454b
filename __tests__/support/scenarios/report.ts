import type { GivenWindow } from '../../../simulator/service/visitors/analytics.ts';
import {
  type SiteScript,
  type SiteWindow,
  siteRows,
  siteTotals,
  USUAL_SITE,
} from '../../../simulator/service/visitors/site.ts';
import type { Player, Run } from '../played.ts';
import { serviceInputs } from '../usual.ts';

/** Two more requests than a report needs: enough to retry a temporary fault, and too few for a lasting one. */
export const maxRequests = 8;
export const reportDir = 'report';
export const historyFile = 'history/visitors.jsonl';

/** Enough rows for three pages. */
const rowsPerWindow = 600;

/** The history before the run: one week of this project, one of another, and a line from a newer version. */
export const earlierLines: readonly string[] = [
  '{"v":1,"project":"prj_simulated_docs","start":"2025-12-15","end":"2025-12-22","complete":true,"totals":{"human":7,"ai":2,"total":8},"rows":null}',
  '{"v":1,"project":"prj_other","start":"2025-12-29","end":"2026-01-05","complete":true,"totals":{"human":1,"ai":0,"total":1},"rows":[["/b",1,0,1]]}',
  '{"v":2,"what":"a version to come knows"}',
];

const site: SiteScript = { ...USUAL_SITE, rows: rowsPerWindow };
const made = new Map<number, GivenWindow>();

/** A window of the site, cached because all cases share it. */
function windowAt(window: SiteWindow): GivenWindow {
  const known = made.get(window.fromMs) ?? {
    rows: siteRows(site, window, 0, rowsPerWindow),
    totals: siteTotals(site, window),
  };
  made.set(window.fromMs, known);
  return known;
}

/** Sets up the site and its history, and returns the report run. GitHub knows when that run was created. */
export function stageReport({ core, files }: Player): Run {
  const runId = 7_100_000_001;
  core.service.visitors.give(windowAt);
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
