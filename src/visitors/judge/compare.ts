import type { VisitorsRow } from '../../service/schemas.ts';
import { hasNoVisits, type WindowRead } from '../read/window-read.ts';
import { exceedsChance, fewVisitors } from './chance.ts';
import { aiShare, changePercent } from './figures.ts';
import { pageFilter } from './globs.ts';
import { type Section, sectionsByPath, sumSections } from './sections.ts';

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

/**
 * Two windows side by side. Whatever cannot be known from what was read is `undefined`. Lists are whole, the most telling
 * first; ties go by path.
 */
export interface Findings {
  readonly now: WindowRead;
  /** Whole or not, but with visits in it: nothing is compared with a window in which none were recorded. */
  readonly before: WindowRead | undefined;
  /** Of the site's totals. */
  readonly changePercent: number | undefined;
  readonly movers: readonly Mover[] | undefined;
  readonly mostVisited: readonly VisitorsRow[] | undefined;
  readonly sections: readonly Section[] | undefined;
  /** By path, in the window before. */
  readonly sectionsBefore: ReadonlyMap<string, Section> | undefined;
  /** Pages that more AI than not reads. */
  readonly mostlyAi: readonly VisitorsRow[] | undefined;
  /** Pages of this window that the one before lacks. */
  readonly appeared: readonly VisitorsRow[] | undefined;
  /** Pages of the window before that this one lacks. */
  readonly vanished: readonly VisitorsRow[] | undefined;
}

export interface CompareOptions {
  /** Globs of the pages that the lists are about; none for every page. */
  readonly pages: readonly string[];
  /** How many path segments make a section. */
  readonly sectionDepth: number;
}

/** Everything the report says of two windows. */
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
    changePercent: before && changePercent(now.totals.total, before.totals.total),
    movers: before && movers(now, before),
    mostVisited: isWhole || now.descending ? rows.toSorted(byVisitors) : undefined,
    sections: isWhole ? [...sumSections(rows, sectionOf).values()].toSorted(byVisitors) : undefined,
    sectionsBefore: wholeBefore && sumSections(rowsBefore, sectionOf),
    mostlyAi: isWhole ? rows.filter(isMostlyAi).toSorted(byAiShare) : undefined,
    appeared: wholeBefore && rows.filter(({ path }) => !wholeBefore.rows.has(path)).toSorted(byVisitors),
    vanished: wholeBefore && rowsBefore.filter(({ path }) => !now.rows.has(path)).toSorted(byVisitors),
  };
}

/** A window with the rows of some pages only. */
function narrowed(read: WindowRead, globs: readonly string[]): WindowRead {
  if (globs.length === 0) return read;
  const keeps = pageFilter(globs);
  return { ...read, rows: new Map([...read.rows].filter(([path]) => keeps(path))) };
}

function movers(now: WindowRead, before: WindowRead): Mover[] {
  const paths = new Set([...now.rows.keys(), ...before.rows.keys()]);
  return [...paths]
    .flatMap((path) => {
      const [visitors, earlier] = [visitorsOf(now, path), visitorsOf(before, path)];
      if (visitors === undefined || earlier === undefined || !exceedsChance(visitors, earlier)) return [];
      return { ...change(path, visitors, earlier), isNew: !before.rows.has(path) };
    })
    .toSorted((a, b) => Math.abs(b.delta) - Math.abs(a.delta) || byPath(a, b));
}

/** A page that a window lacks had no visitors in it only if it was read whole; else nothing is known of the page. */
function visitorsOf({ rows, cut }: WindowRead, path: string): number | undefined {
  return rows.get(path)?.total ?? (cut === undefined ? 0 : undefined);
}

function change(path: string, now: number, before: number): Omit<Mover, 'isNew'> {
  const percent = before < fewVisitors ? undefined : changePercent(now, before);
  return { path, now, before, delta: now - before, percent };
}

function isMostlyAi(row: VisitorsRow): boolean {
  return row.total >= fewVisitors && (aiShare(row) ?? 0) > 50;
}

function byAiShare(a: VisitorsRow, b: VisitorsRow): number {
  return (aiShare(b) ?? 0) - (aiShare(a) ?? 0) || byVisitors(a, b);
}

interface Counted {
  readonly path: string;
  readonly total: number;
}

function byVisitors(a: Counted, b: Counted): number {
  return b.total - a.total || byPath(a, b);
}

/** By UTF-16 code units: the same on every machine, whatever its locale. */
function byPath(a: { readonly path: string }, b: { readonly path: string }): number {
  if (a.path === b.path) return 0;
  return a.path < b.path ? -1 : 1;
}
