import type { ModeResult } from '../lib/outcome.ts';
import { alertLines, alertSentences } from './alert-words.ts';
import type { AlertVerdict } from './alerts.ts';
import { hasNoVisits } from './compare.ts';
import { aiShare } from './figures.ts';
import type { ReportInput } from './report.ts';
import { isComplete, plainVerdict } from './verdict.ts';

export interface Delivery {
  /** Paths of the files, `''` where none was written. */
  readonly places: { readonly report: string; readonly csv: string; readonly json: string };
  readonly summary: string;
  readonly commentUrl: string | undefined;
  readonly requestsUsed: number;
  readonly failOn: ReadonlySet<string>;
}

/** What the run hands back: outputs for workflows to branch on, and one annotation. */
export function reportedResult(input: ReportInput, delivery: Delivery): ModeResult {
  const { findings, predecessor, alerts } = input;
  const { now } = findings;
  const complete = isComplete(now, predecessor);
  const fired = alertLines(alerts);
  const values = {
    total: now.totals.total,
    human: now.totals.human,
    ai: now.totals.ai,
    'ai-share': rounded(aiShare(now.totals)),
    'change-percent': rounded(findings.changePercent),
    'period-start': now.window.start,
    'period-end': now.window.end,
    complete,
    'requests-used': delivery.requestsUsed,
    alerts: fired,
    'report-file': delivery.places.report,
    'csv-file': delivery.places.csv,
    'json-file': delivery.places.json,
  };
  const red =
    (!complete && delivery.failOn.has('incomplete')) || (fired !== '' && delivery.failOn.has('alert'));
  return {
    outcome: 'reported',
    reason: reasonOf(input, complete),
    outputs: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, `${value ?? ''}`])),
    result: {
      ...Object.fromEntries(Object.entries(values).map(([name, value]) => [camelCase(name), value ?? null])),
      alerts: alerts.map(summaryOf),
      commentUrl: delivery.commentUrl ?? null,
    },
    summary: delivery.summary,
    message: {
      level: red ? 'error' : complete && fired === '' ? 'notice' : 'warning',
      title: titleOf(complete, fired),
      text: [plainVerdict(input), ...alertSentences(alerts)].join('\n'),
    },
    red,
  };
}

/** Without the pages that a rule found: an output has room for a megabyte, and the JSON file holds them all. */
function summaryOf(verdict: AlertVerdict): object {
  const { rule, state } = verdict;
  return { rule: rule.text, state, ...(verdict.state === 'fired' ? { found: verdict.hits.length } : {}) };
}

function reasonOf({ findings }: ReportInput, complete: boolean): string {
  if (!complete) return 'incomplete';
  return hasNoVisits(findings.now) ? 'no-visits' : 'complete';
}

function titleOf(complete: boolean, fired: string): string {
  if (fired !== '') return 'Visitors alert';
  return complete ? 'Visitors' : 'The visitors report is incomplete';
}

/** To one decimal, as the report prints it. */
function rounded(percent: number | undefined): number | undefined {
  return percent === undefined ? undefined : Math.round(percent * 10) / 10;
}

function camelCase(name: string): string {
  return name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}
