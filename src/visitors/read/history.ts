import * as z from 'zod/mini';
import { messageOf } from '../../core/errors.ts';
import type { Deps } from '../../deps.ts';
import type { VisitorsRow, VisitorsTotals } from '../../service/schemas.ts';
import { firstFew } from '../../text/counts.ts';
import { dayMs } from '../../text/duration.ts';
import type { Scrub, Scrubbed } from '../../text/scrub.ts';
import type { Window } from './window.ts';
import { type Cut, isRanked, kindsOfTotals, lackOf, type WindowRead } from './window-read.ts';

/*
 * A history file has one line of JSON for each project and window, oldest first:
 * {"v":1,"project":"acme","start":"2026-11-09","end":"2026-11-16","complete":true,"totals":{…},
 * "rows":[["/a",7,2,8],…]}
 * A row is path, human, ai, total. A count is `null` if the service didn't give it, and `rows` is
 * `null` for a window that is incomplete, or so old that the next report doesn't need its rows. AI
 * is kept, too, because the report shows it for pages that changed, and before. An incomplete
 * window has its most-read pages instead, if they are known:
 * "first":[{"path":"/a","human":7,"ai":2,"total":8},…]. Earlier versions ignore those.
 */

/**
 * The windows that earlier runs and this run have read. If the file can't be read or written, that
 * is only a warning.
 */
export type History = ReturnType<typeof openHistory>;

/** A page in a whole window, and in `first`. zod's own types would take much longer for them. */
type StoredRow =
  | readonly [path: string, human: number | null, ai: number | null, total: number]
  | (Omit<VisitorsRow, 'path'> & { readonly path: string });
const list = z.optional(z.nullable(z.custom<readonly StoredRow[]>(Array.isArray)));
const count = z.nullable(z.number().check(z.gte(0)));
const entrySchema = z.object({
  v: z.literal(1),
  project: z.string(),
  start: z.string(),
  end: z.string(),
  complete: z.boolean(),
  totals: z.object({ human: count, ai: count, total: count }),
  rows: list,
  first: list,
});
type Rows = Map<string, VisitorsRow>;
type Entry = Omit<z.infer<typeof entrySchema>, 'rows' | 'first'> & { readonly rows: Rows | null };

/**
 * A line of the file. One that can't be parsed has no entry, but another version may have written
 * it, so it is kept.
 */
type Line = Readonly<{ text: string; entry: Entry | undefined }>;

/** A window that reading can go on with. */
export interface KnownWindow extends Omit<WindowRead, 'totals' | 'cut' | 'flaw'> {
  totals: VisitorsTotals;
  readonly rows: Rows;
  cut: Cut | undefined;
  flaw?: Cut | undefined;
}

/**
 * Opens the history. Without a path, it is empty and never written. It keeps the totals of all
 * windows, and the rows of the newest ones: of the newest, and of `maxAge` windows before it.
 */
export function openHistory(path: string | undefined, maxAge: number, deps: Deps) {
  const { files, runner, scrub } = deps;
  const warnIfFailing = <T>(act: () => T): T | undefined => {
    try {
      return act();
    } catch (error) {
      const why = messageOf(error);
      runner.warning(`The history file can’t be used, so the report was made without it: ${why}`);
      return undefined;
    }
  };
  const opened = path && warnIfFailing(() => files.read(path) ?? '');
  const { lines, unusable } = parseLines(opened ?? '', scrub);
  if (unusable.length > 0) {
    const listed = firstFew(unusable, 10).join(', ');
    runner.warning(
      `${path} has lines that can’t be read (line ${listed}). They are kept, but not used.`,
    );
  }
  const kept = new Map<string, Readonly<{ project: string; read: WindowRead }>>();
  return {
    /**
     * A window, as far as the history has it. It may have only its totals and most-read pages, or
     * nothing.
     */
    find(project: string, window: Window): KnownWindow {
      const entry = lines.get(keyOf({ project, ...window }))?.entry;
      const totals: VisitorsTotals = {};
      for (const kind of kindsOfTotals) totals[kind] = entry?.totals[kind] ?? undefined;
      const rows = entry?.rows ?? new Map();
      const known = { window, totals, rows, cut: undefined };
      if (entry?.complete && entry.rows !== null) return known;
      return { ...known, cut: { kind: 'budget' } };
    },

    keep(project: string, read: WindowRead) {
      kept.set(keyOf({ project, ...read.window }), { project, read });
    },

    /** Writes the kept windows to the file. An incomplete window never replaces a complete one. */
    save() {
      if (path === undefined || opened === undefined || kept.size === 0) return;
      for (const [key, { project, read }] of kept) {
        const line = lineOf(project, read);
        if (lines.get(key)?.entry?.complete && !line.entry?.complete) continue;
        lines.delete(key);
        lines.set(key, line);
      }
      const sorted = [...lines.values()].sort(compareStarts);
      const entries = sorted.map(({ entry }) => entry).filter((entry) => entry !== undefined);
      const saved = sorted.map(({ text, entry }) => {
        if (!entry?.rows || isRecent(entry, entries, maxAge)) return text;
        return JSON.stringify({ ...entry, rows: null });
      });
      const text = saved.map((line) => `${line}\n`).join('');
      if (text !== opened) warnIfFailing(() => files.write(path, text));
    },
  };
}

