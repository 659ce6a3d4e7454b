import { createHash } from 'node:crypto';
// With `/` on every system: these paths are outputs, and a workflow's shell reads `\` differently.
import { join } from 'node:path/posix';
import { ActionError } from '../core/errors.ts';
import type { Files } from '../runner/files.ts';

/** Characters of a project's id in a file name: most file systems take 255 bytes, and a file being written has a longer name. */
const longestProject = 150;

/** Where the files of a report go, relative to the workspace; the same for every report of these projects and this window. */
export interface ReportPaths {
  /** One for all projects. */
  readonly markdown: string;
  /** Where the data of each project goes, by its id. */
  readonly data: ReadonlyMap<string, { readonly csv: string; readonly json: string }>;
}

/** A file's path and its text. */
export type ReportFile = readonly [path: string, text: string];

/** The paths of a report's files. Only a single project's id is in the name of the Markdown file. */
export function reportPaths(directory: string, projects: readonly string[], slug: string): ReportPaths {
  const pathOf = (name: string, extension: string) => join(directory, `visitors-${name}${slug}.${extension}`);
  const data = projects.map((id) => {
    const name = `${uniqueName(id, projects)}-`;
    return [id, { csv: pathOf(name, 'csv'), json: pathOf(name, 'json') }] as const;
  });
  const [only = ''] = projects;
  const markdown = pathOf(projects.length === 1 ? `${safeName(only)}-` : '', 'md');
  return { markdown, data: new Map(data) };
}

/** Writes the files in order, up to the first that cannot be written; gives the reason. */
export function writeReportFiles(list: readonly ReportFile[], files: Files): ActionError | undefined {
  try {
    for (const [path, text] of list) files.write(path, text);
    return undefined;
  } catch (error) {
    if (error instanceof ActionError && error.reason === 'file-error') return error;
    throw error;
  }
}

/** A name that no other project's files have, or could have: a disk may ignore case. */
function uniqueName(id: string, projects: readonly string[]): string {
  const others = projects.filter((other) => other !== id);
  const taken = others.flatMap((other) => [safeName(other), hashedName(other)]);
  const isTaken = taken.some((name) => name.toLowerCase() === safeName(id).toLowerCase());
  return isTaken ? hashedName(id) : safeName(id);
}

/** Tells ids apart that differ only in what a file name, or a disk, leaves out. */
function hashedName(id: string): string {
  return `${safeName(id)}-${createHash('sha256').update(id).digest('hex').slice(0, 12)}`;
}

/** Characters that any disk takes. */
function safeName(id: string): string {
  return id.replace(/[^A-Za-z0-9._-]+/g, '_').slice(0, longestProject);
}
