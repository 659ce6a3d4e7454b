import { createHash } from 'node:crypto';
// Paths use `/` on every system, because they are outputs, and shells treat `\` differently.
import { join } from 'node:path/posix';
import { stringify } from 'csv-stringify/sync';
import type { VisitorsRow } from '../../service/schemas.ts';
import type { Gaps } from '../judge/gaps.ts';
import { isRead, type JudgedSite, type Report, type ReportPaths } from '../judge/report.ts';
import { byVisitors } from '../judge/site-pages.ts';
import { lackOf, type WindowRead } from '../read/window-read.ts';
import { alertResults } from './alert-texts.ts';
import { whatGapsLack } from './gap-texts.ts';

/** The maximum length of a project's ID in a file name. Most file systems allow 255 bytes, and temporary names are longer. */
const maxProject = 150;

type ReportFile = readonly [path: string, text: string];

/** A later report on the same window has the same paths. Two whose projects, window, or `pages` differ never share one. */
export function reportPaths(
  directory: string,
  projects: readonly string[],
  slug: string,
  pages: readonly string[],
): ReportPaths {
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

/** A short replacement for a list of any length. */
export function digestOfAll(list: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(list)).digest('hex');
}

/** Turns an ID into a file name that works on any disk. If characters are removed, a digest keeps different IDs apart. */
function nameOf(id: string): string {
  const name = id.replace(/[^A-Za-z0-9._-]+/g, '_').slice(0, maxProject);
  return name === id.toLowerCase() ? name : `${name}-${digestOfAll([id]).slice(0, 12)}`;
}

/** Formatting all records at the same time would take thirty times the file's memory. */
const recordsAtOnce = 250;

/** RFC 4180: CRLF, quoted text. A cell that looks like a formula gets a leading apostrophe (OWASP, "CSV Injection"). */
const csvOptions = { escape_formulas: true, quoted_string: true, record_delimiter: 'windows' } as const;

const csvHead = ['path', 'human', 'ai', 'total', 'human_before', 'ai_before', 'total_before'];

export function filesOf({ sites, files, settings }: Report, markdown: string): ReportFile[] {
  if (files === undefined) return [];
  const data = sites.filter(isRead).flatMap((site): ReportFile[] => {
    const paths = files.data.get(site.project.id);
    if (paths === undefined) return [];
    const gaps: ReportFile[] = site.gaps ? [[paths.gaps, gapsCsv(site.gaps)]] : [];
    return [[paths.csv, csvText(site)], [paths.json, jsonText(site, settings.timeZone)], ...gaps];
  });
  return [...data, [files.markdown, markdown]];
}

/** All rows of the window as CSV, next to those of the previous window if it was read. */
export function csvText({ now, before }: Pick<JudgedSite, 'now' | 'before'>): string {
  const rows = sortedRows(now);
  let text = stringify([csvHead], csvOptions);
  for (let from = 0; from < rows.length; from += recordsAtOnce) {
    const records = rows.slice(from, from + recordsAtOnce).map(({ path, human, ai, total }) => {
      const earlier = before?.rows.get(path);
      return [path, human, ai, total, earlier?.human, earlier?.ai, earlier?.total];
    });
    text += stringify(records, csvOptions);
  }
  return text;
}

/** The service doesn't document its order, so the same rows always get the same one. */
function sortedRows({ rows }: WindowRead): VisitorsRow[] {
  return [...rows.values()].sort(byVisitors);
}

function gapsCsv({ list }: Gaps): string {
  const columns = ['what', 'page', 'category', 'words', 'missed', 'asked'];
  return stringify(list, { ...csvOptions, header: true, columns });
}

/** The data as one JSON object, version 1: both windows with all their rows, what is usual, the alert rules, and gaps. */
function jsonText({ project, now, before, alerts, findings, gaps }: JudgedSite, timeZone: string): string {
  const data = {
    version: 1,
    project: project.id,
    timeZone,
    window: windowJson(now),
    // `null` also if none of its pages were read.
    before: before === undefined || (before.cut && before.rows.size === 0) ? null : windowJson(before),
    usual: findings.usual,
    movers: findings.unusual,
    alerts: alertResults(alerts, now.window),
    gaps: gaps === undefined ? null : { complete: whatGapsLack(gaps) === '', list: gaps.list },
  };
  return `${JSON.stringify(data)}\n`;
}

function windowJson(read: WindowRead): object {
  const { window, totals } = read;
  const { kind: period, start, end, label } = window;
  const [cut, rows] = [lackOf(read)?.kind ?? null, sortedRows(read)];
  return { period, start, end, label, complete: cut === null, cut, totals, rows };
}
