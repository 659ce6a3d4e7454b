import picomatch from 'picomatch';

/** Whether a page path is one of those meant. */
export type PageFilter = (path: string) => boolean;

/**
 * Pages that match a glob. A missing leading slash is added on either side, since whether the service's paths
 * have one is not documented.
 */
export function pageMatcher(glob: string): PageFilter {
  // `nonegate`: `!` is for `pageFilter` to read. `s`: a path may hold a newline.
  const matches = picomatch(rooted(glob), { dot: true, nonegate: true, strictBrackets: true, flags: 's' });
  return (path) => matches(path.startsWith('/') ? path : `/${path}`);
}

/**
 * Pages that several globs choose, as in a workflow's `paths`: the last one that matches a page decides, `!` excludes, and
 * where there are only exclusions, or no globs at all, everything else is in.
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
