import { Budget } from '../core/budget.ts';
import { type ModeResult, resultOfError } from '../core/mode-result.ts';
import type { Outcome } from '../core/reasons.ts';
import type { Deps } from '../deps.ts';
import { createAsk } from '../report/ask.ts';
import { summaryLimit } from '../report/blocks.ts';
import { reportPaths, writeReportFiles } from '../report/files.ts';
import { type History, openHistory } from '../report/history.ts';
import { runCreatedAtMs } from '../report/run-created.ts';
import { chooseWindow, type Window } from '../report/window.ts';
import { isFor } from './alert-rules.ts';
import { checkAlerts, leaveUnchecked } from './alerts.ts';
import { filesOf } from './data-files.ts';
import { findingsOf } from './findings.ts';
import type { VisitorsConfig } from './inputs.ts';
import { readSites, type SiteRead } from './read-sites.ts';
import { renderReport } from './render.ts';
import type { Report, Site } from './report.ts';
import { reportResult } from './result.ts';
import { postReport } from './thread-report.ts';
import { trendOf } from './trend.ts';

/**
 * The visitors report of one site or many: reads the last window and the one before it, judges what changed, and delivers it in
 * the job summary, in files and in a comment. Errors and cancellation are results too. Windows stay in the history as soon as
 * they are read, even if the run then fails.
 */
export async function runVisitors(config: VisitorsConfig, deps: Deps): Promise<ModeResult> {
  // The outputs of a run that is killed: a run that comes to its end writes over them.
  deps.runner.setOutput('outcome', 'failed' satisfies Outcome);
  deps.runner.setOutput('reason', 'interrupted');
  const budget = new Budget(config.maxRequests);
  try {
    return await deliver(await readReport(config, budget, deps), config, budget, deps);
  } catch (error) {
    const failed = failedResult(error, budget);
    return { ...failed, outputs: { ...failed.outputs, 'requests-used': `${budget.used}` } };
  }
}

/** Reads the windows of every site, and judges them. */
async function readReport(config: VisitorsConfig, budget: Budget, deps: Deps): Promise<Report> {
  const { projects, reportDir } = config;
  const { service, runner, signal } = deps;
  const window = chooseWindow(
    { kind: config.period, ...config },
    config.timeZone,
    await runCreatedAtMs(deps),
  );
  runner.info(`Visitors of ${window.label}: ${window.start} up to, not including, ${window.end}`);
  const ids = projects.map(({ id }) => id);
  const history = openHistory(config.historyFile, ids, deps);
  const ask = createAsk(service, budget, signal);
  const reads = await readSites(window, config, { ask, budget, history, runner });
  signal.throwIfAborted();
  return {
    window,
    sites: reads.map((read) => judge(read, history, config)),
    settings: config,
    files: reportDir === undefined ? undefined : reportPaths(reportDir, ids, window.slug),
  };
}

/** What changed on a site, which alert rules fire, and how its totals went over the last windows. */
function judge(read: SiteRead, history: History, config: VisitorsConfig): Site {
  const rules = config.alerts.filter((rule) => isFor(rule, read.project));
  if ('failure' in read) return { ...read, alerts: leaveUnchecked(rules) };
  const { project, windows } = read;
  return {
    project,
    windows,
    findings: findingsOf(windows, config),
    alerts: checkAlerts(rules, windows.now, windows.before),
    trend: trendOf(windows, (window: Window) => history.totalsOf(project.id, window)),
  };
}

/** Writes the summary, the files, a comment, and the outputs. */
async function deliver(
  report: Report,
  config: VisitorsConfig,
  budget: Budget,
  deps: Deps,
): Promise<ModeResult> {
  const { projects, apiKey, baseUrl, thread: choice, failOn } = config;
  const summary = renderReport(report, summaryLimit);
  const problem = writeReportFiles(filesOf(report, summary), deps.files);
  if (problem !== undefined) {
    const unwritten = await deliver({ ...report, files: undefined }, config, budget, deps);
    return withProblem(unwritten, failedResult(problem, budget));
  }
  const ids = projects.map(({ id }) => id);
  const render = (limit: typeof summaryLimit) => renderReport(report, limit);
  const posting = { choice, service: { apiKey, baseUrl }, projects: ids, window: report.window, render };
  const commentUrl = await postReport(posting, deps);
  const { runUrl } = deps.context;
  return reportResult(report, { summary, commentUrl, requestsUsed: budget.used, runUrl, failOn });
}

/** A run that failed after all, with everything that it found out. */
function withProblem({ outputs, summary, message }: ModeResult, failed: ModeResult): ModeResult {
  return {
    ...failed,
    outputs,
    summary: `${failed.summary}\nThe report is not in files, but here:\n\n${summary}`,
    message: { ...failed.message, text: `${failed.message.text}\n${message.text}` },
  };
}

function failedResult(error: unknown, { used }: Budget): ModeResult {
  const failed = resultOfError(error);
  return { ...failed, result: { ...failed.result, mode: 'visitors', requestsUsed: used } };
}
