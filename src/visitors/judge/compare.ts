import type { VisitorsRow } from '../../service/schemas.ts';
import { hasNoVisits, lacksTotal, type WindowRead } from '../read/window-read.ts';
import { type Counts, fewVisitors, gateFor, pageChange, siteTrend } from './chance.ts';
import { aiShare, relativeChange } from './figures.ts';
import { pageFilter } from './globs.ts';
import { byPath } from './order.ts';
import { compareRatios, type Ratio, ratioOf } from './ratio.ts';
import { type Section, sectionsByPath, sumSections } from './sections.ts';

/** A page whose number of visitors changed by more than chance explains. */
export interface Mover extends Counts {
  readonly path: string;
  readonly delta: number;
  /** `undefined` where there were too few visitors before. */
  readonly change: Ratio | undefined;
  /** Whether the window before lacks the page. */
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
  readonly mostVisited: readonly VisitorsRow[] | undefined;
  readonly sections: readonly Section[] | undefined;
  /** The sections of the window before, by path. */
  readonly sectionsBefore: ReadonlyMap<string, Section> | undefined;
  /** Pages of whose visitors more than half are AI. */
  readonly mostlyAi: readonly VisitorsRow[] | undefined;
  /** Pages that only this window has. */
  readonly appeared: readonly VisitorsRow[] | undefined;
  /** Pages that only the window before has. */
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
    mostVisited: isWhole || now.descending ? rows.toSorted(byVisitors) : undefined,
    sections: isWhole ? [...sumSections(rows, sectionOf).values()].toSorted(byVisitors) : undefined,
    sectionsBefore: wholeBefore && sumSections(rowsBefore, sectionOf),
    mostlyAi: isWhole ? mostlyAi(rows) : undefined,
    appeared: wholeBefore && rows.filter(({ path }) => !wholeBefore.rows.has(path)).toSorted(byVisitors),
    vanished: wholeBefore && rowsBefore.filter(({ path }) => !now.rows.has(path)).toSorted(byVisitors),
  };
}

/** A window with only the rows of the pages that the globs choose. */
function narrowed(read: WindowRead, globs: readonly string[]): WindowRead {
  if (globs.length === 0) return read;
  const keeps = pageFilter(globs);
  return { ...read, rows: new Map([...read.rows].filter(([path]) => keeps(path))) };
}

function totalChange(now: WindowRead, before: WindowRead): Ratio | undefined {
  if (lacksTotal(now, 'total')) return undefined;
  return relativeChange(now.totals.total, before.totals.total);
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
      delta: page.now - page.before,
      change: pageChange(page),
      isNew: !before.rows.has(page.path),
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
