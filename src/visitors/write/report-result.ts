import { describeError } from '../../core/errors.ts';
import type { ModeResult, OutputsOf } from '../../core/mode-result.ts';
import type { ReportReason } from '../../core/reasons.ts';
import { roundedPercent } from '../judge/numbers.ts';
import { isComplete, isRead, type JudgedSite, type Report, type Site } from '../judge/report.ts';
import { isSilent } from '../read/window-read.ts';
import { digestOf } from './digest.ts';
import { areGapsWhole } from './gap-texts.ts';
import { periodJson } from './report-files.ts';
import { alertResults, firedRules } from './warnings.ts';

/** The maximum number of gaps, and of pages that changed, in an output. The JSON file lists all of them. */
const maxGaps = 10;

/** The result of a run that wrote a report. Several projects' totals can't be added up, so they are only in `projects`. */
export function reportResult(
  report: Report,
  run: { summary: string; commentUrl: string | undefined; requestsUsed: number; runUrl: string },
  failOn: ReadonlySet<string>,
): ModeResult<'visitors'> {
  const { sites, window, files, settings } = report;
  const { summary, commentUrl = null, requestsUsed, runUrl } = run;
  const [first] = sites;
  const figures =
    sites.length === 1 && first && isRead(first) ? siteResult(first, report) : undefined;
  const result = {
    mode: 'visitors',
    outcome: 'reported',
    reason: reasonOf(sites),
    periodStart: window.start,
    periodEnd: window.end,
    complete: sites.every(isComplete),
    requestsUsed,
    reportFile: files?.markdown ?? '',
    digest: digestOf(report, runUrl),
    commentUrl,
  } as const;
  const details = figures ?? { projects: sites.map((site) => projectResult(site, report)) };
  const fired = firedRules(sites);
  const written = sites.filter(isRead).flatMap(({ project }) => files?.data.get(project.id) ?? []);
  const outputs: OutputsOf<'visitors'> = {
    total: `${figures?.total ?? ''}`,
    human: `${figures?.human ?? ''}`,
    ai: `${figures?.ai ?? ''}`,
    'ai-share': figures?.aiShare?.toFixed(1) ?? '',
    'change-percent': figures?.changePercent?.toFixed(1) ?? '',
    'period-start': result.periodStart,
    'period-end': result.periodEnd,
    complete: `${result.complete}`,
    'requests-used': `${requestsUsed}`,
    alerts: fired.join('\n'),
    'report-file': result.reportFile,
    'csv-file': written.map(({ csv }) => csv).join('\n'),
    'json-file': written.map(({ json }) => json).join('\n'),
    'gaps-file': settings.gaps === 'none' ? '' : written.map(({ gaps }) => gaps).join('\n'),
    digest: result.digest,
  };
  const isAlarmed = fired.length > 0;
  const hasSilentSite = sites.filter(isRead).some(({ now }) => isSilent(now));
  const endings = { incomplete: !result.complete, alert: isAlarmed, 'no-visits': hasSilentSite };
  const red = Object.entries(endings).some(([ending, isSo]) => isSo && failOn.has(ending));
  const isFine = result.complete && !isAlarmed && !hasSilentSite;
  const verdict = result.complete ? 'Visitors report' : 'The visitors report is incomplete';
  const message = {
    level: red ? 'error' : isFine ? 'notice' : 'warning',
    title: isAlarmed ? 'Visitors alert' : verdict,
    text: digestOf(report),
  } as const;
  return { result: { ...result, ...details }, outputs, summary, message, red };
}

function reasonOf(sites: readonly Site[]): ReportReason {
  if (!sites.every(isComplete)) return 'incomplete';
  return sites.filter(isRead).every(({ now }) => isSilent(now)) ? 'no-visits' : 'complete';
}

function projectResult(site: Site, report: Report) {
  const { id, name } = site.project;
  if (isRead(site)) return { project: id, name, ...siteResult(site, report) };
  const { reason } = site.failure;
  const error = describeError(site.failure);
  const alerts = alertResults(site.alerts, report.window);
  return { project: id, name, reason, complete: false, error, alerts };
}

/** A site's figures and files; unknown ones are `null`. */
function siteResult(site: JudgedSite, { files }: Report) {
  const { project, now, findings, alerts, gaps, changed } = site;
  const { start: periodStart, end: periodEnd, totals } = periodJson(now);
  const { total, ...others } = totals;
  const { change } = findings;
  const paths = files?.data.get(project.id);
  const largest = gaps?.list.toSorted((a, b) => b.missed - a.missed).slice(0, maxGaps);
  return {
    reason: reasonOf([site]),
    total,
    ...others,
    changePercent: change === undefined ? null : roundedPercent(change),
    periodStart,
    periodEnd,
    complete: isComplete(site),
    csvFile: paths?.csv ?? '',
    jsonFile: paths?.json ?? '',
    gapsFile: (gaps && paths?.gaps) ?? '',
    gaps: gaps ? { complete: areGapsWhole(gaps), list: largest } : null,
    changed: changed?.rows
      ? { ...changed, rows: changed.rows.slice(0, maxGaps) }
      : (changed ?? null),
    alerts: alertResults(alerts, now.window),
  };
}
