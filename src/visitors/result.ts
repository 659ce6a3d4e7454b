import { explain } from '../core/errors.ts';
import type { ModeResult } from '../core/mode-result.ts';
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

/** Alert rules in an annotation; the report and the output have all. */
const annotatedAlerts = 20;

/** Gaps in an output; the JSON file has all. */
const mostGaps = 10;

/** What the run knows once the report is written. */
interface Delivery {
  readonly summary: string;
  readonly commentUrl: string | undefined;
  readonly requestsUsed: number;
  readonly runUrl: string;
  readonly failOn: ReadonlySet<string>;
}

/**
 * The end of a run that wrote a report: outputs, one annotation, and whether the step turns red. The figures of several projects
 * are in `result.projects` alone: an output could only be a sum, which there is none of, or one project's by accident.
 */
export function reportResult(report: Report, delivery: Delivery): ModeResult {
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

/** What is known of a report, however many projects it is about. */
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
): Record<string, string> {
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

/** A report is `complete`, `incomplete`, or complete and about `no-visits`. */
function reasonOf(sites: readonly Site[]): ReportReason {
  if (!sites.every(isComplete)) return 'incomplete';
  return sites.every(isSilentSite) ? 'no-visits' : 'complete';
}

/** One of several projects. */
function projectResult(site: Site, report: Report) {
  const { id, name } = site.project;
  if (isRead(site)) return { project: id, name, ...siteResult(site, report) };
  const { reason, text } = explain(site.failure);
  return { project: id, name, reason, complete: false, error: text, alerts: site.alerts.map(summaryOf) };
}

/** A site's figures and files; `null` for what is not known. */
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

/** An alert without the pages it found: an output has room for a megabyte, and the JSON file has them all. */
function summaryOf(alert: AlertResult) {
  const { rule, state } = alert;
  if (state === 'fired') return { rule: rule.text, state, found: alert.hits.length };
  return state === 'quiet' ? { rule: rule.text, state } : { rule: rule.text, state, why: alert.why };
}

/** The annotation, and whether the step turns red. */
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

/** Which projects and window this is about, what happened, what is missing, and what could not be checked. */
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

/** Lines about each site; of several, each after the site's name. */
function named({ sites }: Report, linesOf: (alerts: readonly AlertResult[]) => readonly string[]): string[] {
  const isOne = sites.length === 1;
  return sites.flatMap(({ project, alerts }) =>
    linesOf(alerts).map((line) => (isOne ? line : `${project.name}: ${line}`)),
  );
}
