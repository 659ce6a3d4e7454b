import picomatch from 'picomatch';

export type PathFilter = (path: string) => boolean;

/**
 * Matches whole paths against one glob, with case, even if they begin with a dot. @throws if it is
 * malformed.
 */
export function globMatcher(glob: string): PathFilter {
  // `globFilter` handles `!`, so picomatch must not. Wildcards must also match newlines in a path.
  return picomatch(glob, { dot: true, nonegate: true, strictBrackets: true, flags: 's' });
}

/**
 * As in a workflow's `paths`, the last glob that matches decides. With only `!` globs, all others
 * are selected.
 */
export function globFilter(globs: readonly string[], matcherOf: typeof globMatcher): PathFilter {
  const rules = globs.map((glob) => {
    const isExclusion = glob.startsWith('!');
    const pattern = isExclusion ? glob.slice(1) : glob;
    return { isExclusion, matches: matcherOf(pattern) };
  });
  const selectsOthers = rules.every((rule) => rule.isExclusion);
  return (path) => {
    const lastMatch = rules.findLast((rule) => rule.matches(path));
    return lastMatch === undefined ? selectsOthers : !lastMatch.isExclusion;
  };
}

/** What is wrong with a glob, as Markdown; `undefined` if nothing is. */
export function globProblem(glob: string): string | undefined {
  if (glob === '!') return 'there is no glob after the exclamation mark';
  const pattern = glob.replace(/^!/, '');
  if (/^["']|["']$|^-(\s|$)/.test(pattern))
    return 'each line is a glob, not YAML: remove the dash and any quotes';
  if (/^\s/.test(pattern)) return 'remove the space after the exclamation mark';
  try {
    globMatcher(pattern);
  } catch {
    return 'a bracket is unmatched; to match the character itself, put a backslash before it';
  }
  if (isList(pattern)) return 'put each glob on its own line, or write `[,]` for the comma';
  return undefined;
}

/**
 * Whether several globs are on one line. Inside braces and brackets, a comma and a space belong to
 * the glob.
 */
function isList(glob: string): boolean {
  const outside = glob.replace(/\{[^{}]*\}|\[[^\]]*\]/g, '');
  // Braces may contain others, so they are removed from the inside out.
  if (outside !== glob) return isList(outside);
  return /,\s/.test(glob);
}
