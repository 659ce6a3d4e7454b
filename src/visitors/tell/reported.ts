import type { ModeResult } from '../../core/mode-result.ts';
import { firstFew } from '../../text/first-few.ts';
import type { AlertResult } from '../judge/alerts.ts';
import { aiShareOf, totalOf } from '../judge/figures.ts';
import { hasNoVisits, isComplete } from '../read/window-read.ts';
import type { AlertSummary, SiteReport } from '../result-schema.ts';
import { alertLines, alertSentences, hasFired, uncheckedVerdict } from './alert-texts.ts';
import type { ReportContent } from './content.ts';
import { digest, plainText } from './digest.ts';
import { headline, titleOf } from './headline.ts';
import { whatIsMissing } from './incomplete.ts';
import { percentOutput, roundedPercent } from './numbers.ts';

/** Alert rules that an annotation tells of; the report and the output have all. */
const annotatedAlerts = 20;

/** What the run knows once the report is written. */
export interface Delivery {
  readonly summary: string;
  readonly commentUrl: string | undefined;
  readonly requestsUsed: number;
  /** The run's page. */
  readonly runUrl: string;
  readonly failOn: ReadonlySet<string>;
}

/** The end of a run that wrote the report of one project: outputs, one annotation, and whether the step turns red. */
export function reportedResult(content: ReportContent, delivery: Delivery): ModeResult<SiteReport> {
  const { windows, findings, alerts, files } = content;
  const values = {
    ...siteValues(content),
    requestsUsed: delivery.requestsUsed,
    reportFile: files?.markdown ?? '',
    digest: digest(content, delivery.runUrl),
  };
  return {
    result: {
      mode: 'visitors',
      outcome: 'reported',
      reason: reasonOf(content),
      ...values,
      alerts: alerts.map(withoutHits),
      commentUrl: delivery.commentUrl ?? null,
    },
    outputs: {
      ...outputsOf(values),
      'ai-share': percentOutput(aiShareOf(windows.now)),
      'change-percent': percentOutput(findings.change),
      alerts: alertLines(alerts).join('\n'),
    },
    ...toldOf(
      { isComplete: isComplete(windows), hasFired: hasFired(alerts), title: titleOf(windows.now.window) },
      [annotationText(content)],
      alertSentences(alerts),
      delivery,
    ),
  };
}

/** What a project's figures come to, and its files; `null` for what is not known. */
export function siteValues({ windows, findings, files }: ReportContent) {
  const { now } = windows;
  const share = aiShareOf(now);
  const { change } = findings;
  return {
    total: totalOf(now, 'total') ?? null,
    human: totalOf(now, 'human') ?? null,
    ai: totalOf(now, 'ai') ?? null,
    aiShare: share === undefined ? null : roundedPercent(share),
    changePercent: change === undefined ? null : roundedPercent(change),
    periodStart: now.window.start,
    periodEnd: now.window.end,
    complete: isComplete(windows),
    csvFile: files?.csv ?? '',
    jsonFile: files?.json ?? '',
  };
}

/** A report is `complete`, `incomplete`, or complete and about `no-visits`. */
export function reasonOf({ windows }: ReportContent): SiteReport['reason'] {
  if (!isComplete(windows)) return 'incomplete';
  return hasNoVisits(windows.now) ? 'no-visits' : 'complete';
}

/** Values of `result` as outputs: under the same names with hyphens, and what is not known is empty. */
export function outputsOf(
  values: Readonly<Record<string, string | number | boolean | null>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [hyphenated(name), `${value ?? ''}`]),
  );
}

/** How a report ended, for its annotation. */
interface Told {
  readonly isComplete: boolean;
  /** Whether an alert rule has. */
  readonly hasFired: boolean;
  /** The report's. */
  readonly title: string;
}

/** The summary, the annotation, and whether the step turns red. */
export function toldOf(
  { isComplete, hasFired, title }: Told,
  lines: readonly string[],
  fired: readonly string[],
  { summary, failOn }: Delivery,
): Pick<ModeResult, 'summary' | 'message' | 'red'> {
  const red = (!isComplete && failOn.has('incomplete')) || (hasFired && failOn.has('alert'));
  const level = red ? 'error' : isComplete && !hasFired ? 'notice' : 'warning';
  const verdict = isComplete ? title : 'The visitors report is incomplete';
  return {
    summary,
    message: {
      level,
      title: hasFired ? 'Visitors alert' : verdict,
      text: [...lines, ...firstFew(fired, annotatedAlerts)].join('\n'),
    },
    red,
  };
}

/** An alert without the pages it found: an output has room for a megabyte, and the JSON file holds them all. */
export function withoutHits(alert: AlertResult): AlertSummary {
  const rule = alert.rule.text;
  if (alert.state === 'unchecked') return { rule, state: alert.state, why: alert.why };
  const unchecked = alert.uncheckedPages === 0 ? {} : { uncheckedPages: alert.uncheckedPages };
  return alert.state === 'fired'
    ? { rule, state: alert.state, found: alert.hits.length, ...unchecked }
    : { rule, state: alert.state, ...unchecked };
}

/** Of which project and window the annotation is, what happened, what is missing, and what could not be checked. */
function annotationText(content: ReportContent): string {
  const { projectId, windows, alerts } = content;
  const sentences = [headline(content), ...whatIsMissing(content), uncheckedVerdict(alerts)];
  return `${projectId}, ${windows.now.window.label}: ${plainText(sentences)}`;
}

function hyphenated(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
