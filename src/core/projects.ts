import { shortCode, visible } from '../text/markdown.ts';

/** A report needs at least two requests for each project, and the service allows 100 requests an hour. */
export const maxProjects = 50;

/** A documentation project. Without a name, `name` is the ID. */
export type Project = Readonly<Record<'id' | 'name', string>>;

export type Projects = readonly [Project, ...Project[]];

/** Parses one project per line, as `id` or `id = name`, and skips blank lines. A mistake begins with the project. */
export function parseProjects(text: string): { projects: Project[]; mistakes: string[] } {
  const lines = text.split('\n').flatMap((line, index) => {
    const [, id = '', name = id] = line.match(/^\s*([^=]*?)\s*(?:=\s*(.*?)\s*)?$/s) ?? [];
    return line.trim() === '' ? [] : { id, name, number: index + 1 };
  });
  const mistakes = lines.flatMap(({ id, name, number }, index) => {
    const mistake = mistakeIn(id, name, lines.slice(0, index));
    const shown = id.startsWith('mint_') ? '`mint_…`' : shortCode(id || `= ${name}`);
    return mistake === undefined ? [] : [`${shown} (line ${number}): ${mistake}`];
  });
  return { projects: lines.map(({ id, name }) => ({ id, name })), mistakes };
}

/** What is wrong with a project; `undefined` if nothing is. `earlier` has the projects on the lines above. */
function mistakeIn(id: string, name: string, earlier: readonly (Project & { number: number })[]) {
  if (id === '') return 'the ID is empty; maybe its variable isn’t set';
  if (!/^(?!#|\.\.?$)[^\s\p{Cc}]+$/u.test(id))
    return 'an ID can’t contain spaces or control characters, begin with `#`, or be `.` or `..`';
  if (id.startsWith('mint_')) return 'this is an API key, which belongs in `api-key`';
  // The name must fit into a table cell of the report.
  if (name === '' || (name !== id && (Array.from(name).length > 80 || visible(name) !== name)))
    return 'a name must have 1 to 80 visible characters';
  // An alert rule can name a project by its ID or its name, so neither may occur twice.
  const same = earlier.find((line) =>
    [line.id, line.name].some((word) => word === id || word === name),
  );
  return same && `the same ID or name as line ${same.number}`;
}

export type Access = {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly projects: Projects;
};

/** The base URL, the API key, and the ID of a project; by default, of the run's first project. */
export function accessTo({ baseUrl, apiKey, projects }: Access, project = projects[0]) {
  return { baseUrl, apiKey, projectId: project.id };
}
