import { explain } from '../core/errors.ts';
import type { ModeResult, OutputsOf } from '../core/mode-result.ts';
import type { ReportReason } from '../core/reasons.ts';
import { plural, roundedPercent } from '../report/numbers.ts';
import { plainText } from '../report/shown.ts';
import { firstFew } from '../text/first-few.ts';
import { alertSentences, hasFired, uncheckedVerdict } from './alert-texts.ts';
import type { AlertResult } from './alerts.ts';
import { digestOf } from './digest.ts';
import { aiShare } from './findings.ts';
import { shownGaps } from './gaps.ts';
import { whatGapsLack } from './gaps-text.ts';
import { headline } from './headline.ts';
import { whatIsMissing } from './missing.ts';
import { silentInBrief, uncheckedInBrief } from './render.ts';
import {
  alertsOf,
  isComplete,
  isRead,
  isSilentSite,
  type ReadSite,
  type Report,
  reportTitle,
  type Site,
} from './report.ts';

/** The maximum number of alert rules in an annotation. The report and the output list all of them. */
const annotatedAlerts = 20;

/** The maximum number of gaps in an output. The JSON file lists all of them. */
const mostGaps = 10;

/** Facts about the run that the result includes, in addition to the report. */
interface Delivery {
  readonly summary: string;
  readonly commentUrl: string | undefined;
  readonly requestsUsed: number;
  readonly runUrl: string;
  readonly failOn: ReadonlySet<string>;
}

/**
 * The result of a run that wrote a report. With several projects, the figures are only in `result.projects`: their totals can't
 * be added up, and choosing one project would be arbitrary.
 */
export function reportResult(report: Report, delivery: Delivery): ModeResult<'visitors'> {
  const { sites } = report;
  const shared = sharedResult(report, delivery);
  const only = sites.length === 1 ? sites.find(isRead) : undefined;
  const figures = only && siteResult(only, report);
  const details = figures ?? { projects: sites.map((site) => projectResult(site, report)) };
  return {
    result: { ...shared, ...details },
    outputs: outputsOf(report, shared, figures),
    summary: delivery.summary,
    ...annotationOf(report, delivery.failOn),
  };
}

function sharedResult(report: Report, { requestsUsed, runUrl, commentUrl }: Delivery) {
  const { sites, window, files } = report;
  return {
    mode: 'visitors',
    outcome: 'reported',
    reason: reasonOf(sites),
    periodStart: window.start,
    periodEnd: window.end,
    complete: sites.every(isComplete),
    requestsUsed,
    reportFile: files?.markdown ?? '',
    digest: digestOf(report, runUrl),
    commentUrl: commentUrl ?? null,
  } as const;
}

function outputsOf(
  report: Report,
  result: ReturnType<typeof sharedResult>,
  figures: ReturnType<typeof siteResult> | undefined,
): OutputsOf<'visitors'> {
  const written = report.sites
    .filter(isRead)
    .flatMap(({ project }) => report.files?.data.get(project.id) ?? []);
  return {
    total: `${figures?.total ?? ''}`,
    human: `${figures?.human ?? ''}`,
    ai: `${figures?.ai ?? ''}`,
    'ai-share': figures?.aiShare?.toFixed(1) ?? '',
    'change-percent': figures?.changePercent?.toFixed(1) ?? '',
    'period-start': result.periodStart,
    'period-end': result.periodEnd,
    complete: `${result.complete}`,
    'requests-used': `${result.requestsUsed}`,
    alerts: named(report, (alerts) => alerts.filter(hasFired).map(({ rule }) => rule.text)).join('\n'),
    'report-file': result.reportFile,
    'csv-file': written.map(({ csv }) => csv).join('\n'),
    'json-file': written.map(({ json }) => json).join('\n'),
    'gaps-file': report.settings.gaps === 'none' ? '' : written.map(({ gaps }) => gaps).join('\n'),
    digest: result.digest,
  };
}

function reasonOf(sites: readonly Site[]): ReportReason {
  if (!sites.every(isComplete)) return 'incomplete';
  return sites.every(isSilentSite) ? 'no-visits' : 'complete';
}

function projectResult(site: Site, report: Report) {
  const { id, name } = site.project;
  if (isRead(site)) return { project: id, name, ...siteResult(site, report) };
  const { reason, text } = explain(site.failure);
  return { project: id, name, reason, complete: false, error: text, alerts: site.alerts.map(summaryOf) };
}

/** A site's figures and files; unknown ones are `null`. */
function siteResult(site: ReadSite, { files }: Report) {
  const { project, windows, findings, alerts, gaps } = site;
  const { totals, window } = windows.now;
  const { change } = findings;
  const share = aiShare(totals);
  const paths = files?.data.get(project.id);
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
    gaps: gaps ? { complete: whatGapsLack(gaps) === '', list: shownGaps(gaps, mostGaps) } : null,
    alerts: alerts.map(summaryOf),
  };
}

/** An alert without its pages. Outputs are limited to a megabyte, and the JSON file lists all pages. */
function summaryOf(alert: AlertResult) {
  const { rule, state } = alert;
  if (state === 'fired') return { rule: rule.text, state, found: alert.hits.length };
  return state === 'quiet' ? { rule: rule.text, state } : { rule: rule.text, state, why: alert.why };
}

function annotationOf(report: Report, failOn: ReadonlySet<string>): Pick<ModeResult, 'message' | 'red'> {
  const isWhole = report.sites.every(isComplete);
  const isAlarmed = alertsOf(report).some(hasFired);
  const isSilent = report.sites.some(isSilentSite);
  const endings = { incomplete: !isWhole, alert: isAlarmed, 'no-visits': isSilent };
  const red = Object.entries(endings).some(([ending, isSo]) => isSo && failOn.has(ending));
  const level = red ? 'error' : isWhole && !isAlarmed && !isSilent ? 'notice' : 'warning';
  const verdict = isWhole ? reportTitle(report.window) : 'The visitors report is incomplete';
  const text = [...annotationLines(report), ...firstFew(named(report, alertSentences), annotatedAlerts)];
  return { message: { level, title: isAlarmed ? 'Visitors alert' : verdict, text: text.join('\n') }, red };
}

function annotationLines(report: Report): string[] {
  const { sites, window } = report;
  const [only] = sites;
  const missing = whatIsMissing(report);
  if (sites.length === 1 && only !== undefined && isRead(only)) {
    const sentences = [headline(only), ...missing, uncheckedVerdict(only.alerts)];
    return [`${only.project.id}, ${window.label}: ${plainText(sentences)}`];
  }
  const about = `${plural(sites.length, 'project')}, ${window.label}.`;
  const said = [silentInBrief(report), missing.join(' '), uncheckedInBrief(report)];
  return [about, ...said.filter((line) => line !== '').map((line) => plainText([line]))];
}

/** Lines about each site. With several sites, each line begins with the site's name. */
function named({ sites }: Report, linesOf: (alerts: readonly AlertResult[]) => readonly string[]): string[] {
  const isOne = sites.length === 1;
  return sites.flatMap(({ project, alerts }) =>
    linesOf(alerts).map((line) => (isOne ? line : `${project.name}: ${line}`)),
  );
}
