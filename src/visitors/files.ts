import { stringify } from 'csv-stringify/sync';
import type { AlertVerdict } from './alerts.ts';
import type { WindowRead } from './export.ts';
import type { Window } from './period.ts';

const csvHead = ['path', 'human', 'ai', 'total', 'human_before', 'ai_before', 'total_before'];

/** The name that the files of one project and window share: the same for every run about them. */
export function fileStem(projectId: string, { slug }: Window): string {
  return `visitors-${projectId.replace(/[^A-Za-z0-9._-]+/g, '_')}-${slug}`;
}

/**
 * All rows of the window as CSV (RFC 4180: CRLF, text quoted), in the order of the service, with the window before beside
 * them where it is known. A cell that a spreadsheet would take for a formula gets an apostrophe in front (OWASP, "CSV
 * Injection").
 */
export function csvFile(now: WindowRead, before: WindowRead | undefined): string {
  const records = Array.from(now.rows.values(), ({ path, human, ai, total }) => {
    const earlier = before?.rows.get(path);
    return [path, human, ai, total, earlier?.human, earlier?.ai, earlier?.total];
  });
  return stringify([csvHead, ...records], {
    escape_formulas: true,
    quoted_string: true,
    record_delimiter: 'windows',
  });
}

export interface JsonReport {
  readonly projectId: string;
  readonly timeZone: string;
  readonly now: WindowRead;
  readonly before: WindowRead | undefined;
  readonly alerts: readonly AlertVerdict[];
}

/** The raw data as one JSON object, version 1: both windows with all rows read, and what became of the alert rules. */
export function jsonFile({ projectId, timeZone, now, before, alerts }: JsonReport): string {
  const report = {
    version: 1,
    project: projectId,
    timeZone,
    window: jsonWindow(now),
    before: before === undefined ? null : jsonWindow(before),
    alerts,
  };
  return `${JSON.stringify(report)}\n`;
}

function jsonWindow({ window, totals, rows, cut, oddities }: WindowRead): object {
  const { kind, start, end, label } = window;
  return {
    period: kind,
    start,
    end,
    label,
    complete: cut === undefined,
    cut: cut?.kind ?? null,
    totals,
    oddities,
    rows: [...rows.values()],
  };
}
