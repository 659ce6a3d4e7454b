import { dash, formatCount, pluralize } from '../../../text/counts.ts';
import { joinTexts } from '../../../text/markdown.ts';
import { aiShare, type Fraction, type Side } from '../../judge/numbers.ts';
import type { JudgedSite } from '../../judge/report.ts';
import type { Usual } from '../../judge/usual.ts';
import type { Unusual } from '../../judge/usual-pages.ts';
import { pathHtml } from './shown.ts';

/* Single figures in words, and how they compare with what is usual. */

/** The form of a verb: `verbFor(2, 'needs', 'need')` is `need`. */
export function verbFor(count: number, one: string, several: string): string {
  return count === 1 ? one : several;
}

/**
 * A figure with `▲` or `▼` before it if it is outside its usual range; on one line if it is short
 * enough for a phone.
 */
export function markSide(figure: string, range?: { readonly side: Side }): string {
  if (range === undefined || range.side === 'usual') return figure;
  const arrow = range.side === 'more' ? '▲' : '▼';
  const space = figure.length < '100,000'.length ? '\u00a0' : ' ';
  return `${arrow}${space}${figure}`;
}

export function sideWords(side: Side): string {
  if (side === 'usual') return 'as usual';
  return `${side} than usual`;
}

/** `33% more`. */
export function sizeOf(change: Fraction): string {
  const direction = change.part < 0 ? 'fewer' : 'more';
  return `${formatPercent(change)} ${direction}`;
}

/** `1,640–1,880`, on one line if it is short enough for a phone. */
export function usualRange({ low, high }: Pick<Usual, 'low' | 'high'>): string {
  if (low === high) return formatCount(low);
  const joiner = high < 10_000 ? '\u2060' : '';
  return `${formatCount(low)}\u2060–${joiner}${formatCount(high)}`;
}

/** `35–38%`, on one line. */
export function shareRange(range: Usual, decimals: 0 | 1 = 0): string {
  const low = formatPercent(toFraction(range.low), decimals);
  const high = formatPercent(toFraction(range.high), decimals);
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
  const decimals = percent === formatPercent(toFraction(end)) ? 1 : 0;
  const figure = markSide(formatPercent(share, decimals), range);
  return `**${figure} AI** (${shareRange(range, decimals)})`;
}

/**
 * The share of AI as ten squares and in words: `🟦🟦🟦🟦🟦🟦🟧🟧🟧🟧 **36% AI, as usual**`; `''` if it
 * is unknown.
 */
export function shareBar(site: JudgedSite): string {
  const { totals } = site.now;
  const range = site.findings.usual.share;
  const share = aiShare(totals);
  if (!share) return '';
  const squares = Math.round((10 * share.part) / share.whole);
  const bar = `${'🟦'.repeat(10 - squares)}${'🟧'.repeat(squares)}`;
  const words = `${bar} ${shareWords(share, range)}`;
  if (range || totals.human === undefined || totals.human > share.whole) return words;
  const onlyAi = share.whole - totals.human;
  return `${words} · ${formatCount(totals.human)} people, ${formatCount(onlyAi)} only AI`;
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
  if (row.periods === 1) return count;
  return `${count}${star}`;
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

/*
 * All percentages are rounded here, half away from zero. docs/visitors-method.md ("Percentages")
 * says to how many decimals.
 */

/** A share from 0 to 1, such as the end of a usual range. */
const toFraction = (share: number): Fraction => ({ part: share, whole: 1 });

/** `31%`, `<1%`, `>99%`, without a sign; a dash if unknown. */
export function formatPercent(fraction: Fraction | undefined, decimals: 0 | 1 = 0): string {
  if (fraction === undefined) return dash;
  const { size, bound } = round(fraction, decimals);
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  return `${bound}${size.toLocaleString('en-US', digits)}%`;
}

/** A fall of more than 99% is a change below −99%, so `>` becomes `<`. */
const oppositeBounds = { '': '', '<': '>', '>': '<' };

/** `+8%`, `−30%`, `<−99%`; a dash if unknown. */
export function formatChange(change: Fraction | undefined): string {
  if (change === undefined) return dash;
  const { size, bound } = round(change, 0);
  const side = change.part < 0 ? oppositeBounds[bound] : bound;
  return `${side}${signOf(change.part)}${size.toLocaleString('en-US')}%`;
}

/** `+1 point`, `−2 points`: the difference between two shares; a dash if one is unknown. */
export function formatPoints(now: Fraction | undefined, before: Fraction | undefined): string {
  if (now === undefined || before === undefined) return dash;
  const points = Math.round(toPercent(now) - toPercent(before));
  return `${signOf(points)}${pluralize(Math.abs(points), 'point')}`;
}

export function toPercent(fraction: Fraction): number {
  const { size } = round(fraction, 1);
  return fraction.part < 0 ? -size : size;
}

/** The ends of a share's usual range as percentages. */
export function toPercentRange(range: Usual): Usual {
  const low = toPercent(toFraction(range.low));
  const high = toPercent(toFraction(range.high));
  return { ...range, low, high };
}

/**
 * Rounds to a percentage. A value that would wrongly become 0 or 100 gets a `bound`: which side the
 * exact value is on.
 */
function round({ part, whole }: Fraction, decimals: 0 | 1) {
  const exact = Math.abs(part);
  const steps = 10 ** decimals;
  const rounded = Math.round((100 * steps * exact) / whole);
  if (rounded === 0 && exact > 0) return { size: 1 / steps, bound: '<' } as const;
  if (rounded === 100 * steps && exact < whole) {
    return { size: 100 - 1 / steps, bound: '>' } as const;
  }
  return { size: rounded / steps, bound: '' } as const;
}

function signOf(value: number) {
  if (value > 0) return '+';
  if (value < 0) return '−';
  return '';
}
