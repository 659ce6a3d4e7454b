import { changeFrom, type Fraction } from '../report/numbers.ts';

/*
 * Which changes are news. The visitors of an unchanged page are Poisson counts, and two such counts lie some √(now + before)
 * apart, their spread.
 */

/** One figure in two windows. */
export interface Counts {
  readonly now: number;
  readonly before: number;
}

/** With fewer visitors a page's percentage says more about chance than about the page. */
export const fewVisitors = 20;

/** A change of fewer visitors is never news, however large it is in per cent. */
const leastChange = 10;

/** A change of fewer spreads is what chance explains. */
const leastSpreads = 2;

/** A total of fewer visitors says too little about the site's trend. */
const fewForTrend = 100;

/**
 * Says which pages' changes are news, among all pages that are compared: enough visitors, enough of a change, and more than
 * chance explains. Of many pages some get far by chance alone, so the more are compared, the more is asked of each: √(2·ln m)
 * spreads is how far the furthest of m pages gets by chance.
 *
 * @param site the site's totals, if what lifts every page is no page's news: a page must then also differ from what the site
 *   did, and in the same direction.
 */
export function newsGate(compared: readonly Counts[], site?: Counts): (counts: Counts) => boolean {
  const trend =
    site === undefined || Math.min(site.now, site.before) < fewForTrend ? 1 : site.now / site.before;
  const pages = compared.filter(isMuchVisited).length;
  const spreads = Math.max(leastSpreads, Math.sqrt(2 * Math.log(Math.max(1, pages))));
  return (counts) => {
    const { now, before } = counts;
    const [change, ownChange] = [now - before, now - trend * before];
    return (
      isMuchVisited(counts) &&
      Math.abs(change) >= leastChange &&
      exceedsChance(change, now + before, spreads) &&
      exceedsChance(ownChange, now + trend ** 2 * before, spreads) &&
      Math.sign(ownChange) === Math.sign(change)
    );
  };
}

/** Whether the site's total changed enough for the headline to call it more or fewer: not by chance, and by 0.5%. */
export function isHeadline({ now, before }: Counts): boolean {
  const change = now - before;
  return exceedsChance(change, now + before, leastSpreads) && 200 * Math.abs(change) >= before;
}

/** The relative change of a page or a section; `undefined` if there were so few visitors before that a percentage would mislead. */
export function pageChange({ now, before }: Counts): Fraction | undefined {
  return before < fewVisitors ? undefined : changeFrom(before, now);
}

function isMuchVisited({ now, before }: Counts): boolean {
  return Math.max(now, before) >= fewVisitors;
}

/** Whether a difference is at least so many times its spread, the square root of its variance. */
function exceedsChance(difference: number, variance: number, spreads: number): boolean {
  return difference ** 2 >= spreads ** 2 * variance;
}
