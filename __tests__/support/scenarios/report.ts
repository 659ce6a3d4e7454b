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

/** Two more than a run without faults needs: enough to retry a fault that passes, too few for one that doesn't. */
export const maxRequests = 8;
export const reportDir = 'report';
export const historyFile = 'history/visitors.jsonl';

/** Three pages per window. */
const rowsPerWindow = 600;

/** What the history contains before the run: a week of this project, one of another, and a line from a later version. */
export const earlierLines: readonly string[] = [
  '{"v":1,"project":"prj_simulated_docs","start":"2025-12-15","end":"2025-12-22","complete":true,"totals":{"human":7,"ai":2,"total":8},"rows":null}',
  '{"v":1,"project":"prj_other","start":"2025-12-29","end":"2026-01-05","complete":true,"totals":{"human":1,"ai":0,"total":1},"rows":[["/b",1,0,1]]}',
  '{"v":2,"what":"a version to come knows"}',
];

const site: SiteScript = { ...USUAL_SITE, rows: rowsPerWindow };
const made = new Map<number, GivenWindow>();

/** A window of the site, created once because all cases share it. */
function windowAt(window: SiteWindow): GivenWindow {
  const known = made.get(window.fromMs) ?? {
    rows: siteRows(site, window, 0, rowsPerWindow),
    totals: siteTotals(site, window),
  };
  made.set(window.fromMs, known);
  return known;
}

/**
 * Sets up the site and a history that already contains windows. Returns the run that reports; GitHub knows when it was created.
 */
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
