import * as z from 'zod/mini';
import type { VisitorsTotals } from '../../service/schemas.ts';
import type { Window } from './period.ts';
import { type WindowRead, whyNotWhole } from './window-read.ts';

/*
 * The text of a history file: one line of JSON per project and window, the one written last at the end:
 *   {"v":1,"project":"acme","start":"2026-11-09","end":"2026-11-16","complete":true,"totals":{…},"oddities":{…},"rows":[["/a",7,2,8],…]}
 * A row is path, human, ai, total: about 45 bytes a page; `null` stands for a count that the service did not tell. A window that
 * was not read whole has no rows (`null`).
 */

/**
 * How many windows of a project keep their rows: the latest by date. Older ones keep their totals, which is all that a trend
 * needs, so that the file does not grow without end.
 */
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
  oddities: z.object({
    repeatedRows: visitors,
    unusableRows: z.prefault(visitors, 0),
    shortPages: z.prefault(visitors, 0),
    driftedPages: visitors,
    emptyEnd: z.prefault(z.boolean(), false),
  }),
  rows: z.nullable(z.custom<RowTuple[]>((rows) => Array.isArray(rows) && rows.every(isRow))),
});
type Entry = z.infer<typeof entrySchema>;

/** A line of the file. Its rows stay text until they are asked for: of twelve windows with rows, a run needs two. */
interface Line {
  readonly text: string;
  /** `undefined` for a line that cannot be understood. It is kept as it is, since another version may have written it. */
  readonly entry: (Omit<Entry, 'rows'> & { readonly hasRows: boolean }) | undefined;
}

/** The lines of a history file, and the project whose windows are asked for. */
export interface HistoryLines {
  readonly project: string;
  readonly lines: readonly Line[];
}

/** A history file that was read, and the numbers, from 1, of lines that were not used. */
interface ParsedHistory {
  /** As the first project sees it. */
  readonly history: HistoryLines;
  /** Lines that cannot be understood. */
  readonly unreadable: number[];
  /** Whole windows of the projects that a later line tells with other totals; they are left out. */
  readonly outdated: number[];
}

/** Reads a history file's text for some projects; a byte order mark, which editors leave, is no part of it. */
export function parseHistory(text: string, project: string, ...others: string[]): ParsedHistory {
  const numbered = text
    .replace(/^\ufeff/, '')
    .split('\n')
    .map((line, index) => ({ number: index + 1, line: toLine(line, parseEntry(line)) }))
    .filter(({ line }) => line.text.trim() !== '');
  const all = numbered.map(({ line }) => line);
  const outdated = new Set(
    [project, ...others].flatMap((one) =>
      all.filter((line) => isOutdated(line, { project: one, lines: all })),
    ),
  );
  return {
    history: { project, lines: all.filter((line) => !outdated.has(line)) },
    unreadable: numbered.filter(({ line }) => line.entry === undefined).map(({ number }) => number),
    outdated: numbered.filter(({ line }) => outdated.has(line)).map(({ number }) => number),
  };
}

/** Whether a later line of the project has the same window, whole as well, with other totals. */
function isOutdated({ entry }: Line, { project, lines }: HistoryLines): boolean {
  if (entry?.project !== project || !entry.complete) return false;
  const latest = wholeLineOf({ project, lines }, entry)?.entry;
  return JSON.stringify(latest?.totals) !== JSON.stringify(entry.totals);
}

/** The text of the history file. */
export function historyText({ lines }: HistoryLines): string {
  return lines.map(({ text }) => `${text}\n`).join('');
}

/** A window that the history holds with all its rows, as if it had just been read. */
export function findWhole(history: HistoryLines, window: Window): WindowRead | undefined {
  const line = linesOf(history, window).findLast(({ entry }) => entry?.complete && entry.hasRows);
  const entry = line && parseEntry(line.text);
  if (entry === undefined) return undefined;
  const { totals, oddities } = entry;
  const rows = (entry.rows ?? []).map(([path, human, ai, total]) => ({
    path,
    ...toldOf({ human, ai, total }),
  }));
  return {
    window,
    totals: toldOf(totals),
    rows: new Map(rows.map((row) => [row.path, row])),
    cut: undefined,
    descending: false,
    oddities,
  };
}

