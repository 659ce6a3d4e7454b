import { globFilter, globMatcher, type PathFilter } from '../core/globs.ts';

/**
 * The pages that match a glob. Globs and paths are compared with a leading slash, whether they have one or not: it is not
 * documented whether the service's paths do.
 */
export function pageMatcher(glob: string): PathFilter {
  const matches = globMatcher(rooted(glob));
  return (path) => matches(path.startsWith('/') ? path : `/${path}`);
}

/** The pages that several globs choose; all pages if there are none. */
export function pageFilter(globs: readonly string[]): PathFilter {
  return globFilter(globs, pageMatcher);
}

/** By UTF-16 code units: the same on every machine, whatever its locale. The site, which has no path, comes first. */
export function byPath(a: { readonly path?: string | undefined }, b: typeof a): number {
  const [one = '', other = ''] = [a.path, b.path];
  return Number(one > other) - Number(one < other);
}

/** Most visited first, ties by path. */
export function byVisitors(a: { readonly path: string; readonly total: number }, b: typeof a): number {
  return b.total - a.total || byPath(a, b);
}

function rooted(glob: string): string {
  return glob === '' || glob.startsWith('/') || glob.startsWith('**') ? glob : `/${glob}`;
}
