import { code, escapeInvisible } from '../text/markdown.ts';
import type { ScrubbedAll } from '../text/scrub.ts';

/** A report needs at least two requests for each project, and the service allows 100 an hour. */
export const maxProjects = 50;

/** A documentation project. Without a name, `name` is the ID. */
export type Project = Readonly<Record<'id' | 'name', string>>;

export type Projects = readonly [Project, ...Project[]];

/** A project as it is shown. A long name is cut. */
export type ShownProject = ScrubbedAll<Project>;

/** Parses one project per line, as `id` or `id = name`. A mistake begins with the project. */
export function parseProjects(text: string): { projects: Project[]; mistakes: string[] } {
  const lines = new Map<Project, number>();
  const mistakes: string[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const project = parseProject(line);
    const mistake = findMistake(project, lines);
    lines.set(project, index + 1);
    if (mistake === undefined) continue;
    const { id, name } = project;
    const shown = id.startsWith('mint_') ? '`mint_…`' : code(id || `= ${name}`);
    mistakes.push(`${shown} (line ${index + 1}): ${mistake}`);
  }
  return { projects: [...lines.keys()], mistakes };
}

function parseProject(line: string): Project {
  const [id = '', ...rest] = line.split('=');
  const name = rest.length === 0 ? id : rest.join('=');
  return { id: id.trim(), name: name.trim() };
}

/**
 * What is wrong with a project; `undefined` if nothing is. `earlier` has those above and their
 * lines.
 */
function findMistake({ id, name }: Project, earlier: ReadonlyMap<Project, number>) {
  if (id === '') return 'the ID is empty; maybe its variable isn’t set';
  if (!/^(?!#|\.\.?$)[^\s\p{Cc}]+$/u.test(id))
    return 'an ID can’t contain spaces or control characters, begin with `#`, or be `.` or `..`';
  if (id.startsWith('mint_')) return 'this is an API key, which belongs in `api-key`';
  if (name !== id && !isName(name)) return 'a name must have 1 to 80 visible characters';
  // An alert rule can name a project by its ID or its name, so neither may occur twice.
  for (const [other, line] of earlier) {
    const names = [other.id, other.name];
    if (names.includes(id) || names.includes(name)) return `the same ID or name as line ${line}`;
  }
  return undefined;
}

/** The name must fit into a table cell of the report. */
function isName(name: string): boolean {
  return name !== '' && Array.from(name).length <= 80 && escapeInvisible(name) === name;
}

/** A line of an input, which names a project by its ID or its name, or applies to all. */
type ProjectLine = { readonly project: string | undefined };

export function appliesTo({ project }: ProjectLine, { id, name }: Project): boolean {
  return project === undefined || project === name || project === id;
}

/** The first line that applies to a project. Inputs list those of one project first. */
export function findForProject<Line extends ProjectLine>(lines: readonly Line[], project: Project) {
  return lines.find((line) => appliesTo(line, project));
}

export type Access = {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly projects: Projects;
};

/** The base URL, the API key, and the ID of a project; by default, of the run's first project. */
export function accessTo(config: Access, project = config.projects[0]) {
  return { baseUrl: config.baseUrl, apiKey: config.apiKey, projectId: project.id };
}
