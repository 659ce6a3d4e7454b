import { describeError } from '../../core/errors.ts';
import type { ModeResult, OutputsOf } from '../../core/mode-result.ts';
import type { ReportReason } from '../../core/reasons.ts';
import type { Changed } from '../judge/changes/changed-pages.ts';
import type { Gaps } from '../judge/gaps.ts';
import { isComplete, isRead, type JudgedSite, type Report, type Site } from '../judge/report.ts';
import { isSilent } from '../read/window-read.ts';
import { digestOf } from './digest.ts';
import { gapsJson, periodJson } from './report-files.ts';
import { toPercent } from './words/figures.ts';
import { onlySite } from './words/verdicts.ts';
import { alertResults, firedRules } from './words/warnings.ts';

/**
 * The maximum number of gaps, and of pages that changed, in an output. The JSON file lists all of
 * them.
 */
const maxListed = 10;

/** What `fail-on` can name. */
type Problem = 'incomplete' | 'alert' | 'no-visits';

/**
 * The result of a run that wrote a report. Several projects' totals can't be added up, so they are
 * only in `projects`.
 */
export function reportResult(
  report: Report,
  run: { summary: string; commentUrl: string | undefined; requestsUsed: number; runUrl: string },
  failOn: ReadonlySet<string>,
): ModeResult<'visitors'> {
  const { sites, window, settings, files } = report;
  const paths = sites.filter(isRead).flatMap(({ project }) => files?.data.get(project.id) ?? []);
  const only = onlySite(sites);
  const figures = only && siteResult(only, report);
  const details = figures ?? { projects: sites.map((site) => projectResult(site, report)) };
  const result = {
    mode: 'visitors',
    outcome: 'reported',
    reason: reasonOf(sites),
    periodStart: window.start,
    periodEnd: window.end,
    complete: sites.every(isComplete),
    requestsUsed: run.requestsUsed,
    reportFile: files?.markdown ?? '',
    digest: digestOf(report, run.runUrl),
    commentUrl: run.commentUrl ?? null,
  } as const;
  const outputs: OutputsOf<'visitors'> = {
    total: `${figures?.total ?? ''}`,
    human: `${figures?.human ?? ''}`,
    ai: `${figures?.ai ?? ''}`,
    'ai-share': figures?.aiShare?.toFixed(1) ?? '',
    'change-percent': figures?.changePercent?.toFixed(1) ?? '',
    'period-start': result.periodStart,
    'period-end': result.periodEnd,
    complete: `${result.complete}`,
    'requests-used': `${result.requestsUsed}`,
    alerts: firedRules(sites).join('\n'),
    'report-file': result.reportFile,
    'csv-file': paths.map(({ csv }) => csv).join('\n'),
    'json-file': paths.map(({ json }) => json).join('\n'),
    'gaps-file': settings.gaps === 'none' ? '' : paths.map(({ gaps }) => gaps).join('\n'),
    digest: result.digest,
    'comment-url': run.commentUrl ?? '',
  };
  const problems = problemsIn(sites);
  const red = problems.some((problem) => failOn.has(problem));
  return {
    result: { ...result, ...details },
    outputs,
    summary: run.summary,
    message: {
      level: levelOf(problems, red),
      title: titleOf(problems),
      text: digestOf(report),
    },
    red,
  };
}

function problemsIn(sites: readonly Site[]): Problem[] {
  const problems: Problem[] = [];
  if (!sites.every(isComplete)) problems.push('incomplete');
  if (firedRules(sites).length > 0) problems.push('alert');
  if (sites.some(hasNoVisitors)) problems.push('no-visits');
  return problems;
}

const hasNoVisitors = (site: Site) => isRead(site) && isSilent(site.now);

function levelOf(problems: readonly Problem[], red: boolean) {
  if (red) return 'error';
  return problems.length > 0 ? 'warning' : 'notice';
}

function titleOf(problems: readonly Problem[]) {
  if (problems.includes('alert')) return 'Visitors alert';
  if (problems.includes('incomplete')) return 'The visitors report is incomplete';
  return 'Visitors report';
}

function reasonOf(sites: readonly Site[]): ReportReason {
  if (!sites.every(isComplete)) return 'incomplete';
  if (sites.every(hasNoVisitors)) return 'no-visits';
  return 'complete';
}

function projectResult(site: Site, report: Report) {
  const named = { project: site.project.id, name: site.project.name };
  if (isRead(site)) return { ...named, ...siteResult(site, report) };
  return {
    ...named,
    reason: site.failure.reason,
    complete: false,
    error: describeError(site.failure),
    alerts: alertResults(site.alerts, report.window),
  };
}

/** A site's figures and files; unknown ones are `null`. */
function siteResult(site: JudgedSite, report: Report) {
  const { now, gaps, findings } = site;
  const { change } = findings;
  const { totals, start, end } = periodJson(now);
  const paths = report.files?.data.get(site.project.id);
  return {
    reason: reasonOf([site]),
    ...totals,
    changePercent: change ? toPercent(change) : null,
    periodStart: start,
    periodEnd: end,
    complete: isComplete(site),
    csvFile: paths?.csv ?? '',
    jsonFile: paths?.json ?? '',
    gapsFile: gaps && paths ? paths.gaps : '',
    gaps: largestGaps(gaps),
    changed: firstChanged(site.changed),
    alerts: alertResults(site.alerts, now.window),
  };
}

function largestGaps(gaps: Gaps | undefined) {
  if (!gaps) return null;
  const { complete, list } = gapsJson(gaps);
  const largest = list.toSorted((a, b) => (b.human ?? 0) - (a.human ?? 0) || b.missed - a.missed);
  return { complete, list: largest.slice(0, maxListed) };
}

function firstChanged(changed: Changed | undefined) {
  if (!changed?.rows) return changed ?? null;
  return { ...changed, rows: changed.rows.slice(0, maxListed) };
}
