import type { VisitorsConfig } from '../config/parse.ts';
import type { Deps } from '../deps.ts';
import { Budget } from '../lib/budget.ts';
import { resultOfError } from '../lib/failure.ts';
import type { ModeResult } from '../lib/mode-result.ts';
import type { Outcome } from '../lib/outcome.ts';
import { type AlertRule, isFor } from './judge/alert-rules.ts';
import { checkAlerts, leaveUnchecked } from './judge/alerts.ts';
import { compare } from './judge/compare.ts';
import { trendOf } from './judge/trend.ts';
import { type History, openHistory } from './read/history.ts';
import { chooseWindow } from './read/period.ts';
import { readProjects, type WindowsRead } from './read/projects.ts';
import { Requests } from './read/requests.ts';
import { runCreatedAtMs } from './read/run-created.ts';
import { summaryLimit } from './tell/blocks.ts';
import { postReport } from './tell/comment.ts';
import { contentsOf, type ProjectReport, type ReportContent } from './tell/content.ts';
import { reportPathsOf, writeFiles } from './tell/files.ts';
import { tellingOf } from './tell/telling.ts';

/**
 * The visitors report of one project or several: reads the last window and the one before it, judges what changed, and tells it
 * in the job summary, in files and in a comment. Errors and cancellation are results too. Windows stay in the history as soon as
 * they are read, even when the run then fails.
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
      result: { ...failed.result, mode: 'visitors', requestsUsed: used },
    };
  }
}

async function report(config: VisitorsConfig, budget: Budget, deps: Deps): Promise<ModeResult> {
  const { projects, timeZone, maxRequests, reportDir, failOn } = config;
  const { runner, files, context, signal } = deps;

  // Read: of each project the window that was over when the run was created, and the one before it.
  const window = chooseWindow(config.period, timeZone, await runCreatedAtMs(deps));
  runner.info(`Visitors of ${window.label}: ${window.start} up to, not including, ${window.end}`);
  const historyOf = openHistory(config.historyFile, projects, deps);
  const requests = new Requests(budget, signal);
  const reads = await readProjects(window, config, { ...deps, historyOf, requests });
  signal.throwIfAborted();

  // Judge: what changed, which alert rules fire, how the totals went over the last windows.
  const pathsOf = reportDir === undefined ? undefined : reportPathsOf(reportDir, projects, window);
  const judged = reads.map((read): ProjectReport => {
    const { project } = read;
    const rules = config.alerts.filter((rule) => isFor(rule, project));
    if ('failure' in read) return { ...read, alerts: leaveUnchecked(rules) };
    const content = judge(read, rules, historyOf(project.id), config);
    return { project, content: { ...content, files: pathsOf?.(project.id) } };
  });

  // Tell: the summary, the files, a comment, the outputs.
  const told = { window, projects: judged, maxRequests };
  const telling = tellingOf(told);
  const summary = telling.render(summaryLimit);
  writeFiles(contentsOf(told), summary, files);
  const commentUrl = await postReport(window, telling, config, deps);
  return telling.result({ summary, commentUrl, requestsUsed: budget.used, runUrl: context.runUrl, failOn });
}

/** All that there is to tell of a project, but for where its files go. */
function judge(
  { project, windows }: WindowsRead,
  rules: readonly AlertRule[],
  history: History,
  config: VisitorsConfig,
): Omit<ReportContent, 'files'> {
  const { timeZone, charts, pages, top, maxRequests } = config;
  const { now, before } = windows;
  const findings = compare(now, before, config);
  const alerts = checkAlerts(rules, now, before);
  const trend = trendOf(windows, history.totalsOf);
  const settings = { timeZone, charts, pages, top, maxRequests };
  return { projectId: project.id, windows, findings, alerts, trend, ...settings };
}
