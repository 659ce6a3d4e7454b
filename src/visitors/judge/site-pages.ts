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
  const split = Array.from(paths, (path) => ({ path, segments: path.split('/').filter(Boolean) }));
  const sections = new Set<string>();
  for (const { segments } of split) {
    for (let length = 1; length <= depth && length < segments.length; length += 1)
      sections.add(joinFirst(segments, length));
  }
  const sectionByPath = split.map(({ path, segments }) => {
    const own = joinFirst(segments, depth);
    const section = sections.has(own) ? own : joinFirst(segments, segments.length - 1);
    return [path, changeScrubbed(path, () => section)] as const;
  });
  return new Map(sectionByPath);
}

function joinFirst(segments: readonly string[], length: number): string {
  return `/${segments.slice(0, length).join('/')}`;
}
