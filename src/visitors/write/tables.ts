import type { VisitorsRow, VisitorsTotals } from '../../service/schemas.ts';
import { counted, dash, formatCount } from '../../text/counts.ts';
import { cell, joined, table } from '../../text/markdown.ts';
import { aiShare } from '../judge/findings.ts';
import { changeFrom, formatChange, formatPercent, formatPoints, marked } from '../judge/numbers.ts';
import { isComplete, isRead, type JudgedSite, type Report, type ReportSettings } from '../judge/report.ts';
import { fewVisitors } from '../judge/site-pages.ts';
import type { Unusual } from '../judge/usual-pages.ts';
import { listBlock } from './blocks.ts';
import { maxWindows, sparkline } from './chart.ts';
import { remedyFor, shareRange, unusualCount, usualRange } from './sentences.ts';
import { nameCode, pathCode } from './shown.ts';

/** A table with one row for each project. It names people and AI if they are outside their usual ranges. */
export function projectsTable({ sites, window }: Report): string {
  const rows = sites.map((site) => {
    const name = cell(nameCode(site.project.name));
    if (!isRead(site)) return [name, 'not read', dash, dash];
    const { usual } = site.findings;
    const [count, range = dash] = countCells('total', site);
    const odd = (['human', 'ai'] as const).filter((kind) => usual[kind] && usual[kind].side !== 'usual');
    const others = odd.map((kind) => `${countCells(kind, site)[0]} ${kind === 'ai' ? 'AI' : 'people'}`);
    return [name, [count, ...others].join(', '), range, shareCell(site, 0)];
  });
  return table(['Project', window.shortLabel, 'Usual', 'AI share'], rows, 1);
}

/** A table of the totals: usual range and change. */
export function totalsTable(site: JudgedSite): string {
  const { now, before, earlier, findings } = site;
  const { share } = findings.usual;
  const [all, ...ofAll] = countCells('total', site);
  const rows = [
    ['**All**', `**${all}**`, ...ofAll],
    ['Human', ...countCells('human', site)],
    ['AI', ...countCells('ai', site)],
    [
      'AI share',
      shareCell(site, 1),
      share ? shareRange(share, 1) : dash,
      formatPoints(aiShare(now.totals), before && aiShare(before.totals)),
    ],
  ];
  const head = ['', 'Visitors', 'Usual', `vs. ${earlier.at(-1)?.window.shortLabel}`];
  // Without earlier windows, there is nothing to compare with.
  const shown = (cells: readonly string[]) => cells.slice(0, earlier.length === 0 ? 2 : 4);
  return table(shown(head), rows.map(shown), 1);
}

/** The count, its usual range, and its change. */
function countCells(kind: keyof VisitorsTotals, { now, before, findings }: JudgedSite) {
  const [count, usual] = [now.totals[kind], findings.usual[kind]];
  const change = changeFrom(before?.totals[kind], count);
  return [
    marked(formatCount(count), usual),
    usual ? usualRange(usual) : dash,
    change ? formatChange(change) : dash,
  ];
}

function shareCell({ now, findings: { usual } }: JudgedSite, decimals: 0 | 1): string {
  return marked(formatPercent(aiShare(now.totals), decimals), usual.share);
}

/** The sections and pages that stand out, in at most `top` rows, or why that is unknown. */
export function unusualBlock(site: JudgedSite, settings: ReportSettings): string {
  const { findings, now, earlier } = site;
  const { basis, unusual, crawled, whyNoRange } = findings;
  if (earlier.length === 0 || (basis === undefined && whyNoRange)) return '';
  // An incomplete report has already said what to do.
  const cut = isComplete(site) ? earlier.find((past) => past.cut)?.cut : undefined;
  const remedy = cut && remedyFor(cut, settings);
  const { noun } = now.window;
  if (basis === undefined)
    return joined([`No usual range for pages: too few earlier ${noun}s were read completely.`, remedy]);
  const note = joined(
    basis.rows === undefined
      ? [now.cut && 'Not all pages were read, so others may have changed more.']
      : [`Only the ${formatCount(basis.rows)} most-read pages of each ${noun} are compared.`, remedy],
  );
  if (unusual.length === 0)
    return joined([`**No ${crawled.length > 0 ? 'other ' : ''}page stands out.**`, note]);
  const pages = unusual.filter((row) => row.pages === undefined).length;
  const sections = unusual.length - pages;
  const parts = [sections > 0 && counted(sections, 'section'), pages > 0 && counted(pages, 'page')];
  const verb = unusual.length === 1 ? 'stands' : 'stand';
  return listBlock(unusual, settings.top, {
    lead: joined([`### ${joined(parts, ' and ')} ${verb} out`, note], '\n\n'),
    ...unusualColumns(site),
  });
}

