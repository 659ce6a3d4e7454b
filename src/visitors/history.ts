import * as z from 'zod/mini';
import type { VisitorsTotals } from '../service/schemas.ts';
import type { WindowRead } from './export.ts';
import type { Window } from './period.ts';
import { RowTable } from './rows.ts';

/*
 * One line of JSON per project and window, the one written last at the end:
 *   {"v":1,"project":"acme","start":"2026-11-09","end":"2026-11-16","complete":true,"totals":{…},"oddities":{…},"rows":[["/a",7,2,8],…]}
 * Rows are tuples of path, human, ai, total: readable, and about 45 bytes a page. Windows cut short have no rows (`null`).
 * They stand last, so that the rest of a line can be read without them: a history may be many times as large as a report.
 */

/**
 * Windows of a project that keep their rows, the newest written first. Older ones keep their totals, which is all that a
 * trend needs, so that the file of a large site stays of bounded size.
 */
const windowsWithRows = 12;

/** Never inside a JSON text before the rows: a quote in a string is escaped. */
const rowsMark = ',"rows":';

const count = z.number().check(z.gte(0));
const headSchema = z.object({
  v: z.literal(1),
  project: z.string(),
  start: z.string(),
  end: z.string(),
  complete: z.boolean(),
  totals: z.object({ human: count, ai: count, total: count }),
  oddities: z.object({ repeatedRows: count, driftedPages: count }),
});
const rowsSchema = z.array(z.tuple([z.string(), count, count, count]));

type Head = z.infer<typeof headSchema>;

/** A line whose head is understood. */
interface KnownLine {
  readonly text: string;
  readonly head: Head;
  readonly hasRows: boolean;
}

/** A line that is no entry: kept as it is, since it may be another version's. */
interface StrangeLine {
  readonly text: string;
  readonly head?: undefined;
}

type Line = KnownLine | StrangeLine;

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

/** A window that history holds whole, as if it had just been read; `broken` where its rows cannot be understood. */
export function recall(history: History, window: Window): WindowRead | 'broken' | undefined {
  const line = entriesOf(history, window).findLast(({ head, hasRows }) => head.complete && hasRows);
  if (line === undefined) return undefined;
  const tuples = parseRows(line);
  if (tuples === undefined) return 'broken';
  const rows = new RowTable();
  for (const [path, human, ai, total] of tuples) rows.add({ path, human, ai, total });
  const { totals, oddities } = line.head;
  return { window, totals, rows, cut: undefined, descending: false, oddities };
}

/** A window's totals, of a whole entry if there is one. Totals are the service's own even where rows are lacking. */
export function recallTotals(history: History, window: Window): VisitorsTotals | undefined {
  const entries = entriesOf(history, window);
  return (entries.findLast(({ head }) => head.complete) ?? entries.at(-1))?.head.totals;
}

/** Adds a window in place of what was known of it. A whole entry is replaced only by a whole one, a broken one by none. */
export function remember(history: History, read: WindowRead): History {
  const { project } = history;
  const known = entriesOf(history, read.window);
  if (read.cut !== undefined && known.some(({ head }) => head.complete)) return history;
  const replaced = new Set<Line>(known.filter((line) => !line.hasRows || parseRows(line) !== undefined));
  const others = history.lines.filter((line) => !replaced.has(line));
  return trim({ project, lines: [...others, toLine(project, read)] });
}

/** The text of the history file, line by line. */
export function* historyText({ lines }: History): Iterable<string> {
  for (const { text } of lines) yield `${text}\n`;
}

/** Lets go of the rows of all but the newest windows of the project. */
function trim({ project, lines }: History): History {
  const withRows = lines.filter((line): line is KnownLine => isOf(line, project) && line.hasRows);
  const old = new Set<Line>(withRows.slice(0, -windowsWithRows));
  return { project, lines: lines.map((line) => (old.has(line) ? withoutRows(line) : line)) };
}

function withoutRows({ text }: Line): Line {
  return parseLine(`${text.slice(0, text.indexOf(rowsMark))}${rowsMark}null}`);
}

function toLine(project: string, { window, totals, rows, cut, oddities }: WindowRead): KnownLine {
  const { start, end } = window;
  const complete = cut === undefined;
  const head: Head = { v: 1, project, start, end, complete, totals, oddities };
  const tuples = complete
    ? Array.from(rows.values(), ({ path, human, ai, total }) => [path, human, ai, total])
    : null;
  const text = `${JSON.stringify(head).slice(0, -1)}${rowsMark}${JSON.stringify(tuples)}}`;
  return { text, head, hasRows: complete };
}

function parseLine(text: string): Line {
  const mark = text.indexOf(rowsMark);
  const head = mark === -1 ? undefined : parseJson(headSchema, `${text.slice(0, mark)}}`);
  if (head === undefined || !text.trimEnd().endsWith('}')) return { text };
  return { text, head, hasRows: text.startsWith('[', mark + rowsMark.length) };
}

function parseRows({ text }: KnownLine): z.infer<typeof rowsSchema> | undefined {
  const start = text.indexOf(rowsMark) + rowsMark.length;
  return parseJson(rowsSchema, text.slice(start, text.lastIndexOf('}')));
}

function parseJson<T>(schema: z.ZodMiniType<T>, text: string): T | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function entriesOf({ project, lines }: History, { start, end }: Window): KnownLine[] {
  return lines.filter(
    (line): line is KnownLine => isOf(line, project) && line.head.start === start && line.head.end === end,
  );
}

function isOf(line: Line, project: string): line is KnownLine {
  return line.head?.project === project;
}
