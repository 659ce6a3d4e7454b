import { describeError } from '../../core/errors.ts';
import type { ModeResult, OutputsOf } from '../../core/mode-result.ts';
import type { ReportReason } from '../../core/reasons.ts';
import { aiShare } from '../judge/findings.ts';
import { roundedPercent } from '../judge/numbers.ts';
import { isComplete, isRead, type JudgedSite, type Report, type Site } from '../judge/report.ts';
import { isSilent } from '../read/window-read.ts';
import { alertResults, hasFired } from './alert-texts.ts';
import { digestOf } from './digest.ts';
import { whatGapsLack } from './gap-texts.ts';

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
  const figures = sites.length === 1 && first && isRead(first) ? siteResult(first, report) : undefined;
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
  const fired = sites.flatMap(({ project, alerts }) => {
    const whose = sites.length === 1 ? '' : `${project.name}: `;
    return alerts.filter(hasFired).map(({ rule }) => `${whose}${rule.text}`);
  });
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
  return { result: { ...result, ...details }, outputs, summary, ...annotationOf(report, failOn) };
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
  const { project, findings, alerts, gaps, changed } = site;
  const { totals, window } = site.now;
  const { change } = findings;
  const share = aiShare(totals);
  const paths = files?.data.get(project.id);
  const largest = gaps?.list.toSorted((a, b) => b.missed - a.missed).slice(0, maxGaps);
  return {
    reason: reasonOf([site]),
    total: totals.total ?? null,
    human: totals.human ?? null,
    ai: totals.ai ?? null,
    aiShare: share === undefined ? null : roundedPercent(share),
    changePercent: change === undefined ? null : roundedPercent(change),
    periodStart: window.start,
    periodEnd: window.end,
    complete: isComplete(site),
    csvFile: paths?.csv ?? '',
    jsonFile: paths?.json ?? '',
    gapsFile: (gaps && paths?.gaps) ?? '',
    gaps: gaps ? { complete: whatGapsLack(gaps) === '', list: largest } : null,
    changed:
      changed && 'rows' in changed ? { ...changed, rows: changed.rows.slice(0, maxGaps) } : (changed ?? null),
    alerts: alertResults(alerts, window),
  };
}

/** The annotation has the same text as the digest. */
function annotationOf(report: Report, failOn: ReadonlySet<string>): Pick<ModeResult, 'message' | 'red'> {
  const { sites } = report;
  const isWhole = sites.every(isComplete);
  const isAlarmed = sites.some(({ alerts }) => alerts.some(hasFired));
  const hasSilentSite = sites.filter(isRead).some(({ now }) => isSilent(now));
  const endings = { incomplete: !isWhole, alert: isAlarmed, 'no-visits': hasSilentSite };
  const red = Object.entries(endings).some(([ending, isSo]) => isSo && failOn.has(ending));
  const level = red ? 'error' : isWhole && !isAlarmed && !hasSilentSite ? 'notice' : 'warning';
  const verdict = isWhole ? 'Visitors report' : 'The visitors report is incomplete';
  const title = isAlarmed ? 'Visitors alert' : verdict;
  return { message: { level, title, text: digestOf(report) }, red };
}
