import * as z from 'zod/mini';
import { messageOf } from '../../core/errors.ts';
import type { Deps } from '../../deps.ts';
import type { VisitorsRow } from '../../service/schemas.ts';
import { firstFew } from '../../text/counts.ts';
import { dayMs } from '../../text/duration.ts';
import type { Window } from './window.ts';
import { isRanked, kindsOfTotals, lackOf, type WindowRead } from './window-read.ts';

/*
 * A history file has one line of JSON for each project and window, oldest first:
 * {"v":1,"project":"acme","start":"2026-11-09","end":"2026-11-16","complete":true,"totals":{…},"rows":[["/a",7,2,8],…]}
 * A row is path, human, ai, total. A count is `null` if the service didn't give it, and `rows` is `null` for a window that is
 * incomplete, or so old that no report needs its rows. An incomplete window has its most-read pages instead, if they are known:
 * "first":[{"path":"/a","human":7,"ai":2,"total":8},…]. Earlier versions ignore those.
 */

/** The windows that earlier runs and this run have read. If the file can't be read or written, that is only a warning. */
export type History = ReturnType<typeof openHistory>;

/** A page in a whole window, and in `first`. zod's own types would take much longer for them. */
type Stored =
  | readonly [path: string, human: number | null, ai: number | null, total: number]
  | VisitorsRow;
const list = z.optional(z.nullable(z.custom<readonly Stored[]>(Array.isArray)));
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

/** A line of the file. One that can't be parsed has no entry, but another version may have written it, so it is kept. */
type Line = Readonly<{ text: string; entry?: Entry | undefined }>;

/** A window that reading can go on with. */
type Begun = { -readonly [Field in keyof WindowRead]: WindowRead[Field] } & { readonly rows: Rows };

/** Opens the history. Without a path, it is empty and never written. A report needs `windowsOfReport` consecutive windows. */
export function openHistory(
  path: string | undefined,
  windowsOfReport: number,
  { files, runner }: Deps,
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
  const opened = attempt(() => (path === undefined ? undefined : files.read(path)) ?? '');
  const lines = new Map<string, Line>();
  const unusable: string[] = [];
  // Windows mostly have the same paths, so each path is kept in memory only once.
  const paths = new Map<string, string>();
  const texts = (opened ?? '').split('\n').filter((text) => text.trim() !== '');
  for (const [index, text] of texts.entries()) {
    const entry = entryOf(text, paths);
    lines.set(entry === undefined ? text : keyOf(entry), { text, entry });
    if (entry === undefined) unusable.push(`${index + 1}`);
  }
  if (unusable.length > 0) {
    const listed = firstFew(unusable, 10).join(', ');
    runner.warning(
      `${path} has lines that can’t be read (line ${listed}). They are kept, but not used.`,
    );
  }
  const used = new Set<string>();
  const kept = new Map<string, Readonly<{ project: string; read: WindowRead }>>();
  return {
    /** A window, as far as the history has it. It may have only its totals and most-read pages, or nothing. */
    find(project: string, window: Window): Begun {
      const key = keyOf({ project, ...window });
      used.add(key);
      const { complete, totals, rows } = lines.get(key)?.entry ?? {};
      const [human, ai, total] = kindsOfTotals.map((kind) => totals?.[kind] ?? undefined);
      const cut = complete && rows ? undefined : ({ kind: 'budget' } as const);
      return {
        window,
        totals: { human, ai, total },
        rows: rows ?? new Map(),
        cut,
        mayLackRows: false,
      };
    },
    keep(project: string, read: WindowRead) {
      kept.set(keyOf({ project, ...read.window }), { project, read });
    },
    /** Writes the kept windows to the file. An incomplete window never replaces a complete one. */
    save() {
      if (path === undefined || opened === undefined || kept.size === 0) return;
      for (const [key, { project, read }] of kept) {
        const line = lineOf(project, read);
        if (lines.get(key)?.entry?.complete && !line.entry.complete) continue;
        lines.delete(key);
        lines.set(key, line);
      }
      // A line that can't be parsed comes first.
      const dated = [...lines.values()].map((line) => ({
        ...line,
        start: line.entry?.start ?? '',
      }));
      dated.sort((a, b) => Number(a.start > b.start) - Number(a.start < b.start));
      const entries = dated.flatMap(({ entry }) => entry ?? []);
      const saved = dated.map(({ text, entry }) => {
        const isNeeded =
          !entry?.rows || used.has(keyOf(entry)) || isRecent(entry, entries, windowsOfReport);
        return `${isNeeded ? text : JSON.stringify({ ...entry, rows: null })}\n`;
      });
      const text = saved.join('');
      if (text !== opened) attempt(() => files.write(path, text));
    },
  };
}

/** The entry of a line; `undefined` if it can't be parsed. */
function entryOf(text: string, paths: Map<string, string>): Entry | undefined {
  try {
    const { rows: whole, first, ...head } = entrySchema.parse(JSON.parse(text));
    const listed = whole ?? first;
    if (!listed) return { ...head, rows: null };
    const rows: Rows = new Map();
    for (const page of listed) {
      const row =
        'path' in page
          ? page
          : {
              path: page[0],
              human: page[1] ?? undefined,
              ai: page[2] ?? undefined,
              total: page[3],
            };
      const known = paths.get(row.path);
      if (known === undefined) paths.set(row.path, row.path);
      else row.path = known;
      rows.set(row.path, row);
    }
    return { ...head, rows };
  } catch {
    return undefined;
  }
}

function keyOf({ project, start, end }: Pick<Entry, 'project' | 'start' | 'end'>): string {
  return `${start} ${end} ${project}`;
}

function lineOf(project: string, read: WindowRead) {
  const { start, end } = read.window;
  const complete = lackOf(read) === undefined;
  const { human = null, ai = null, total = null } = read.totals;
  const head = { v: 1, project, start, end, complete, totals: { human, ai, total } } as const;
  const pages = [...read.rows.values()];
  const rows = complete
    ? pages.map(({ path, human, ai, total }) => [path, human, ai, total])
    : null;
  const first = complete || !isRanked(read) ? undefined : pages;
  // This run used the window, so its line keeps the rows as they are.
  return { text: JSON.stringify({ ...head, rows, first }), entry: { ...head, rows: null } };
}

/** Whether a report on windows of the same length may need a window’s rows. Reports on other lengths may share the file. */
function isRecent(
  { project, start, end }: Entry,
  entries: readonly Entry[],
  windowsOfReport: number,
) {
  const days = (Date.parse(end) - Date.parse(start)) / dayMs;
  // Other months may be longer than this one.
  const reachMs = windowsOfReport * (days >= 28 && days <= 31 ? 31 : days) * dayMs;
  return entries.every(
    (entry) => entry.project !== project || Date.parse(entry.end) < Date.parse(end) + reachMs,
  );
}
