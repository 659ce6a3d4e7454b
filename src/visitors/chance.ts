/** Below this many visitors a page's percentage says more about chance than about the page. */
export const fewVisitors = 20;

/** A smaller change is never told as a move, however large it is in per cent. */
const leastChange = 10;

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
