import * as z from 'zod/mini';
import type { Deps } from '../deps.ts';
import type { VisitorsTotals } from '../service/schemas.ts';
import { firstFew } from '../text/first-few.ts';
import type { Window } from './window.ts';
import type { WindowRead } from './window-read.ts';

/*
 * A history file has one line of JSON per project and window, the one written last at the end:
 *   {"v":1,"project":"acme","start":"2026-11-09","end":"2026-11-16","complete":true,"totals":{…},"rows":[["/a",7,2,8],…]}
 * A row is path, human, ai, total; `null` for a count that the service did not give. A window that was not read whole has no
 * rows (`null`).
 */

/** The windows of all projects that earlier runs and this one have read. */
export interface History {
  /** A window that was read whole, with all its rows. */
  find(project: string, window: Window): WindowRead | undefined;
  /** A window's totals, if they are known. */
  totalsOf(project: string, window: Window): VisitorsTotals | undefined;
  /** Writes a window to the file at once, so that a run that is cancelled later does not lose the requests it spent. */
  keep(project: string, read: WindowRead): void;
}

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
  // A plain check, since a schema would copy every one of 150,000 rows.
  rows: z.nullable(z.custom<RowTuple[]>((rows) => Array.isArray(rows) && rows.every(isRow))),
});
type Entry = z.infer<typeof entrySchema>;
type WindowKey = Pick<Entry, 'project' | 'start' | 'end'>;

/**
 * A line of the file; without an entry if it is not understood: it is kept, since another version may have written it. Of an entry
 * with rows, only the text keeps them: twelve windows of rows are too much to hold twice.
 */
interface Line {
  readonly text: string;
  readonly entry?: Entry | undefined;
}

/**
 * Opens the history file; without one, nothing is known and nothing is kept. Another run may write the same file, so it is read
 * again right before each write, and gets all windows of this run: only what is written in between is lost.
 */
export function openHistory(
  path: string | undefined,
  projects: readonly string[],
  { files, runner }: Pick<Deps, 'files' | 'runner'>,
): History {
  const readFile = () => (path === undefined ? '' : (files.read(path) ?? ''));
  const warn = (numbers: readonly number[], what: string) => {
    if (numbers.length === 0) return;
    const listed = firstFew(numbers.map(String), 10).join(', ');
    runner.warning(`${path}: ${numbers.length === 1 ? 'line' : 'lines'} ${listed} ${what}`);
  };
  let text = readFile();
  const opened = parseHistory(text, projects);
  warn(opened.unreadable, 'could not be understood; kept as found, and not used');
  warn(opened.outdated, 'left out, since a later line has other totals of that window');
  let { lines } = opened;
  const kept: Entry[] = [];
  return {
    find: (project, window) => findWhole(lines, project, window),
    totalsOf(project, { start, end }) {
      const key = { project, start, end };
      const entry = wholeEntry(lines, key) ?? lines.findLast((line) => isAbout(line, key))?.entry;
      return entry && givenCounts(entry.totals);
    },
    keep(project, read) {
      if (path === undefined) return;
      kept.push(entryOf(project, read));
      const current = readFile();
      // A file that no one else has written to need not be parsed again.
      lines = kept.reduce(withEntry, current === text ? lines : parseHistory(current, projects).lines);
      text = lines.map((line) => `${line.text}\n`).join('');
      if (text !== current) files.write(path, text);
    },
  };
}

/** The lines in use, and the numbers, from 1, of those not understood, and of those that a later line of a project contradicts. */
function parseHistory(text: string, projects: readonly string[]) {
  // Editors leave a byte order mark.
  const all = text
    .replace(/^\ufeff/, '')
    .split('\n')
    .map((line, index): Line & { number: number } => ({
      text: line,
      entry: withoutRows(parseEntry(line)),
      number: index + 1,
    }))
    .filter((line) => line.text.trim() !== '');
  const outdated = all.filter(({ entry }) => {
    if (!entry?.complete || !projects.includes(entry.project)) return false;
    return JSON.stringify(wholeEntry(all, entry)?.totals) !== JSON.stringify(entry.totals);
  });
  return {
    lines: all.filter((line) => !outdated.includes(line)) as readonly Line[],
    unreadable: all.filter(({ entry }) => entry === undefined).map(({ number }) => number),
    outdated: outdated.map(({ number }) => number),
  };
}

function parseEntry(text: string): Entry | undefined {
  try {
    return entrySchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function findWhole(lines: readonly Line[], project: string, window: Window): WindowRead | undefined {
  const key = { project, start: window.start, end: window.end };
  const line = lines.findLast((one) => isAbout(one, key) && one.entry?.complete && one.entry.rows);
  if (line?.entry === undefined) return undefined;
  const rows = (parseEntry(line.text)?.rows ?? []).map(
    ([path, human, ai, total]) => [path, { path, ...givenCounts({ human, ai, total }) }] as const,
  );
  const totals = givenCounts(line.entry.totals);
  return { window, totals, rows: new Map(rows), cut: undefined, hasGaps: false };
}

function entryOf(project: string, { window, totals, rows, cut }: WindowRead): Entry {
  const complete = cut === undefined;
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
    totals: { human: totals.human ?? null, ai: totals.ai ?? null, total: totals.total },
    rows: complete ? tuples : null,
  };
}

/** The lines with this entry instead of those of its window. A complete one is only replaced by a complete one. */
function withEntry(lines: readonly Line[], entry: Entry): readonly Line[] {
  if (!entry.complete && wholeEntry(lines, entry) !== undefined) return lines;
  return withoutOldRows([...lines.filter((line) => !isAbout(line, entry)), toLine(entry)], entry.project);
}

/** Leaves out the rows of all but the latest windows of a project. */
function withoutOldRows(lines: readonly Line[], project: string): Line[] {
  const withRows = lines.flatMap(({ entry }) => (entry?.project === project && entry.rows ? entry : []));
  // ISO dates sort as text.
  const latestFirst = withRows.toSorted((a, b) => (`${a.end} ${a.start}` < `${b.end} ${b.start}` ? 1 : -1));
  const old = new Set(latestFirst.slice(windowsWithRows));
  return lines.map((line) =>
    line.entry && old.has(line.entry) ? toLine({ ...line.entry, rows: null }) : line,
  );
}

function toLine(entry: Entry): Line {
  return { text: JSON.stringify(entry), entry: withoutRows(entry) };
}

function withoutRows(entry: Entry | undefined): Entry | undefined {
  return entry?.rows ? { ...entry, rows: [] } : entry;
}

function givenCounts({ human, ai, total }: Entry['totals']): VisitorsTotals {
  return { human: human ?? undefined, ai: ai ?? undefined, total };
}

function isRow(row: unknown): row is RowTuple {
  if (!Array.isArray(row) || row.length !== 4) return false;
  const [path, human, ai, total] = row;
  return typeof path === 'string' && [human ?? 0, ai ?? 0, total].every(isCount);
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

/** The last entry that has the window whole, with or without its rows. */
function wholeEntry(lines: readonly Line[], key: WindowKey): Entry | undefined {
  return lines.findLast((line) => isAbout(line, key) && line.entry?.complete)?.entry;
}

function isAbout({ entry }: Line, { project, start, end }: WindowKey): boolean {
  return entry?.project === project && entry.start === start && entry.end === end;
}
