import type { VisitorsRow, VisitorsTotals } from '../../service/schemas.ts';
import { formatCount, pluralize } from '../../text/counts.ts';
import { joinTexts, paragraphs, table } from '../../text/markdown.ts';
import { aiShare, changeFrom } from '../judge/numbers.ts';
import { isComplete, type JudgedSite, type ReportSettings } from '../judge/report.ts';
import type { Unusual } from '../judge/usual-pages.ts';
import { isSilent } from '../read/window-read.ts';
import {
  countStandouts,
  formatChange,
  formatPercent,
  formatPoints,
  isPage,
  markSide,
  nameOf,
  shareRange,
  unusualCount,
  usualRange,
  verbFor,
} from './words/figures.ts';
import { fold, listBlock, pathHtml } from './words/shown.ts';
import { remedyFor } from './words/warnings.ts';

/** How many of the most-read pages a young site shows in the open. */
const maxOpen = 5;

/**
 * The totals with their usual ranges and changes, collapsed. The title has the counts of people and
 * AI.
 */
export function totalsFold(site: JudgedSite): string {
  const { totals } = site.now;
  const before = site.before?.totals;
  const { usual } = site.findings;
  const countOf = (kind: keyof VisitorsTotals) => markSide(formatCount(totals[kind]), usual[kind]);
  const rowOf = (name: string, kind: keyof VisitorsTotals) => {
    const range = usual[kind] && usualRange(usual[kind]);
    const change = changeFrom(before?.[kind], totals[kind]);
    return [name, figureCell(countOf(kind), range), formatChange(change)];
  };
  const share = aiShare(totals);
  const percent = markSide(formatPercent(share), usual.share);
  const shareCell = figureCell(percent, usual.share && shareRange(usual.share));
  const rows = [
    rowOf('**All**', 'total'),
    rowOf('People', 'human'),
    rowOf('AI', 'ai'),
    ['AI share', shareCell, formatPoints(share, before && aiShare(before))],
  ];
  // Without a window before, there are no changes.
  const columns = before ? 3 : 2;
  const head = ['', 'Visitors', 'Change'].slice(0, columns);
  const cells = rows.map((row) => row.slice(0, columns));
  const body = paragraphs([table(head, cells, 1), describeOverlap(totals)]);
  return fold(`<b>People and AI</b>: ${countOf('human')} people, ${countOf('ai')} AI`, body);
}

function figureCell(figure: string, range: string | undefined) {
  if (!range) return figure;
  return `${figure}<br><sub>usual ${range}</sub>`;
}

/** That some count as both. If the counts contradict each other, they say nothing about this. */
function describeOverlap(totals: VisitorsTotals) {
  const { human, ai, total } = totals;
  if (!human || !ai || !total) return '';
  const both = human + ai - total;
  if (both <= 0 || human > total || ai > total) return '';
  const count = `${pluralize(both, 'visitor')} ${verbFor(both, 'counts', 'count')} as both`;
  return `${count}, so people and AI add up to more than all.`;
}

/** The sections and pages that stand out, in at most `top` rows, or why that is unknown. */
export function standoutsBlock(site: JudgedSite, settings: ReportSettings): string {
  const { now, earlier } = site;
  const { basis, unusual, whyNoRange } = site.findings;
  const { noun } = now.window;
  if (earlier.length === 0 || (!basis && whyNoRange)) return '';
  // An incomplete report has already said what to do.
  const cut = isComplete(site) && earlier.find((past) => past.cut)?.cut;
  const remedy = cut && remedyFor(cut, settings);
  if (!basis) {
    const why = `too few earlier ${noun}s were read completely`;
    return joinTexts([`No usual range for pages: ${why}.`, remedy]);
  }
  let note = '';
  if (now.cut) note = 'Not all pages were read, so others may have changed more.';
  if (basis.rows) {
    const pages = `the ${formatCount(basis.rows)} most-read pages of each ${noun}`;
    note = joinTexts([`Only ${pages} are compared.`, remedy]);
  }
  if (unusual.length === 0) return note;
  const lead = paragraphs([`### ${countStandouts(unusual)}`, note]);
  const list = listBlock(unusual, settings.top, { lead, ...unusualColumns(site) });
  const hasAverage = unusual.slice(0, settings.top).some(({ periods }) => periods > 1);
  const star = `&#42; Average of two ${noun}s; this ${noun} alone isn’t clearly unusual.`;
  return paragraphs([list, hasAverage && `<sub>${star}</sub>`]);
}

