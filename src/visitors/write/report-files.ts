// Paths use `/` on every system, because they are outputs, and shells treat `\` differently.
import { join } from 'node:path/posix';
import { stringify } from 'csv-stringify/sync';
import { hashList } from '../../core/hash.ts';
import type { VisitorsRow } from '../../service/schemas.ts';
import type { Scrubbed } from '../../text/scrub.ts';
import type { Gaps } from '../judge/gaps.ts';
import type { UsualCount } from '../judge/method/usual-count.ts';
import { aiShare } from '../judge/numbers.ts';
import type { PagePeople } from '../judge/page-facts.ts';
import { isRead, type JudgedSite, type Report } from '../judge/report.ts';
import { byPath } from '../judge/site-pages.ts';
import type { Judging } from '../judge/standouts.ts';
import type { Window } from '../read/window.ts';
import { lackOf, type WindowRead } from '../read/window-read.ts';
import { toPercent } from './words/figures.ts';
import { alertResults } from './words/warnings.ts';

/**
 * The maximum length of a project's ID in a file name. Most file systems allow 255 bytes, and
 * temporary names are longer.
 */
const maxIdLength = 150;

/**
 * A later report on the same window has the same paths. Two whose projects, window, or `pages`
 * differ never share one.
 */
export function reportPaths(
  folder: string,
  ids: readonly Scrubbed[],
  slug: string,
  pages: readonly string[],
) {
  const scope = pages.length === 0 ? slug : `${slug}-${hashList(pages).slice(0, 8)}`;
  const pathOf = (name: string, extension: string) =>
    join(folder, `visitors-${name}-${scope}.${extension}`);
  const dataOf = (name: string) => ({
    csv: pathOf(name, 'csv'),
    json: pathOf(name, 'json'),
    gaps: pathOf(name, 'gaps.csv'),
  });
  return {
    markdown: pathOf(nameOfProjects(ids), 'md'),
    data: new Map(ids.map((id) => [id, dataOf(nameOfProject(id))])),
  };
}

function nameOfProjects(ids: readonly Scrubbed[]) {
  const [id] = ids;
  if (id !== undefined && ids.length === 1) return nameOfProject(id);
  return `${ids.length}-projects-${hashList(ids.toSorted()).slice(0, 8)}`;
}

/**
 * Turns an ID into a file name that works on any disk. If the name differs from the ID, or has upper
 * case, a hash keeps different IDs apart.
 */
function nameOfProject(id: Scrubbed) {
  const name = id.replace(/[^A-Za-z0-9._-]+/g, '_').slice(0, maxIdLength);
  if (name === id.toLowerCase()) return name;
  return `${name}-${hashList([id]).slice(0, 12)}`;
}

/**
 * RFC 4180: CRLF, quoted text. A cell that looks like a formula gets a leading apostrophe (OWASP,
 * "CSV Injection").
 */
const csvOptions = {
  escape_formulas: true,
  quoted_string: true,
  record_delimiter: 'windows',
} as const;

const pagesHead = [
  ...['period_start', 'period_end', 'project', 'path'],
  ...['human', 'ai', 'total', 'human_before', 'ai_before', 'total_before'],
];
const gapsHead = ['what', 'page', 'category', 'words', 'missed', 'asked', 'human'];

/** The files, one after another, because all at once would take more memory. */
export function* filesOf(report: Report, markdown: string) {
  const { files, settings } = report;
  if (!files) return;
  for (const site of report.sites.filter(isRead)) {
    const paths = files.data.get(site.project.id);
    if (!paths) continue;
    yield [paths.csv, csvText(site)] as const;
    yield [paths.json, jsonText(site, settings.timeZone)] as const;
    if (!site.gaps) continue;
    const gapsOptions = { ...csvOptions, header: true, columns: gapsHead };
    yield [paths.gaps, stringify(gapsJson(site.gaps).list, gapsOptions)] as const;
  }
  yield [files.markdown, markdown] as const;
}

/**
 * Every page that was listed in the window or the previous one, as CSV. A count of 0 is the
 * service's; blank is not listed.
 */
