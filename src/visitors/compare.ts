import type { VisitorsRow, VisitorsTotals } from '../service/schemas.ts';
import type { WindowRead } from './export.ts';
import type { PageFilter } from './globs.ts';

/** Below this many visitors a page's percentage says more about chance than about the page. */
export const fewVisitors = 20;

/** A change of fewer visitors than this is no mover, however large it is in per cent. */
const leastMove = 10;

/** A page whose number of visitors changed by more than chance would. */
export interface Mover {
  readonly path: string;
  readonly now: number;
  readonly before: number;
  readonly delta: number;
  /** In per cent; none where `before` is too small to divide by. */
  readonly percent: number | undefined;
  /** The page is not in the window before. */
  readonly isNew: boolean;
}

/** Pages under one path prefix. `total` is the sum of rows: an upper bound, since one visitor may read many pages. */
export interface Section {
  readonly name: string;
  readonly pages: number;
  readonly total: number;
}

/** Two windows side by side. Whatever cannot be known from what was read is `undefined`. */
export interface Findings {
  readonly now: WindowRead;
  /** Whole or not, but with visits in it: nothing is compared with a window in which none were recorded. */
  readonly before: WindowRead | undefined;
  readonly changePercent: number | undefined;
  readonly movers: readonly Mover[] | undefined;
  readonly top: readonly VisitorsRow[] | undefined;
  readonly sections: readonly Section[] | undefined;
  /** Page visitors by section name in the window before. */
  readonly sectionsBefore: ReadonlyMap<string, Section> | undefined;
  readonly aiHeavy: readonly VisitorsRow[] | undefined;
  readonly appeared: readonly VisitorsRow[] | undefined;
  readonly vanished: readonly VisitorsRow[] | undefined;
}

export interface CompareOptions {
  /** Which pages the report is about; every page without it. */
  readonly keeps: PageFilter | undefined;
  readonly sectionDepth: number;
}

/** Everything the report says of two windows. Lists are ranked, the most telling first; ties go by path. */
export function compare(
  now: WindowRead,
  previous: WindowRead | undefined,
  { keeps, sectionDepth }: CompareOptions,
): Findings {
  const before = previous === undefined || hasNoVisits(previous) || hasNoVisits(now) ? undefined : previous;
  const rows = select(now, keeps);
  const rowsBefore = before === undefined ? [] : select(before, keeps);
  const whole = now.cut === undefined;
  const bothWhole = whole && before !== undefined && before.cut === undefined;
  const byPath = sectionNames([...rows, ...rowsBefore], sectionDepth);
  return {
    now,
    before,
    changePercent: before && changePercent(now.totals.total, before.totals.total),
    movers: before && movers(now, before, rows, rowsBefore),
    top: whole || now.descending ? byVisitors(rows) : undefined,
    sections: whole ? byVisitors([...sections(rows, byPath).values()]) : undefined,
    sectionsBefore: bothWhole ? sections(rowsBefore, byPath) : undefined,
    aiHeavy: whole ? aiHeavy(rows) : undefined,
    appeared: bothWhole ? byVisitors(rows.filter(({ path }) => !before.rows.has(path))) : undefined,
    vanished: bothWhole ? byVisitors(rowsBefore.filter(({ path }) => !now.rows.has(path))) : undefined,
  };
}

/** Nothing was recorded: the site was not counted, which is not the same as nobody came. */
export function hasNoVisits({ totals, rows }: WindowRead): boolean {
  return totals.total === 0 && totals.human === 0 && totals.ai === 0 && rows.size === 0;
}

/** Visitors that count as human and as AI. The service's `total` is distinct over both, hence not their sum. */
export function both({ human, ai, total }: VisitorsTotals): number {
  return Math.max(0, human + ai - total);
}

/** AI visitors in per cent of all; `undefined` where there are none. */
export function aiShare({ ai, total }: VisitorsTotals): number | undefined {
  return total === 0 ? undefined : (ai / total) * 100;
}

