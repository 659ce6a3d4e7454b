import { dash, formatCount, pluralize } from '../../../text/counts.ts';
import { joinTexts } from '../../../text/markdown.ts';
import type { Side } from '../../judge/method/usual-count.ts';
import { aiShare, changeFrom, type Fraction } from '../../judge/numbers.ts';
import { isOutside, type JudgedSite } from '../../judge/report.ts';
import type { Standout } from '../../judge/standouts.ts';
import type { Window } from '../../read/window.ts';
import { asHtml } from './shown.ts';

/* Single figures in words, and how they compare with what is usual. */

/** A percentage of fewer visitors would say more than is known. */
const minBase = 20;

/** The form of a verb: `verbFor(2, 'needs', 'need')` is `need`. */
export function verbFor(count: number, one: string, several: string): string {
  return count === 1 ? one : several;
}

/** `1 person`, `3,337 people`. */
export function countPeople(count: number): string {
  return `${formatCount(count)} ${verbFor(count, 'person', 'people')}`;
}

/** When an earlier window was: `the week before`, or `in the week of Oct 26`. */
export function sayWhen(now: Window, earlier: Window): string {
  if (earlier.end === now.start) return now.previousName;
  return `in the ${earlier.noun} of ${earlier.startLabel}`;
}

/**
 * A figure with `▲` or `▼` before it if it is outside the range beside it; on one line if it is
 * short enough for a phone.
 */
export function markSide(figure: string, side: Side | undefined): string {
  if (side !== 'more' && side !== 'fewer') return figure;
  const arrow = side === 'more' ? '▲' : '▼';
  const space = figure.length < '100,000'.length ? '\u00a0' : ' ';
  return `${arrow}${space}${figure}`;
}

/** The people of a site, marked if they are outside their usual range: `**▲ 3,337**`. */
export function markPeople({ now, findings }: JudgedSite): string {
  const people = formatCount(now.totals.human);
  const range = findings.usual.human;
  return isOutside(range) ? `**${markSide(people, range.side)}**` : people;
}

/** `1,640–1,880`, on one line if it is short enough for a phone. */
export function formatRange({ low, high }: Pick<Standout, 'low' | 'high'>): string {
  if (low === high) return formatCount(low);
  const joiner = high < 10_000 ? '\u2060' : '';
  return `${formatCount(low)}\u2060–${joiner}${formatCount(high)}`;
}

/** The share of AI as ten squares and in words; `''` if it is unknown. */
export function shareBar({ now }: JudgedSite): string {
  const share = aiShare(now.totals);
  if (!share) return '';
  const squares = Math.round((10 * share.part) / share.whole);
  const bar = `${'🟦'.repeat(10 - squares)}${'🟧'.repeat(squares)}`;
  return `${bar} **${formatPercent(share)} AI** (${pluralize(share.whole, 'visitor')} in all)`;
}

export const isPage = ({ pages }: Pick<Standout, 'pages'>) => pages === undefined;

/** `/guides/a`; for a section, `/guides` and its number of pages. */
export function nameOf(
  { path, pages }: Pick<Standout, 'path' | 'pages'>,
  docsUrl?: string,
  shown = asHtml,
): string {
  if (pages === undefined) return shown.path(path, docsUrl);
  return `${shown.path(path)} (${pluralize(pages, 'page')})`;
}

/** The people of the last two weeks, and the range before: `▼ 53`, `▼ ≤ 48`, `93–131`. */
export function describeWeeks({ weeks, side, counted, ...range }: Standout) {
  const [before, now] = weeks;
  const isAtMost = (counts: Standout['counted']) => counts.includes(undefined);
  const atMost = (people: number) => `≤\u00a0${formatCount(people)}`;
  const countIn = (people: number, counts: Standout['counted']) =>
    markSide(isAtMost(counts) ? atMost(people) : formatCount(people), side);
  return {
    before: countIn(before, counted.slice(-2, -1)),
    now: countIn(now, counted.slice(-1)),
    range: isAtMost(counted.slice(0, -2)) ? atMost(range.high) : formatRange(range),
  };
}

/** `1 section and 4 pages stand out`. */
export function countStandouts(rows: readonly Standout[]): string {
  const pages = rows.filter(isPage).length;
  const sections = rows.length - pages;
  const kinds = [
    sections > 0 && pluralize(sections, 'section'),
    pages > 0 && pluralize(pages, 'page'),
  ];
  return `${joinTexts(kinds, ' and ')} ${verbFor(rows.length, 'stands', 'stand')} out`;
}

/*
 * All percentages are rounded here, half away from zero: to one decimal in outputs, and to none in
 * text.
 */

/** `31%`, `<1%`, `>99%`, without a sign; a dash if unknown. */
export function formatPercent(fraction: Fraction | undefined): string {
  if (fraction === undefined) return dash;
  const { size, bound } = round(fraction, 0);
  return `${bound}${size.toLocaleString('en-US')}%`;
}

/** `38%`, or if that would be a percentage of few visitors, `2 of 9`. */
export function formatShare(share: Fraction | undefined): string {
  if (share === undefined || share.whole >= minBase) return formatPercent(share);
  return `${share.part} of ${share.whole}`;
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

/** `+371`, `−27`; a dash if unknown. */
export function formatDifference(difference: number | undefined): string {
  if (difference === undefined) return dash;
  return `${signOf(difference)}${formatCount(Math.abs(difference))}`;
}

/** `+31%`, or if that would be a percentage of few visitors, `+3`; a dash if unknown. */
export function formatCountChange(before: number | undefined, now: number | undefined): string {
  if (before === undefined || now === undefined) return dash;
  if (before < minBase) return formatDifference(now - before);
  return formatChange(changeFrom(before, now));
}

/**
 * What a count was before, or how it has changed, and what comes before these words: `, up 31% from
 * the week before`; `; 14 the week before`, if that is too few for a percentage.
 */
export function describeChange(before: number, now: number, previousName: string) {
  if (before < minBase) {
    const count = before === 0 ? 'none' : formatCount(before);
    return { separator: '; ', words: `${count} ${previousName}` };
  }
  const change = { part: now - before, whole: before };
  const percent = formatPercent(change);
  let words = `about as many as ${previousName}`;
  if (percent !== '0%' && percent !== '<1%')
    words = `${change.part > 0 ? 'up' : 'down'} ${percent} from ${previousName}`;
  return { separator: ', ', words };
}

/** `21% more`; `''` if a count hasn’t changed, or was too small for a percentage. */
export function describeSize(before: number | undefined, now: number | undefined): string {
  const change = changeFrom(before, now);
  if (change === undefined || change.part === 0 || change.whole < minBase) return '';
  return `${formatPercent(change)} ${change.part < 0 ? 'fewer' : 'more'}`;
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
