import type { VisitorsRow, VisitorsTotals } from '../../service/schemas.ts';
import { counted, dash, formatCount } from '../../text/counts.ts';
import { table } from '../../text/markdown.ts';
import { aiShare, countBoth, pageChange } from '../judge/findings.ts';
import { changeFrom, formatDifference, formatPercent, formatPoints } from '../judge/numbers.ts';
import { isRead, type JudgedSite, type Report } from '../judge/report.ts';
import { fewVisitors } from '../judge/site-pages.ts';
import { fewestWeeks } from '../judge/usual.ts';
import { type Block, joined, listBlock } from './blocks.ts';
import { mostWindows, sparkline } from './chart.ts';
import { shareRange, usualRange } from './sentences.ts';
import { nameCell, pathCell, pathCode } from './shown.ts';

/** A table with one row for each project: visitors, their change, and the AI share. */
export function projectsTable({ sites, window }: Report): string {
  const rows = sites.map((site) => {
    const name = nameCell(site.project.name);
    if (!isRead(site)) return [name, 'not read', dash, dash];
    const [count, change] = countCells('total', site);
    return [name, count, change, formatPercent(aiShare(site.windows.now.totals))];
  });
  return table(['Project', window.shortLabel, 'Change', 'AI share'], rows, 1);
}

/** A table of the totals: change, previous window, and usual range. A note counts visitors who are both human and AI. */
export function totalsTable(site: JudgedSite): string {
  const { now, before } = site.windows;
  const { share } = site.findings.usual;
  const [shareNow, shareBefore] = [aiShare(now.totals), before && aiShare(before.totals)];
  const [all, ...ofAll] = countCells('total', site);
  const rows = [
    ['All visitors', `**${all}**`, ...ofAll],
    ['Human', ...countCells('human', site)],
    ['AI', ...countCells('ai', site)],
    [
      'AI share',
      formatPercent(shareNow),
      formatPoints(shareNow, shareBefore, share?.side),
      formatPercent(shareBefore),
      share === undefined ? dash : shareRange(share, 1),
    ],
  ];
  const isUsualKnown = Object.values(site.findings.usual).some((range) => range !== undefined);
  const columns = before === undefined ? 2 : isUsualKnown ? 5 : 4;
  const head = ['', now.window.shortLabel, 'Change', before?.window.shortLabel ?? '', 'Usual'];
  const shown = (cells: readonly string[]) => cells.slice(0, columns);
  const both = countBoth(now.totals);
  const notes = [
    both > 0 && `${counted(both, 'visitor')} counted as both human and AI.`,
    // Totals are compared without scaling.
    before &&
      before.window.days !== now.window.days &&
      `${now.window.label} has ${now.window.days} days, ${before.window.label} has ${before.window.days}; an arrow appears only if the number of visitors per day is unusual, too.`,
  ];
  return joined([table(shown(head), rows.map(shown), 1), joined(notes)], '\n\n');
}

function countCells(kind: keyof VisitorsTotals, { windows, findings }: JudgedSite) {
  const [count, earlier] = [windows.now.totals[kind], windows.before?.totals[kind]];
  const usual = findings.usual[kind];
  const isKnown = count !== undefined && earlier !== undefined;
  const change = isKnown ? formatDifference(count - earlier, changeFrom(earlier, count), usual?.side) : dash;
  return [formatCount(count), change, formatCount(earlier), usual ? usualRange(usual) : dash] as const;
}

/** Says how many windows the usual range is based on; `undefined` if nothing was compared. */
export function usualFrom({ findings, earlier, windows }: JudgedSite): string | undefined {
  if (earlier.length === 0) return undefined;
  const { total } = findings.usual;
  const known = earlier.filter(({ totals }) => totals.total !== undefined);
  if (total === undefined)
    return `The usual range requires ${fewestWeeks} earlier periods with visitors; so far, there is data for ${counted(known.length, 'earlier period')}.`;
  return `“Usual” is the range that 95 of 100 periods would fall into if nothing had changed, estimated from ${counted(total.weeks, `earlier ${windows.now.window.noun}`)}.`;
}

/** The lists of a site's pages, each with at most `top` entries. */
export function pageTables(site: JudgedSite, most: number): Block[] {
  const { windows, findings } = site;
  const { now, before } = windows;
  const { sections, sectionsBefore, mostlyAi, appeared = [], gone = [] } = findings;
  const { previousName } = now.window;
  const [newest] = appeared;
  const pageCells = ({ path, total }: VisitorsRow) => [pathCell(path), formatCount(total)];
  return [
    unusualTable(site, most),
    topTable(site, most),
    listBlock(sections, most, {
      title: 'Sections',
      lead: 'Page visitors are the visitors of a section’s pages, added up. A person who reads several pages is counted once for each, so a section had **at most** that many visitors.',
      head: ['Section', 'Page visitors', ...(sectionsBefore ? ['Change'] : [])],
      cells: ({ path, pages, total }) => {
        const row = [`${pathCell(path)}, ${counted(pages, 'page')}`, formatCount(total)];
        if (sectionsBefore === undefined) return row;
        const earlier = sectionsBefore.get(path)?.total ?? 0;
        return [...row, formatDifference(total - earlier, pageChange(earlier, total), undefined, 0)];
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

function unusualTable({ findings, windows: { now }, earlier }: JudgedSite, most: number): Block {
  const { unusual, windowsOfPages } = findings;
  if (windowsOfPages === 0) return '';
  const notes = [
    windowsOfPages < fewestWeeks &&
      `Compared with only one ${now.window.noun}, so only large changes are listed.`,
    now.cut && 'Not all pages were read, so others may have changed more.',
  ];
  const lead = joined(['### Pages with unusual traffic', joined(notes)], '\n\n');
  if (unusual.length === 0) return `${lead}\n\nNo page’s traffic changed more than usual.`;
  const windows = Math.min(mostWindows, earlier.length + 1);
  return listBlock(unusual, most, {
    lead,
    head: ['Page', 'Change', 'Now', 'Usual', `${windows} ${now.window.noun}s`],
    cells: ({ path, side, baseline, visits, isSecond, ...page }) => {
      const usual = Math.round(baseline);
      const change = formatDifference(page.now - usual, pageChange(usual, page.now), side, 0);
      const spark = sparkline([...visits, page.now].slice(-windows));
      const second = isSecond ? ` second ${now.window.noun}` : '';
      return [pathCell(path), change, formatCount(page.now), usualRange(page), `${spark}${second}`];
    },
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
