import { isSilent } from '../read/window-read.ts';
import { isComplete, isRead, type Site } from './report.ts';
import type { Usual } from './usual.ts';

/**
 * How much a project needs a look, the worst reason first: it wasn't read, it fell silent, an alert, a figure below its usual
 * range and how far, any figure outside, a page or section that stands out, no visitors or missing data. All are 0 if it needs none.
 */
function needOf(site: Site): number[] {
  if (!isRead(site)) return [2];
  const { now, findings, alerts } = site;
  const { usual, lastBusy, unusual, crawled } = findings;
  const kinds = (['total', 'human', 'ai'] as const).map((kind) => distance(now.totals[kind], usual[kind]));
  const furthest = [...unusual, ...crawled].map((row) => row.distance);
  return [
    Number(isSilent(now) && lastBusy !== undefined),
    Number(alerts.some(({ state }) => state === 'fired')),
    Math.max(0, ...kinds.map((by) => -by)),
    Math.max(0, ...kinds.map(Math.abs), Number(usual.share !== undefined && usual.share.side !== 'usual')),
    Math.max(0, ...furthest),
    Number(isSilent(now) || !isComplete(site)),
  ];
}

/** How far a count is outside its range, as a logarithm; 0 if it is inside. */
function distance(count: number | undefined, range: Usual | undefined): number {
  if (count === undefined || range === undefined || range.side === 'usual') return 0;
  return Math.log((count + 0.5) / ((range.side === 'more' ? range.high : range.low) + 0.5));
}

/** Whether something about a project should be looked at. */
export function needsLook(site: Site): boolean {
  return needOf(site).some((need) => need > 0);
}

/** The worst first; projects in the same need stay in order. */
export function byNeed(a: Site, b: Site): number {
  const [one, other] = [needOf(a), needOf(b)];
  return one.map((need, rank) => (other[rank] ?? 0) - need).find((difference) => difference !== 0) ?? 0;
}
