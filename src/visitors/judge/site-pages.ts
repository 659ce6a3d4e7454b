import { globFilter, globMatcher, type PathFilter } from '../../core/globs.ts';

/** Selects the pages that match the globs. Both get a leading slash, because the service may send paths without one. */
export function pageFilter(globs: readonly string[]): PathFilter {
  return globFilter(globs, (glob) => {
    const matches = globMatcher(/^(?:\/|\*\*)/.test(glob) ? glob : `/${glob}`);
    return (path) => matches(path.startsWith('/') ? path : `/${path}`);
  });
}

/** Compares by UTF-16 code units, which is the same in every locale. */
export function byPath(a: { readonly path: string }, b: typeof a): number {
  return Number(a.path > b.path) - Number(a.path < b.path);
}

export function byVisitors(
  a: { readonly path: string; readonly total: number },
  b: typeof a,
): number {
  return b.total - a.total || byPath(a, b);
}

/** The section of each path of all windows. At depth 1, `/guides/a` belongs to `/guides`; so does `/guides`, if it has such pages. */
export function sectionsByPath(
  paths: ReadonlySet<string>,
  depth: number,
): ReadonlyMap<string, string> {
  const segmentsOf = (path: string) => path.split('/').filter((segment) => segment !== '');
  const prefix = (segments: readonly string[], length: number) =>
    `/${segments.slice(0, length).join('/')}`;
  const known = Array.from(paths, (path) => [path, segmentsOf(path)] as const);
  const sections = new Set<string>();
  for (const [, segments] of known)
    for (let length = 1; length <= depth && length < segments.length; length += 1)
      sections.add(prefix(segments, length));
  const sectionOf = (segments: readonly string[]) => {
    const own = prefix(segments, depth);
    return sections.has(own) ? own : prefix(segments, segments.length - 1);
  };
  return new Map(known.map(([path, segments]) => [path, sectionOf(segments)]));
}
