import type { VisitorsRow, VisitorsTotals } from '../../service/schemas.ts';
import { counted, formatCount } from '../../text/counts.ts';
import { joined, table } from '../../text/markdown.ts';
import { aiShare } from '../judge/findings.ts';
import { changeFrom, formatChange, formatPercent, formatPoints, marked } from '../judge/numbers.ts';
import { isComplete, type JudgedSite, type ReportSettings } from '../judge/report.ts';
import type { Unusual } from '../judge/usual-pages.ts';
import { nameOf, shareRange, standingOut, unusualCount, usualRange } from './sentences.ts';
import { fold, listBlock, pathHtml } from './shown.ts';
import { remedyFor } from './warnings.ts';

/** How many of the most-read pages a young site shows in the open. */
const maxOpen = 5;

/** The totals with their usual ranges and changes, collapsed. The title has the counts of people and AI. */
export function totalsFold({ now, before, findings: { usual } }: JudgedSite): string {
  const share = aiShare(now.totals);
  const { human = 0, ai = 0, total = human + ai } = now.totals;
  // If the counts contradict each other, they say nothing about this.
  const both = total < Math.max(human, ai) ? 0 : Math.max(0, human + ai - total);
  const count = (kind: keyof VisitorsTotals) => marked(formatCount(now.totals[kind]), usual[kind]);
  const row = (name: string, figure: string, range: string | undefined, change: string) => {
    return [
      name,
      `${figure}${range ? `<br><sub>usual ${range}</sub>` : ''}`,
      ...(before ? [change] : []),
    ];
  };
  const rowOf = (name: string, kind: keyof VisitorsTotals) => {
    const change = formatChange(changeFrom(before?.totals[kind], now.totals[kind]));
    return row(name, count(kind), usual[kind] && usualRange(usual[kind]), change);
  };
  const points = formatPoints(share, before && aiShare(before.totals));
  const percent = marked(formatPercent(share), usual.share);
  const rows = [
    rowOf('**All**', 'total'),
    rowOf('People', 'human'),
    rowOf('AI', 'ai'),
    row('AI share', percent, usual.share && shareRange(usual.share), points),
  ];
  const note = `${counted(both, 'visitor')} ${both === 1 ? 'counts' : 'count'} as both, so people and AI add up to more than all.`;
  const totals = table(['', 'Visitors', ...(before ? ['Change'] : [])], rows, 1);
  const body = joined([totals, both > 0 && note], '\n\n');
  return fold(`<b>People and AI</b>: ${count('human')} people, ${count('ai')} AI`, body);
}

/** The sections and pages that stand out, in at most `top` rows, or why that is unknown. */
export function unusualBlock(site: JudgedSite, settings: ReportSettings): string {
  const { findings, now, earlier } = site;
  const { basis, unusual, whyNoRange } = findings;
  if (earlier.length === 0 || (basis === undefined && whyNoRange)) return '';
  // An incomplete report has already said what to do.
  const cut = isComplete(site) ? earlier.find((past) => past.cut)?.cut : undefined;
  const remedy = cut && remedyFor(cut, settings);
  const { noun } = now.window;
  if (basis === undefined)
    return joined([
      `No usual range for pages: too few earlier ${noun}s were read completely.`,
      remedy,
    ]);
  const note = joined(
    basis.rows === undefined
      ? [now.cut && 'Not all pages were read, so others may have changed more.']
      : [
          `Only the ${formatCount(basis.rows)} most-read pages of each ${noun} are compared.`,
          remedy,
        ],
  );
  if (unusual.length === 0) return note;
  const title = `### ${standingOut(unusual)}`;
  const star = `<sub>&#42; Average of two ${noun}s; this ${noun} alone isn’t clearly unusual.</sub>`;
  const lead = joined([title, note], '\n\n');
  const list = listBlock(unusual, settings.top, { lead, ...unusualColumns(site) });
  return joined(
    [list, unusual.slice(0, settings.top).some(({ periods }) => periods > 1) && star],
    '\n\n',
  );
}

