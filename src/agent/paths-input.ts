import { globProblem } from '../core/globs.ts';
import { shortCode } from '../text/markdown.ts';

/** What the `paths` input takes, with the first glob that is wrong and why; `undefined` if all are right. */
export function pathsTake(globs: readonly string[]): string | undefined {
  for (const glob of globs) {
    const problem = pathGlobProblem(glob);
    if (problem === undefined) continue;
    return `globs of file paths, on separate lines, such as \`src/**\` or \`!src/**/*.test.ts\`; ${shortCode(glob)} is none (${problem})`;
  }
  return undefined;
}

/** With more of them, a path can be made that takes minutes to match. */
const mostGlobstars = 3;

function pathGlobProblem(glob: string): string | undefined {
  const problem = globProblem(glob);
  if (problem !== undefined) return problem;
  const pattern = glob.replace(/^!/, '');
  // In brackets or behind a backslash they stand for themselves, here as in workflow files.
  const [special] = pattern.replace(/\\.|\[[^\]]*\]/g, '').match(/[?+]/) ?? [];
  if (special !== undefined) {
    return `\`${special}\` means something else in the paths of a workflow; write \`[${special}]\` for the character itself, or use \`*\` and \`{a,b}\``;
  }
  if ((pattern.match(/\*\*/g) ?? []).length > mostGlobstars)
    return `at most ${mostGlobstars} times \`**\` in one`;
  return pattern.endsWith('/') ? 'a slash at the end matches no file; add `**`' : undefined;
}
