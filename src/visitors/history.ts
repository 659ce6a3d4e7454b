import * as z from 'zod/mini';
import type { VisitorsTotals } from '../service/schemas.ts';
import type { WindowRead } from './export.ts';
import type { Window } from './period.ts';

/*
 * One line of JSON per project and window, the one written last at the end:
 *   {"v":1,"project":"acme","start":"2026-11-09","end":"2026-11-16","complete":true,"totals":{…},"oddities":{…},"rows":[["/a",7,2,8],…]}
 * Rows are tuples of path, human, ai, total: readable, and about 45 bytes a page. Windows cut short have no rows (`null`).
 */

/**
 * Windows of a project that keep their rows, the newest written first. Older ones keep their totals, which is all that a
 * trend needs, so that the file of a large site stays of bounded size.
 */
const windowsWithRows = 12;

const count = z.number().check(z.gte(0));
type RowTuple = [path: string, human: number, ai: number, total: number];

const entrySchema = z.object({
  v: z.literal(1),
  project: z.string(),
  start: z.string(),
  end: z.string(),
  complete: z.boolean(),
  totals: z.object({ human: count, ai: count, total: count }),
  oddities: z.object({ repeatedRows: count, driftedPages: count }),
  rows: z.nullable(z.custom<RowTuple[]>((rows) => Array.isArray(rows) && rows.every(isRow))),
});
type Entry = z.infer<typeof entrySchema>;

/** A line that is no entry is kept as it is: it may be another version's. */
interface Line {
  readonly text: string;
  /** `undefined` for a line that is no entry. The rows stay text until they are asked for: a run needs two windows' at most. */
  readonly head: Head | undefined;
}

interface Head extends Omit<Entry, 'rows'> {
  readonly hasRows: boolean;
}

interface KnownLine extends Line {
  readonly head: Head;
}

export interface History {
  readonly project: string;
  readonly lines: readonly Line[];
}

/** Reads a history file's text; `strange` holds the numbers, from 1, of the lines that are no entries. */
export function parseHistory(text: string, project: string): { history: History; strange: number[] } {
  const lines: Line[] = [];
  const strange: number[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const parsed = parseLine(line);
    if (parsed.head === undefined) strange.push(index + 1);
    lines.push(parsed);
  }
  return { history: { project, lines }, strange };
}

/** A window that history holds whole, as if it had just been read. */
export function recall(history: History, window: Window): WindowRead | undefined {
  const line = entriesOf(history, window).findLast(({ head }) => head.complete && head.hasRows);
  const entry = line && parseEntry(line.text);
  if (entry === undefined) return undefined;
  const { totals, oddities } = entry;
  const rows = (entry.rows ?? []).map(([path, human, ai, total]) => ({ path, human, ai, total }));
  return {
    window,
    totals,
    rows: new Map(rows.map((row) => [row.path, row])),
    cut: undefined,
    descending: false,
    oddities,
  };
}

/** A window's totals, of a whole entry if there is one. Totals are the service's own even where rows are lacking. */
export function recallTotals(history: History, window: Window): VisitorsTotals | undefined {
  const entries = entriesOf(history, window);
  return (entries.findLast(({ head }) => head.complete) ?? entries.at(-1))?.head.totals;
}

/** Adds a window in place of what was known of it. A whole entry is replaced only by a whole one. */
export function remember(history: History, read: WindowRead): History {
  const { project, lines } = history;
  const known = new Set<Line>(entriesOf(history, read.window));
  if (read.cut !== undefined && [...known].some(({ head }) => head?.complete)) return history;
  const others = lines.filter((line) => !known.has(line));
  return withoutOldRows({ project, lines: [...others, toLine(project, read)] });
}

/** The text of the history file. */
export function historyText({ lines }: History): string {
  return lines.map(({ text }) => `${text}\n`).join('');
}

/** Lets go of the rows of all but the newest windows of the project. */
function withoutOldRows({ project, lines }: History): History {
  const withRows = lines.filter((line) => line.head?.project === project && line.head.hasRows);
  const old = new Set(withRows.slice(0, -windowsWithRows));
  return { project, lines: lines.map((line) => (old.has(line) ? withoutRows(line) : line)) };
}

function withoutRows({ text }: Line): Line {
  return parseLine(JSON.stringify({ ...JSON.parse(text), rows: null }));
}

function toLine(project: string, { window, totals, rows, cut, oddities }: WindowRead): Line {
  const { start, end } = window;
  const complete = cut === undefined;
  const tuples = Array.from(
    rows.values(),
    ({ path, human, ai, total }): RowTuple => [path, human, ai, total],
  );
  const entry: Entry = {
    v: 1,
    project,
    start,
    end,
    complete,
    totals,
    oddities,
    rows: complete ? tuples : null,
  };
  return lineOf(JSON.stringify(entry), entry);
}

function parseLine(text: string): Line {
  const entry = parseEntry(text);
  return entry === undefined ? { text, head: undefined } : lineOf(text, entry);
}

function lineOf(text: string, { rows, ...head }: Entry): KnownLine {
  return { text, head: { ...head, hasRows: rows !== null } };
}

function parseEntry(text: string): Entry | undefined {
  try {
    return entrySchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** No schema, since a schema makes a copy of every row: a history may hold 150,000. */
function isRow(row: unknown): row is RowTuple {
  if (!Array.isArray(row) || row.length !== 4) return false;
  return row.every((cell, index) =>
    index === 0 ? typeof cell === 'string' : Number.isFinite(cell) && cell >= 0,
  );
}

function entriesOf({ project, lines }: History, { start, end }: Window): KnownLine[] {
  return lines.filter(
    (line): line is KnownLine =>
      line.head?.project === project && line.head.start === start && line.head.end === end,
  );
}