function unusualColumns({ now }: JudgedSite) {
  return {
    head: ['Page', 'Visitors', 'Usual'],
    cells: (row: Unusual) => [nameOf(row), unusualCount(row, now.window), usualRange(row)],
  };
}

/** `/guides/a` as code; for a section, `/guides` and its number of pages. */
function nameOf({ path, pages }: Unusual): string {
  return joined([pathCode(path), pages !== undefined && `(${counted(pages, 'page')})`]);
}

/** `New: 2 pages, most read `/a` (32). No longer visited: `/b` (31 the week before).` */
export function comeAndGone({ now, findings: { appeared = [], gone = [] } }: JudgedSite, shown = pathCode) {
  const inBrief = (title: string, pages: readonly VisitorsRow[], when = '') => {
    const [most] = pages;
    const many = pages.length > 1 && `${counted(pages.length, 'page')}, most read `;
    return most && `${title}: ${many || ''}${shown(most.path)} (${formatCount(most.total)}${when}).`;
  };
  return joined([
    inBrief('New', appeared),
    inBrief('No longer visited', gone, ` ${now.window.previousName}`),
  ]);
}

/** The lists of a site's pages, collapsed, each with at most `top` entries. */
export function pageLists(site: JudgedSite, { top: most }: ReportSettings): string[] {
  const { findings, earlier } = site;
  const { window } = site.now;
  const { unusual, crawled, sections, sectionsBefore, mostlyAi, appeared, gone } = findings;
  const shown = Math.min(maxWindows, earlier.length + 1);
  // A single page is already named in the open.
  const several = <T>(pages: readonly T[] = []) => (pages.length > 1 ? pages : []);
  const head = ['Page', 'Visitors'];
  const cells = ({ path, total }: VisitorsRow) => [pathCode(path), formatCount(total)];
  return [
    listBlock(several(unusual), unusual.length, {
      title: 'Pages that stand out, by week',
      lead: `The lowest bar is a page’s lowest count in ${shown} ${window.noun}s.`,
      head: ['Page', `${shown} ${window.noun}s`],
      cells: (row) => [nameOf(row), sparkline([...row.visits, row.visitors].slice(-shown))],
    }),
    listBlock(crawled, most, {
      title: 'Pages that gained only AI visitors',
      ...unusualColumns(site),
    }),
    topList(site, most),
    listBlock(sections, most, {
      title: 'Sections',
      lead: 'Page visitors are the visitors of a section’s pages, added up. A person who reads several pages is counted once for each, so a section had **at most** that many visitors.',
      head: ['Section', 'Page visitors', ...(sectionsBefore ? ['Change'] : [])],
      cells: ({ path, pages, total }) => {
        const row = [`${pathCode(path)}, ${counted(pages, 'page')}`, formatCount(total)];
        if (sectionsBefore === undefined) return row;
        const before = sectionsBefore.get(path)?.total ?? 0;
        const change = before < fewVisitors ? undefined : changeFrom(before, total);
        return [...row, change ? formatChange(change, 0) : dash];
      },
    }),
    listBlock(mostlyAi, most, {
      title: 'Read mostly by AI',
      lead: `Pages with at least ${counted(fewVisitors, 'visitor')}, more than half of them AI.`,
      head: ['Page', 'Visitors', 'AI share'],
      cells: shareCells,
    }),
    listBlock(several(appeared), most, {
      title: 'New pages',
      lead: `Not visited before the last three ${window.noun}s, and hardly in those.`,
      head,
      cells,
    }),
    listBlock(several(gone), most, {
      title: 'Pages no longer visited',
      lead: `Visited in ${window.previousName}, but not anymore. The numbers are from then.`,
      head,
      cells,
    }),
  ];
}

function shareCells(row: VisitorsRow): string[] {
  return [pathCode(row.path), formatCount(row.total), formatPercent(aiShare(row), 0)];
}

/** If the window is incomplete, the number of pages is unknown, so none are counted as unlisted. */
function topList({ findings: { maxVisited }, now }: JudgedSite, most: number): string {
  const { cut, rows } = now;
  const least = [...rows.values()].at(-1)?.total ?? 0;
  const why = `Not all pages were read, but the service sends the most visited first, so every page with more than ${counted(least, 'visitor')} was read. Only those are listed.`;
  return listBlock(cut ? maxVisited?.slice(0, most) : maxVisited, most, {
    title: 'Top pages',
    lead: cut && why,
    head: ['Page', 'Visitors', 'AI share'],
    cells: shareCells,
  });
}
