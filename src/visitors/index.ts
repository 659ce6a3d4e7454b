import type { VisitorsConfig } from '../config/parse.ts';
import type { Deps } from '../deps.ts';
import { Budget } from '../lib/budget.ts';
import { resultOfError } from '../lib/failure.ts';
import type { ModeResult, Outcome } from '../lib/outcome.ts';
import { checkAlerts } from './judge/alerts.ts';
import { compare } from './judge/compare.ts';
import { trendOf } from './judge/trend.ts';
import { openHistory } from './read/history.ts';
import { chooseWindow } from './read/period.ts';
import { runCreatedAtMs } from './read/run-created.ts';
import { readWindows } from './read/windows.ts';
import { summaryLimit } from './tell/blocks.ts';
import { postReport } from './tell/comment.ts';
import type { ReportContent } from './tell/content.ts';
import { reportPaths, writeFiles } from './tell/files.ts';
import { renderReport } from './tell/report.ts';
import { reportedResult } from './tell/reported.ts';

/**
 * The visitors report: reads the last window and the one before it, judges what changed, and tells it in the job summary,
 * in files and in a comment. Errors and cancellation are results too. Windows stay in the history as soon as they are read,
 * even when the run then fails.
 */
export async function runVisitors(config: VisitorsConfig, deps: Deps): Promise<ModeResult> {
  // The outputs of a run that is killed: a run that comes to its end writes over them.
  deps.runner.setOutput('outcome', 'failed' satisfies Outcome);
  deps.runner.setOutput('reason', 'interrupted');
  const budget = new Budget(config.maxRequests);
  try {
    return await report(config, budget, deps);
  } catch (error) {
    const failed = resultOfError(error);
    const { used } = budget;
    return {
      ...failed,
      outputs: { ...failed.outputs, 'requests-used': `${used}` },
      result: { ...failed.result, requestsUsed: used },
    };
  }
}

async function report(config: VisitorsConfig, budget: Budget, deps: Deps): Promise<ModeResult> {
  const { projectId } = config.service;
  const { timeZone, charts, pages, top, maxRequests } = config;

  // Read: the window that was over when the run was created, and the one before it.
  const window = chooseWindow(config.period, timeZone, await runCreatedAtMs(deps));
  deps.runner.info(`Visitors of ${window.label}: ${window.start} up to, not including, ${window.end}`);
  const history = openHistory(config.historyFile, projectId, deps);
  const windows = await readWindows(window, history, budget, config, deps);
  deps.signal.throwIfAborted();

  // Judge: what changed, which alert rules fire, how the totals went over the last windows.
  const { now, before } = windows;
  const findings = compare(now, before, config);
  const alerts = checkAlerts(config.alerts, now, before);
  const trend = trendOf(windows, history.totalsOf);

  // Tell: the summary, the files, a comment, the outputs.
  const { reportDir } = config;
  const files = reportDir === undefined ? undefined : reportPaths(reportDir, projectId, window);
  const judged = { windows, findings, alerts, trend };
  const content: ReportContent = { projectId, timeZone, charts, pages, top, maxRequests, files, ...judged };
  const summary = renderReport(content, summaryLimit);
  if (files !== undefined) writeFiles(files, content, summary, deps.files);
  const commentUrl = await postReport(content, config, deps);
  return reportedResult(content, {
    summary,
    commentUrl,
    requestsUsed: budget.used,
    runUrl: deps.context.runUrl,
    failOn: config.failOn,
  });
}
