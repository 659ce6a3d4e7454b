import type { ModeResult } from '../../lib/outcome.ts';
import type { AlertResult } from '../judge/alerts.ts';
import { aiShareOf, totalOf } from '../judge/figures.ts';
import { hasNoVisits, isComplete } from '../read/window-read.ts';
import { alertLines, alertSentences } from './alert-texts.ts';
import type { ReportContent } from './content.ts';
import { digest, plainText } from './digest.ts';
import { headline, titleOf } from './headline.ts';
import { whatIsMissing } from './incomplete.ts';
import { percentOutput, roundedPercent } from './numbers.ts';

/** What the run knows once the report is written. */
export interface Delivery {
  readonly summary: string;
  readonly commentUrl: string | undefined;
  readonly requestsUsed: number;
  /** The run's page. */
  readonly runUrl: string;
  readonly failOn: ReadonlySet<string>;
}

/** The end of a run that wrote its report: outputs, one annotation, and whether the step turns red. */
export function reportedResult(content: ReportContent, delivery: Delivery): ModeResult {
  const { windows, findings, alerts, files } = content;
  const { now } = windows;
  const complete = isComplete(windows);
  const fired = alertLines(alerts);
  const share = aiShareOf(now);
  const { change } = findings;
  const values = {
    total: totalOf(now, 'total'),
    human: totalOf(now, 'human'),
    ai: totalOf(now, 'ai'),
    'ai-share': share && roundedPercent(share),
    'change-percent': change && roundedPercent(change),
    'period-start': now.window.start,
    'period-end': now.window.end,
    complete,
    'requests-used': delivery.requestsUsed,
    alerts: fired,
    'report-file': files?.markdown ?? '',
    'csv-file': files?.csv ?? '',
    'json-file': files?.json ?? '',
    digest: digest(content, delivery.runUrl),
  };
  const red =
    (!complete && delivery.failOn.has('incomplete')) || (fired !== '' && delivery.failOn.has('alert'));
  return {
    outcome: 'reported',
    reason: reasonOf(content, complete),
    outputs: {
      ...Object.fromEntries(Object.entries(values).map(([name, value]) => [name, `${value ?? ''}`])),
      'ai-share': percentOutput(share),
      'change-percent': percentOutput(change),
    },
    result: {
      ...Object.fromEntries(Object.entries(values).map(([name, value]) => [camelCase(name), value ?? null])),
      alerts: alerts.map(withoutHits),
      commentUrl: delivery.commentUrl ?? null,
    },
    summary: delivery.summary,
    message: {
      level: red ? 'error' : complete && fired === '' ? 'notice' : 'warning',
      title: annotationTitle(content, complete, fired),
      text: [annotationText(content), ...alertSentences(alerts)].join('\n'),
    },
    red,
  };
}

/** An alert without the pages it found: an output has room for a megabyte, and the JSON file holds them all. */
function withoutHits(alert: AlertResult): object {
  const { rule, state } = alert;
  if (state === 'unchecked') return { rule: rule.text, state };
  const unchecked = alert.uncheckedPages === 0 ? {} : { uncheckedPages: alert.uncheckedPages };
  return { rule: rule.text, state, ...(state === 'fired' ? { found: alert.hits.length } : {}), ...unchecked };
}

function reasonOf({ windows }: ReportContent, complete: boolean): string {
  if (!complete) return 'incomplete';
  return hasNoVisits(windows.now) ? 'no-visits' : 'complete';
}

function annotationTitle({ windows }: ReportContent, complete: boolean, fired: string): string {
  if (fired !== '') return 'Visitors alert';
  return complete ? titleOf(windows.now.window) : 'The visitors report is incomplete';
}

/** Of which project and window the annotation is, what happened, and what is missing. */
function annotationText(content: ReportContent): string {
  const { projectId, windows } = content;
  const sentences = plainText([headline(content), ...whatIsMissing(content)]);
  return `${projectId}, ${windows.now.window.label}: ${sentences}`;
}

function camelCase(name: string): string {
  return name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}
