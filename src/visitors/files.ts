import { stringify } from 'csv-stringify/sync';
import type { AlertVerdict } from './alerts.ts';
import type { WindowRead } from './export.ts';
import type { Window } from './period.ts';

/** Rows that become text at a time: enough to be fast, few enough to need no memory to speak of. */
const rowsPerPiece = 500;

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
export function* csvFile(now: WindowRead, before: WindowRead | undefined): Iterable<string> {
  yield csvText([csvHead]);
  for (const rows of pieces(now.rows.values())) {
    yield csvText(
      rows.map(({ path, human, ai, total }) => {
        const earlier = before?.rows.get(path);
        return [path, human, ai, total, earlier?.human, earlier?.ai, earlier?.total];
      }),
    );
  }
}

function csvText(records: (string | number | undefined)[][]): string {
  return stringify(records, { escape_formulas: true, quoted_string: true, record_delimiter: 'windows' });
}

export interface JsonReport {
  readonly projectId: string;
  readonly timeZone: string;
  readonly now: WindowRead;
  readonly before: WindowRead | undefined;
  readonly alerts: readonly AlertVerdict[];
}

/** The raw data as one JSON object, version 1: both windows with all rows read, and what became of the alert rules. */
export function* jsonFile({ projectId, timeZone, now, before, alerts }: JsonReport): Iterable<string> {
  yield `{"version":1,"project":${JSON.stringify(projectId)},"timeZone":${JSON.stringify(timeZone)},\n"window":`;
  yield* jsonWindow(now);
  yield ',\n"before":';
  if (before === undefined) yield 'null';
  else yield* jsonWindow(before);
  yield `,\n"alerts":${JSON.stringify(alerts)}}\n`;
}

function* jsonWindow({ window, totals, rows, cut, oddities }: WindowRead): Iterable<string> {
  const { kind, start, end, label } = window;
  const head = { period: kind, start, end, label, complete: cut === undefined, cut: cut?.kind ?? null };
  yield `${JSON.stringify({ ...head, totals, oddities }).slice(0, -1)},"rows":[`;
  let comma = '\n';
  for (const piece of pieces(rows.values())) {
    yield comma + JSON.stringify(piece).slice(1, -1);
    comma = ',\n';
  }
  yield ']}';
}

function* pieces<T>(items: Iterable<T>): Iterable<T[]> {
  let piece: T[] = [];
  for (const item of items) {
    piece.push(item);
    if (piece.length < rowsPerPiece) continue;
    yield piece;
    piece = [];
  }
  if (piece.length > 0) yield piece;
}
