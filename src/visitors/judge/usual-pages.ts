import type { PathFilter } from '../../core/globs.ts';
import { ownWords, type Scrubbed } from '../../text/scrub.ts';
import { hasPages, hasVisitors, isRanked, minWeeks, type WindowRead } from '../read/window-read.ts';
import type { Side } from './numbers.ts';
import { byPath } from './site-pages.ts';
import {
  type Counts,
  isCrawled,
  leveled,
  type NamedRow,
  type Row,
  rule,
  standOut,
  sumOf,
} from './unusual-rows.ts';

/*
 * Turns the lists of windows into rows of counts, and the rows that stand out into pages and
 * sections.
 */

/** A page or section outside its usual range. Only a section has `pages`, their number. */
export type Unusual = ReturnType<typeof usualPages>[number];

/**
 * The lists that show what is usual. `rows`: only so many of the most-read pages of each, if not
 * all could be read.
 */
export type Basis = Readonly<{ lists: readonly WindowRead[]; rows?: number | undefined }>;

/** Fewer rows would say too little. The first response has as many. */
const minRows = 250;

/**
 * Chooses the earlier windows that show what is usual for pages; `undefined` if they are too few.
 */
export function basisOf(now: WindowRead, earlier: readonly WindowRead[]): Basis | undefined {
  const whole = earlier.filter(hasPages);
  const isWhole = whole.length >= minWeeks;
  if (isWhole && now.cut === undefined) return { lists: whole };
  const ranked = earlier.filter((past) => hasVisitors(past) && isRanked(past));
  if (ranked.length >= minWeeks && isRanked(now)) {
    const sizes = [now, ...ranked].filter(({ cut }) => cut).map(({ rows }) => rows.size);
    return { lists: ranked, rows: Math.max(minRows, Math.min(...sizes)) };
  }
  if (isWhole) return { lists: whole };
  return undefined;
}

/** What a site's pages are compared by. */
export type SiteCounts = ReturnType<typeof countsOf>;

/**
 * The visitors of each page in each list and now, scaled to this window’s length; of first rows,
 * only those that can be compared.
 */
export function countsOf(
  now: WindowRead,
  { lists, rows: most }: Basis,
  listed: readonly Scrubbed[],
) {
  const all = [...lists, now].map((read) => ({
    read,
    ...(most === undefined ? { rows: read.rows, last: 0 } : firstRows(read, most)),
    // Months differ in length.
    scale: now.window.days / read.window.days,
  }));
  const isListedNow = (path: string) => all.at(-1)?.rows.has(path) === true;
  const isKept = (path: string) => {
    const past = all.slice(0, -1).filter(({ rows }) => rows.has(path)).length;
    return past === lists.length || (past === 0 && isListedNow(path));
  };
  const paths = most === undefined ? listed : listed.filter(isKept);
  const pages = paths.map((path): Row => {
    return {
      path,
      counts: all.map(({ rows, last, scale }) => scale * (rows.get(path)?.total ?? last)),
    };
  });
  // An unknown count is not a number, and neither is what follows from it.
  const unlisted = most === undefined ? { human: 0, ai: 0 } : {};
  const visitsBy = (kind: 'human' | 'ai', { path, pages }: Row): Counts =>
    pages
      ? sumOf(pages.map((page) => visitsBy(kind, page)))
      : all.map(({ rows, scale }) => scale * ((rows.get(path) ?? unlisted)[kind] ?? Number.NaN));
  return { all, most, pages, visitsBy, isListedNow };
}

/**
 * The sections and then the pages outside their usual ranges, each furthest first. `earlier` has
 * the lists, and others.
 */
export function usualPages(
  { all, most, pages, visitsBy, isListedNow }: SiteCounts,
  earlier: readonly WindowRead[],
  sectionOf: ReadonlyMap<string, Scrubbed>,
  isChosen: PathFilter,
) {
  const lists = all.map(({ read }) => read);
  const isWhole = most === undefined && lists.at(-1)?.cut === undefined;
  const groups = Map.groupBy(
    isWhole ? pages : [],
    ({ path }) => sectionOf.get(path) ?? ownWords('/'),
  );
  const sections = Array.from(groups, ([path, pages]) => {
    return { path, pages, counts: sumOf(pages.map(({ counts }) => counts)) };
  });
  const share = most === undefined ? rule.shares.pages : rule.shares.firstRows;
  const { levels, named } = standOut(pages, sections, lists.at(-2) === earlier.at(-1), share);
  const describe = (row: NamedRow) => {
    const { path, pages, counts, shown } = row;
    const { weeks: periods, value: mean, base: baseline, difference, low, high, distance } = shown;
    const side: Side = difference > 0 ? 'more' : 'fewer';
    return {
      ...{ path, pages: pages?.length, visitors: counts.at(-1) ?? 0, periods, mean, baseline },
      ...{ low: Math.max(0, Math.ceil(low)), high: Math.floor(high), side, distance },
      /** Whether a list that was cut lacks it, so that it had no more visitors than this. */
      isAtMost: most !== undefined && !isListedNow(path),
      /** Whether AI, and not people, made it rise. */
      isCrawled: isCrawled(shown, leveled(visitsBy('human', row), levels)),
      /** Its visitors in each earlier window, oldest first; `undefined` if unknown. */
      visits: earlier.map((past) => {
        const at = lists.indexOf(past);
        return at < 0 ? undefined : Math.round((counts[at] ?? 0) / (all[at]?.scale ?? 1));
      }),
    };
  };
  const areChosen = (row: NamedRow) => (row.pages ?? [row]).every(({ path }) => isChosen(path));
  return named.flatMap((rows) => {
    const described = rows.filter(areChosen).map(describe);
    return described.toSorted((a, b) => b.distance - a.distance || byPath(a, b));
  });
}

/**
 * The most-read rows of a list, and the most visitors that a page may have without being one of
 * them.
 */
function firstRows({ rows }: WindowRead, most: number) {
  const sorted = [...rows.values()].sort((a, b) => b.total - a.total);
  const last = sorted[most - 1]?.total ?? 0;
  // Rows that tie with the last one may be on either side.
  const first = sorted.filter(({ total }) => total > last);
  return { rows: new Map(first.map((row) => [row.path, row])), last };
}
