import { globFilter, globMatcher, type PathFilter } from '../../core/globs.ts';
import { changeScrubbed, type Scrubbed } from '../../text/scrub.ts';

/**
 * Selects the pages that match the globs. Both get a leading slash, because the service may send
 * paths without one.
 */
export function pageFilter(globs: readonly string[]): PathFilter {
  return globFilter(globs, (glob) => {
    const matches = globMatcher(glob.replace(/^(?!\/|\*\*)/, '/'));
    return (path) => matches(path.replace(/^(?!\/)/, '/'));
  });
}

/** Compares by UTF-16 code units, which is the same in every locale. */
export function byPath(a: { readonly path: string }, b: typeof a): number {
  if (a.path === b.path) return 0;
  return a.path > b.path ? 1 : -1;
}

/**
 * The section of each path of all windows. At depth 1, `/guides/a` belongs to `/guides`; so does
 * `/guides`, if it has such pages.
 */
export function sectionsByPath(
  paths: ReadonlySet<Scrubbed>,
  depth: number,
): ReadonlyMap<string, Scrubbed> {
  const segmentsByPath = new Map<Scrubbed, string[]>();
  const sections = new Set<string>();
  for (const path of paths) {
    const segments = path.split('/').filter((segment) => segment !== '');
    segmentsByPath.set(path, segments);
    for (let length = 1; length <= depth && length < segments.length; length += 1)
      sections.add(joinFirst(segments, length));
  }
  const sectionByPath = new Map<string, Scrubbed>();
  for (const [path, segments] of segmentsByPath) {
    const own = joinFirst(segments, depth);
    const above = joinFirst(segments, segments.length - 1);
    sectionByPath.set(
      path,
      changeScrubbed(path, () => (sections.has(own) ? own : above)),
    );
  }
  return sectionByPath;
}

function joinFirst(segments: readonly string[], length: number): string {
  return `/${segments.slice(0, length).join('/')}`;
}
