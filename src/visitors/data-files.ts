import { stringify } from 'csv-stringify/sync';
import type { ReportFile } from '../report/files.ts';
import { roundedPercent } from '../report/numbers.ts';
import type { WindowRead, Windows } from '../report/window-read.ts';
import type { AlertResult } from './alerts.ts';
import { isRead, type ReadSite, type Report } from './report.ts';

/** All at once, they would take thirty times the memory of the file. */
const recordsAtOnce = 250;

const csvHead = ['path', 'human', 'ai', 'total', 'human_before', 'ai_before', 'total_before'];

/** The files of a report: the data of every site, and the report itself. */
export function filesOf({ sites, files, settings }: Report, markdown: string): ReportFile[] {
  if (files === undefined) return [];
  const data = sites.filter(isRead).flatMap((site): ReportFile[] => {
    const paths = files.data.get(site.project.id);
    if (paths === undefined) return [];
    return [
      [paths.csv, csvText(site.windows)],
      [paths.json, jsonText(site, settings.timeZone)],
    ];
  });
  return [...data, [files.markdown, markdown]];
}

/**
 * All rows of the window as CSV (RFC 4180: CRLF, text quoted), in the order of the service, with the window before next to them
 * if it is known. A cell that a spreadsheet would take for a formula gets an apostrophe in front (OWASP, "CSV Injection").
 */
export function csvText({ now, before }: Pick<Windows, 'now' | 'before'>): string {
  const options = { escape_formulas: true, quoted_string: true, record_delimiter: 'windows' } as const;
  const rows = [...now.rows.values()];
  let text = stringify([csvHead], options);
  for (let from = 0; from < rows.length; from += recordsAtOnce) {
    const records = rows.slice(from, from + recordsAtOnce).map(({ path, human, ai, total }) => {
      const earlier = before?.rows.get(path);
      return [path, human, ai, total, earlier?.human, earlier?.ai, earlier?.total];
    });
    text += stringify(records, options);
  }
  return text;
}

/** The data as one JSON object, version 1: both windows with all rows that were read, what is usual, and the alert rules. */
function jsonText(
  { project, windows: { now, before }, alerts, findings }: ReadSite,
  timeZone: string,
): string {
  const data = {
    version: 1,
    project: project.id,
    timeZone,
    window: windowJson(now),
    before: before === undefined ? null : windowJson(before),
    usual: findings.usual,
    movers: findings.movers,
    alerts: alerts.map(alertJson),
  };
  return `${JSON.stringify(data)}\n`;
}

/** A hit's figure is in per cent, rounded as in the report: the counts that it comes from are next to it. */
function alertJson(alert: AlertResult): object {
  if (alert.state !== 'fired') return alert;
  const hits = alert.hits.map(({ figure, ...hit }) => ({
    ...hit,
    percent: figure ? roundedPercent(figure) : null,
  }));
  return { ...alert, hits };
}

function windowJson({ window, totals, rows, cut }: WindowRead): object {
  const { kind, start, end, label } = window;
  return {
    period: kind,
    start,
    end,
    label,
    complete: cut === undefined,
    cut: cut?.kind ?? null,
    totals,
    rows: [...rows.values()],
  };
}
