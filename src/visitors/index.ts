import { nameOfRepository } from '../core/address.ts';
import { Budget } from '../core/budget.ts';
import { type ModeResult, resultOfError } from '../core/mode-result.ts';
import { appliesTo, findForProject } from '../core/projects.ts';
import type { Deps } from '../deps.ts';
import { scrubAll } from '../text/scrub.ts';
import type { VisitorsConfig } from './inputs.ts';
import { checkAlerts } from './judge/alerts/alerts.ts';
import { judgeChanges } from './judge/changes/changed-pages.ts';
import { compareWindows } from './judge/findings.ts';
import { listGaps } from './judge/gaps.ts';
import { isRead, listCuts, listGapCuts, type Report, type Site } from './judge/report.ts';
import { pageFilter } from './judge/site-pages.ts';
import { openHistory } from './read/history.ts';
import { type ChangesRead, readChanges } from './read/read-changes.ts';
import { readSites, type SiteRead } from './read/read-sites.ts';
import { readRunCreationTime } from './read/run-created.ts';
import { chooseWindow, findEndingWindow, shiftWindow, type Window } from './read/window.ts';
import { renderReport } from './write/render.ts';
import { filesOf, reportPaths } from './write/report-files.ts';
import { reportResult } from './write/report-result.ts';
import { postReport } from './write/thread-report.ts';
import { describeEarlyRun } from './write/words/warnings.ts';

type VisitorsResult = ModeResult<'visitors'>;

const publicWarning =
  '`gaps: words` quotes what people asked and searched for, and in a public repository, job summaries, comments, and artifacts are public. Use `gaps: counts`, or report from a private repository.';

/**
 * Runs visitors mode: reads the visitors of each site, judges them, and writes the report. Errors
 * and cancellations end in a result, too.
 */
export async function startVisitors(inputs: VisitorsConfig, deps: Deps): Promise<VisitorsResult> {
  const config = scrubShown(inputs, deps);
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
    return resultOfFailure(error, budget);
  }
}

type Config = ReturnType<typeof scrubShown>;

/** Scrubs the inputs that the report shows, because a long one is cut. */
function scrubShown(config: VisitorsConfig, { scrub }: Deps) {
  const { projects, pages, alerts } = config;
  return { ...config, ...scrubAll(structuredClone({ projects, pages, alerts }), scrub) };
}

type Readings = Awaited<ReturnType<typeof readVisitors>>;

async function readVisitors(config: Config, budget: Budget, deps: Deps) {
  const { runner, service } = deps;
  const createdAtMs = await readRunCreationTime(deps);
  const window = chooseWindow(config, createdAtMs);
  const ending = findEndingWindow(config, createdAtMs);
  runner.info(`Visitors, ${window.label} (${config.timeZone})`);
  if (ending !== undefined) runner.warning(describeEarlyRun(window, ending, config.timeZone));
  if (config.gaps === 'words' && !deps.context.isPrivate) runner.warning(publicWarning);
  const changesByProject = await readChangesByProject(window, config, deps);
  // A re-run needs the rows of this window, of the one before it, and of the baseline's.
  const history = openHistory(config.historyFile, 1 + config.baseline, deps);
  try {
    const reading = await readSites({ ...config, window, budget, history, service });
    // A canceled run must not report what it has read so far.
    deps.signal.throwIfAborted();
    return { window, ending, changesByProject, ...reading };
  } finally {
    // It keeps what was read, even if the run fails.
    history.save();
  }
}

/**
 * Reads what changed in the repositories of the projects' pages, for a weekly report. The keys are
 * the IDs of the projects.
 */
async function readChangesByProject(window: Window, config: Config, deps: Deps) {
  const byProject = new Map<string, ChangesRead>();
  if (config.period !== 'last-week' || config.compare === 'none') return byProject;
  // A change needs a whole week before it and one since. One more week is read than the baseline has.
  if (config.baseline === 0) return byProject;
  const from = shiftWindow(window, -config.baseline);
  const range = { from, to: window, timeZone: config.timeZone };
  const byRepository = new Map<string, ChangesRead>();
  for (const project of config.projects) {
    const repository = findForProject(config.docsRepository, project);
    if (repository === undefined) continue;
    const name = nameOfRepository(repository);
    const changes = byRepository.get(name) ?? (await readChanges(repository, range, deps));
    byRepository.set(name, changes);
    byProject.set(project.id, changes);
  }
  return byProject;
}

function judgeVisitors(readings: Readings, config: Config): Report {
  const { window, ending, changesByProject } = readings;
  const sites = readings.sites.map((site) => {
    const changes = changesByProject.get(site.project.id);
    return judgeSite(site, changes, config);
  });
  const settings = { ...config, enough: readings.enough };
  const report = { window, ending, sites, settings, files: undefined };
  if (config.reportDir === undefined) return report;
  const ids = config.projects.map(({ id }) => id);
  return { ...report, files: reportPaths(config.reportDir, ids, window.slug, config.pages) };
}

function judgeSite(site: SiteRead, changes: ChangesRead | undefined, config: Config): Site {
  const rules = config.alerts.filter((rule) => appliesTo(rule, site.project));
  if ('failure' in site) {
    const why = { cause: 'unread-project' } as const;
    return { ...site, alerts: rules.map((rule) => ({ rule, state: 'unchecked', why })) };
  }
  const isChosen = pageFilter(config.pages);
  const gapOptions = { withWords: config.gaps === 'words', isChosen, visited: site.now.rows };
  const findings = compareWindows(site, config);
  return {
    ...site,
    findings,
    docsUrl: findForProject(config.docsUrl, site.project)?.url,
    gaps: site.gaps && listGaps(site.gaps, gapOptions),
    changed: changes && judgeChanges(changes, findings, isChosen),
    alerts: checkAlerts(rules, site, findings),
  };
}

/** Error messages from the service appear only in the log, each once for a project. */
function logServiceErrors(sites: readonly Site[], runner: Deps['runner']): void {
  for (const site of sites) {
    const earlier = isRead(site) ? site.earlier.map(({ cut }) => cut) : [];
    const messages = [...listCuts(site), ...earlier, ...listGapCuts(site)]
      .filter((cut) => cut?.kind === 'service')
      .map(({ message }) => message);
    for (const message of new Set(messages)) runner.info(`${site.project.name}: ${message}`);
  }
}

async function writeReport(report: Report, config: Config, budget: Budget, deps: Deps) {
  const summary = renderReport(report);
  try {
    const files = filesOf(report, deps.scrub(summary));
    for (const [path, text] of files) deps.files.write(path, text);
  } catch (error) {
    const failed = resultOfFailure(error, budget);
    const lead = `${failed.summary}\nThe files could not be written, but here is the report:`;
    // Without files, the report doesn't say where they are.
    const shown = renderReport({ ...report, files: undefined });
    return { ...failed, summary: `${lead}\n\n${shown}` };
  }
  const commentUrl = await postReport(report, config, deps);
  const facts = { summary, commentUrl, requestsUsed: budget.used, runUrl: deps.context.runUrl };
  return reportResult(report, facts, config.failOn);
}

function resultOfFailure(error: unknown, budget: Budget): VisitorsResult {
  const fields = { mode: 'visitors', requestsUsed: budget.used };
  return { ...resultOfError(error, fields), outputs: { 'requests-used': `${budget.used}` } };
}
