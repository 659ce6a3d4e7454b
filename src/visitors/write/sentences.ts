import type { Project } from '../../core/inputs/projects.ts';
import { counted, formatCount } from '../../text/counts.ts';
import { aiShare } from '../judge/findings.ts';
import { arrowOf, formatPercent } from '../judge/numbers.ts';
import { cutsIn, isComplete, isRead, type JudgedSite, type Report, type Site } from '../judge/report.ts';
import { fewestWeeks, type Usual } from '../judge/usual.ts';
import { type Cut, isSilent, kindsOfTotals, type WindowRead } from '../read/window-read.ts';
import { joined } from './blocks.ts';
import { nameCode, pathCode } from './shown.ts';

/** The number of pages in the first paragraph. */
const furthest = 2;

/** Says how many visitors there were, and how many were AI. Contains no text from outside. */
export function headline(site: JudgedSite): string {
  const { now } = site.windows;
  if (isSilent(now))
    return `**No visitors were recorded**${afterSound(site)}: either no one came, or the service didn’t record the visits.`;
  return joined([totalSentence(site), aiSentence(site), contradiction(now)]);
}

/** `, after 6,800 in the week before`; `''` if no earlier window had many visitors. */
function afterSound({ windows: { now }, findings: { lastBusy } }: JudgedSite): string {
  if (lastBusy === undefined) return '';
  const { window, totals } = lastBusy;
  const when = window.end === now.window.start ? now.window.previousName : window.label;
  return `, after ${formatCount(totals.total)} in ${when}`;
}

function totalSentence({ windows, findings: { usual, change }, earlier }: JudgedSite): string {
  const { now, before } = windows;
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
    return `**${counted(total, 'visitor')}, ${sideWords(side)}** (${usualRange(usual.total)})${compared}.`;
  }
  const previous = before?.totals.total;
  if (previous === undefined) return `**${counted(total, 'visitor')}.**`;
  const same = previous === total ? 'as many as' : `${formatCount(previous)}`;
  const known =
    earlier.length > 1
      ? `The usual range is available after ${fewestWeeks} periods with visitors.`
      : `Compared with only one ${now.window.noun}.`;
  return `**${counted(total, 'visitor')}**; ${same} in ${previousName}. ${known}`;
}

function aiSentence({ windows: { now }, findings: { usual } }: JudgedSite): string {
  const [share, range] = [aiShare(now.totals), usual.share];
  if (share === undefined) return '';
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

/** A sentence if the service's figures contradict each other. */
function contradiction({ totals: { human, ai, total }, rows }: WindowRead) {
  if (total === undefined) return undefined;
  const most = [...rows.values()].reduce((largest, row) => Math.max(largest, row.total), 0);
  // A count that the service didn't give can't contradict anything.
  const together = human === undefined || ai === undefined ? total : human + ai;
  const odd = [
    (human ?? 0) > total && `${formatCount(human)} humans`,
    (ai ?? 0) > total && `${formatCount(ai)} AI visitors`,
    together < total && `${formatCount(together)} humans and AI together`,
    most > total && `${formatCount(most)} on one page`,
  ].find((part) => part !== false);
  return odd && `The service’s figures contradict each other: ${counted(total, 'visitor')}, and ${odd}.`;
}

/** Names the pages that are furthest from usual; `''` if no page is unusual. */
export function furthestPages({ findings: { unusual } }: JudgedSite): string {
  const pages = unusual.slice(0, furthest).map(({ path, side, now, ...range }) => {
    return `${pathCode(path)} ${arrowOf(side)} ${formatCount(now)} (usual ${usualRange(range)})`;
  });
  return pages.length === 0 ? '' : `Furthest from usual: ${pages.join(', ')}.`;
}

/** The maximum number of causes to list with a remedy. The projects' sections list all of them. */
const mostCauses = 5;

const mostNames = 5;

const list = new Intl.ListFormat('en');

/** Says what the report lacks and what to do about it, one line each; empty for a complete report. */
export function whatIsMissing({ sites, settings: { maxRequests } }: Report): string[] {
  if (sites.length === 1) return sites.flatMap((site) => whatSiteLacks(site, maxRequests));
  const lacking = sites.filter((site) => !isComplete(site));
  if (lacking.length === 0) return [];
  const [partly, unread] = [lacking.filter(isRead), lacking.filter((site) => !isRead(site))];
  const said = [
    unread.length > 0 && `${namesCode(unread)} could not be read`,
    partly.length > 0 && `${namesCode(partly)} could only be read in part`,
  ];
  const remedies = lacking.flatMap(cutsIn).map((cut) => remedyFor(cut, maxRequests));
  return [`Incomplete: ${joined(said, '; ')}.`, ...[...new Set(remedies)].slice(0, mostCauses)];
}

/** Says what a site's part of the report lacks and what to do about it. */
export function whatSiteLacks(site: Site, maxRequests: number): string[] {
  if (isComplete(site)) return [];
  const what = isRead(site) ? whatWasRead(site) : 'This project could not be read.';
  return [what, ...new Set(cutsIn(site).map((cut) => remedyFor(cut, maxRequests)))];
}

/** `A`, `B`, and `C`, each as code; after five, how many more there are. */
export function namesCode(sites: readonly { readonly project: Project }[]): string {
  const named = sites.slice(0, mostNames).map(({ project }) => nameCode(project.name));
  const unnamed = sites.length - named.length;
  return list.format(unnamed === 0 ? named : [...named, `${unnamed} more`]);
}

function whatWasRead({ windows, findings }: JudgedSite): string {
  const { now, before, whyNoBefore } = windows;
  const { name, previousName } = now.window;
  const ofBefore = `of ${previousName}`;
  const read = [
    ...(now.cut === undefined ? [] : [`${counted(now.rows.size, 'page')} of ${name}`]),
    ...(before?.cut === undefined ? [] : [`${counted(before.rows.size, 'page')} ${ofBefore}`]),
    ...(whyNoBefore === undefined ? [] : [`nothing ${ofBefore}`]),
  ];
  const leftOut = [
    ...(findings.mostVisited === undefined ? ['top pages'] : []),
    ...(now.cut === undefined ? [] : ['sections', 'pages read mostly by AI']),
    ...(before === undefined ? ['all comparisons'] : findings.appeared ? [] : ['new pages']),
  ];
  if (read.length === 0) return 'Incomplete: all pages were read, but a total is missing.';
  const isCounted = [now, before ?? now].every(({ totals }) => {
    return kindsOfTotals.every((kind) => totals[kind] !== undefined);
  });
  const rest = `${isCounted ? 'totals are complete; ' : ''}${list.format(leftOut)} are left out.`;
  return `Incomplete: ${list.format(read)} could be read. ${capitalized(rest)}`;
}

/** Why a window is incomplete, and what to do about it, in our own words. */
function remedyFor(cut: Cut, maxRequests: number): string {
  switch (cut.kind) {
    case 'budget':
      return `Raise \`max-requests\` (currently ${maxRequests}).`;
    case 'changed':
      return 'The list of pages changed while it was being read, so some may be missing. Run it again later.';
    case 'service':
      return `${cut.what}. ${cut.hint || 'The log has the service’s error message.'}`;
  }
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
