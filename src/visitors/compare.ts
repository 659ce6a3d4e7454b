import type { VisitorsRow, VisitorsTotals } from '../service/schemas.ts';
import type { WindowRead } from './export.ts';
import type { PageFilter } from './globs.ts';
import { type Ranking, rank } from './ranking.ts';
import { type Rows, RowTable } from './rows.ts';

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
  readonly movers: Ranking<Mover> | undefined;
  readonly top: Ranking<VisitorsRow> | undefined;
  readonly sections: Ranking<Section> | undefined;
  /** By name, in the window before. */
  readonly sectionsBefore: ReadonlyMap<string, Section> | undefined;
  readonly aiHeavy: Ranking<VisitorsRow> | undefined;
  readonly appeared: Ranking<VisitorsRow> | undefined;
  readonly vanished: Ranking<VisitorsRow> | undefined;
}

export interface CompareOptions {
  /** Which pages the report is about; every page without it. */
  readonly keeps: PageFilter | undefined;
  readonly sectionDepth: number;
  /** Entries a list has at most. */
  readonly top: number;
}

/** Everything the report says of two windows. Lists are ranked, the most telling first; ties go by path. */
export function compare(
  now: WindowRead,
  previous: WindowRead | undefined,
  { keeps, sectionDepth, top }: CompareOptions,
): Findings {
  const before = previous === undefined || hasNoVisits(previous) || hasNoVisits(now) ? undefined : previous;
  const rows = select(now.rows, keeps);
  const rowsBefore = before === undefined ? new RowTable() : select(before.rows, keeps);
  const whole = now.cut === undefined;
  const bothWhole = whole && before?.cut === undefined ? before : undefined;
  const nameOf = sectionNames([rows, rowsBefore], sectionDepth);
  const most = <T extends { total: number }>(items: Iterable<T>, key: (item: T) => string) =>
    rank(items, top, (a, b) => b.total - a.total || inOrder(key(a), key(b)));
  const pathOf = ({ path }: VisitorsRow) => path;
  return {
    now,
    before,
    changePercent: before && changePercent(now.totals.total, before.totals.total),
    movers: before && rank(movers(now, before, rows.values(), rowsBefore.values()), top, byDelta),
    top: whole || now.descending ? most(rows.values(), pathOf) : undefined,
    sections: whole ? most(sections(rows.values(), nameOf).values(), ({ name }) => name) : undefined,
    sectionsBefore: bothWhole && sections(rowsBefore.values(), nameOf),
    aiHeavy: whole ? rank(aiHeavy(rows.values()), top, byAiShare) : undefined,
    appeared: bothWhole && most(lackedBy(bothWhole, rows.values()), pathOf),
    vanished: bothWhole && most(lackedBy(now, rowsBefore.values()), pathOf),
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
function* movers(
  now: WindowRead,
  before: WindowRead,
  rows: Iterable<VisitorsRow>,
  rowsBefore: Iterable<VisitorsRow>,
): Iterable<Mover> {
  for (const { path, total } of rows) {
    const earlier = before.rows.get(path)?.total;
    if (earlier === undefined && before.cut !== undefined) continue;
    if (isMove(total, earlier ?? 0)) yield mover(path, total, earlier);
  }
  if (now.cut !== undefined) return;
  for (const { path, total } of lackedBy(now, rowsBefore)) if (isMove(0, total)) yield mover(path, 0, total);
}

/** @param earlier `undefined` for a page that was not there. */
function mover(path: string, now: number, earlier: number | undefined): Mover {
  const before = earlier ?? 0;
  const percent = before < fewVisitors ? undefined : changePercent(now, before);
  return { path, now, before, delta: now - before, percent, isNew: earlier === undefined };
}

function byDelta(a: Mover, b: Mover): number {
  return Math.abs(b.delta) - Math.abs(a.delta) || inOrder(a.path, b.path);
}

/** Pages that more AI than not reads, among those with visitors enough to say so. */
function* aiHeavy(rows: Iterable<VisitorsRow>): Iterable<VisitorsRow> {
  for (const row of rows) if (row.total >= fewVisitors && row.ai / row.total > 0.5) yield row;
}

function byAiShare(a: VisitorsRow, b: VisitorsRow): number {
  return b.ai / b.total - a.ai / a.total || b.total - a.total || inOrder(a.path, b.path);
}

/** The rows whose page is not in a window. */
function* lackedBy(read: WindowRead, rows: Iterable<VisitorsRow>): Iterable<VisitorsRow> {
  for (const row of rows) if (!read.rows.has(row.path)) yield row;
}

/**
 * A page's section is its first `depth` path segments. A page that has no more segments than that is the front page of
 * the section below it, if there is one, and else belongs where it lies.
 */
function sectionNames(windows: readonly Rows[], depth: number): (path: string) => string {
  const deep = new Set<string>();
  for (const rows of windows) {
    for (const path of rows.keys()) {
      const clean = cleanPath(path);
      const end = endOfSegments(clean, depth);
      if (end < clean.length) deep.add(clean.slice(0, end));
    }
  }
  return (path) => {
    const clean = cleanPath(path);
    const end = endOfSegments(clean, depth);
    if (end < clean.length || deep.has(clean)) return clean.slice(0, end);
    return clean.slice(0, clean.lastIndexOf('/')) || '/';
  };
}

/** `/a/b` for `a//b/`; `/` for none. Almost every path is clean already, and large sites have many. */
function cleanPath(path: string): string {
  if (path.startsWith('/') && !path.includes('//') && !path.endsWith('/')) return path;
  return `/${path.split('/').filter(Boolean).join('/')}`;
}

/** Where the first `depth` segments of a clean path end: its length, where it has no more. */
function endOfSegments(path: string, depth: number): number {
  let end = 0;
  for (let segment = 0; segment < depth && end !== -1; segment += 1) end = path.indexOf('/', end + 1);
  return end === -1 ? path.length : end;
}

function sections(rows: Iterable<VisitorsRow>, nameOfPage: (path: string) => string): Map<string, Section> {
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

/** Every page is held against the globs once, however often its row is looked at. */
function select(rows: Rows, keeps: PageFilter | undefined): Rows {
  if (keeps === undefined) return rows;
  const kept = new RowTable();
  for (const row of rows.values()) if (keeps(row.path)) kept.add(row);
  return kept;
}

/** By UTF-16 code units: the same on every machine, whatever its locale. */
function inOrder(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
