import * as z from 'zod/mini';
import { messageOf } from '../../core/errors.ts';
import type { Deps } from '../../deps.ts';
import type { VisitorsRow } from '../../service/schemas.ts';
import { firstFew } from '../../text/counts.ts';
import { dayMs } from '../../text/duration.ts';
import type { Window } from './window.ts';
import { type Cut, lackOf, type WindowRead } from './window-read.ts';

/*
 * A history file has one line of JSON for each project and window:
 * {"v":1,"project":"acme","start":"2026-11-09","end":"2026-11-16","complete":true,"totals":{…},"rows":[["/a",7,2,8],…]}
 * A row is path, human, ai, total. A count is `null` if the service didn't give it, and `rows` is `null` for an incomplete
 * window. Rows take a lot of memory, so they are parsed only when they are needed.
 */

/** The windows that earlier runs and this run have read. If the file can't be read or written, that is only a warning. */
export type History = ReturnType<typeof openHistory>;

const count = z.nullable(z.number().check(z.gte(0)));
const headSchema = z.object({
  v: z.literal(1),
  project: z.string(),
  start: z.string(),
  end: z.string(),
  complete: z.boolean(),
  totals: z.object({ human: count, ai: count, total: count }),
});
type Head = z.infer<typeof headSchema>;
type RowTuple = [path: string, human: number | null, ai: number | null, total: number];
type Entry = Head & { readonly rows: RowTuple[] | null };
type WindowKey = Pick<Head, 'project' | 'start' | 'end'>;

/** A line of the file. A line without `head` can't be parsed, but another version may have written it, so it is kept. */
interface Line {
  readonly text: string;
  /** The line number, starting at 1. */
  readonly number?: number;
  readonly head?: Head | undefined;
}

/** This can't match inside a JSON string, because quotes are escaped there. */
const beforeRows = ',"rows":';

/** Opens the history. Without a path, it is empty and nothing is written. */
export function openHistory(
  path: string | undefined,
  /** How many consecutive windows a report needs. */
  windowsOfReport: number,
  { files, runner }: Pick<Deps, 'files' | 'runner'>,
) {
  const kept = new Map<string, () => Entry>();
  const attempt = <T>(what: () => T): T | undefined => {
    try {
      return what();
    } catch (error) {
      runner.warning(
        `The history file can’t be used, so the report was made without it: ${messageOf(error)}`,
      );
      return undefined;
    }
  };
  const readLines = () => parseLines((path === undefined ? undefined : files.read(path)) ?? '');
  let lines = attempt(readLines);
  const leaveOut = (unusable: readonly Line[]) => {
    if (unusable.length === 0) return;
    const numbers = unusable.map(({ number }) => `${number}`);
    const listed = firstFew(numbers, 10).join(', ');
    runner.warning(`${path}: some lines can’t be read. They are kept, but not used: line ${listed}`);
    lines = lines?.filter((line) => !unusable.includes(line));
  };
  leaveOut(lines?.filter(({ head }) => head === undefined) ?? []);
  const used: WindowKey[] = [];
  /** The line for a window, with its rows. A line whose rows can't be parsed is left out. */
  const entryFor = (key: WindowKey): Pick<Entry, 'totals' | 'rows'> | undefined => {
    const line = lineOf(lines ?? [], key);
    const rows = line && rowsOf(line);
    if (rows !== undefined) return line?.head && { totals: line.head.totals, rows };
    if (line === undefined) return undefined;
    leaveOut([line]);
    return entryFor(key);
  };
  return {
    /** A window, as far as the history has it. It may have only its totals, or nothing. */
    find(project: string, window: Window): WindowRead {
      const key = { project, start: window.start, end: window.end };
      used.push(key);
      const entry = entryFor(key);
      const rows = new Map<string, VisitorsRow>();
      for (const [path, human, ai, total] of entry?.rows ?? [])
        rows.set(path, { path, human: human ?? undefined, ai: ai ?? undefined, total });
      const { human, ai, total } = entry?.totals ?? {};
      const totals = { human: human ?? undefined, ai: ai ?? undefined, total: total ?? undefined };
      const cut: Cut | undefined = entry?.rows ? undefined : { kind: 'budget' };
      return { window, totals, rows, cut, mayLackRows: false };
    },
    keep(project: string, read: WindowRead) {
      // The entry is created only when it is written, because its rows would take memory until then.
      kept.set(`${read.window.start} ${read.window.end} ${project}`, () => entryOf(project, read));
    },
    /** Writes the recorded windows to the file. The file is read again first, because another run may have written to it. */
    save() {
      if (path === undefined || lines === undefined || kept.size === 0) return;
      attempt(() => {
        const known = readLines();
        const entries = Array.from(kept.values(), (entry) => entry());
        const all = withoutOldRows(entries.reduce(withEntry, known), used, windowsOfReport);
        const isChanged = all.length < known.length || all.some(({ text }, at) => text !== known[at]?.text);
        if (isChanged) files.write(path, all.map(({ text }) => `${text}\n`).join(''));
      });
    },
  };
}

