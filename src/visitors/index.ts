import { Budget } from '../core/budget.ts';
import { type ModeResult, resultOfError } from '../core/mode-result.ts';
import type { Deps } from '../deps.ts';
import type { VisitorsConfig } from './inputs.ts';
import { isFor } from './judge/alerts/alert-rules.ts';
import { checkAlerts } from './judge/alerts/alerts.ts';
import { judgeChanges } from './judge/changes/changed-pages.ts';
import { compareWindows } from './judge/findings.ts';
import { listGaps } from './judge/gaps.ts';
import { isRead, listCuts, type Report, type Site } from './judge/report.ts';
import { pageFilter } from './judge/site-pages.ts';
import { openHistory } from './read/history.ts';
import { type ChangesRead, readChanges } from './read/read-changes.ts';
import { readSites, type SiteRead } from './read/read-sites.ts';
import { readCreationTime } from './read/run-created.ts';
import { chooseWindow, shiftWindow, type Window } from './read/window.ts';
import { renderReport } from './write/render.ts';
import { filesOf, reportPaths } from './write/report-files.ts';
import { reportResult } from './write/report-result.ts';
import { postReport } from './write/thread-report.ts';

type VisitorsResult = ModeResult<'visitors'>;

const publicWarning =
  '`gaps: words` quotes what people asked and searched for, and in a public repository, job summaries, comments, and artifacts are public. Use `gaps: counts`, or report from a private repository.';

/**
 * Runs visitors mode: reads the visitors of each site, judges them, and writes the report. Errors
 * and cancellations end in a result, too.
 */
export async function startVisitors(config: VisitorsConfig, deps: Deps): Promise<VisitorsResult> {
  // These outputs remain if the run is killed. Otherwise, they are overwritten at the end.
  deps.runner.setOutput('outcome', 'failed');
  deps.runner.setOutput('reason', 'interrupted');
  const budget = new Budget(config.maxRequests);
  try {
    const readings = await readVisitors(config, budget, deps);
    const report = judgeVisitors(readings, config);
    logServiceErrors(report.sites, deps.runner);
    return await writeReport(report, config, budget, deps);
  } catch (error) {
    return fail(error, budget);
  }
}

type Readings = Awaited<ReturnType<typeof readVisitors>>;

async function readVisitors(config: VisitorsConfig, budget: Budget, deps: Deps) {
  const { runner, service } = deps;
  const window = chooseWindow(config, await readCreationTime(deps));
  runner.info(`Visitors, ${window.label} (${config.timeZone})`);
  if (config.gaps === 'words' && !deps.context.isPrivate) runner.warning(publicWarning);
  const changes = await readAllChanges(window, config, deps);
  // The window, and those that show what is usual for it. A re-run needs them all.
  const history = openHistory(config.historyFile, Math.max(1, config.baseline) + 1, deps);
  try {
    const { sites, enough } = await readSites({ ...config, window, budget, history, service });
    deps.signal.throwIfAborted();
    return { window, changes, sites, enough };
  } finally {
    // It keeps what was read, even if the run fails.
    history.save();
  }
}

/**
 * What changed in the repositories of the projects' pages, by project ID. Only a weekly report says
 * so.
 */
async function readAllChanges(window: Window, config: VisitorsConfig, deps: Deps) {
  const byProject = new Map<string, ChangesRead>();
  const { baseline, timeZone } = config;
  // A change needs a whole week before it and one since.
  const hasEnoughWeeks = config.compare !== 'none' && baseline >= 2;
  if (config.period !== 'last-week' || !hasEnoughWeeks) return byProject;
  const range = { from: shiftWindow(window, 1 - baseline), to: window, timeZone };
  const byRepository = new Map<string, ChangesRead>();
  for (const project of config.projects) {
    const repository = config.docsRepository.find((line) => isFor(line, project));
    if (repository === undefined) continue;
    const name = `${repository.owner}/${repository.repo}`.toLowerCase();
    const changes = byRepository.get(name) ?? (await readChanges(repository, range, deps));
    byRepository.set(name, changes);
    byProject.set(project.id, changes);
  }
  return byProject;
}

function judgeVisitors(readings: Readings, config: VisitorsConfig): Report {
  const { window, changes } = readings;
  const sites = readings.sites.map((site) => judgeSite(site, changes.get(site.project.id), config));
  const settings = { ...config, enough: readings.enough };
  const report = { window, sites, settings, files: undefined };
  if (config.reportDir === undefined) return report;
  const ids = config.projects.map(({ id }) => id);
  return { ...report, files: reportPaths(config.reportDir, ids, window.slug, config.pages) };
}

function judgeSite(site: SiteRead, changes: ChangesRead | undefined, config: VisitorsConfig): Site {
  const rules = config.alerts.filter((rule) => isFor(rule, site.project));
  if ('failure' in site) {
    const why = { cause: 'unread-project' } as const;
    return { ...site, alerts: rules.map((rule) => ({ rule, state: 'unchecked', why })) };
  }
  const { now, gaps } = site;
  const isChosen = pageFilter(config.pages);
  const findings = compareWindows(site, config);
  return {
    ...site,
    findings,
    docsUrl: config.docsUrl.find((line) => isFor(line, site.project))?.url,
    gaps: gaps && listGaps(gaps, config.gaps === 'words', isChosen, now.rows),
    changed: changes && judgeChanges(changes, now, findings.counts, isChosen),
    alerts: checkAlerts(rules, site, findings),
  };
}

/** Error messages from the service appear only in the log. */
function logServiceErrors(sites: readonly Site[], runner: Deps['runner']): void {
  for (const site of sites) {
    const lists = isRead(site) && site.gaps ? site.gaps.read : [];
    for (const cut of [...listCuts(site), ...lists.map((list) => list.cut)]) {
      if (cut?.kind === 'service') runner.info(`${site.project.name}: ${cut.message}`);
    }
  }
}

async function writeReport(report: Report, config: VisitorsConfig, budget: Budget, deps: Deps) {
  const summary = renderReport(report);
  try {
    for (const [path, text] of filesOf(report, deps.scrub(summary))) deps.files.write(path, text);
  } catch (error) {
    const failed = fail(error, budget);
    const lead = `${failed.summary}\nThe files could not be written, but here is the report:`;
    return { ...failed, summary: `${lead}\n\n${renderReport({ ...report, files: undefined })}` };
  }
  const commentUrl = await postReport(report, config, deps);
  const run = { summary, commentUrl, requestsUsed: budget.used, runUrl: deps.context.runUrl };
  return reportResult(report, run, config.failOn);
}

function fail(error: unknown, budget: Budget): VisitorsResult {
  const fields = { mode: 'visitors', requestsUsed: budget.used };
  return { ...resultOfError(error, fields), outputs: { 'requests-used': `${budget.used}` } };
}
