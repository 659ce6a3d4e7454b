import * as z from 'zod/mini';
import { messageOf } from '../../core/errors.ts';
import { mapped } from '../../core/mapped.ts';
import type { Deps } from '../../deps.ts';
import type { VisitorsRow } from '../../service/schemas.ts';
import { firstFew } from '../../text/counts.ts';
import { dayMs } from '../../text/duration.ts';
import type { Window } from './window.ts';
import { lackOf, type WindowRead } from './window-read.ts';

/*
 * A history file has one line of JSON for each project and window:
 * {"v":1,"project":"acme","start":"2026-11-09","end":"2026-11-16","complete":true,"totals":{…},"rows":[["/a",7,2,8],…]}
 * A row is path, human, ai, total. A count is `null` if the service didn't give it, and `rows` is `null` for a window that is
 * incomplete, or so old that no report needs its rows.
 */

/** The windows that earlier runs and this run have read. If the file can't be read or written, that is only a warning. */
export type History = ReturnType<typeof openHistory>;

type RowTuple = readonly [path: string, human: number | null, ai: number | null, total: number];

/** zod's own types would take much longer. */
const rowTuples = z.custom<readonly RowTuple[]>((rows) => Array.isArray(rows) && rows.every(isRow));
const rowsByPath = mapped(rowTuples, (tuples): ReadonlyMap<string, VisitorsRow> => {
  const rows = new Map<string, VisitorsRow>();
  for (const [path, human, ai, total] of tuples)
    rows.set(path, { path, human: human ?? undefined, ai: ai ?? undefined, total });
  return rows;
});
const count = z.nullable(z.number().check(z.gte(0)));
const entrySchema = z.object({
  v: z.literal(1),
  project: z.string(),
  start: z.string(),
  end: z.string(),
  complete: z.boolean(),
  totals: z.object({ human: count, ai: count, total: count }),
  rows: z.nullable(rowsByPath),
});
type Entry = z.infer<typeof entrySchema>;

/** A line of the file. One that can't be parsed has no entry, but another version may have written it, so it is kept. */
interface Line {
  readonly text: string;
  readonly entry?: Entry | undefined;
}

/**
 * Opens the history. Without a path, it is empty and nothing is written.
 * @param windowsOfReport how many consecutive windows a report needs.
 */
export function openHistory(
  path: string | undefined,
  windowsOfReport: number,
  { files, runner }: Pick<Deps, 'files' | 'runner'>,
) {
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
  const read = () => (path === undefined ? undefined : files.read(path)) ?? '';
  const opened = attempt(read);
  const lines = linesIn(opened ?? '');
  const unusable = lines.flatMap(({ entry }, index) => (entry ? [] : `${index + 1}`));
  if (unusable.length > 0) {
    const listed = firstFew(unusable, 10).join(', ');
    runner.warning(`${path}: some lines can’t be read. They are kept, but not used: line ${listed}`);
  }
  const used = new Set<string>();
  const kept = new Map<string, Readonly<{ project: string; read: WindowRead }>>();
  return {
    /** A window, as far as the history has it. It may have only its totals, or nothing. */
    find(project: string, window: Window): WindowRead {
      const key = keyOf({ project, ...window });
      used.add(key);
      const { totals, rows } = known(lines, key) ?? {};
      const countOf = (kind: 'human' | 'ai' | 'total') => totals?.[kind] ?? undefined;
      const cut = rows ? undefined : ({ kind: 'budget' } as const);
      const counts = { human: countOf('human'), ai: countOf('ai'), total: countOf('total') };
      return { window, totals: counts, rows: rows ?? new Map(), cut, mayLackRows: false };
    },
    keep(project: string, read: WindowRead) {
      kept.set(keyOf({ project, ...read.window }), { project, read });
    },
    /** Writes the recorded windows to the file. The file is read again first, because another run may have written to it. */
    save() {
      if (path === undefined || opened === undefined || kept.size === 0) return;
      attempt(() => {
        const text = read();
        let all = text === opened ? lines : linesIn(text);
        for (const { project, read } of kept.values()) all = withWindow(all, project, read);
        const saved = withoutOldRows(all, used, windowsOfReport)
          .map((line) => `${line.text}\n`)
          .join('');
        if (saved !== text) files.write(path, saved);
      });
    },
  };
}

function linesIn(text: string): readonly Line[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => ({ text: line, entry: entrySchema.safeParse(parsed(line)).data }));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function keyOf({ project, start, end }: Pick<Entry, 'project' | 'start' | 'end'>): string {
  return `${start} ${end} ${project}`;
}

function isAbout({ entry }: Line, key: string): boolean {
  return entry !== undefined && keyOf(entry) === key;
}

/** What the lines say about a window: the last complete one, or else the last one. */
function known(lines: readonly Line[], key: string): Entry | undefined {
  const about = lines.filter((line) => isAbout(line, key));
  return (about.findLast(({ entry }) => entry?.complete) ?? about.at(-1))?.entry;
}

/** Replaces the lines for a window. An incomplete window never replaces a complete one. */
function withWindow(lines: readonly Line[], project: string, { window, totals, rows, cut }: WindowRead) {
  const { start, end } = window;
  const key = keyOf({ project, start, end });
  const complete = lackOf({ totals, cut }) === undefined;
  if (known(lines, key)?.complete && !complete) return lines;
  const tuples = Array.from(rows.values(), ({ path, human, ai, total }) => [path, human, ai, total]);
  const { human = null, ai = null, total = null } = totals;
  const head = { v: 1, project, start, end, complete, totals: { human, ai, total } } as const;
  const line = {
    text: JSON.stringify({ ...head, rows: complete ? tuples : null }),
    entry: { ...head, rows: complete ? rows : null },
  };
  return [...lines.filter((line) => !isAbout(line, key)), line];
}

/**
 * Drops rows that no report needs anymore. Reports on windows of different lengths may share the file. So a window keeps its
 * rows as long as a report on windows of the same length needs them, or if this run used them.
 */
function withoutOldRows(lines: readonly Line[], used: ReadonlySet<string>, windowsOfReport: number): Line[] {
  const latest = new Map<string, number>();
  for (const { entry } of lines)
    if (entry) latest.set(entry.project, Math.max(latest.get(entry.project) ?? 0, Date.parse(entry.end)));
  return lines.map((line) => {
    const { entry } = line;
    if (!entry?.rows || used.has(keyOf(entry))) return line;
    const days = (Date.parse(entry.end) - Date.parse(entry.start)) / dayMs;
    // Other months may be longer than this one.
    const reachMs = windowsOfReport * (days >= 28 && days <= 31 ? 31 : days) * dayMs;
    if (Date.parse(entry.end) + reachMs > (latest.get(entry.project) ?? 0)) return line;
    const bare = { ...entry, rows: null };
    return { text: JSON.stringify(bare), entry: bare };
  });
}

function isRow(row: unknown): row is RowTuple {
  if (!Array.isArray(row) || row.length !== 4) return false;
  return typeof row[0] === 'string' && (row[1] ?? 0) >= 0 && (row[2] ?? 0) >= 0 && row[3] >= 0;
}
