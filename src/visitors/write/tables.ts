import type { VisitorsRow, VisitorsTotals } from '../../service/schemas.ts';
import { counted, dash, formatCount } from '../../text/counts.ts';
import { table } from '../../text/markdown.ts';
import { aiShare, countBoth } from '../judge/findings.ts';
import { changeFrom, formatChange, formatPercent, formatPoints, marked } from '../judge/numbers.ts';
import { isRead, type JudgedSite, type Report, type ReportSettings } from '../judge/report.ts';
import { fewVisitors } from '../judge/site-pages.ts';
import { type Block, joined, listBlock } from './blocks.ts';
import { mostWindows, sparkline } from './chart.ts';
import { remedyFor, shareRange, unusualCount, usualRange, whyNot } from './sentences.ts';
import { nameCell, pathCell, pathCode } from './shown.ts';

/** A table with one row for each project. `▲` and `▼` mark the figures outside their usual ranges. */
export function projectsTable({ sites, window }: Report): string {
  const rows = sites.map((site) => {
    const name = nameCell(site.project.name);
    if (!isRead(site)) return [name, 'not read', ...Array<string>(5).fill(dash)];
    const [human = dash] = countCells('human', site);
    const [ai = dash] = countCells('ai', site);
    return [name, ...countCells('total', site), human, ai, shareCell(site, 0)];
  });
  return table(['Project', window.shortLabel, 'Usual', 'Change', 'Human', 'AI', 'AI share'], rows, 1);
}

/** A table of the totals: usual range and change. A note counts visitors who are both human and AI. */
export function totalsTable(site: JudgedSite): string {
  const { now, before } = site.windows;
  const { earlier, findings } = site;
  const { share } = findings.usual;
  const [all = dash, ...ofAll] = countCells('total', site);
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
  const both = countBoth(now.totals);
  const notes = [
    both > 0 && `${counted(both, 'visitor')} counted as both human and AI.`,
    before &&
      before.window.days !== now.window.days &&
      `${now.window.label} has ${now.window.days} days, ${before.window.label} has ${before.window.days}. The usual ranges allow for that; the changes don’t.`,
  ];
  return joined([table(shown(head), rows.map(shown), 1), joined(notes)], '\n\n');
}

/** The count, its usual range, and its change. */
function countCells(kind: keyof VisitorsTotals, { windows: { now, before }, findings }: JudgedSite) {
  const [count, usual] = [now.totals[kind], findings.usual[kind]];
  const change = changeFrom(before?.totals[kind], count);
  return [
    marked(formatCount(count), usual),
    usual ? usualRange(usual) : dash,
    change ? formatChange(change) : dash,
  ];
}

function shareCell({ windows: { now }, findings: { usual } }: JudgedSite, decimals: 0 | 1): string {
  return marked(formatPercent(aiShare(now.totals), decimals), usual.share);
}

/** The lists of a site's pages, each with at most `top` entries. */
export function pageTables(site: JudgedSite, { top: most, maxRequests }: ReportSettings): Block[] {
  const { windows, findings } = site;
  const { now, before } = windows;
  const { sections, sectionsBefore, mostlyAi, appeared = [], gone = [] } = findings;
  const { previousName } = now.window;
  const [newest] = appeared;
  const pageCells = ({ path, total }: VisitorsRow) => [pathCell(path), formatCount(total)];
  return [
    unusualTable(site, most, maxRequests),
    topTable(site, most),
    listBlock(sections, most, {
      title: 'Sections',
      lead: 'Page visitors are the visitors of a section’s pages, added up. A person who reads several pages is counted once for each, so a section had **at most** that many visitors.',
      head: ['Section', 'Page visitors', ...(sectionsBefore ? ['Change'] : [])],
      cells: ({ path, pages, total }) => {
        const row = [`${pathCell(path)}, ${counted(pages, 'page')}`, formatCount(total)];
        if (sectionsBefore === undefined) return row;
        const earlier = sectionsBefore.get(path)?.total ?? 0;
        const change = earlier < fewVisitors ? undefined : changeFrom(earlier, total);
        return [...row, change ? formatChange(change, 0) : dash];
      },
    }),
    listBlock(mostlyAi, most, {
      title: 'Pages read mostly by AI',
      lead: `More than half of the visitors were AI; pages with at least ${counted(fewVisitors, 'visitor')}.`,
      head: ['Page', 'AI share', 'AI', 'Visitors'],
      cells: (row) => [
        pathCell(row.path),
        formatPercent(aiShare(row), 0),
        formatCount(row.ai),
        formatCount(row.total),
      ],
    }),
    joined([
      newest &&
        `New: ${counted(appeared.length, 'page')}, most read ${pathCode(newest.path)} (${formatCount(newest.total)}).`,
      gone.length > 0 && `No longer visited: ${counted(gone.length, 'page')}.`,
    ]),
    listBlock(appeared, most, {
      title: 'New pages',
      lead: 'Not visited in any earlier period for which there is data.',
      head: ['Page', 'Visitors'],
      cells: pageCells,
    }),
    listBlock(gone, most, {
      title: 'Pages no longer visited',
      lead: `Visited in ${previousName}, but not anymore.`,
      head: ['Page', `Visitors, ${before?.window.shortLabel ?? previousName}`],
      cells: pageCells,
    }),
  ];
}

function unusualTable(site: JudgedSite, most: number, maxRequests: number): Block {
  const { findings, windows, earlier } = site;
  const { unusual, whyNoPages: why, whyNoRange } = findings;
  const { window, cut } = windows.now;
  if (earlier.length === 0) return '';
  if (why !== undefined) {
    const remedy = why.cut && remedyFor(why.cut, maxRequests);
    return whyNoRange ? '' : joined([`No usual range for pages: ${whyNot(why, site)}`, remedy]);
  }
  const note = cut && 'Not all pages were read, so others may have changed more.';
  if (unusual.length === 0) return joined(['**No page stands out.**', note]);
  const count = unusual.length === 1 ? '1 page stands out' : `${formatCount(unusual.length)} pages stand out`;
  const shown = Math.min(mostWindows, earlier.length + 1);
  return listBlock(unusual, most, {
    lead: joined([`### ${count}`, note], '\n\n'),
    head: ['Page', 'Visitors', 'Usual', `${shown} ${window.noun}s`],
    cells: (page) => [
      pathCell(page.path),
      unusualCount(page, window),
      usualRange(page),
      sparkline([...page.visits, page.now].slice(-shown)),
    ],
  });
}

/** If the window is incomplete, the number of pages is unknown, so none are counted as unlisted. */
function topTable({ findings: { mostVisited }, windows: { now } }: JudgedSite, most: number): Block {
  const { cut, rows } = now;
  const least = [...rows.values()].at(-1)?.total ?? 0;
  const why = `\n\nNot all pages were read, but the service sends the most visited first, so every page with more than ${counted(least, 'visitor')} was read. Only those are listed.`;
  return listBlock(cut === undefined ? mostVisited : mostVisited?.slice(0, most), most, {
    lead: `### Top pages${cut === undefined ? '' : why}`,
    head: ['Page', 'Visitors', 'AI share'],
    cells: (row) => [pathCell(row.path), formatCount(row.total), formatPercent(aiShare(row), 0)],
  });
}
