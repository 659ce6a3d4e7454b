/*
 * The gates against chance: which changes are news.
 */

/** Below this many visitors a page's percentage says more about chance than about the page. */
export const fewVisitors = 20;

/** A smaller change of a page is never news, however large it is in per cent. */
const leastChange = 10;

/** A smaller change of the site's total is no news, in per cent. */
const leastPercent = 0.5;

/**
 * Whether a page's change stands out from chance: enough visitors, enough of a change, and more than twice the spread that
 * two Poisson counts of this size have by chance, √(now + before).
 */
export function exceedsChance(now: number, before: number): boolean {
  const change = Math.abs(now - before);
  return (
    Math.max(now, before) >= fewVisitors && change >= leastChange && change >= 2 * Math.sqrt(now + before)
  );
}

/** Whether the change of the site's total, in per cent, is worth a headline. */
export function isHeadline(percent: number): boolean {
  return Math.abs(percent) >= leastPercent;
}
