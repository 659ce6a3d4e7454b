import { Budget } from '../core/budget.ts';
import { messageOf } from '../core/errors.ts';
import { type ModeResult, resultOfError } from '../core/mode-result.ts';
import type { Deps } from '../deps.ts';
import type { VisitorsConfig } from './inputs.ts';
import { isFor } from './judge/alerts/alert-rules.ts';
import { checkAlerts, type WhyUnchecked } from './judge/alerts/alerts.ts';
import { changedPages } from './judge/changes/changed-pages.ts';
import { findingsOf } from './judge/findings.ts';
import { gapsOf } from './judge/gaps.ts';
import { cutsIn, isRead, type Report, type Site } from './judge/report.ts';
import { pageFilter } from './judge/site-pages.ts';
import { openHistory } from './read/history.ts';
import { type ChangesRead, readChanges } from './read/read-changes.ts';
import { readSites, type SiteRead } from './read/read-sites.ts';
import { chooseWindow, laterWindow, type Window } from './read/window.ts';
import { isSilent } from './read/window-read.ts';
import { renderReport } from './write/render.ts';
import { filesOf, reportPaths } from './write/report-files.ts';
import { reportResult } from './write/report-result.ts';
import { postReport } from './write/thread-report.ts';

/** How late a run is assumed to have started if GitHub doesn't say. Schedules are rarely later. */
const assumedDelayMs = 2 * 60 * 60 * 1000;

const publicWarning =
  '`gaps: words` quotes what people asked and searched for, and in a public repository, job summaries, comments, and artifacts are public. Use `gaps: counts`, or report from a private repository.';

/** Runs visitors mode. Errors and cancellations end in a result, too. The history keeps what was read even if the run fails. */
export async function runVisitors(
  config: VisitorsConfig,
  deps: Deps,
): Promise<ModeResult<'visitors'>> {
  // These outputs remain if the run is killed. Otherwise, they are overwritten at the end.
  deps.runner.setOutput('outcome', 'failed');
  deps.runner.setOutput('reason', 'interrupted');
  const budget = new Budget(config.maxRequests);
  const failed = (error: unknown): ModeResult<'visitors'> => ({
    ...resultOfError(error, { mode: 'visitors', requestsUsed: budget.used }),
    outputs: { 'requests-used': `${budget.used}` },
  });
  try {
    const report = await readReport(config, budget, deps);
    const summary = renderReport(report);
    try {
      for (const [path, text] of filesOf(report, deps.scrub(summary))) deps.files.write(path, text);
    } catch (error) {
      const result = failed(error);
      const lead = `${result.summary}\nThe files could not be written, but here is the report:`;
      return { ...result, summary: `${lead}\n\n${renderReport({ ...report, files: undefined })}` };
    }
    const commentUrl = await postReport(report, config, deps);
    const run = { summary, commentUrl, requestsUsed: budget.used, runUrl: deps.context.runUrl };
    return reportResult(report, run, config.failOn);
  } catch (error) {
    return failed(error);
  }
}

async function readReport(config: VisitorsConfig, budget: Budget, deps: Deps): Promise<Report> {
  const { projects, reportDir } = config;
  const { service, runner, signal } = deps;
  const window = chooseWindow(config, await runCreatedAtMs(deps));
  runner.info(`Visitors, ${window.label} (${config.timeZone})`);
  if (config.gaps === 'words' && !deps.context.isPrivate) runner.warning(publicWarning);
  const changes = await readAllChanges(window, config, deps);
  const ids = projects.map(({ id }) => id);
  // The window, and those that show what is usual for it. A re-run needs them all.
  const history = openHistory(config.historyFile, Math.max(1, config.baseline) + 1, deps);
  try {
    const { reads, enough } = await readSites({
      ...config,
      window,
      budget,
      history,
      service,
    });
    signal.throwIfAborted();
    const sites = reads.map((read) => judge(read, config, changes.get(read.project.id)));
    for (const site of sites) {
      // Error messages from the service appear only in the log.
      const parts = isRead(site) ? (site.gaps?.read ?? []) : [];
      for (const cut of [...cutsIn(site), ...parts.map((part) => part.cut)])
        if (cut?.kind === 'service') runner.info(`${site.project.name}: ${cut.message}`);
    }
    const files =
      reportDir === undefined ? undefined : reportPaths(reportDir, ids, window.slug, config.pages);
    return { window, sites, settings: { ...config, enough }, files };
  } finally {
    history.save();
  }
}

/** When the run was created, or two hours ago if that is unknown. A re-run keeps the time, so it reports the same window. */
async function runCreatedAtMs({ github, context, clock, runner, signal }: Deps): Promise<number> {
  const assumed = clock.now() - assumedDelayMs;
  if (github === undefined || context.runId === '') return assumed;
  try {
    return await github.readRunCreatedAt(context.runId);
  } catch (error) {
    signal.throwIfAborted();
    runner.warning(
      `Couldn’t find out when the run was created, so the report assumes that it was created two hours ago. Add \`actions: read\` under \`permissions:\`. ${messageOf(error)}`,
    );
    return assumed;
  }
}

/** What changed in the repositories of the projects' pages, by project ID. Only a weekly report says so. */
async function readAllChanges(window: Window, config: VisitorsConfig, deps: Deps) {
  const { period, compare, baseline, timeZone, docsRepository, projects } = config;
  const [read, known] = [new Map<string, ChangesRead>(), new Map<string, ChangesRead>()];
  // A change needs a whole week before it and one since.
  if (period !== 'last-week' || compare === 'none' || baseline < 2) return read;
  const range = { from: laterWindow(window, 1 - baseline), to: window, timeZone };
  for (const project of projects) {
    const repository = docsRepository.find((line) => isFor(line, project));
    if (repository === undefined) continue;
    const name = `${repository.owner}/${repository.repo}`.toLowerCase();
    const changes = known.get(name) ?? (await readChanges(repository, range, deps));
    known.set(name, changes);
    read.set(project.id, changes);
  }
  return read;
}

function judge(read: SiteRead, config: VisitorsConfig, changes: ChangesRead | undefined): Site {
  const rules = config.alerts.filter((rule) => isFor(rule, read.project));
  const why: WhyUnchecked = { cause: 'unread-project' };
  if ('failure' in read)
    return { ...read, alerts: rules.map((rule) => ({ rule, state: 'unchecked', why })) };
  const isChosen = pageFilter(config.pages);
  const { counts, ...findings } = findingsOf(read, config);
  const changed =
    changes && 'pulls' in changes && !isSilent(read.now)
      ? changedPages(changes, counts, isChosen)
      : undefined;
  return {
    ...read,
    findings,
    docsUrl: config.docsUrl.find((site) => isFor(site, read.project))?.url,
    gaps: read.gaps && gapsOf(read.gaps, config.gaps === 'words', isChosen, read.now.rows),
    changed: changes && 'problem' in changes ? changes : changed,
    alerts: checkAlerts(rules, read, findings),
  };
}
