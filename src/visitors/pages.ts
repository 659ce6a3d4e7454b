import { globFilter, globMatcher, type PathFilter } from '../core/globs.ts';
import type { VisitorsRow } from '../service/schemas.ts';

/** With fewer visitors, a page's percentage is mostly chance. */
export const fewVisitors = 20;

/** The pages under one path prefix. `total` is the sum of the rows: one visitor may read several pages. */
export interface Section {
  readonly path: string;
  readonly pages: number;
  readonly total: number;
}

/**
 * Matches pages against a glob. Both get a leading slash first, because it isn't documented whether the service's paths have one.
 */
export function pageMatcher(glob: string): PathFilter {
  const isRooted = glob === '' || glob.startsWith('/') || glob.startsWith('**');
  const rooted = isRooted ? glob : `/${glob}`;
  const matches = globMatcher(rooted);
  // picomatch's `/guides/**` matches `/guides`, but for a folder named with `*` it leaves out the folder's own page.
  const folder = /^(.*[^/])\/\*\*$/.exec(rooted)?.[1];
  const isFolder = folder === undefined ? () => false : globMatcher(folder);
  return (given) => {
    const path = given.startsWith('/') ? given : `/${given}`;
    return matches(path) || isFolder(path);
  };
}

/** Selects pages with several globs; without any, all pages. */
export function pageFilter(globs: readonly string[]): PathFilter {
  return globFilter(globs, pageMatcher);
}

/** By UTF-16 code units, which is the same in every locale. The site, which has no path, comes first. */
export function byPath(a: { readonly path?: string | undefined }, b: typeof a): number {
  const [one = '', other = ''] = [a.path, b.path];
  return Number(one > other) - Number(one < other);
}

/** Most visited first, ties by path. */
export function byVisitors(a: { readonly path: string; readonly total: number }, b: typeof a): number {
  return b.total - a.total || byPath(a, b);
}

/**
 * The section of each page. At a depth of 1 or more, `/guides/a` belongs to `/guides`. So does `/guides` itself if there are
 * pages below it; otherwise it is a page in the section above it, `/`.
 *
 * @param paths all pages of both windows, so that a page is in the same section in each. @param depth how many path segments
 * make a section.
 */
export function sectionsByPath(paths: Iterable<string>, depth: number): (path: string) => string {
  const segmentsOf = (path: string) => path.split('/').filter((segment) => segment !== '');
  const prefix = (segments: readonly string[], length: number) => `/${segments.slice(0, length).join('/')}`;
  const withPagesBelow = new Set<string>();
  for (const path of paths) {
    const segments = segmentsOf(path);
    for (let length = 1; length <= depth && length < segments.length; length += 1) {
      withPagesBelow.add(prefix(segments, length));
    }
  }
  return (path) => {
    const segments = segmentsOf(path);
    const own = prefix(segments, depth);
    return segments.length > depth || withPagesBelow.has(own) ? own : prefix(segments, segments.length - 1);
  };
}

/** Counts pages and visitors by section. */
export function sumSections(
  rows: Iterable<VisitorsRow>,
  sectionOf: (path: string) => string,
): ReadonlyMap<string, Section> {
  const sections = new Map<string, Section>();
  for (const { path: page, total } of rows) {
    const path = sectionOf(page);
    const known = sections.get(path);
    sections.set(path, { path, pages: (known?.pages ?? 0) + 1, total: (known?.total ?? 0) + total });
  }
  return sections;
}
