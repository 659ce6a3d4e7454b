import { globFilter, globMatcher, type PathFilter } from '../../core/globs.ts';

/**
 * The pages that match a glob. Globs and paths are compared with a leading slash, whether they have one or not: it is not
 * documented whether the service's paths do.
 */
export function pageMatcher(glob: string): PathFilter {
  const matches = globMatcher(rooted(glob));
  return (path) => matches(path.startsWith('/') ? path : `/${path}`);
}

/** The pages that several globs choose. */
export function pageFilter(globs: readonly string[]): PathFilter {
  return globFilter(globs, pageMatcher);
}

function rooted(glob: string): string {
  return glob === '' || glob.startsWith('/') || glob.startsWith('**') ? glob : `/${glob}`;
}
