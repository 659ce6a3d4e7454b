import type { VisitorsRow } from '../service/schemas.ts';

/** The pages under one path prefix. */
export interface Section {
  /** The prefix. */
  readonly path: string;
  readonly pages: number;
  /** The sum of the rows: the section had at most that many visitors, since one visitor may read several pages. */
  readonly total: number;
}

/**
 * The section of each page. `/guides/a` belongs, at a depth of 1 and more, to `/guides`; so does `/guides` itself, as long as
 * there are pages below it; without any it is a single page of the section above it, `/`.
 *
 * @param paths all pages of both windows, so that a page has the same section in each.
 * @param depth how many path segments make a section.
 */
export function sectionsByPath(paths: Iterable<string>, depth: number): (path: string) => string {
  const withPagesBelow = new Set<string>();
  for (const path of paths) {
    const segments = segmentsOf(path);
    for (let above = 1; above <= depth && above < segments.length; above += 1) {
      withPagesBelow.add(toPath(segments.slice(0, above)));
    }
  }
  return (path) => {
    const segments = segmentsOf(path);
    if (segments.length > depth) return toPath(segments.slice(0, depth));
    return withPagesBelow.has(toPath(segments)) ? toPath(segments) : toPath(segments.slice(0, -1));
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

function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '');
}

function toPath(segments: readonly string[]): string {
  return `/${segments.join('/')}`;
}
