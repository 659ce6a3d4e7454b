/* Which page of a site a file in its repository is. */

/** A file that several pages may contain. */
const shared = /(?:^|\/)_?snippets\//;
const page = /^(.+)\.mdx?$/;
const noPage = /(?:^|\/)(?:readme|contributing|license)$/i;

/**
 * Creates the function that finds the page of a file: the path that was `visited`, or nothing. It returns `undefined` for a file
 * that is neither a page nor a part of several. `tree`: all files, if they are known. `visited`: the most visited paths last.
 */
export function pageFinder(tree: readonly string[] | undefined, visited: readonly string[]) {
  const paths = new Map(visited.map((path) => [normalized(path), path]));
  const firstSegments = new Set(paths.keys().map((path) => path.split('/')[0] ?? ''));
  const [prefix = ''] = firstSegments.size === 1 ? firstSegments : [];
  const visitedAt = (path: string) => paths.get(path) ?? paths.get(normalized(`${prefix}/${path}`));
  const folders = (tree ?? []).flatMap((file) => /^(.*\/|)(?:docs|mint)\.json$/.exec(file)?.[1] ?? []);
  const roots = folders.length === 0 ? [''] : [...new Set(folders)].sort((a, b) => b.length - a.length);
  const located = (file: string) => {
    const root = roots.find((folder) => file.startsWith(folder));
    if (root === undefined) return undefined;
    const below = file.slice(root.length);
    const [, path = ''] = page.exec(below) ?? [];
    const isPage = path !== '' && !shared.test(below) && !noPage.test(path);
    return { root, isShared: shared.test(below), path: isPage ? normalized(path) : undefined };
  };
  const all = roots.length === 1 ? [] : (tree ?? []).flatMap((file) => located(file) ?? []);
  const isVisited = ({ path }: (typeof all)[number]) => path !== undefined && visitedAt(path) !== undefined;
  const byRoot = Map.groupBy(all.filter(isVisited), ({ root }) => root);
  // Of several sites in one repository, the one whose pages were visited.
  const site = roots.toSorted((a, b) => (byRoot.get(b)?.length ?? 0) - (byRoot.get(a)?.length ?? 0))[0];
  return (file: string) => {
    const found = located(file);
    if (found === undefined || found.root !== site) return undefined;
    const { isShared, path } = found;
    if (isShared) return { isShared };
    return path === undefined ? undefined : { isShared, visited: visitedAt(path) };
  };
}

/** A path without slashes at its ends, and without a final `index`. */
function normalized(path: string): string {
  return path.replace(/^\/+|\/+$/g, '').replace(/(?:^|\/)index$/, '');
}