function parseLines(text: string): Line[] {
  // Editors may add a byte order mark.
  const lines = text.replace(/^\ufeff/, '').split('\n');
  return lines
    .filter((line) => line.trim() !== '')
    .map((line, index) => {
      const at = line.indexOf(beforeRows);
      const hasRows = at > 0 && line.startsWith('[', at + beforeRows.length);
      const head = headSchema.safeParse(parsed(hasRows ? `${line.slice(0, at)}}` : line)).data;
      return { text: line, number: index + 1, head };
    });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The line for a window. A complete window comes first, then the last line. */
function lineOf(lines: readonly Line[], key: WindowKey): Line | undefined {
  const about = lines.filter((line) => isAbout(line, key));
  return about.findLast(({ head }) => head?.complete) ?? about.at(-1);
}

/** The rows in a line; `null` if the window is incomplete, `undefined` if they can't be parsed. */
function rowsOf({ head, text }: Line): RowTuple[] | null | undefined {
  if (!head?.complete || !text.includes(`${beforeRows}[`)) return null;
  const rows = (parsed(text) as Partial<Entry> | undefined)?.rows;
  return Array.isArray(rows) && rows.every(isRow) ? rows : undefined;
}

function entryOf(project: string, read: WindowRead): Entry {
  const { window, totals, rows } = read;
  const complete = lackOf(read) === undefined;
  const tuples = Array.from(
    rows.values(),
    ({ path, human, ai, total }): RowTuple => [path, human ?? null, ai ?? null, total],
  );
  return {
    v: 1,
    project,
    start: window.start,
    end: window.end,
    complete,
    totals: { human: totals.human ?? null, ai: totals.ai ?? null, total: totals.total ?? null },
    rows: complete ? tuples : null,
  };
}

/** Replaces the lines for a window with an entry. An incomplete window never replaces a complete one. */
function withEntry(lines: readonly Line[], entry: Entry): readonly Line[] {
  const about = lines.filter((line) => isAbout(line, entry) && rowsOf(line) !== undefined);
  const known = lineOf(about, entry);
  if (known?.head?.complete && !entry.complete) return lines;
  const added = { text: JSON.stringify(entry), head: entry };
  const others = lines.filter((line) => line === known || !about.includes(line));
  return known === undefined ? [...others, added] : others.with(others.indexOf(known), added);
}

/**
 * Drops rows that no report needs anymore. Reports on windows of different lengths may share the file. So a window keeps its
 * rows as long as a report on windows of the same length needs them, or if this run used them.
 */
function withoutOldRows(lines: readonly Line[], used: readonly WindowKey[], windowsOfReport: number): Line[] {
  const latest = new Map(used.map(({ project }) => [project, 0]));
  for (const { head } of lines) {
    const known = latest.get(head?.project ?? '');
    if (head && known !== undefined) latest.set(head.project, Math.max(known, Date.parse(head.end)));
  }
  const isOld = ({ project, start, end }: Head) => {
    const endMs = Date.parse(end);
    const days = (endMs - Date.parse(start)) / dayMs;
    // Other months may be longer than this one.
    const mostDays = days >= 28 && days <= 31 ? 31 : days;
    return endMs + windowsOfReport * mostDays * dayMs <= (latest.get(project) ?? 0);
  };
  return lines.map((line) => {
    const { head } = line;
    if (!head || !isOld(head) || used.some((key) => isAbout(line, key))) return line;
    return rowsOf(line) ? { head, text: JSON.stringify({ ...head, rows: null }) } : line;
  });
}

function isRow(row: unknown): row is RowTuple {
  if (!Array.isArray(row) || row.length !== 4) return false;
  const [path, human, ai, total] = row;
  const counts = [human ?? 0, ai ?? 0, total];
  return typeof path === 'string' && counts.every((count) => Number.isFinite(count) && count >= 0);
}

function isAbout({ head }: Line, { project, start, end }: WindowKey): boolean {
  return head?.project === project && head.start === start && head.end === end;
}
