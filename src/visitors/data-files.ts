import { stringify } from 'csv-stringify/sync';
import type { ReportFile } from '../report/files.ts';
import { roundedPercent } from '../report/numbers.ts';
import { lackOf, type WindowRead, type Windows } from '../report/window-read.ts';
import type { AlertResult } from './alerts.ts';
import type { Gaps } from './gaps.ts';
import { whatGapsLack } from './gaps-text.ts';
import { isRead, type ReadSite, type Report } from './report.ts';

/** Formatting all records at the same time would take thirty times the file's memory. */
const recordsAtOnce = 250;

/** RFC 4180: CRLF, quoted text. A cell that looks like a formula gets a leading apostrophe (OWASP, "CSV Injection"). */
const csvOptions = { escape_formulas: true, quoted_string: true, record_delimiter: 'windows' } as const;

const csvHead = ['path', 'human', 'ai', 'total', 'human_before', 'ai_before', 'total_before'];

export function filesOf({ sites, files, settings }: Report, markdown: string): ReportFile[] {
  if (files === undefined) return [];
  const data = sites.filter(isRead).flatMap((site): ReportFile[] => {
    const paths = files.data.get(site.project.id);
    if (paths === undefined) return [];
    const gaps: ReportFile[] = site.gaps ? [[paths.gaps, gapsCsv(site.gaps)]] : [];
    return [[paths.csv, csvText(site.windows)], [paths.json, jsonText(site, settings.timeZone)], ...gaps];
  });
  return [...data, [files.markdown, markdown]];
}

/** All rows of the window as CSV, in the service's order, next to those of the previous window if it was read. */
export function csvText({ now, before }: Pick<Windows, 'now' | 'before'>): string {
  const rows = [...now.rows.values()];
  let text = stringify([csvHead], csvOptions);
  for (let from = 0; from < rows.length; from += recordsAtOnce) {
    const records = rows.slice(from, from + recordsAtOnce).map(({ path, human, ai, total }) => {
      const earlier = before?.rows.get(path);
      return [path, human, ai, total, earlier?.human, earlier?.ai, earlier?.total];
    });
    text += stringify(records, csvOptions);
  }
  return text;
}

function gapsCsv({ groups }: Gaps): string {
  const columns = ['what', 'page', 'category', 'words', 'missed', 'asked'];
  return stringify(groups.flat(), { ...csvOptions, header: true, columns });
}

/** The data as one JSON object, version 1: both windows with all their rows, what is usual, the alert rules, and gaps. */
function jsonText(
  { project, windows: { now, before }, alerts, findings, gaps }: ReadSite,
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
    gaps: gaps === undefined ? null : { complete: whatGapsLack(gaps) === '', list: gaps.groups.flat() },
  };
  return `${JSON.stringify(data)}\n`;
}

/** The percentages of hits are rounded as in the report. Each hit also has the exact counts. */
function alertJson(alert: AlertResult): object {
  if (alert.state !== 'fired') return alert;
  const hits = alert.hits.map(({ figure, ...hit }) => ({
    ...hit,
    percent: figure ? roundedPercent(figure) : null,
  }));
  return { ...alert, hits };
}

function windowJson(read: WindowRead): object {
  const { window, totals, rows } = read;
  const { kind, start, end, label } = window;
  const cut = lackOf(read);
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
