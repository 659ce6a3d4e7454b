import type { VisitorsRow } from '../../service/schemas.ts';
import { hasNoVisits, type WindowRead } from '../read/window-read.ts';
import { type Counts, fewVisitors, gateFor, pageChange, siteTrend } from './chance.ts';
import { aiShare, relativeChange, totalOf } from './figures.ts';
import { pageFilter } from './globs.ts';
import { byPath } from './order.ts';
import { compareRatios, type Ratio, ratioOf, sum } from './ratio.ts';
import { type Section, sectionsByPath, sumSections } from './sections.ts';

/** A page whose number of visitors changed by more than chance explains. */
export interface Mover extends Counts {
  readonly path: string;
  readonly delta: number;
  /** `undefined` where there were too few visitors before. */
  readonly change: Ratio | undefined;
  /** Whether nobody visited the page in the window before. */
  readonly isNew: boolean;
}

/**
 * What two windows say when they are compared. Whatever cannot be known, since a window was not read whole, is `undefined`.
 * Lists hold all there is, the largest first; what is equal is sorted by path.
 */
export interface Findings {
  readonly now: WindowRead;
  /** `undefined` also where no visits were recorded in one of the windows: that is nothing to compare with. */
  readonly before: WindowRead | undefined;
  /** Of the site's total; `undefined` also where the service gave none for one of the windows. */
  readonly change: Ratio | undefined;
  readonly movers: readonly Mover[] | undefined;
  /**
   * Of a window that was not read whole, those that no other page can come before: what is missing may have as many visitors as
   * the last page read, but not more.
   */
  readonly mostVisited: readonly VisitorsRow[] | undefined;
  readonly sections: readonly Section[] | undefined;
  /** The sections of the window before, by path. */
  readonly sectionsBefore: ReadonlyMap<string, Section> | undefined;
  /** Pages of whose visitors more than half are AI. */
  readonly mostlyAi: readonly VisitorsRow[] | undefined;
  /** Pages that were visited in this window only. */
  readonly appeared: readonly VisitorsRow[] | undefined;
  /** Pages that were visited in the window before only. */
  readonly vanished: readonly VisitorsRow[] | undefined;
}

export interface CompareOptions {
  /** Globs of the pages that the lists are about; none for every page. */
  readonly pages: readonly string[];
  /** How many path segments make a section. */
  readonly sectionDepth: number;
}

/** Compares two windows; `beforeRead` is `undefined` where there is none. */
export function compare(
  nowRead: WindowRead,
  beforeRead: WindowRead | undefined,
  { pages, sectionDepth }: CompareOptions,
): Findings {
  const now = narrowed(nowRead, pages);
  const before =
    beforeRead === undefined || hasNoVisits(beforeRead) || hasNoVisits(nowRead)
      ? undefined
      : narrowed(beforeRead, pages);
  const isWhole = now.cut === undefined;
  const wholeBefore = isWhole && before?.cut === undefined ? before : undefined;
  const rows = [...now.rows.values()];
  const rowsBefore = [...(before?.rows.values() ?? [])];
  const sectionOf = sectionsByPath([...now.rows.keys(), ...(before?.rows.keys() ?? [])], sectionDepth);
  return {
    now: nowRead,
    before: before && beforeRead,
    change: before && beforeRead && totalChange(nowRead, beforeRead),
    movers: before && movers(now, before),
    mostVisited: isWhole ? rows.toSorted(byVisitors) : certainTop(nowRead, rows),
    sections: isWhole ? [...sumSections(rows, sectionOf).values()].toSorted(byVisitors) : undefined,
    sectionsBefore: wholeBefore && sumSections(rowsBefore, sectionOf),
    mostlyAi: isWhole && rows.every(({ ai }) => ai !== undefined) ? mostlyAi(rows) : undefined,
    appeared: wholeBefore && visitedOnlyIn(now, wholeBefore),
    vanished: wholeBefore && visitedOnlyIn(wholeBefore, now),
  };
}

/** A window with only the rows of the pages that the globs choose. */
function narrowed(read: WindowRead, globs: readonly string[]): WindowRead {
  if (globs.length === 0) return read;
  const keeps = pageFilter(globs);
  return { ...read, rows: new Map([...read.rows].filter(([path]) => keeps(path))) };
}

function totalChange(now: WindowRead, before: WindowRead): Ratio | undefined {
  const [after, earlier] = [totalOf(now, 'total'), totalOf(before, 'total')];
  return after === undefined || earlier === undefined ? undefined : relativeChange(after, earlier);
}

/** Of rows that came in falling order, and not to the end, those with more visitors than the last; `undefined` if none. */
function certainTop(
  { rows, descending }: WindowRead,
  chosen: readonly VisitorsRow[],
): VisitorsRow[] | undefined {
  if (!descending) return undefined;
  const last = [...rows.values()].at(-1)?.total ?? 0;
  const certain = chosen.filter(({ total }) => total > last);
  return certain.length === 0 ? undefined : certain.toSorted(byVisitors);
}

/** A row of 0 visitors is no visit, as no row is none. */
function visitedOnlyIn(one: WindowRead, other: WindowRead): VisitorsRow[] {
  return [...one.rows.values()]
    .filter(({ path, total }) => total > 0 && !isVisited(other, path))
    .toSorted(byVisitors);
}

function isVisited({ rows }: WindowRead, path: string): boolean {
  return (rows.get(path)?.total ?? 0) > 0;
}

function movers(now: WindowRead, before: WindowRead): Mover[] {
  const compared = [...new Set([...now.rows.keys(), ...before.rows.keys()])].flatMap((path) => {
    const [visitors, earlier] = [visitorsOf(now, path), visitorsOf(before, path)];
    return visitors === undefined || earlier === undefined ? [] : [{ path, now: visitors, before: earlier }];
  });
  const trend = siteTrend({ now: now.totals.total, before: before.totals.total });
  return compared
    .filter(gateFor(compared, trend))
    .map((page) => ({
      ...page,
      delta: sum(page.now, -page.before),
      change: pageChange(page),
      isNew: !isVisited(before, page.path),
    }))
    .toSorted((a, b) => Math.abs(b.delta) - Math.abs(a.delta) || byPath(a, b));
}

/** The visitors of a page; `undefined` where it may be among the pages that were not read. */
function visitorsOf({ rows, cut }: WindowRead, path: string): number | undefined {
  return rows.get(path)?.total ?? (cut === undefined ? 0 : undefined);
}

const half = ratioOf(1, 2);

/** The rows with more AI visitors than half, the largest share first. */
function mostlyAi(rows: readonly VisitorsRow[]): VisitorsRow[] {
  return rows
    .flatMap((row) => {
      const share = row.total < fewVisitors ? undefined : aiShare(row);
      return share !== undefined && compareRatios(share, half) > 0 ? [{ row, share }] : [];
    })
    .toSorted((a, b) => compareRatios(b.share, a.share) || byVisitors(a.row, b.row))
    .map(({ row }) => row);
}

interface Counted {
  readonly path: string;
  readonly total: number;
}

function byVisitors(a: Counted, b: Counted): number {
  return b.total - a.total || byPath(a, b);
}
