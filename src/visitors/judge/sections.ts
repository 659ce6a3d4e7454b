import type { VisitorsRow } from '../../service/schemas.ts';

/** Pages under one path prefix. `total` is the sum of rows: an upper bound, since one visitor may read many pages. */
export interface Section {
  /** The prefix. */
  readonly path: string;
  readonly pages: number;
  readonly total: number;
}

/**
 * Which section a page belongs to: its first `depth` path segments. A page that has no more segments than that is the front
 * page of the section below it, if `paths` has one, and else belongs where it lies.
 *
 * @param paths all pages of the windows that are compared, so that a page has the same section in each.
 */
export function sectionsByPath(paths: Iterable<string>, depth: number): (path: string) => string {
  const withPagesBelow = new Set<string>();
  for (const path of paths) {
    const segments = segmentsOf(path);
    if (segments.length > depth) withPagesBelow.add(toPath(segments.slice(0, depth)));
  }
  return (path) => {
    const segments = segmentsOf(path);
    if (segments.length > depth) return toPath(segments.slice(0, depth));
    return withPagesBelow.has(toPath(segments)) ? toPath(segments) : toPath(segments.slice(0, -1));
  };
}

/** Sums up the rows by section. */
export function sumSections(
  rows: Iterable<VisitorsRow>,
  sectionOf: (path: string) => string,
): Map<string, Section> {
  const sections = new Map<string, Section>();
  for (const { path, total } of rows) {
    const name = sectionOf(path);
    const known = sections.get(name);
    sections.set(name, { path: name, pages: (known?.pages ?? 0) + 1, total: (known?.total ?? 0) + total });
  }
  return sections;
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '');
}

function toPath(segments: readonly string[]): string {
  return `/${segments.join('/')}`;
}
