import { accessSync, constants, existsSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { canMakePages, pageOf, type Theme } from './page.ts';

const theme: Theme = 'light';

/** Why the report can’t be written to a file. This is checked before the scene runs. */
export function outProblem(out: string, hasPackages = canMakePages(theme)): string | undefined {
  const problem =
    isPage(out) && !hasPackages
      ? 'GitHub’s style sheet and Mermaid are missing. Run "npm ci --prefix scripts/pictures" first'
      : placeProblem(out);
  return problem === undefined ? undefined : `Can’t write ${out}: ${problem}.`;
}

/** Writes a summary as Markdown, or as an HTML page that looks like GitHub. */
export function writeSummary(out: string, markdown: string): void {
  writeFileSync(out, isPage(out) ? pageOf([{ markdown }], theme) : markdown);
}

function isPage(out: string): boolean {
  return out.endsWith('.html');
}

function placeProblem(out: string): string | undefined {
  const directory = dirname(out);
  if (!existsSync(directory)) return `there is no directory ${directory}`;
  if (existsSync(out) && !statSync(out).isFile()) return 'it isn’t a file';
  try {
    accessSync(existsSync(out) ? out : directory, constants.W_OK);
    return undefined;
  } catch {
    return 'permission denied';
  }
}