/** In per cent; `undefined` from nothing, since no percentage leads there. */
export function changePercent(now: number, before: number): number | undefined {
  return before === 0 ? undefined : ((now - before) / before) * 100;
}

/**
 * Whether a change stands out from noise: enough visitors, enough of a change, and more than twice the spread that two
 * Poisson counts of this size have by chance, √(now + before).
 */
export function isMove(now: number, before: number): boolean {
  const delta = Math.abs(now - before);
  return Math.max(now, before) >= fewVisitors && delta >= leastMove && delta >= 2 * Math.sqrt(now + before);
}

/** A page that one window lacks counts as 0 there only if that window was read whole; else nothing is known of it. */
function movers(
  now: WindowRead,
  before: WindowRead,
  rows: readonly VisitorsRow[],
  rowsBefore: readonly VisitorsRow[],
): Mover[] {
  const found: Mover[] = [];
  const consider = (path: string, after: number, earlier: number, isNew: boolean) => {
    if (!isMove(after, earlier)) return;
    const percent = earlier < fewVisitors ? undefined : changePercent(after, earlier);
    found.push({ path, now: after, before: earlier, delta: after - earlier, percent, isNew });
  };
  for (const { path, total } of rows) {
    const earlier = before.rows.get(path);
    if (earlier !== undefined) consider(path, total, earlier.total, false);
    else if (before.cut === undefined) consider(path, total, 0, true);
  }
  if (now.cut === undefined) {
    for (const { path, total } of rowsBefore) if (!now.rows.has(path)) consider(path, 0, total, false);
  }
  return found.sort((a, b) => Math.abs(b.delta) - Math.abs(a.delta) || inOrder(a.path, b.path));
}

/** Pages that more AI than not reads, among those with visitors enough to say so. */
function aiHeavy(rows: readonly VisitorsRow[]): VisitorsRow[] {
  const share = (row: VisitorsRow) => row.ai / row.total;
  return rows
    .filter((row) => row.total >= fewVisitors && share(row) > 0.5)
    .sort((a, b) => share(b) - share(a) || b.total - a.total || inOrder(a.path, b.path));
}

/**
 * A page's section is its first `depth` path segments. A page that has no more segments than that is the front page of
 * the section below it, if there is one, and else belongs where it lies.
 */
function sectionNames(rows: readonly VisitorsRow[], depth: number): (path: string) => string {
  const deep = new Set<string>();
  for (const { path } of rows) {
    const segments = segmentsOf(path);
    if (segments.length > depth) deep.add(nameOf(segments.slice(0, depth)));
  }
  return (path) => {
    const segments = segmentsOf(path);
    const name = nameOf(segments.slice(0, depth));
    return segments.length > depth || deep.has(name) ? name : nameOf(segments.slice(0, -1));
  };
}

function sections(rows: readonly VisitorsRow[], nameOfPage: (path: string) => string): Map<string, Section> {
  const byName = new Map<string, { name: string; pages: number; total: number }>();
  for (const { path, total } of rows) {
    const name = nameOfPage(path);
    const section = byName.get(name) ?? { name, pages: 0, total: 0 };
    section.pages += 1;
    section.total += total;
    byName.set(name, section);
  }
  return byName;
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '');
}

function nameOf(segments: readonly string[]): string {
  return `/${segments.join('/')}`;
}

function select(read: WindowRead, keeps: PageFilter | undefined): VisitorsRow[] {
  const rows = [...read.rows.values()];
  return keeps === undefined ? rows : rows.filter(({ path }) => keeps(path));
}

function byVisitors<T extends { total: number; path?: string; name?: string }>(rows: readonly T[]): T[] {
  const key = (row: T) => row.path ?? row.name ?? '';
  return rows.toSorted((a, b) => b.total - a.total || inOrder(key(a), key(b)));
}

/** By UTF-16 code units: the same on every machine, whatever its locale. */
function inOrder(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