const unusualColumns = ({ docsUrl }: JudgedSite) => ({
  head: ['Page', 'Visitors', 'Usual'],
  cells: (row: Unusual) => [nameOf(row, docsUrl), unusualCount(row, '&#42;'), usualRange(row)],
});

/** `New: 2 pages, most read `/a` (32). No longer visited: `/b` (31 the week before).` A young site has only new pages. */
export function comeAndGone({ now, findings, docsUrl }: JudgedSite, shown = pathHtml) {
  const { appeared = [], gone = [], whyNoRange } = findings;
  const inBrief = (title: string, pages: readonly VisitorsRow[], when = '') => {
    const [most] = pages;
    const many = pages.length > 1 && `${counted(pages.length, 'page')}, most read `;
    return (
      most &&
      `${title}: ${many || ''}${shown(most.path, docsUrl)} (${formatCount(most.total)}${when}).`
    );
  };
  return joined([
    whyNoRange?.lacking === undefined && inBrief('New', appeared),
    inBrief('No longer visited', gone, ` ${now.window.previousName}`),
  ]);
}

const columns = ({ docsUrl }: JudgedSite, hasShare = false) => ({
  head: ['Page', 'Visitors', ...(hasShare ? ['AI'] : [])],
  cells: (row: VisitorsRow) => {
    const share = hasShare ? [formatPercent(aiShare(row))] : [];
    return [pathHtml(row.path, docsUrl), formatCount(row.total), ...share];
  },
});

/** The most-read pages of a young site, in the open. */
export function mostRead(site: JudgedSite): string {
  const { maxVisited, whyNoRange } = site.findings;
  const pages = whyNoRange?.lacking === undefined ? [] : maxVisited?.slice(0, maxOpen);
  return listBlock(pages, maxOpen, { lead: '### Most read', ...columns(site, true) });
}

/** The lists of a site's pages, collapsed, each with at most so many entries. */
export function pageLists(site: JudgedSite, most: number): string[] {
  const { noun, previousName } = site.now.window;
  const { crawled, appeared, gone, whyNoRange } = site.findings;
  // A single page is already named in the open.
  const several = <T>(pages: readonly T[] = []) => (pages.length > 1 ? pages : []);
  const crawledList = crawled.filter(({ pages }) => pages === undefined);
  return [
    listBlock(crawledList, most, {
      title: 'Pages that gained only AI visitors',
      ...unusualColumns(site),
    }),
    topFold(site, most),
    listBlock(whyNoRange?.lacking === undefined ? several(appeared) : [], most, {
      title: 'New pages',
      lead: `Not visited before the last three ${noun}s, and rarely in those.`,
      ...columns(site),
    }),
    listBlock(several(gone), most, {
      title: 'Pages no longer visited',
      lead: `Visited in ${previousName}, but not anymore. The numbers are from then.`,
      ...columns(site),
    }),
  ];
}

/** If the window is incomplete, the number of pages is unknown, so none are counted as unlisted. */
function topFold(site: JudgedSite, most: number): string {
  const { maxVisited, sections } = site.findings;
  const { cut, rows } = site.now;
  const pages = cut ? maxVisited?.slice(0, most) : maxVisited;
  const least = [...rows.values()].at(-1)?.total ?? 0;
  const why = `Not all pages were read, but the service sends the most visited first, so every page with more than ${counted(least, 'visitor')} was read. Only those are listed.`;
  const lists = [
    listBlock(pages, most, { lead: cut && why, ...columns(site, true) }),
    listBlock(sections, most, {
      lead: 'Page visitors are the visitors of a section’s pages, added up. A person who reads several pages is counted once for each, so a section had **at most** that many visitors.',
      head: ['Section', 'Page visitors'],
      cells: ({ path, pages, total }) => [
        `${pathHtml(path)}, ${counted(pages, 'page')}`,
        formatCount(total),
      ],
    }),
  ];
  const titles = Object.entries({ 'Top pages': pages, sections }).map(
    ([title, list = []]) => list.length > 0 && `${title} (${formatCount(list.length)})`,
  );
  return joined(titles) === '' ? '' : fold(joined(titles, ', '), joined(lists, '\n\n'));
}
