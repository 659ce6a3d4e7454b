import * as z from 'zod/mini';
import { visible } from '../../text/markdown.ts';
import { mistakesIn, refuse } from './inputs.ts';

/** Each project needs two requests for its totals and those before; the service allows 100 an hour for the organization. */
const mostProjects = 50;

/** A documentation project. */
export interface Project {
  readonly id: string;
  /** What it is called; its id unless a name was given. */
  readonly name: string;
}

/** All projects of a run. */
export type Projects = readonly [Project, ...Project[]];

const takes = 'a project id, as the dashboard shows it; several on separate lines, each `id` or `id = Name`';

/** Projects, on separate lines, each `id` or `id = Name`. */
export const projectList = z.pipe(
  z.string(
    'missing. Copy it from the dashboard’s API keys page. Where the workflow takes it from a variable, such as `vars.DOCS_PROJECT_ID`, is that set?',
  ),
  z.transform((value, context): Projects => {
    const lines = value
      .split('\n')
      .map((line, index) => ({ line: line.trim(), number: index + 1 }))
      .filter(({ line }) => line !== '')
      .map(({ line, number }) => ({ ...projectIn(line), number }));
    const mistakes = lines.flatMap((line, index) => {
      const mistake = mistakeIn(line, lines.slice(0, index));
      return mistake === undefined ? [] : [`line ${line.number}: ${mistake}`];
    });
    if (lines.length > mostProjects)
      mistakes.unshift(`${lines.length} are too many: ${mostProjects} at most`);
    const [first, ...others] = lines.map(({ id, name }): Project => ({ id, name }));
    if (first !== undefined && mistakes.length === 0) return [first, ...others];
    return refuse(context, `${takes}; ${mistakesIn(mistakes)}`);
  }),
);

function projectIn(line: string): Project {
  const [id = '', ...name] = line.split('=');
  return { id: id.trim(), name: (name.length === 0 ? id : name.join('=')).trim() };
}

/** What is wrong with a project, given those on earlier lines. */
function mistakeIn(
  { id, name }: Project,
  earlier: readonly (Project & { readonly number: number })[],
): string | undefined {
  if (!/^(?!#|\.\.?$)[^\s\p{Cc}]+$/u.test(id))
    return 'an id has no spaces or control characters, doesn’t begin with `#`, and isn’t `.` or `..`';
  // A name has to fit into the cell of a table.
  if (name === '' || (name !== id && (Array.from(name).length > 80 || visible(name) !== name)))
    return 'a name has 1 to 80 characters, all visible';
  // An alert rule names a project by either.
  const same = earlier.find((one) => [one.id, one.name].some((word) => word === id || word === name));
  return same && `the same id or name as in line ${same.number}`;
}

/** What requests about a project take, and what signs its comments; without a project, about the only one. */
export function accessTo(
  config: { readonly baseUrl: string; readonly apiKey: string; readonly projects: Projects },
  project = config.projects[0],
): { readonly baseUrl: string; readonly apiKey: string; readonly projectId: string } {
  const { baseUrl, apiKey } = config;
  return { baseUrl, apiKey, projectId: project.id };
}
