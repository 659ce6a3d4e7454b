import picomatch from 'picomatch';
import { shortCode } from '../text/markdown.ts';
import { messageOf } from './errors.ts';

/** Tells whether a path is one of those that are meant. */
export type PathFilter = (path: string) => boolean;

/**
 * The paths that match a whole glob. Case matters, and names that begin with a dot match too.
 *
 * @throws where the glob is not well formed.
 */
export function globMatcher(glob: string): PathFilter {
  // `nonegate`, since `globFilter` reads the `!` itself; `s`, since a path may hold a newline.
  return picomatch(glob, { dot: true, nonegate: true, strictBrackets: true, flags: 's' });
}

/**
 * The paths that several globs choose, as in a workflow's `paths`: the last glob that matches a path decides, and `!`
 * excludes. Where all globs exclude, or there are none, all other paths are chosen.
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
  if (glob === '!') return 'a glob after the exclamation mark';
  const pattern = glob.replace(/^!/, '');
  if (/^["']|["']$|^-(\s|$)/.test(pattern)) return 'leave out the dash and the quotes of a YAML list';
  if (/^\s/.test(pattern)) return 'no space after the exclamation mark';
  try {
    globMatcher(pattern);
    return undefined;
  } catch (error) {
    return shortCode(messageOf(error));
  }
}

/** What an input of globs takes, with the first that is wrong and why; `undefined` if all are right. */
export function globsTake(
  takes: string,
  globs: readonly string[],
  problemOf: (glob: string) => string | undefined,
): string | undefined {
  const wrong = globs.find((glob) => problemOf(glob) !== undefined);
  return wrong === undefined ? undefined : `${takes}; ${shortCode(wrong)} is none (${problemOf(wrong)})`;
}
