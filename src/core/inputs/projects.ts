import * as z from 'zod/mini';
import { visible } from '../../text/markdown.ts';
import { mistakesIn, refuse } from './inputs.ts';

/**
 * The most projects of one run. Each needs two requests for its totals and those before, and the service allows 100 an hour for
 * the whole organisation.
 */
export const mostProjects = 50;

/** Characters of a name: it has to fit into the cell of a table. */
const longestName = 80;

/** A documentation project. */
export interface Project {
  readonly id: string;
  /** What it is called; its id unless a name was given. */
  readonly name: string;
}

/** All projects of a run. */
export type Projects = readonly [Project, ...Project[]];

interface Line extends Project {
  /** From 1. */
  readonly number: number;
}

const takes = 'a project id, as the dashboard shows it';

/** Projects, on separate lines, each `id` or `id = Name`. */
export const projectList = z.pipe(
  z.string(
    'missing. Copy it from the dashboard’s API keys page. Where the workflow takes it from a variable, such as `vars.DOCS_PROJECT_ID`, is that set?',
  ),
  z.transform((value, context): Projects => {
    const lines = linesOf(value);
    const mistakes = lines.flatMap((line) => mistakeIn(line, lines));
    if (lines.length > mostProjects)
      mistakes.unshift(`${lines.length} are too many: ${mostProjects} at most`);
    const [first, ...others] = lines.map(({ id, name }): Project => ({ id, name }));
    if (first !== undefined && mistakes.length === 0) return [first, ...others];
    return refuse(
      context,
      `${takes}; several on separate lines, each \`id\` or \`id = Name\`; ${mistakesIn(mistakes)}`,
    );
  }),
);

/** What requests about a project take, and what signs its comments; without a project, about the only one. */
export function accessTo(
  config: { readonly baseUrl: string; readonly apiKey: string; readonly projects: Projects },
  project = config.projects[0],
): { readonly baseUrl: string; readonly apiKey: string; readonly projectId: string } {
  const { baseUrl, apiKey } = config;
  return { baseUrl, apiKey, projectId: project.id };
}

function linesOf(value: string): Line[] {
  return value.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const [, id = '', name = id] = line.match(/^([^=]*?)\s*(?:=(.*))?$/s) ?? [];
    return [{ id: id.trim(), name: name.trim(), number: index + 1 }];
  });
}

/** What is wrong with a line, given those before it; nothing where it is right. */
function mistakeIn({ id, name, number }: Line, lines: readonly Line[]): string[] {
  const earlier = (clashes: (one: Line) => boolean) =>
    lines.find((one) => one.number < number && clashes(one))?.number;
  const sameId = earlier((one) => one.id === id);
  const sameName = earlier((one) => one.name === name);
  // An alert rule names a project by either.
  const crossed = earlier((one) => one.id === name || one.name === id);
  const mistakes: readonly (readonly [wrong: unknown, mistake: string])[] = [
    [id.startsWith('#'), 'a line that begins with `#` is no project: comments cannot stand here'],
    [id === '', 'the id is missing'],
    [/[\s\p{Cc}]/u.test(id), 'an id holds no space and no control character'],
    [id === '.' || id === '..', `${JSON.stringify(id)} is no id`],
    [name === '', 'the name after `=` is empty'],
    [!isReadable({ id, name }), `a name has at most ${longestName} characters, all visible`],
    [sameId, `the same id as in line ${sameId}`],
    [sameName, `the same name as in line ${sameName}`],
    [crossed, `a name that is the id of the other, as in line ${crossed}`],
  ];
  return mistakes
    .filter(([wrong]) => wrong)
    .slice(0, 1)
    .map(([, mistake]) => `line ${number}: ${mistake}`);
}

function isReadable({ id, name }: Project): boolean {
  return name === id || (Array.from(name).length <= longestName && visible(name) === name);
}
