import { join } from 'node:path';
import type { VisitorsConfig } from '../config/parse.ts';
import type { Deps } from '../deps.ts';
import { missingPermission } from '../github/errors.ts';
import { ActionError, messageOf } from '../lib/errors.ts';
import { resultOfError } from '../lib/failure.ts';
import type { ModeResult, Outcome } from '../lib/outcome.ts';
import { checkAlerts } from './alerts.ts';
import { compare } from './compare.ts';
import { Budget } from './export.ts';
import { csvFile, fileStem, jsonFile } from './files.ts';
import { commentRoom, summaryRoom } from './fit.ts';
import { pageFilter } from './globs.ts';
import { chooseWindow, type Window } from './period.ts';
import { type ReportInput, renderReport } from './report.ts';
import { reportedResult } from './result.ts';
import { openHistory } from './shelf.ts';
import { postReport, threadOf } from './thread.ts';
import { readWindows } from './windows.ts';

/** GitHub gives no run for what is tried elsewhere; a schedule is seldom later than this. */
const assumedDelayMs = 2 * 60 * 60 * 1000;

/**
 * The visitors report: reads the window that was over when the run was created, and the one before it; compares; tells.
 * Errors and cancellation are results as well; where the window itself cannot be read, nothing is written.
 */
export async function runVisitors(config: VisitorsConfig, deps: Deps): Promise<ModeResult> {
  // What is true of a run that is killed before its end.
  deps.runner.setOutput('outcome', 'failed' satisfies Outcome);
  deps.runner.setOutput('reason', 'interrupted');
  try {
    return await report(config, deps);
  } catch (error) {
    return resultOfError(error);
  }
}

async function report(config: VisitorsConfig, deps: Deps): Promise<ModeResult> {
  const { projectId } = config.service;
  const window = chooseWindow(config.period, config.timeZone, await createdAtMs(deps));
  deps.runner.info(`Visitors of ${window.label}: ${window.start} up to, not including, ${window.end}`);

  const shelf = openHistory(config.historyFile, projectId, deps);
  const budget = new Budget(config.maxRequests);
  const { now, predecessor } = await readWindows(window, budget, shelf, config, deps);
  deps.signal.throwIfAborted();

  const before = predecessor.kind === 'read' ? predecessor.read : undefined;
  const findings = compare(now, before, {
    keeps: pageFilter(config.pages),
    sectionDepth: config.sectionDepth,
  });
  const alerts = checkAlerts(config.alerts, now, before);
  const places = placesFor(config, window);
  const { timeZone, charts, pages, top, maxRequests } = config;
  const input: ReportInput = {
    projectId,
    timeZone,
    charts,
    pages,
    top,
    maxRequests,
    findings,
    predecessor,
    alerts,
    trend: shelf.trend(now, before),
    files: Object.values(places).filter((path) => path !== ''),
  };
  const summary = renderReport(input, summaryRoom);
  if (config.reportDir !== undefined) {
    deps.files.write(places.csv, csvFile(now, before));
    deps.files.write(places.json, jsonFile({ projectId, timeZone, now, before, alerts }));
    deps.files.write(places.report, summary);
  }
  const commentUrl = await post(input, config, deps);
  return reportedResult(input, {
    places,
    summary,
    commentUrl,
    requestsUsed: budget.used,
    failOn: config.failOn,
  });
}

/** When the run was created; a re-run keeps that time, so it is about the same window. */
async function createdAtMs({ github, context, clock, runner, signal }: Deps): Promise<number> {
  const assumed = clock.now() - assumedDelayMs;
  if (github === undefined || context.runId === '') return assumed;
  try {
    return await github.readRunCreatedAt(context.runId, signal);
  } catch (error) {
    signal.throwIfAborted();
    runner.warning(
      `When the run was created could not be read, so two hours ago is assumed; it takes \`actions: read\`. ${messageOf(error)}`,
    );
    return assumed;
  }
}

/** Where the files go; `''` without a directory for them. */
function placesFor({ reportDir, service }: VisitorsConfig, window: Window) {
  const stem = fileStem(service.projectId, window);
  const place = (extension: string) =>
    reportDir === undefined ? '' : join(reportDir, `${stem}.${extension}`);
  return { report: place('md'), csv: place('csv'), json: place('json') };
}

/** One comment a window, edited when the window is reported again. The summary has the report in any case. */
async function post(input: ReportInput, config: VisitorsConfig, deps: Deps): Promise<string | undefined> {
  const { github, runner } = deps;
  const thread = threadOf(config, deps);
  if (thread === undefined) return undefined;
  if (github === undefined) {
    runner.warning(`The report was not posted to #${thread.number}: that takes a \`github-token\``);
    return undefined;
  }
  const { start, end } = input.findings.now.window;
  const key = `visitors:${input.projectId}:${start}:${end}`;
  try {
    return await postReport(
      { github, thread, key, markdown: renderReport(input, commentRoom) },
      config,
      deps,
    );
  } catch (error) {
    if (error instanceof ActionError && error.reason === 'cancelled') throw error;
    runner.warning(`The report was not posted: ${missingPermission(error) ?? messageOf(error)}`);
    return undefined;
  }
}
