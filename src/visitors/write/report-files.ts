import { createHash } from 'node:crypto';
// Paths use `/` on every system, because they are outputs, and shells treat `\` differently.
import { join } from 'node:path/posix';
import { stringify } from 'csv-stringify/sync';
import type { VisitorsRow } from '../../service/schemas.ts';
import { aiShare } from '../judge/findings.ts';
import { roundedPercent } from '../judge/numbers.ts';
import { isRead, type JudgedSite, type Report } from '../judge/report.ts';
import { byVisitors } from '../judge/site-pages.ts';
import type { Usual } from '../judge/usual.ts';
import { lackOf, type WindowRead } from '../read/window-read.ts';
import { areGapsWhole } from './gap-texts.ts';
import { alertResults } from './warnings.ts';

/** The maximum length of a project's ID in a file name. Most file systems allow 255 bytes, and temporary names are longer. */
const maxProject = 150;

/** A later report on the same window has the same paths. Two whose projects, window, or `pages` differ never share one. */
export function reportPaths(
  folder: string,
  ids: readonly string[],
  slug: string,
  pages: readonly string[],
) {
  const about = pages.length === 0 ? slug : `${slug}-${digestOfAll(pages).slice(0, 8)}`;
  const pathOf = (name: string, extension: string) =>
    join(folder, `visitors-${name}-${about}.${extension}`);
  const data = ids.map((id) => {
    const name = nameOf(id);
    const paths = {
      csv: pathOf(name, 'csv'),
      json: pathOf(name, 'json'),
      gaps: pathOf(name, 'gaps.csv'),
    };
    return [id, paths] as const;
  });
  const all = `${ids.length}-projects-${digestOfAll(ids.toSorted()).slice(0, 8)}`;
  return {
    markdown: pathOf(ids.length === 1 ? ids.map(nameOf).join() : all, 'md'),
    data: new Map(data),
  };
}

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
const csvOptions = {
  escape_formulas: true,
  quoted_string: true,
  record_delimiter: 'windows',
} as const;

const ofPeriod = ['period_start', 'period_end', 'project', 'path'];
const gapsHead = ['what', 'page', 'category', 'words', 'missed', 'asked'];
const csvHead = [...ofPeriod, 'human', 'ai', 'total', 'human_before', 'ai_before', 'total_before'];

/** The files, one after another, because all at once would take more memory. */
export function* filesOf({ sites, files, settings }: Report, markdown: string) {
  for (const site of sites.filter(isRead)) {
    const paths = files?.data.get(site.project.id);
    if (paths === undefined) continue;
    yield [paths.csv, csvText(site)] as const;
    yield [paths.json, jsonText(site, settings.timeZone)] as const;
    const csv = { ...csvOptions, header: true, columns: gapsHead };
    if (site.gaps) yield [paths.gaps, stringify([...site.gaps.list], csv)] as const;
  }
  if (files) yield [files.markdown, markdown] as const;
}

/** Every page that was listed in the window or the previous one, as CSV. A count of 0 is the service's; blank is not listed. */
export function csvText({
  project,
  now,
  before,
}: Pick<JudgedSite, 'project' | 'now' | 'before'>): string {
  const { start, end } = now.window;
  const past = before?.rows.values().filter(({ path }) => !now.rows.has(path)) ?? [];
  const pages = [...sorted(now.rows.values()), ...sorted(past)];
  let text = stringify([csvHead], csvOptions);
  for (let from = 0; from < pages.length; from += recordsAtOnce) {
    const records = pages.slice(from, from + recordsAtOnce).map(({ path }) => {
      const [row, past] = [now.rows.get(path), before?.rows.get(path)];
      const counts = [row?.human, row?.ai, row?.total, past?.human, past?.ai, past?.total];
      return [start, end, project.id, path, ...counts];
    });
    text += stringify(records, csvOptions);
  }
  return text;
}

/** The service doesn't document its order, so the same rows always get the same one. */
function sorted(rows: Iterable<VisitorsRow>): VisitorsRow[] {
  return [...rows].sort(byVisitors);
}

/** The data as one JSON object, as visitors.schema.json describes it. Unknown figures are `null`, and unknown counts of a page absent. */
function jsonText(site: JudgedSite, timeZone: string): string {
  const { now, before, earlier, lastYear, findings, gaps, changed = null } = site;
  const { usual, slow = null, basis, unusual, crawled, appeared = null, gone = null } = findings;
  const rangeJson = (range: Usual | undefined) =>
    range
      ? { ...range, leftOut: range.leftOut.map((index) => earlier[index]?.window.start) }
      : null;
  const percentOf = (part: number) => roundedPercent({ part, whole: 1 });
  const { share } = usual;
  const percents = share && { ...share, low: percentOf(share.low), high: percentOf(share.high) };
  const withPages = (read: WindowRead) => ({
    ...periodJson(read),
    pages: sorted(read.rows.values()),
  });
  const named = Object.groupBy([...unusual, ...crawled], (row) =>
    row.pages ? 'sections' : 'pages',
  );
  const data = {
    version: 1,
    project: site.project.id,
    timeZone,
    period: withPages(now),
    // `null` also if none of its pages were read.
    before: before && (before.rows.size > 0 || !before.cut) ? withPages(before) : null,
    baseline: earlier.map(periodJson),
    lastYear: lastYear ? periodJson(lastYear) : null,
    usual: {
      ...{ total: rangeJson(usual.total), human: rangeJson(usual.human) },
      ...{ ai: rangeJson(usual.ai), aiShare: rangeJson(percents) },
    },
    fourPeriods: slow,
    comparedPages: basis ? { periods: basis.lists.length, mostRead: basis.rows ?? null } : null,
    sections: named.sections ?? [],
    pages: named.pages ?? [],
    new: appeared,
    gone,
    alerts: alertResults(site.alerts, now.window),
    gaps: gaps === undefined ? null : { complete: areGapsWhole(gaps), list: gaps.list },
    changed,
  };
  return `${JSON.stringify(data)}\n`;
}

/** A window’s dates and totals; unknown ones are `null`. */
export function periodJson(read: WindowRead) {
  const { kind, start, end, days, label } = read.window;
  const { human = null, ai = null, total = null } = read.totals;
  const share = aiShare(read.totals);
  const totals = { human, ai, total, aiShare: share ? roundedPercent(share) : null };
  const cut = lackOf(read)?.kind ?? null;
  return { kind, start, end, days, label, complete: cut === null, cut, totals };
}