/** The lines of a file, and the numbers of those that can't be parsed. */
function parseLines(text: string, scrub: Scrub) {
  const lines = new Map<string, Line>();
  const unusable: string[] = [];
  const scrubOnce = rememberPaths(scrub);
  const texts = text.split('\n').filter((line) => line.trim() !== '');
  for (const [index, line] of texts.entries()) {
    const entry = parseLine(line, scrubOnce);
    if (entry === undefined) unusable.push(`${index + 1}`);
    lines.set(entry === undefined ? line : keyOf(entry), { text: line, entry });
  }
  return { lines, unusable };
}

/** Windows mostly have the same paths, so each path is kept in memory only once. */
function rememberPaths(scrub: Scrub): Scrub {
  const paths = new Map<string, Scrubbed>();
  return (stored) => {
    const known = paths.get(stored);
    if (known !== undefined) return known;
    const path = scrub(stored);
    paths.set(stored, path);
    return path;
  };
}

/** The entry of a line; `undefined` if it can't be parsed. */
function parseLine(text: string, scrub: Scrub): Entry | undefined {
  try {
    const { first, ...entry } = entrySchema.parse(JSON.parse(text));
    const stored = entry.rows ?? first;
    if (!stored) return { ...entry, rows: null };
    const rows: Rows = new Map();
    for (const item of stored) {
      const row = parseRow(item, scrub);
      rows.set(row.path, row);
    }
    return { ...entry, rows };
  } catch {
    return undefined;
  }
}

function parseRow(stored: StoredRow, scrub: Scrub): VisitorsRow {
  if ('path' in stored) return { ...stored, path: scrub(stored.path) };
  const [path, human, ai, total] = stored;
  return { path: scrub(path), human: human ?? undefined, ai: ai ?? undefined, total };
}

/** Sorts by the day on which a window starts. A line that can't be parsed comes first. */
function compareStarts(first: Line, second: Line): number {
  const start = first.entry?.start ?? '';
  return start.localeCompare(second.entry?.start ?? '');
}

function keyOf(entry: Pick<Entry, 'project' | 'start' | 'end'>): string {
  return `${entry.start} ${entry.end} ${entry.project}`;
}

function lineOf(project: string, read: WindowRead): Line {
  const { window, totals } = read;
  const entry = {
    v: 1 as const,
    project,
    start: window.start,
    end: window.end,
    complete: lackOf(read) === undefined,
    totals: {
      human: totals.human ?? null,
      ai: totals.ai ?? null,
      total: totals.total ?? null,
    },
  };
  const rows = [...read.rows.values()];
  let stored: object = { ...entry, rows: null };
  if (entry.complete)
    stored = { ...entry, rows: rows.map((row) => [row.path, row.human, row.ai, row.total]) };
  else if (isRanked(read)) stored = { ...stored, first: rows };
  return { text: JSON.stringify(stored), entry: { ...entry, rows: new Map(read.rows) } };
}

/** Whether a report on windows of the same length, the next one or this, may need a window’s rows. */
function isRecent(entry: Entry, entries: readonly Entry[], maxAge: number): boolean {
  const days = countDays(entry);
  const neededMs = Date.parse(entry.end) + maxAge * days * dayMs;
  return entries
    .filter((other) => other.project === entry.project && countDays(other) === days)
    .every(({ end }) => Date.parse(end) <= neededMs);
}

/** How long a window is. Months count as equally long, so a report finds one more than it needs. */
function countDays({ start, end }: Entry): number {
  const days = (Date.parse(end) - Date.parse(start)) / dayMs;
  const isMonth = days <= 31 && start.endsWith('-01') && end.endsWith('-01');
  return isMonth ? 31 : days;
}
