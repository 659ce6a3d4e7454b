import picomatch from 'picomatch';
import { shortCode } from '../text/markdown.ts';
import { messageOf } from './errors.ts';

/** Whether a path is selected. */
export type PathFilter = (path: string) => boolean;

/**
 * Matches paths against one whole glob. Case matters, and names that begin with a dot match, too.
 *
 * @throws if the glob is malformed.
 */
export function globMatcher(glob: string): PathFilter {
  // `nonegate`, because `globFilter` reads the `!` itself; `s`, because a path may contain a newline.
  return picomatch(glob, { dot: true, nonegate: true, strictBrackets: true, flags: 's' });
}

/**
 * Selects paths with several globs, as a workflow's `paths` does: the last glob that matches a path decides, and `!` excludes.
 * If all globs exclude, or there are none, all other paths are selected.
 */
export function globFilter(globs: readonly string[], matcherOf = globMatcher): PathFilter {
  const rules = globs.map((glob) => {
    const excludes = glob.startsWith('!');
    return { includes: !excludes, matches: matcherOf(excludes ? glob.slice(1) : glob) };
  });
  const otherwise = rules.every(({ includes }) => !includes);
  return (path) => rules.findLast(({ matches }) => matches(path))?.includes ?? otherwise;
}

/** What is wrong with a glob, as Markdown, or `undefined`. */
export function globProblem(glob: string): string | undefined {
  if (glob === '!') return 'there is no glob after the exclamation mark';
  const pattern = glob.replace(/^!/, '');
  if (/^["']|["']$|^-(\s|$)/.test(pattern)) return 'remove the dash and the quotes from the YAML list';
  if (/^\s/.test(pattern)) return 'remove the space after the exclamation mark';
  try {
    globMatcher(pattern);
    return undefined;
  } catch (error) {
    return shortCode(messageOf(error));
  }
}

/** What an input of globs takes, with the first bad glob and why; `undefined` if all are valid. */
export function globsTake(
  takes: string,
  globs: readonly string[],
  problemOf: (glob: string) => string | undefined,
): string | undefined {
  const wrong = globs.find((glob) => problemOf(glob) !== undefined);
  return wrong === undefined ? undefined : `${takes}. ${shortCode(wrong)} is not valid: ${problemOf(wrong)}`;
}
