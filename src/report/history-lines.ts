import * as z from 'zod/mini';
import type { VisitorsTotals } from '../service/schemas.ts';
import type { Window } from './window.ts';
import type { WindowRead } from './window-read.ts';

/*
 * The text of a history file: one line of JSON per project and window, the one written last at the end:
 *   {"v":1,"project":"acme","start":"2026-11-09","end":"2026-11-16","complete":true,"totals":{…},"rows":[["/a",7,2,8],…]}
 * A row is path, human, ai, total: about 45 bytes a page; `null` for a count that the service did not give. A window that was
 * not read whole has no rows (`null`).
 */

/** How many windows of a project keep their rows, latest first. Older ones keep their totals, which is all a trend needs. */
const windowsWithRows = 12;

type RowTuple = [path: string, human: number | null, ai: number | null, total: number];

const visitors = z.number().check(z.gte(0));
const entrySchema = z.object({
  v: z.literal(1),
  project: z.string(),
  start: z.string(),
  end: z.string(),
  complete: z.boolean(),
  totals: z.object({ human: z.nullable(visitors), ai: z.nullable(visitors), total: visitors }),
  rows: z.nullable(z.custom<RowTuple[]>((rows) => Array.isArray(rows) && rows.every(isRow))),
});
type Entry = z.infer<typeof entrySchema>;

/** A line of the file. Its rows stay text until a run needs them. */
export interface HistoryLine {
  readonly text: string;
  /** `undefined` for a line that is not understood. It is kept as it is, since another version may have written it. */
  readonly entry: (Omit<Entry, 'rows'> & { readonly hasRows: boolean }) | undefined;
}

/** Which line is meant: a project's window. */
export interface WindowKey extends Pick<Window, 'start' | 'end'> {
  readonly project: string;
}

/** A history file that was read, and the numbers, from 1, of lines that are not used. */
export interface ParsedHistory {
  readonly lines: readonly HistoryLine[];
  /** Lines that are not understood; they are kept. */
  readonly unreadable: readonly number[];
  /** Whole windows of the projects for which a later line has other totals; they are left out. */
  readonly outdated: readonly number[];
}

/** Reads a history file's text for some projects; a byte order mark, which editors leave, is not part of it. */
export function parseHistory(text: string, projects: readonly string[]): ParsedHistory {
  const numbered = text
    .replace(/^\ufeff/, '')
    .split('\n')
    .map((line, index) => ({ number: index + 1, line: toLine(line, parseEntry(line)) }))
    .filter(({ line }) => line.text.trim() !== '');
  const all = numbered.map(({ line }) => line);
  const outdated = numbered.filter(
    ({ line }) => projects.includes(line.entry?.project ?? '') && isOutdated(line, all),
  );
  return {
    lines: all.filter((line) => !outdated.some((one) => one.line === line)),
    unreadable: numbered.filter(({ line }) => line.entry === undefined).map(({ number }) => number),
    outdated: outdated.map(({ number }) => number),
  };
}

/** Whether a later line has the same window, whole as well, with other totals. */
function isOutdated({ entry }: HistoryLine, lines: readonly HistoryLine[]): boolean {
  if (!entry?.complete) return false;
  const latest = wholeLine(lines, entry)?.entry;
  return JSON.stringify(latest?.totals) !== JSON.stringify(entry.totals);
}

/** The text of the history file. */
export function historyText(lines: readonly HistoryLine[]): string {
  return lines.map(({ text }) => `${text}\n`).join('');
}

/** A window that the history has with all its rows, as if it had just been read. */
export function findWhole(
  lines: readonly HistoryLine[],
  project: string,
  window: Window,
): WindowRead | undefined {
  const key = { project, start: window.start, end: window.end };
  const line = lines.findLast((one) => isAbout(one, key) && one.entry?.complete && one.entry.hasRows);
  const entry = line && parseEntry(line.text);
  if (entry === undefined) return undefined;
  const rows = (entry.rows ?? []).map(([path, human, ai, total]) => ({
    path,
    ...givenCounts({ human, ai, total }),
  }));
  return {
    window,
    totals: givenCounts(entry.totals),
    rows: new Map(rows.map((row) => [row.path, row])),
    cut: undefined,
    hasGaps: false,
  };
}

/** A window's totals, even if its rows are missing; those of a complete line if there is one. */
export function findTotals(lines: readonly HistoryLine[], key: WindowKey): VisitorsTotals | undefined {
  const { entry } = wholeLine(lines, key) ?? lines.findLast((line) => isAbout(line, key)) ?? {};
  return entry && givenCounts(entry.totals);
}

/** The line of a window that was read. */
export function historyLine(project: string, { window, totals, rows, cut }: WindowRead): HistoryLine {
  const complete = cut === undefined;
  const tuples = Array.from(
    rows.values(),
    ({ path, human, ai, total }): RowTuple => [path, human ?? null, ai ?? null, total],
  );
  const entry: Entry = {
    v: 1,
    project,
    start: window.start,
    end: window.end,
    complete,
    totals: { human: totals.human ?? null, ai: totals.ai ?? null, total: totals.total },
    rows: complete ? tuples : null,
  };
  return toLine(JSON.stringify(entry), entry);
}

/** The lines with this one instead of those of its window. A complete line is only replaced by a complete one. */
export function withLine(lines: readonly HistoryLine[], line: HistoryLine): readonly HistoryLine[] {
  const { entry } = line;
  if (entry === undefined || (!entry.complete && wholeLine(lines, entry) !== undefined)) return lines;
  const others = lines.filter((one) => !isAbout(one, entry));
  return withoutOldRows([...others, line], entry.project);
}

/** Leaves out the rows of all but the latest windows of a project. */
function withoutOldRows(lines: readonly HistoryLine[], project: string): HistoryLine[] {
  const withRows = lines.filter(({ entry }) => entry?.project === project && entry.hasRows);
  // ISO dates sort as text.
  const ends = new Map(withRows.map((line) => [line, `${line.entry?.end} ${line.entry?.start}`]));
  const latestFirst = withRows.toSorted((a, b) => ((ends.get(a) ?? '') < (ends.get(b) ?? '') ? 1 : -1));
  const old = new Set(latestFirst.slice(windowsWithRows));
  return lines.map((line) => (old.has(line) ? withoutRows(line) : line));
}

function withoutRows({ text }: HistoryLine): HistoryLine {
  const entry: Entry = { ...JSON.parse(text), rows: null };
  return toLine(JSON.stringify(entry), entry);
}

function toLine(text: string, entry: Entry | undefined): HistoryLine {
  if (entry === undefined) return { text, entry };
  const { rows, ...others } = entry;
  return { text, entry: { ...others, hasRows: rows !== null } };
}

function parseEntry(text: string): Entry | undefined {
  try {
    return entrySchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function givenCounts({ human, ai, total }: Entry['totals']): VisitorsTotals {
  return { human: human ?? undefined, ai: ai ?? undefined, total };
}

/** A plain check, since a schema would copy every one of 150,000 rows. */
function isRow(row: unknown): row is RowTuple {
  if (!Array.isArray(row) || row.length !== 4) return false;
  const [path, human, ai, total] = row;
  return typeof path === 'string' && [human ?? 0, ai ?? 0, total].every(isCount);
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

/** The last line that has the window whole, with or without its rows. */
function wholeLine(lines: readonly HistoryLine[], key: WindowKey): HistoryLine | undefined {
  return lines.findLast((line) => isAbout(line, key) && line.entry?.complete);
}

function isAbout({ entry }: HistoryLine, { project, start, end }: WindowKey): boolean {
  return entry?.project === project && entry.start === start && entry.end === end;
}
