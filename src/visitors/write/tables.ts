import type { VisitorsRow, VisitorsTotals } from '../../service/schemas.ts';
import { counted, dash, formatCount } from '../../text/counts.ts';
import { cell, joined, table } from '../../text/markdown.ts';
import { aiShare } from '../judge/findings.ts';
import { changeFrom, formatChange, formatPercent, formatPoints, marked } from '../judge/numbers.ts';
import { isRead, type JudgedSite, type Report, type ReportSettings } from '../judge/report.ts';
import { fewVisitors } from '../judge/site-pages.ts';
import { type Block, listBlock } from './blocks.ts';
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

/** The pages that stand out, in at most `top` rows, or why that is unknown. */
export function unusualBlock(site: JudgedSite, settings: ReportSettings): Block {
  const { findings, now, earlier } = site;
  const { unusual, whyNoPages: why, whyNoRange } = findings;
  const { window, cut } = now;
  if (earlier.length === 0 || (why && whyNoRange)) return '';
  if (why)
    return joined([
      `No usual range for pages: ${why.said}.`,
      why.cut && remedyFor(why.cut, settings, 'pages'),
    ]);
  const note = cut && 'Not all pages were read, so others may have changed more.';
  if (unusual.length === 0) return joined(['**No page stands out.**', note]);
  const count = unusual.length === 1 ? '1 page stands out' : `${formatCount(unusual.length)} pages stand out`;
  return listBlock(unusual, settings.top, {
    lead: joined([`### ${count}`, note], '\n\n'),
    head: ['Page', 'Visitors', 'Usual'],
    cells: (page) => [pathCode(page.path), unusualCount(page, window), usualRange(page)],
  });
}

/** `New: 2 pages, most read `/a` (32). No longer visited: `/b` (31 the week before).` */
export function comeAndGone({ now, findings: { appeared = [], gone = [] } }: JudgedSite) {
  const inBrief = (title: string, pages: readonly VisitorsRow[], when = '') => {
    const [most] = pages;
    const many = pages.length > 1 && `${counted(pages.length, 'page')}, most read `;
    return most && `${title}: ${many || ''}${pathCode(most.path)} (${formatCount(most.total)}${when}).`;
  };
  return joined([
    inBrief('New', appeared),
    inBrief('No longer visited', gone, ` ${now.window.previousName}`),
  ]);
}

/** The lists of a site's pages, collapsed, each with at most `top` entries. */
export function pageLists(site: JudgedSite, { top: most }: ReportSettings): Block[] {
  const { findings, earlier } = site;
  const { window } = site.now;
  const { unusual, sections, sectionsBefore, mostlyAi, appeared, gone } = findings;
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
      cells: (page) => [pathCode(page.path), sparkline([...page.visits, page.now].slice(-shown))],
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
      lead: 'Not visited in any earlier period for which there is data.',
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
function topList({ findings: { maxVisited }, now }: JudgedSite, most: number): Block {
  const { cut, rows } = now;
  const least = [...rows.values()].at(-1)?.total ?? 0;
  const why = `Not all pages were read, but the service sends the most visited first, so every page with more than ${counted(least, 'visitor')} was read. Only those are listed.`;
  return listBlock(cut ? maxVisited?.slice(0, most) : maxVisited, most, {
    title: 'Top pages',
    lead: cut ? why : '',
    head: ['Page', 'Visitors', 'AI share'],
    cells: shareCells,
  });
}
