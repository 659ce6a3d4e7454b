import { Budget } from '../core/budget.ts';
import { messageOf } from '../core/errors.ts';
import { type ModeResult, resultOfError } from '../core/mode-result.ts';
import type { Deps } from '../deps.ts';
import type { VisitorsConfig } from './inputs.ts';
import { isFor } from './judge/alerts/alert-rules.ts';
import { checkAlerts, type WhyUnchecked } from './judge/alerts/alerts.ts';
import { type Changed, compareChangedPages } from './judge/changes/changed-pages.ts';
import { compareWindows } from './judge/findings.ts';
import { listGaps } from './judge/gaps.ts';
import { isRead, listCuts, type Report, type Site } from './judge/report.ts';
import { pageFilter } from './judge/site-pages.ts';
import { openHistory } from './read/history.ts';
import { type ChangesRead, readChanges } from './read/read-changes.ts';
import { readSites, type SiteRead } from './read/read-sites.ts';
import { chooseWindow, shiftWindow, type Window } from './read/window.ts';
import { isSilent } from './read/window-read.ts';
import { renderReport } from './write/render.ts';
import { filesOf, reportPaths } from './write/report-files.ts';
import { reportResult } from './write/report-result.ts';
import { postReport } from './write/thread-report.ts';

/** How late a run is assumed to have started if GitHub doesn't say. Schedules are rarely later. */
const assumedDelayMs = 2 * 60 * 60 * 1000;

const publicWarning =
  '`gaps: words` quotes what people asked and searched for, and in a public repository, job summaries, comments, and artifacts are public. Use `gaps: counts`, or report from a private repository.';

type VisitorsResult = ModeResult<'visitors'>;

/**
 * Runs visitors mode. Errors and cancellations end in a result, too. The history keeps what was
 * read even if the run fails.
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
  const { runner, service, signal } = deps;
  const window = chooseWindow(config, await readCreationTime(deps));
  runner.info(`Visitors, ${window.label} (${config.timeZone})`);
  if (config.gaps === 'words' && !deps.context.isPrivate) runner.warning(publicWarning);
  const changes = await readAllChanges(window, config, deps);
  // The window, and those that show what is usual for it. A re-run needs them all.
  const history = openHistory(config.historyFile, Math.max(1, config.baseline) + 1, deps);
  try {
    const readings = await readSites({ ...config, window, budget, history, service });
    signal.throwIfAborted();
    return { window, changes, ...readings };
  } finally {
    history.save();
  }
}

/**
 * When the run was created, or two hours ago if that is unknown. A re-run keeps the time, so it
 * reports the same window.
 */
async function readCreationTime({ github, signal, ...deps }: Deps): Promise<number> {
  const { runId } = deps.context;
  const assumed = deps.clock.now() - assumedDelayMs;
  if (github === undefined || runId === '') return assumed;
  try {
    return await github.readRunCreatedAt(runId);
  } catch (error) {
    signal.throwIfAborted();
    deps.runner.warning(
      `Couldn’t find out when the run was created, so the report assumes that it was created two hours ago. Add \`actions: read\` under \`permissions:\`. ${messageOf(error)}`,
    );
    return assumed;
  }
}

/**
 * What changed in the repositories of the projects' pages, by project ID. Only a weekly report says
 * so.
 */
async function readAllChanges(window: Window, config: VisitorsConfig, deps: Deps) {
  const { baseline, timeZone } = config;
  const byProject = new Map<string, ChangesRead>();
  // A change needs a whole week before it and one since.
  const isTooShort = config.compare === 'none' || baseline < 2;
  if (config.period !== 'last-week' || isTooShort) return byProject;
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
  const { reportDir, pages } = config;
  const sites = readings.reads.map((site) => judgeSite(site, config, changes.get(site.project.id)));
  const ids = config.projects.map(({ id }) => id);
  const files =
    reportDir === undefined ? undefined : reportPaths(reportDir, ids, window.slug, pages);
  return { window, sites, settings: { ...config, enough: readings.enough }, files };
}

function judgeSite(site: SiteRead, config: VisitorsConfig, changes: ChangesRead | undefined): Site {
  const rules = config.alerts.filter((rule) => isFor(rule, site.project));
  if ('failure' in site) {
    const why: WhyUnchecked = { cause: 'unread-project' };
    return { ...site, alerts: rules.map((rule) => ({ rule, state: 'unchecked', why })) };
  }
  const isChosen = pageFilter(config.pages);
  const { counts, ...findings } = compareWindows(site, config);
  let changed: Changed | undefined;
  if (changes !== undefined && 'problem' in changes) changed = changes;
  else if (changes !== undefined && !isSilent(site.now))
    changed = compareChangedPages(changes, counts, isChosen);
  return {
    ...site,
    findings,
    docsUrl: config.docsUrl.find((line) => isFor(line, site.project))?.url,
    gaps: site.gaps && listGaps(site.gaps, config.gaps === 'words', isChosen, site.now.rows),
    changed,
    alerts: checkAlerts(rules, site, findings),
  };
}

/** Error messages from the service appear only in the log. */
function logServiceErrors(sites: readonly Site[], runner: Deps['runner']): void {
  for (const site of sites) {
    const lists = isRead(site) ? site.gaps?.read : undefined;
    const cuts = [...listCuts(site), ...(lists ?? []).map(({ cut }) => cut)];
    for (const cut of cuts) {
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
