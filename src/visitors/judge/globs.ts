import picomatch from 'picomatch';

/** Tells whether a page, by its path, is one of those that are meant. */
export type PageFilter = (path: string) => boolean;

/**
 * The pages that match a glob. Globs and paths are compared with a leading slash, whether they have one or not: it is not
 * documented whether the service's paths do.
 */
export function pageMatcher(glob: string): PageFilter {
  // `nonegate`, since `pageFilter` reads the `!` itself; `s`, since a path may hold a newline.
  const matches = picomatch(rooted(glob), { dot: true, nonegate: true, strictBrackets: true, flags: 's' });
  return (path) => matches(path.startsWith('/') ? path : `/${path}`);
}

/**
 * The pages that several globs choose, as in a workflow's `paths`: the last glob that matches a page decides, and `!`
 * excludes. Where all globs exclude, or there are none, all other pages are chosen.
 */
export function pageFilter(globs: readonly string[]): PageFilter {
  const rules = globs.map((glob) => {
    const excludes = glob.startsWith('!');
    return { includes: !excludes, matches: pageMatcher(excludes ? glob.slice(1) : glob) };
  });
  const otherwise = rules.every(({ includes }) => !includes);
  return (path) => rules.findLast(({ matches }) => matches(path))?.includes ?? otherwise;
}

/** What is wrong with a glob, or `undefined`. */
export function globProblem(glob: string): string | undefined {
  try {
    pageMatcher(glob.replace(/^!/, ''));
    return glob === '!' ? 'a glob after the exclamation mark' : undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function rooted(glob: string): string {
  return glob === '' || glob.startsWith('/') || glob.startsWith('**') ? glob : `/${glob}`;
}
