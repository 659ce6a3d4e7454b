import { arrowOf, formatCount, formatPercent, plural } from '../report/numbers.ts';
import { pathCode } from '../report/shown.ts';
import { isSilent, type WindowRead } from '../report/window-read.ts';
import { aiShare } from './findings.ts';
import type { ReadSite } from './report.ts';
import { fewestWeeks, type Usual } from './usual.ts';

/** The number of pages in the first paragraph. */
const furthest = 2;

/** Says how many visitors there were, and how many were AI. Contains no text from outside. */
export function headline(site: ReadSite): string {
  const { now } = site.windows;
  if (isSilent(now))
    return `**No visitors were recorded**${afterSound(site)}: either no one came, or the service didn’t record the visits.`;
  return [totalSentence(site), aiSentence(site), contradiction(now)].filter((part) => part !== '').join(' ');
}

/** `, after 6,800 in the week before`; `''` if no earlier window had many visitors. */
function afterSound({ windows: { now }, findings: { lastBusy } }: ReadSite): string {
  if (lastBusy === undefined) return '';
  const { window, totals } = lastBusy;
  const when = window.end === now.window.start ? now.window.previousName : window.label;
  return `, after ${formatCount(totals.total)} in ${when}`;
}

function totalSentence({ windows: { now, before }, findings: { usual, change }, earlier }: ReadSite): string {
  const { total } = now.totals;
  if (total === undefined)
    return '**The service didn’t return a total,** so the report says nothing about the whole site.';
  const { previousName } = now.window;
  if (usual.total !== undefined) {
    const { side } = usual.total;
    const compared =
      side === 'usual' || !change?.part
        ? ''
        : `: ${change.part > 0 ? 'up' : 'down'} ${formatPercent(change, 0)} from ${previousName}`;
    return `**${plural(total, 'visitor')}, ${sideWords(side)}** (${usualRange(usual.total)})${compared}.`;
  }
  const previous = before?.totals.total;
  if (previous === undefined) return `**${plural(total, 'visitor')}.**`;
  const same = previous === total ? 'as many as' : `${formatCount(previous)}`;
  const known =
    earlier.length > 1
      ? `The usual range is available after ${fewestWeeks} periods with visitors.`
      : `Compared with only one ${now.window.noun}.`;
  return `**${plural(total, 'visitor')}**; ${same} in ${previousName}. ${known}`;
}

function aiSentence({ windows: { now }, findings: { usual } }: ReadSite): string {
  const share = aiShare(now.totals);
  if (share === undefined) return '';
  const { share: range } = usual;
  const interval = range === undefined || range.side === 'usual' ? '' : ` (${shareRange(range, 0)})`;
  const compared = range === undefined ? '' : `, ${sideWords(range.side)}${interval}`;
  return `**${formatPercent(share, 0)} were AI**${compared}.`;
}

function sideWords(side: Usual['side']): string {
  return side === 'usual' ? 'as usual' : `${side} than usual`;
}

/** `1,640–1,880`. */
export function usualRange({ low, high }: Pick<Usual, 'low' | 'high'>): string {
  return low === high ? formatCount(low) : `${formatCount(low)}–${formatCount(high)}`;
}

/** `35.1–38.0%`. */
export function shareRange({ low, high }: Usual, decimals: 0 | 1): string {
  const [from, to] = [low, high].map((share) => formatPercent({ part: share, whole: 1 }, decimals));
  return from === to ? `${to}` : `${from?.replace('%', '')}–${to}`;
}

/** A sentence if the service's figures contradict each other; otherwise `''`. */
function contradiction({ totals: { human, ai, total }, rows }: WindowRead): string {
  if (total === undefined) return '';
  const most = [...rows.values()].reduce((largest, row) => Math.max(largest, row.total), 0);
  // A count that the service didn't give can't contradict anything.
  const together = human === undefined || ai === undefined ? total : human + ai;
  const odd = [
    (human ?? 0) > total && `${formatCount(human)} humans`,
    (ai ?? 0) > total && `${formatCount(ai)} AI visitors`,
    together < total && `${formatCount(together)} humans and AI together`,
    most > total && `${formatCount(most)} on one page`,
  ].find((one) => one !== false);
  return odd === undefined
    ? ''
    : `The service’s figures contradict each other: ${plural(total, 'visitor')}, and ${odd}.`;
}

/** Names the pages that are furthest from usual; `''` if no page is unusual. */
export function furthestPages({ findings: { movers } }: ReadSite): string {
  const named = movers
    .slice(0, furthest)
    .map(
      ({ path, side, now, ...range }) =>
        `${pathCode(path)} ${arrowOf(side)} ${formatCount(now)} (usual ${usualRange(range)})`,
    );
  return named.length === 0 ? '' : `Furthest from usual: ${named.join(', ')}.`;
}
