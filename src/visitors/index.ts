import { Budget } from '../core/budget.ts';
import { type ModeResult, resultOfError } from '../core/mode-result.ts';
import type { Outcome } from '../core/reasons.ts';
import type { Deps } from '../deps.ts';
import type { VisitorsConfig } from './inputs.ts';
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
import {
  contentsOf,
  type ProjectReport,
  type Report,
  type ReportContent,
  withoutFiles,
} from './tell/content.ts';
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
    const failed = failedResult(error, budget);
    return { ...failed, outputs: { ...failed.outputs, 'requests-used': `${budget.used}` } };
  }
}

function failedResult(error: unknown, { used }: Budget): ModeResult {
  const failed = resultOfError(error);
  return { ...failed, result: { ...failed.result, mode: 'visitors', requestsUsed: used } };
}

async function report(config: VisitorsConfig, budget: Budget, deps: Deps): Promise<ModeResult> {
  const { period, projects, timeZone, maxRequests, reportDir } = config;
  const { runner, signal } = deps;

  // Read: of each project the window that was over when the run was created, and the one before it.
  const window = chooseWindow({ kind: period, ...config }, timeZone, await runCreatedAtMs(deps));
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

  return tell({ window, projects: judged, maxRequests }, config, budget, deps);
}

/** Tells a report: the summary, the files, a comment, the outputs. */
async function tell(report: Report, config: VisitorsConfig, budget: Budget, deps: Deps): Promise<ModeResult> {
  const telling = tellingOf(report);
  const summary = telling.render(summaryLimit);
  const problem = writeFiles(contentsOf(report), summary, deps.files);
  if (problem !== undefined) {
    return withProblem(await tell(withoutFiles(report), config, budget, deps), failedResult(problem, budget));
  }
  const commentUrl = await postReport(report.window, telling, config, deps);
  const { runUrl } = deps.context;
  return telling.result({ summary, commentUrl, requestsUsed: budget.used, runUrl, failOn: config.failOn });
}

/** A run that failed after all, with everything that it has to tell. */
function withProblem({ outputs, summary, message }: ModeResult, failed: ModeResult): ModeResult {
  return {
    ...failed,
    outputs,
    summary: `${failed.summary}\nThe report is not in files, but here:\n\n${summary}`,
    message: { ...failed.message, text: `${failed.message.text}\n${message.text}` },
  };
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
