import * as z from 'zod/mini';
import type { VisitorsTotals } from '../service/schemas.ts';
import type { WindowRead } from './export.ts';
import type { Window } from './period.ts';
import { RowTable } from './rows.ts';

/*
 * One line of JSON per project and window, the one written last at the end:
 *   {"v":1,"project":"acme","start":"2026-11-09","end":"2026-11-16","complete":true,"totals":{…},"rows":[["/a",7,2,8],…],"oddities":{…}}
 * Rows are tuples of path, human, ai, total: readable, and about 45 bytes a page. Windows cut short have no rows.
 */

/**
 * Windows of a project that keep their rows, the newest written first. Older ones keep their totals, which is all that a
 * trend needs, so that the file of a large site stays of bounded size.
 */
const windowsWithRows = 12;

const count = z.number().check(z.gte(0));
const totalsSchema = z.object({ human: count, ai: count, total: count });
const entrySchema = z.object({
  v: z.literal(1),
  project: z.string(),
  start: z.string(),
  end: z.string(),
  complete: z.boolean(),
  totals: totalsSchema,
  rows: z.nullable(z.array(z.tuple([z.string(), count, count, count]))),
  oddities: z.object({ repeatedRows: count, driftedPages: count }),
});

type Entry = z.infer<typeof entrySchema>;

/** Rows stay text until a window is asked for: a history may be many times as large as the report. */
interface KnownLine {
  readonly text: string;
  readonly project: string;
  readonly start: string;
  readonly end: string;
  readonly complete: boolean;
  readonly totals: VisitorsTotals;
  readonly hasRows: boolean;
}

/** A line that is no entry: kept as it is, since it may be another version's. */
interface StrangeLine {
  readonly text: string;
  readonly strange: true;
}

export interface History {
  readonly project: string;
  readonly lines: readonly (KnownLine | StrangeLine)[];
}

/** Reads a history file's text; `strange` holds the numbers, from 1, of the lines that are no entries. */
export function parseHistory(text: string, project: string): { history: History; strange: number[] } {
  const lines: (KnownLine | StrangeLine)[] = [];
  const strange: number[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const entry = parseEntry(line);
    if (entry === undefined) strange.push(index + 1);
    lines.push(entry === undefined ? { text: line, strange: true } : known(line, entry));
  }
  return { history: { project, lines }, strange };
}

/** A window that history holds whole, as if it had just been read. */
export function recall(history: History, window: Window): WindowRead | undefined {
  const line = entriesOf(history, window).findLast(({ complete, hasRows }) => complete && hasRows);
  const entry = line && parseEntry(line.text);
  if (entry?.rows == null) return undefined;
  const rows = new RowTable();
  for (const [path, human, ai, total] of entry.rows) rows.add({ path, human, ai, total });
  return {
    window,
    totals: entry.totals,
    rows,
    cut: undefined,
    descending: false,
    oddities: entry.oddities,
  };
}

/** A window's totals, of a whole entry if there is one. Totals are the service's own even where rows are lacking. */
export function recallTotals(history: History, window: Window): VisitorsTotals | undefined {
  const entries = entriesOf(history, window);
  return (entries.findLast(({ complete }) => complete) ?? entries.at(-1))?.totals;
}

/** Adds a window in place of what was known of it. A whole entry is replaced only by a whole one. */
export function remember(history: History, read: WindowRead): History {
  const { project } = history;
  const complete = read.cut === undefined;
  const known = entriesOf(history, read.window);
  if (!complete && known.some((line) => line.complete)) return history;
  const others = history.lines.filter((line) => 'strange' in line || !known.includes(line));
  return trim({ project, lines: [...others, toLine(project, read)] });
}

/** The text of the history file, line by line. */
export function* historyText({ lines }: History): Iterable<string> {
  for (const { text } of lines) yield `${text}\n`;
}

/** Lets go of the rows of all but the newest windows of the project. */
function trim({ project, lines }: History): History {
  const withRows = lines.filter((line): line is KnownLine => isOf(line, project) && line.hasRows);
  const old = new Set<KnownLine | StrangeLine>(withRows.slice(0, -windowsWithRows));
  if (old.size === 0) return { project, lines };
  return { project, lines: lines.map((line) => (old.has(line) ? withoutRows(line) : line)) };
}

function withoutRows(line: KnownLine | StrangeLine): KnownLine | StrangeLine {
  const entry = parseEntry(line.text);
  if (entry === undefined) return line;
  const bare: Entry = { ...entry, rows: null };
  return known(JSON.stringify(bare), bare);
}

function toLine(project: string, { window, totals, rows, cut, oddities }: WindowRead): KnownLine {
  const complete = cut === undefined;
  const tuples = Array.from(rows.values(), ({ path, human, ai, total }): [string, number, number, number] => [
    path,
    human,
    ai,
    total,
  ]);
  const entry: Entry = {
    v: 1,
    project,
    start: window.start,
    end: window.end,
    complete,
    totals,
    rows: complete ? tuples : null,
    oddities,
  };
  return known(JSON.stringify(entry), entry);
}

function known(text: string, { project, start, end, complete, totals, rows }: Entry): KnownLine {
  return { text, project, start, end, complete, totals, hasRows: rows !== null };
}

function parseEntry(line: string): Entry | undefined {
  try {
    return entrySchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

function entriesOf({ project, lines }: History, { start, end }: Window): KnownLine[] {
  return lines.filter(
    (line): line is KnownLine => isOf(line, project) && line.start === start && line.end === end,
  );
}

function isOf(line: KnownLine | StrangeLine, project: string): line is KnownLine {
  return !('strange' in line) && line.project === project;
}
