import { changeFrom, compareToPercent, type Fraction } from '../report/numbers.ts';
import { hasNoVisits, isRanked, totalOf, type WindowRead, type Windows } from '../report/window-read.ts';
import type { VisitorsRow } from '../service/schemas.ts';
import { type Counts, fewVisitors, isHeadline, newsGate, pageChange } from './chance.ts';
import { aiShare } from './figures.ts';
import { byPath, byVisitors, pageFilter, sectionsByPath, sumSections } from './pages.ts';

/** What two windows say when they are compared. */
export type Findings = ReturnType<typeof findingsOf>;

/** A page whose number of visitors changed by more than chance explains. */
interface Mover extends Counts {
  readonly path: string;
  readonly delta: number;
  /** `undefined` if there were too few visitors before. */
  readonly change: Fraction | undefined;
  /** Whether the page had no visitors in the window before. */
  readonly isNew: boolean;
}

/** Which pages the lists are about, and how they are grouped. */
export interface FindingsOptions {
  /** Globs; none for every page. */
  readonly pages: readonly string[];
  /** How many path segments make a section. */
  readonly sectionDepth: number;
}

/**
 * What is to be said of two windows, or of one if there is nothing to compare with. Whatever cannot be known, since a window was
 * not read whole, is `undefined`. Lists have all there is, the largest first, ties by path.
 */
export function findingsOf(
  { now: nowRead, before: beforeRead }: Pick<Windows, 'now' | 'before'>,
  { pages, sectionDepth }: FindingsOptions,
) {
  const isCompared = beforeRead !== undefined && !hasNoVisits(beforeRead) && !hasNoVisits(nowRead);
  const now = narrowed(nowRead, pages);
  const before = isCompared ? narrowed(beforeRead, pages) : undefined;
  const isWhole = now.cut === undefined;
  const wholeBefore = isWhole && before?.cut === undefined ? before : undefined;
  const rows = [...now.rows.values()];
  const rowsBefore = [...(before?.rows.values() ?? [])];
  const paths = [...rows, ...rowsBefore].map(({ path }) => path);
  const sectionOf = sectionsByPath(paths, sectionDepth);
  return {
    /** The window to compare with: there is none if no visits were recorded in one of the two. */
    before: isCompared ? beforeRead : undefined,
    /** Of the site's total; `undefined` also if the service gave none for one of the windows. */
    change: isCompared ? totalChange(nowRead, beforeRead) : undefined,
    /** Whether the site's total changed by more than chance explains. */
    isNews: isCompared && isHeadline({ now: now.totals.total, before: beforeRead.totals.total }),
    movers: before && moversOf(now, before),
    /** Of a window that was not read whole, only pages that no unread page can outrank. */
    mostVisited: isWhole ? rows.toSorted(byVisitors) : certainTop(nowRead, rows),
    sections: isWhole ? [...sumSections(rows, sectionOf).values()].toSorted(byVisitors) : undefined,
    sectionsBefore: wholeBefore && sumSections(rowsBefore, sectionOf),
    /** Pages of whose visitors more than half are AI, the largest share first. */
    mostlyAi: isWhole ? mostlyAiOf(rows) : undefined,
    /** Pages that were visited in this window only. */
    appeared: wholeBefore && visitedOnlyIn(now, wholeBefore),
    /** Pages that were visited in the window before only. */
    vanished: wholeBefore && visitedOnlyIn(wholeBefore, now),
  };
}

/** A window with only the rows of the pages that the globs choose. */
function narrowed(read: WindowRead, globs: readonly string[]): WindowRead {
  if (globs.length === 0) return read;
  const isChosen = pageFilter(globs);
  return { ...read, rows: new Map([...read.rows].filter(([path]) => isChosen(path))) };
}

function totalChange(now: WindowRead, before: WindowRead): Fraction | undefined {
  const [after, earlier] = [totalOf(now, 'total'), totalOf(before, 'total')];
  return after === undefined || earlier === undefined ? undefined : changeFrom(earlier, after);
}

/** Of rows that came most visited first, and not to the end, those with more visitors than the last; `undefined` if none. */
function certainTop(read: WindowRead, chosen: readonly VisitorsRow[]): VisitorsRow[] | undefined {
  const last = [...read.rows.values()].at(-1)?.total ?? 0;
  const certain = isRanked(read) ? chosen.filter(({ total }) => total > last) : [];
  return certain.length === 0 ? undefined : certain.toSorted(byVisitors);
}

/** A row of 0 visitors is no visit, like no row at all. */
function visitedOnlyIn(one: WindowRead, other: WindowRead): VisitorsRow[] {
  return [...one.rows.values()]
    .filter(({ path, total }) => total > 0 && !isVisited(other, path))
    .toSorted(byVisitors);
}

function isVisited({ rows }: WindowRead, path: string): boolean {
  return (rows.get(path)?.total ?? 0) > 0;
}

function moversOf(now: WindowRead, before: WindowRead): Mover[] {
  const compared = [...new Set([...now.rows.keys(), ...before.rows.keys()])].flatMap((path) => {
    const [visitors, earlier] = [visitorsOf(now, path), visitorsOf(before, path)];
    return visitors === undefined || earlier === undefined ? [] : [{ path, now: visitors, before: earlier }];
  });
  return compared
    .filter(newsGate(compared, { now: now.totals.total, before: before.totals.total }))
    .map((page) => ({
      ...page,
      delta: page.now - page.before,
      change: pageChange(page),
      isNew: page.before === 0,
    }))
    .toSorted((a, b) => Math.abs(b.delta) - Math.abs(a.delta) || byPath(a, b));
}

/** The visitors of a page; `undefined` if it may be among the pages that were not read. */
function visitorsOf({ rows, cut }: WindowRead, path: string): number | undefined {
  return rows.get(path)?.total ?? (cut === undefined ? 0 : undefined);
}

/** The much visited pages with more AI visitors than half; `undefined` if the service did not count AI on every page. */
function mostlyAiOf(rows: readonly VisitorsRow[]): VisitorsRow[] | undefined {
  if (rows.some(({ ai }) => ai === undefined)) return undefined;
  const sizeOf = ({ ai = 0, total }: VisitorsRow) => ai / total;
  const isMostlyAi = (row: VisitorsRow) => {
    const share = row.total < fewVisitors ? undefined : aiShare(row);
    return share !== undefined && compareToPercent(share, 50) > 0;
  };
  return rows.filter(isMostlyAi).toSorted((a, b) => sizeOf(b) - sizeOf(a) || byVisitors(a, b));
}
