/* Which page of a site a file in its repository is. */

/** A file that several pages may contain. */
const shared = /(?:^|\/)_?snippets\//;
const page = /^(.+)\.mdx?$/;
const noPage = /(?:^|\/)(?:readme|contributing|license)$/i;

/** Creates the function that finds the visited page of a file, if it is a page. `visited`: the most visited paths last. */
export function pageFinder(tree: readonly string[] | undefined, visited: readonly string[]) {
  const paths = new Map(visited.map((path) => [normalized(path), path]));
  const firstSegments = new Set(paths.keys().map((path) => path.split('/')[0] ?? ''));
  const [prefix = ''] = firstSegments.size === 1 ? firstSegments : [];
  const visitedAt = (path: string) => paths.get(path) ?? paths.get(normalized(`${prefix}/${path}`));
  const folders = (tree ?? []).flatMap(
    (file) => /^(.*\/|)(?:docs|mint)\.json$/.exec(file)?.[1] ?? [],
  );
  const roots =
    folders.length === 0 ? [''] : [...new Set(folders)].sort((a, b) => b.length - a.length);
  const located = (file: string) => {
    const root = roots.find((folder) => file.startsWith(folder));
    const below = root === undefined ? '' : file.slice(root.length);
    const [, path = ''] = page.exec(below) ?? [];
    const isShared = shared.test(below);
    const isPage = path !== '' && !isShared && !noPage.test(path);
    return { root, isShared, path: isPage ? normalized(path) : undefined };
  };
  // Of several sites in one repository, the one whose pages were visited.
  const all = roots.length === 1 ? [] : (tree ?? []).map(located);
  const visitedIn = Map.groupBy(
    all,
    ({ root, path }) => path !== undefined && visitedAt(path) !== undefined && root,
  );
  const countIn = (root: string) => visitedIn.get(root)?.length ?? 0;
  const [site] = roots.toSorted((a, b) => countIn(b) - countIn(a));
  return (file: string) => {
    const { root, isShared, path } = located(file);
    if (root !== site || (path === undefined && !isShared)) return undefined;
    return { isShared, visited: path === undefined ? undefined : visitedAt(path) };
  };
}

/** A path without slashes at its ends, and without a final `index`. */
function normalized(path: string): string {
  return path.replace(/^\/+|\/+$/g, '').replace(/(?:^|\/)index$/, '');
}
