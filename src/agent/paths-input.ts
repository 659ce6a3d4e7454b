import { globProblem, globsProblem } from '../core/globs.ts';

/** What is wrong with the `paths` input; `undefined` if nothing is. */
export function pathsProblem(globs: readonly string[]): string | undefined {
  return globsProblem(globs, pathGlobProblem);
}

/** With more `**` than this in one glob, matching some paths takes minutes. */
const maxGlobstars = 3;

function pathGlobProblem(glob: string): string | undefined {
  const problem = globProblem(glob);
  if (problem !== undefined) return problem;
  const pattern = glob.replace(/^!/, '');
  // In brackets or after a backslash, `?` and `+` are ordinary characters, as in workflow files.
  const [special] = pattern.replace(/\\.|\[[^\]]*\]/g, '').match(/[?+]/) ?? [];
  if (special !== undefined) {
    return `\`${special}\` means something else in a workflow’s \`paths\` filter; to match the character itself, write \`[${special}]\`, or use \`*\` and \`{a,b}\``;
  }
  if ((pattern.match(/\*\*/g) ?? []).length > maxGlobstars) return `use \`**\` at most ${maxGlobstars} times`;
  return pattern.endsWith('/') ? 'a slash at the end matches no file; add `**`' : undefined;
}
