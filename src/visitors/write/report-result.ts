import { describeError } from '../../core/errors.ts';
import type { ModeResult, OutputsOf } from '../../core/mode-result.ts';
import type { ReportReason } from '../../core/reasons.ts';
import type { Changed } from '../judge/changes/changed-pages.ts';
import type { Gap, Gaps } from '../judge/gaps.ts';
import { isComplete, isRead, type JudgedSite, type Report, type Site } from '../judge/report.ts';
import { isSilent } from '../read/window-read.ts';
import { digestOf } from './digest.ts';
import { gapJson, periodJson } from './report-files.ts';
import { toPercent } from './words/figures.ts';
import { areGapsWhole } from './words/gap-texts.ts';
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
  const { sites, window } = report;
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
    reportFile: report.files?.markdown ?? '',
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
    ...fileOutputs(report),
    digest: result.digest,
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

/** The paths of the projects' files, one a line. */
function fileOutputs(report: Report) {
  const paths = report.sites
    .filter(isRead)
    .map(({ project }) => report.files?.data.get(project.id))
    .filter((data) => data !== undefined);
  const linesOf = (kind: 'csv' | 'json' | 'gaps') => paths.map((path) => path[kind]).join('\n');
  return {
    'csv-file': linesOf('csv'),
    'json-file': linesOf('json'),
    'gaps-file': report.settings.gaps === 'none' ? '' : linesOf('gaps'),
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
  if (problems.length > 0) return 'warning';
  return 'notice';
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
  const { id, name } = site.project;
  if (isRead(site)) return { project: id, name, ...siteResult(site, report) };
  return {
    project: id,
    name,
    reason: site.failure.reason,
    complete: false,
    error: describeError(site.failure),
    alerts: alertResults(site.alerts, report.window),
  };
}

/** A site's figures and files; unknown ones are `null`. */
function siteResult(site: JudgedSite, report: Report) {
  const { now, gaps } = site;
  const { change } = site.findings;
  const period = periodJson(now);
  const { totals } = period;
  const paths = report.files?.data.get(site.project.id);
  return {
    reason: reasonOf([site]),
    total: totals.total,
    human: totals.human,
    ai: totals.ai,
    aiShare: totals.aiShare,
    changePercent: change ? toPercent(change) : null,
    periodStart: period.start,
    periodEnd: period.end,
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
  const readersOf = ({ readers = 0 }: Gap) => readers;
  const list = gaps.list.toSorted((a, b) => readersOf(b) - readersOf(a) || b.missed - a.missed);
  return { complete: areGapsWhole(gaps), list: list.slice(0, maxListed).map(gapJson) };
}

function firstChanged(changed: Changed | undefined) {
  if (!changed?.rows) return changed ?? null;
  return { ...changed, rows: changed.rows.slice(0, maxListed) };
}
