import type { Scrubbed } from '../../../text/scrub.ts';

/* Which page of a site a file in its repository is. */

/** A file that several pages may contain. */
const shared = /(?:^|\/)_?snippets\//;
const page = /^(.+)\.mdx?$/;
const noPage = /(?:^|\/)(?:readme|contributing|license)$/i;

/** A file of the site in `root`: a page at this path, or without a path, a shared file. */
type SiteFile = Readonly<{ root: string; path?: string }>;

type FindVisited = (path: string) => Scrubbed | undefined;

/**
 * Creates the function that finds the visited page of a file, if it is a page. `visited`: the most
 * visited paths last.
 */
export function createPageFinder(
  tree: readonly string[] | undefined,
  visited: readonly Scrubbed[],
) {
  const files = tree ?? [];
  const findVisited = createVisitedFinder(visited);
  const roots = findRoots(files);
  const site = chooseRoot(roots, files, findVisited);
  return (file: string) => {
    const place = placeFile(file, roots);
    if (place === undefined || place.root !== site) return undefined;
    if (place.path === undefined) return { isShared: true, visited: undefined };
    return { isShared: false, visited: findVisited(place.path) };
  };
}

/** Finds the visited path of a page. A whole site may be published below a folder. */
function createVisitedFinder(visited: readonly Scrubbed[]): FindVisited {
  const paths = new Map(visited.map((path) => [normalize(path), path]));
  const firstSegments = new Set(paths.keys().map((path) => path.split('/')[0]));
  const [folder] = firstSegments;
  return (path) => {
    const exact = paths.get(path);
    if (exact !== undefined || firstSegments.size !== 1) return exact;
    return paths.get(normalize(`${folder}/${path}`));
  };
}

/** The folders with a site's configuration, the innermost first; without any, the root. */
function findRoots(tree: readonly string[]): string[] {
  const folders = tree.map((file) => /^(.*\/|)(?:docs|mint)\.json$/.exec(file)?.[1]);
  const roots = new Set(folders.filter((folder) => folder !== undefined));
  if (roots.size === 0) return [''];
  return [...roots].sort((a, b) => b.length - a.length);
}

/** Of several sites in one repository, the one whose pages were visited. */
function chooseRoot(roots: readonly string[], tree: readonly string[], findVisited: FindVisited) {
  if (roots.length === 1) return roots[0];
  const visits = new Map<string, number>();
  for (const file of tree) {
    const place = placeFile(file, roots);
    if (place?.path === undefined || findVisited(place.path) === undefined) continue;
    visits.set(place.root, (visits.get(place.root) ?? 0) + 1);
  }
  const visitsTo = (root: string) => visits.get(root) ?? 0;
  return roots.toSorted((a, b) => visitsTo(b) - visitsTo(a))[0];
}

/** Places a file in its site; `undefined` if it is neither a page nor shared. */
function placeFile(file: string, roots: readonly string[]): SiteFile | undefined {
  const root = roots.find((folder) => file.startsWith(folder));
  if (root === undefined) return undefined;
  const below = file.slice(root.length);
  if (shared.test(below)) return { root };
  const path = page.exec(below)?.[1];
  if (path === undefined || noPage.test(path)) return undefined;
  return { root, path: normalize(path) };
}

/** A path without slashes at its ends, and without a final `index`. */
function normalize(path: string): string {
  return path.replace(/^\/+|\/+$/g, '').replace(/(?:^|\/)index$/, '');
}