const unusualColumns = ({ docsUrl }: JudgedSite) => ({
  head: ['Page', 'Visitors', 'Usual'],
  cells: (row: Unusual) => [nameOf(row, docsUrl), unusualCount(row, '&#42;'), usualRange(row)],
});

/** `New: 2 pages, most read `/a` (32). No longer visited: `/b` (31 the week before).` */
export function describeNewAndGone(site: JudgedSite, shown = pathHtml): string {
  const inBrief = (title: string, pages: readonly VisitorsRow[], when = '') => {
    const [first] = pages;
    if (!first) return '';
    const page = `${shown(first.path, site.docsUrl)} (${formatCount(first.total)}${when})`;
    if (pages.length === 1) return `${title}: ${page}.`;
    return `${title}: ${pluralize(pages.length, 'page')}, most read ${page}.`;
  };
  const { gone = [] } = site.findings;
  return joinTexts([
    inBrief('New', newPages(site)),
    inBrief('No longer visited', gone, ` ${site.now.window.previousName}`),
  ]);
}

/** The pages to call new: none of a young site, which has only new pages. */
function newPages({ findings }: JudgedSite) {
  if (findings.whyNoRange?.lacking) return [];
  return findings.appeared ?? [];
}

const columns = ({ docsUrl }: JudgedSite) => ({
  head: ['Page', 'Visitors'],
  cells: (row: VisitorsRow) => [pathHtml(row.path, docsUrl), formatCount(row.total)],
});

function columnsWithShare(site: JudgedSite) {
  const { head, cells } = columns(site);
  return {
    head: [...head, 'AI'],
    cells: (row: VisitorsRow) => [...cells(row), formatPercent(aiShare(row))],
  };
}

/** The most-read pages of a young site, in the open. */
export function mostRead(site: JudgedSite): string {
  const { maxVisited, whyNoRange } = site.findings;
  if (!whyNoRange?.lacking) return '';
  const pages = maxVisited?.slice(0, maxOpen);
  return listBlock(pages, maxOpen, { lead: '### Most read', ...columnsWithShare(site) });
}

/** The lists of a site's pages, collapsed, each with at most so many entries. */
export function pageLists(site: JudgedSite, max: number): string[] {
  if (isSilent(site.now)) return [];
  const { noun, previousName } = site.now.window;
  const { crawled, gone } = site.findings;
  // A single page is already named in the open.
  const several = (pages: readonly VisitorsRow[] = []) => (pages.length > 1 ? pages : []);
  return [
    listBlock(crawled.filter(isPage), max, {
      title: 'Pages that gained only AI visitors',
      ...unusualColumns(site),
    }),
    topFold(site, max),
    listBlock(several(newPages(site)), max, {
      title: 'New pages',
      lead: `Not visited before the last three ${noun}s, and rarely in those.`,
      ...columns(site),
    }),
    listBlock(several(gone), max, {
      title: 'Pages no longer visited',
      lead: `Visited in ${previousName}, but not anymore. The numbers are from then.`,
      ...columns(site),
    }),
  ];
}

/** The most-read pages, and the sections. */
function topFold(site: JudgedSite, max: number) {
  const { now, findings } = site;
  const { maxVisited = [], sections = [] } = findings;
  // If the window is incomplete, the number of pages is unknown, so none are counted as unlisted.
  const pages = now.cut ? maxVisited.slice(0, max) : maxVisited;
  const titles = [
    pages.length > 0 && `Top pages (${formatCount(pages.length)})`,
    sections.length > 0 && `sections (${formatCount(sections.length)})`,
  ];
  const title = joinTexts(titles, ', ');
  if (title === '') return '';
  const min = [...now.rows.values()].at(-1)?.total ?? 0;
  const why =
    'Not all pages were read, but the service sends the most visited first, so every page' +
    ` with more than ${pluralize(min, 'visitor')} was read. Only those are listed.`;
  const lists = [
    listBlock(pages, max, { lead: now.cut && why, ...columnsWithShare(site) }),
    listBlock(sections, max, {
      lead:
        'Page visitors are the visitors of a section’s pages, added up. A person who reads' +
        ' several pages is counted once for each, so a section had **at most** that many visitors.',
      head: ['Section', 'Page visitors'],
      cells: (section) => [
        `${pathHtml(section.path)}, ${pluralize(section.pages, 'page')}`,
        formatCount(section.total),
      ],
    }),
  ];
  return fold(title, paragraphs(lists));
}