/** A window's totals, also where its rows are missing; those of a complete entry if there is one. */
export function findTotals(history: HistoryLines, window: Window): VisitorsTotals | undefined {
  const { entry } = wholeLineOf(history, window) ?? linesOf(history, window).at(-1) ?? {};
  return entry && toldOf(entry.totals);
}

/** The history with this window in place of what it held of it. A complete entry gives way only to a complete one. */
export function withWindow(history: HistoryLines, read: WindowRead): HistoryLines {
  const { project, lines } = history;
  const known = linesOf(history, read.window);
  if (read.cut !== undefined && known.some(({ entry }) => entry?.complete)) return history;
  const others = lines.filter((line) => !known.includes(line));
  return withoutOldRows({ project, lines: [...others, lineOf(project, read)] });
}

/** The earliest first: the one that ended first, or that began first of two that ended together. */
function byDate(a: Line, b: Line): number {
  const [one, other] = [endOf(a), endOf(b)];
  return Number(one > other) - Number(one < other);
}

/** ISO dates, which sort as text. */
function endOf({ entry }: Line): string {
  return `${entry?.end} ${entry?.start}`;
}

/** Leaves out the rows of all but the latest windows of the project. */
function withoutOldRows({ project, lines }: HistoryLines): HistoryLines {
  const withRows = lines.filter(({ entry }) => entry?.project === project && entry.hasRows);
  const old = new Set(withRows.toSorted(byDate).slice(0, -windowsWithRows));
  return { project, lines: lines.map((line) => (old.has(line) ? withoutRows(line) : line)) };
}

function withoutRows({ text }: Line): Line {
  const entry: Entry = { ...JSON.parse(text), rows: null };
  return toLine(JSON.stringify(entry), entry);
}

function lineOf(project: string, { window, totals, rows, cut, oddities }: WindowRead): Line {
  const { start, end } = window;
  const complete = cut === undefined;
  const tuples = Array.from(
    rows.values(),
    ({ path, human, ai, total }): RowTuple => [path, human ?? null, ai ?? null, total],
  );
  const entry: Entry = {
    v: 1,
    project,
    start,
    end,
    complete,
    totals: { human: totals.human ?? null, ai: totals.ai ?? null, total: totals.total },
    oddities,
    rows: complete ? tuples : null,
  };
  return toLine(JSON.stringify(entry), entry);
}

function toLine(text: string, entry: Entry | undefined): Line {
  if (entry === undefined) return { text, entry };
  const { rows, ...others } = entry;
  return { text, entry: { ...others, hasRows: rows !== null } };
}

/** A list of which rows may be missing was not read whole, whatever the line says. */
function parseEntry(text: string): Entry | undefined {
  try {
    const entry = entrySchema.safeParse(JSON.parse(text)).data;
    return entry && { ...entry, complete: entry.complete && whyNotWhole(entry.oddities) === undefined };
  } catch {
    return undefined;
  }
}

function toldOf({ human, ai, total }: Entry['totals']): VisitorsTotals {
  return { human: human ?? undefined, ai: ai ?? undefined, total };
}

/** A plain check, since a schema would copy every one of 150,000 rows. */
function isRow(row: unknown): row is RowTuple {
  if (!Array.isArray(row) || row.length !== 4) return false;
  const [path, human, ai, total] = row;
  return typeof path === 'string' && isCount(human ?? 0) && isCount(ai ?? 0) && isCount(total);
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

/** The last line that tells the window whole, with or without its rows. */
function wholeLineOf(history: HistoryLines, window: Pick<Window, 'start' | 'end'>): Line | undefined {
  return linesOf(history, window).findLast(({ entry }) => entry?.complete);
}

/** The project's lines about a window. */
function linesOf({ project, lines }: HistoryLines, { start, end }: Pick<Window, 'start' | 'end'>): Line[] {
  return lines.filter(
    ({ entry }) => entry?.project === project && entry.start === start && entry.end === end,
  );
}
