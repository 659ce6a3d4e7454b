import { formatCount, pluralize } from '../../../text/counts.ts';
import { joinTexts } from '../../../text/markdown.ts';
import { aiShare, type Fraction, type Side } from '../../judge/numbers.ts';
import type { JudgedSite } from '../../judge/report.ts';
import type { Usual } from '../../judge/usual.ts';
import type { Unusual } from '../../judge/usual-pages.ts';
import { formatPercent } from './percent.ts';
import { pathHtml } from './shown.ts';

/* Single figures in words, and how they compare with what is usual. */

/** The form of a verb: `verbFor(2, 'needs', 'need')` is `need`. */
export function verbFor(count: number, one: string, several: string): string {
  return count === 1 ? one : several;
}

const arrows = { more: '▲', fewer: '▼' } as const;

/**
 * A figure with `▲` or `▼` before it if it is outside its usual range; on one line if it is short
 * enough for a phone.
 */
export function markSide(figure: string, range?: { readonly side: Side }): string {
  if (range === undefined || range.side === 'usual') return figure;
  const space = figure.length < '100,000'.length ? '\u00a0' : ' ';
  return `${arrows[range.side]}${space}${figure}`;
}

export function sideWords(side: Side): string {
  return side === 'usual' ? 'as usual' : `${side} than usual`;
}

/** `33% more`. */
export function sizeOf(change: Fraction): string {
  return `${formatPercent(change)} ${change.part < 0 ? 'fewer' : 'more'}`;
}

/** `1,640–1,880`, on one line if it is short enough for a phone. */
export function usualRange({ low, high }: Pick<Usual, 'low' | 'high'>): string {
  if (low === high) return formatCount(low);
  const joiner = high < 10_000 ? '\u2060' : '';
  return `${formatCount(low)}\u2060–${joiner}${formatCount(high)}`;
}

/** `35–38%`, on one line. */
export function shareRange(range: Usual, decimals: 0 | 1 = 0): string {
  const low = formatPercent({ part: range.low, whole: 1 }, decimals);
  const high = formatPercent({ part: range.high, whole: 1 }, decimals);
  if (low === high) return low;
  return `${low.replace('%', '')}\u2060–\u2060${high}`;
}

/** `**36% AI, as usual**`, or `**▲ 39% AI** (32–37%)`. */
export function shareWords(share: Fraction, range: Usual | undefined): string {
  const percent = formatPercent(share);
  if (!range) return `**${percent} AI**`;
  if (range.side === 'usual') return `**${percent} AI, as usual**`;
  const end = range.side === 'more' ? range.high : range.low;
  // A whole percentage could look as if it were in its range.
  const decimals = percent === formatPercent({ part: end, whole: 1 }) ? 1 : 0;
  const figure = markSide(formatPercent(share, decimals), range);
  return `**${figure} AI** (${shareRange(range, decimals)})`;
}

/**
 * The share of AI as ten squares and in words: `🟦🟦🟦🟦🟦🟦🟧🟧🟧🟧 **36% AI, as usual**`; `''` if it
 * is unknown.
 */
export function shareBar({ now, findings }: JudgedSite): string {
  const range = findings.usual.share;
  const share = aiShare(now.totals);
  if (!share) return '';
  const squares = Math.round((10 * share.part) / share.whole);
  const bar = `${'🟦'.repeat(10 - squares)}${'🟧'.repeat(squares)}`;
  const words = `${bar} ${shareWords(share, range)}`;
  const { human } = now.totals;
  if (range || human === undefined || human > share.whole) return words;
  const onlyAi = share.whole - human;
  return `${words} · ${formatCount(human)} people, ${formatCount(onlyAi)} only AI`;
}

export const isPage = (row: Unusual) => row.pages === undefined;

/** How many pages only AI made rise, if a crawl explains most of what rose. */
export function crawledPages(site: JudgedSite): number {
  return site.findings.crawled.filter(isPage).length;
}

/** `/guides/a`; for a section, `/guides` and its number of pages. */
export function nameOf({ path, pages }: Unusual, docsUrl?: string, shown = pathHtml): string {
  if (pages === undefined) return shown(path, docsUrl);
  return `${shown(path)} (${pluralize(pages, 'page')})`;
}

/**
 * `▲ 299`; `▼ ≤ 118`; `▲ 121*` for the mean of two windows, with this star. It is rounded away from
 * the range.
 */
export function unusualCount(row: Unusual, star: string): string {
  const visitors = row.side === 'more' ? Math.ceil(row.mean) : Math.floor(row.mean);
  const atMost = row.isAtMost ? '≤\u00a0' : '';
  const count = markSide(`${atMost}${formatCount(visitors)}`, row);
  return row.periods === 1 ? count : `${count}${star}`;
}

/** `1 section and 4 pages stand out`. */
export function countStandouts(rows: readonly Unusual[]): string {
  const pages = rows.filter(isPage).length;
  const sections = rows.length - pages;
  const kinds = [
    sections > 0 && pluralize(sections, 'section'),
    pages > 0 && pluralize(pages, 'page'),
  ];
  return `${joinTexts(kinds, ' and ')} ${verbFor(rows.length, 'stands', 'stand')} out`;
}
