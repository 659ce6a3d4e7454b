import { createHash } from 'node:crypto';
// Paths use `/` on every system, because they are outputs, and shells treat `\` differently.
import { basename, join } from 'node:path/posix';

/** The maximum length of a project's ID in a file name. Most file systems allow 255 bytes, and temporary names are longer. */
const longestProject = 150;

/** The paths of a report's files, relative to the workspace. A later report on the same window has the same paths. */
export type ReportPaths = Readonly<ReturnType<typeof reportPaths>>;

export type ReportFile = readonly [path: string, text: string];

/** The paths of a report's files. Two reports whose projects, window, or `pages` differ never share one. */
export function reportPaths(
  directory: string,
  projects: readonly string[],
  slug: string,
  pages: readonly string[],
) {
  const about = pages.length === 0 ? slug : `${slug}-${digestOfAll(pages).slice(0, 8)}`;
  const pathOf = (name: string, extension: string) =>
    join(directory, `visitors-${name}-${about}.${extension}`);
  const data = projects.map((id) => {
    const name = nameOf(id);
    const paths = { csv: pathOf(name, 'csv'), json: pathOf(name, 'json'), gaps: pathOf(name, 'gaps.csv') };
    return [id, paths] as const;
  });
  const [only = ''] = projects;
  const all = `${projects.length}-projects-${digestOfAll(projects.toSorted()).slice(0, 8)}`;
  return { markdown: pathOf(projects.length === 1 ? nameOf(only) : all, 'md'), data: new Map(data) };
}

/** Whether a report may write a file with this name. */
export function isReportFile(path: string): boolean {
  return /^visitors-.*\.(md|csv|json)$/i.test(basename(path));
}

/** A short replacement for a list of any length. */
export function digestOfAll(list: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(list)).digest('hex');
}

/** Turns an ID into a file name that works on any disk. If characters are removed, a digest keeps different IDs apart. */
function nameOf(id: string): string {
  const name = id.replace(/[^A-Za-z0-9._-]+/g, '_').slice(0, longestProject);
  return name === id.toLowerCase() ? name : `${name}-${digestOfAll([id]).slice(0, 12)}`;
}
