import { changePercent } from './figures.ts';

/*
 * The gates against chance: which changes are news.
 */

/** With fewer visitors a page's percentage says more about chance than about the page. */
export const fewVisitors = 20;

/** A change of fewer visitors is never news, however large it is in per cent. */
const leastChange = 10;

/** A smaller change of the site's total, in per cent, is called "about as many". */
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

/** The change in per cent; `undefined` where there were so few visitors before that a percentage would mislead. */
export function pageChangePercent(now: number, before: number): number | undefined {
  return before < fewVisitors ? undefined : changePercent(now, before);
}

/** Whether a change of the site's total, in per cent, is large enough for the headline to call it more or fewer. */
export function isHeadline(percent: number): boolean {
  return Math.abs(percent) >= leastPercent;
}
