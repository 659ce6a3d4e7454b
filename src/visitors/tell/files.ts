import { createHash } from 'node:crypto';
// With `/` on every system: these paths are outputs, and a workflow's shell takes `\` for something else.
import { join } from 'node:path/posix';
import { stringify } from 'csv-stringify/sync';
import { ActionError } from '../../core/errors.ts';
import type { Projects } from '../../core/inputs/projects.ts';
import type { Files } from '../../runner/files.ts';
import type { AlertResult } from '../judge/alerts.ts';
import type { Window } from '../read/period.ts';
import type { WindowPair, WindowRead } from '../read/window-read.ts';
import type { ReportContent, ReportData, ReportPaths } from './content.ts';
import { roundedPercent } from './numbers.ts';

const csvHead = ['path', 'human', 'ai', 'total', 'human_before', 'ai_before', 'total_before'];

/** Characters of a project’s id in a file name: most file systems take names of 255 bytes, and a file being written has a longer one. */
const longestProject = 150;

/** Where the files of one project go; the same for every report of this project and window. */
export function reportPaths(directory: string, projectId: string, { slug }: Window): ReportPaths {
  const path = pathsOf(directory, slug, nameOf(projectId));
  return { markdown: path('md'), csv: path('csv'), json: path('json') };
}

/** Where the files of each project go: of several, each has its data for itself, and the report is one for all. */
export function reportPathsOf(
  directory: string,
  projects: Projects,
  window: Window,
): (projectId: string) => ReportPaths {
  if (projects.length === 1) return (projectId) => reportPaths(directory, projectId, window);
  return (projectId) => {
    const others = projects.filter(({ id }) => id !== projectId);
    // What another project's files are called, or would be: a disk may ignore case.
    const taken = others.flatMap(({ id }) => [nameOf(id), tellingName(id)]).map((name) => name.toLowerCase());
    const name = nameOf(projectId);
    const path = pathsOf(
      directory,
      window.slug,
      taken.includes(name.toLowerCase()) ? tellingName(projectId) : name,
    );
    return { markdown: join(directory, `visitors-${window.slug}.md`), csv: path('csv'), json: path('json') };
  };
}

function pathsOf(directory: string, slug: string, name: string): (extension: string) => string {
  return (extension) => join(directory, `visitors-${name}-${slug}.${extension}`);
}

/** A name that tells ids apart which differ only in what a file name, or a disk, leaves out. */
function tellingName(projectId: string): string {
  return `${nameOf(projectId)}-${createHash('sha256').update(projectId).digest('hex').slice(0, 12)}`;
}

/** Characters that any disk takes. */
function nameOf(projectId: string): string {
  return projectId.replace(/[^A-Za-z0-9._-]+/g, '_').slice(0, longestProject);
}

/** Writes the data of every project, and the report, up to the first that cannot be written; gives why it cannot. */
export function writeFiles(
  contents: readonly ReportContent[],
  markdown: string,
  files: Files,
): ActionError | undefined {
  try {
    for (const content of contents) {
      if (content.files === undefined) continue;
      files.write(content.files.csv, csvText(content.windows));
      files.write(content.files.json, jsonText(content));
    }
    const path = contents[0]?.files?.markdown;
    if (path !== undefined) files.write(path, markdown);
    return undefined;
  } catch (error) {
    if (error instanceof ActionError && error.reason === 'file-error') return error;
    throw error;
  }
}

/**
 * All rows of the window as CSV (RFC 4180: CRLF, text quoted), in the order of the service, with the window before beside
 * them where it is known. A cell that a spreadsheet would take for a formula gets an apostrophe in front (OWASP, "CSV
 * Injection").
 */
export function csvText({ now, before }: WindowPair): string {
  const records = Array.from(now.rows.values(), ({ path, human, ai, total }) => {
    const earlier = before?.rows.get(path);
    return [path, human, ai, total, earlier?.human, earlier?.ai, earlier?.total];
  });
  return stringify([csvHead, ...records], {
    escape_formulas: true,
    quoted_string: true,
    record_delimiter: 'windows',
  });
}

/** The data as one JSON object, version 1: both windows with all rows that were read, and what the alert rules came to. */
export function jsonText({ projectId, timeZone, windows, alerts }: ReportData): string {
  const { now, before } = windows;
  const report = {
    version: 1,
    project: projectId,
    timeZone,
    window: windowJson(now),
    before: before === undefined ? null : windowJson(before),
    alerts: alerts.map(alertJson),
  };
  return `${JSON.stringify(report)}\n`;
}

/** A hit's figure is written in per cent, rounded as in the report: the counts that it comes of stand beside it. */
function alertJson(alert: AlertResult): object {
  if (alert.state !== 'fired') return alert;
  const hits = alert.hits.map(({ figure, ...hit }) => ({ ...hit, percent: roundedPercent(figure) }));
  return { ...alert, hits };
}

function windowJson({ window, totals, rows, cut, oddities }: WindowRead): object {
  const { kind, start, end, label } = window;
  return {
    period: kind,
    start,
    end,
    label,
    complete: cut === undefined,
    cut: cut?.kind ?? null,
    totals,
    oddities,
    rows: [...rows.values()],
  };
}
