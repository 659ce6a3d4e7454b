import { accessSync, constants, existsSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { canMakePages, pageOf, type Theme } from './page.ts';

const theme: Theme = 'light';

/** Why a report could not be written to a file; asked before anything is played, which takes its time. */
export function outProblem(out: string, hasPackages = canMakePages(theme)): string | undefined {
  const problem =
    isPage(out) && !hasPackages
      ? 'the style sheet and Mermaid are not installed: run "npm ci --prefix scripts/pictures" first'
      : placeProblem(out);
  return problem === undefined ? undefined : `${out} cannot be written: ${problem}.`;
}

/** Writes a summary as Markdown, or as a page as GitHub shows it. */
export function writeSummary(out: string, markdown: string): void {
  writeFileSync(out, isPage(out) ? pageOf([{ markdown }], theme) : markdown);
}

function isPage(out: string): boolean {
  return out.endsWith('.html');
}

function placeProblem(out: string): string | undefined {
  const directory = dirname(out);
  if (!existsSync(directory)) return `there is no directory ${directory}`;
  if (existsSync(out) && !statSync(out).isFile()) return 'it is no file';
  try {
    accessSync(existsSync(out) ? out : directory, constants.W_OK);
    return undefined;
  } catch {
    return 'you may not write there';
  }
}