export function csvText(site: Pick<JudgedSite, 'project' | 'now' | 'before'>): string {
  const { now, before } = site;
  const gone = before?.rows.values().filter(({ path }) => !now.rows.has(path)) ?? [];
  const pages = [...sortRows(now.rows.values()), ...sortRows(gone)];
  const recordOf = ({ path }: VisitorsRow) => [
    now.window.start,
    now.window.end,
    site.project.id,
    path,
    ...countsOf(now.rows.get(path)),
    ...countsOf(before?.rows.get(path)),
  ];
  return stringify([pagesHead, ...pages.map(recordOf)], csvOptions);
}

function countsOf(row: VisitorsRow | undefined) {
  return [row?.human, row?.ai, row?.total];
}

/**
 * The data as one JSON object, as visitors.schema.json describes it. Unknown figures are `null`,
 * and unknown counts of a page absent. People are `human`, as in the service's figures.
 */
function jsonText(site: JudgedSite, timeZone: string) {
  const { findings, gaps } = site;
  const { usual, judging, checkFirst } = findings;
  const data = {
    version: 1,
    project: site.project.id,
    timeZone,
    period: periodWithPages(site.now),
    before: beforeJson(site.before),
    earlier: site.earlier.map(periodJson),
    lastYear: site.lastYear ? periodJson(site.lastYear) : null,
    usual: {
      human: rangeJson(usual.human),
      ai: rangeJson(usual.ai),
      total: rangeJson(usual.total),
    },
    fourWeeks: findings.fourWeeks ?? null,
    judged: judging ? judgedJson(judging) : null,
    // In lists, JSON has `null` for what is unknown.
    standingOut: findings.standingOut,
    checkFirst: checkFirst ? lossJson(checkFirst) : null,
    changes: findings.changes ?? null,
    new: findings.appeared ?? null,
    gone: findings.gone?.map(lossJson) ?? null,
    moved: findings.moved,
    alerts: alertResults(site.alerts, site.now.window),
    gaps: gaps ? gapsJson(gaps) : null,
    changed: site.changed ?? null,
  };
  return `${JSON.stringify(data)}\n`;
}

function rangeJson(range: UsualCount | undefined) {
  return range ? { ...range, leftOut: range.leftOut.map(({ start }) => start) } : null;
}

function judgedJson({ pages, areWhole, weeks }: Judging) {
  const levels = weeks.map(({ window, level }) => ({ start: window.start, level }));
  return { pages, areWhole, weeks: levels };
}

/** What a page lost; if no one reads it anymore, also when it last had enough people. */
function lossJson(loss: PagePeople & { readonly lastWindow?: Window }) {
  const { lastWindow, ...page } = loss;
  return { ...page, ...(lastWindow && { lastPeriod: lastWindow.start }) };
}

/** Gaps, for files and outputs, and whether every list was read to its end. */
export function gapsJson({ read, list }: Gaps) {
  const complete = read.every((part) => !part.cut && part.odd === 0 && !part.hasMore);
  return { complete, list };
}

/** `null` also if none of its pages were read. */
function beforeJson(before: WindowRead | undefined) {
  if (!before || (before.cut && before.rows.size === 0)) return null;
  return periodWithPages(before);
}

function periodWithPages(read: WindowRead) {
  return { ...periodJson(read), pages: sortRows(read.rows.values()) };
}

/** A window’s dates and totals; unknown ones are `null`. */
export function periodJson(read: WindowRead) {
  const { window, totals } = read;
  const share = aiShare(totals);
  const lack = lackOf(read);
  return {
    kind: window.kind,
    start: window.start,
    end: window.end,
    days: window.days,
    label: window.label,
    complete: !lack,
    cut: lack?.kind ?? null,
    totals: {
      human: totals.human ?? null,
      ai: totals.ai ?? null,
      total: totals.total ?? null,
      aiShare: share ? toPercent(share) : null,
    },
  };
}

/**
 * The most-read first. The service doesn't document its order, so the same rows always get the same
 * one.
 */
function sortRows(rows: Iterable<VisitorsRow>) {
  return [...rows].sort((a, b) => (b.human ?? 0) - (a.human ?? 0) || byPath(a, b));
}
