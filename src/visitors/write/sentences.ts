import type { Project } from '../../core/projects.ts';
import { counted, formatCount } from '../../text/counts.ts';
import { joined } from '../../text/markdown.ts';
import { aiShare } from '../judge/findings.ts';
import { changeFrom, formatPercent, marked } from '../judge/numbers.ts';
import {
  cutsIn,
  isComplete,
  isRead,
  type JudgedSite,
  lacksIn,
  type Report,
  type ReportSettings,
  type Site,
} from '../judge/report.ts';
import type { Usual } from '../judge/usual.ts';
import type { Unusual } from '../judge/usual-pages.ts';
import { maxAdvised } from '../read/read-sites.ts';
import type { Window } from '../read/window.ts';
import { type Cut, isSilent, type WindowRead } from '../read/window-read.ts';
import { nameCode } from './shown.ts';

/** Says how many visitors there were, and how many were AI. Contains no text from outside. */
export function headline(site: JudgedSite): string {
  const { now } = site;
  if (isSilent(now))
    return `**No visitors were recorded**${afterSound(site)}: either no one came, or the service didn’t record the visits.`;
  const { whyNoRange: why } = site.findings;
  return joined([
    totalSentence(site),
    why && `No usual range: ${why.said}.`,
    aiSentence(site),
    slowSentence(site),
    crawlSentence(site),
    contradiction(now),
  ]);
}

/** `, after 6,800 in the week before`; `''` if no earlier window had many visitors. */
function afterSound({ now, findings: { lastBusy } }: JudgedSite): string {
  if (lastBusy === undefined) return '';
  const { window, totals } = lastBusy;
  const when = window.end === now.window.start ? now.window.previousName : window.label;
  return `, after ${formatCount(totals.total)} in ${when}`;
}

/** The total, and people or AI if they are outside their own ranges. */
function totalSentence(site: JudgedSite): string {
  const { now, before } = site;
  const { usual, change } = site.findings;
  const { total } = now.totals;
  if (total === undefined)
    return '**The service didn’t return a total,** so the report says nothing about the whole site.';
  const others = (['human', 'ai'] as const).flatMap((kind) => outsider(kind, site) ?? []);
  const and = usual.human?.side === usual.ai?.side ? ' and ' : ' while ';
  const odd =
    others.length === 0 ? '' : `${usual.total?.side === 'usual' ? ', but ' : ': '}${others.join(and)}`;
  const { previousName } = now.window;
  const count = counted(total, 'visitor');
  if (usual.total !== undefined) {
    const { side } = usual.total;
    const isMoved = side !== 'usual' && change?.part;
    const move = isMoved
      ? `, ${change.part > 0 ? 'up' : 'down'} ${formatPercent(change, 0)} from ${previousName}`
      : '';
    return `**${count}, ${sideWords(side)}** (${usualRange(usual.total)})${move}${odd}.`;
  }
  const previous = before?.totals.total;
  return `**${count}**${previous === undefined ? '' : `; ${formatCount(previous)} in ${previousName}`}${odd}.`;
}

/** `**people fell to 1,050** (usual 1,900–2,300)`; `undefined` if they are as usual. */
function outsider(kind: 'human' | 'ai', { now, before, findings: { usual } }: JudgedSite) {
  const [range, count = 0, previous] = [usual[kind], now.totals[kind], before?.totals[kind]];
  if (range === undefined || range.side === 'usual') return undefined;
  const isMore = range.side === 'more';
  const [who, still] = kind === 'human' ? ['people', 'were still at'] : ['AI', 'was still at'];
  const isMoved = previous === undefined || (isMore ? count > previous : count < previous);
  const verb = isMoved ? `${isMore ? 'rose' : 'fell'} to` : still;
  return `**${who} ${verb} ${formatCount(count)}** (usual ${usualRange(range)})`;
}

function aiSentence({ now, findings: { usual } }: JudgedSite): string {
  const [share, range] = [aiShare(now.totals), usual.share];
  if (share === undefined) return '';
  const isOdd = range !== undefined && range.side !== 'usual';
  // A whole percentage could look as if it were in its range.
  const decimals = isOdd ? 1 : 0;
  const words = joined([`${formatPercent(share, decimals)} were AI`, range && sideWords(range.side)], ', ');
  return isOdd ? `**${words}** (${shareRange(range, decimals)}).` : `${words}.`;
}

/** `Over four weeks: 2,430 a week, 18% fewer than in the four before.` */
function slowSentence({ now: { window }, findings: { slow } }: JudgedSite) {
  const change = slow && changeFrom(slow.before, slow.last);
  if (change === undefined) return '';
  const { noun } = window;
  const size = `${formatPercent(change, 0)} ${change.part > 0 ? 'more' : 'fewer'}`;
  return `Over four ${noun}s: ${formatCount(slow?.last)} a ${noun}, ${size} than in the four before.`;
}

function crawlSentence({ findings: { crawled, isRecounted } }: JudgedSite) {
  const pages = crawled.filter((row) => row.pages === undefined).length;
  if (pages === 0) return '';
  const gained = `${counted(pages, 'page')} gained only AI visitors`;
  return isRecounted
    ? `${gained}: since July 31, 2026, the service counts more reads as AI, so earlier counts are lower.`
    : `Probably a crawl: ${gained}.`;
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

/** A sentence if the service's figures contradict each other. A count that it didn't give contradicts nothing. */
function contradiction({ totals: { human, ai, total }, rows }: WindowRead) {
  if (total === undefined) return undefined;
  const most = rows.values().reduce((largest, row) => Math.max(largest, row.total), 0);
  const isOdd = Math.max(human ?? 0, ai ?? 0, most) > total || (human ?? total) + (ai ?? total) < total;
  return isOdd && 'The service’s figures contradict each other: not all of them fit the total.';
}

/** `▲ 299`; `▼ at most 118`; `▲ 121 on average, two weeks`, rounded away from the range. */
export function unusualCount({ side, mean, periods, isAtMost }: Unusual, { noun }: Window): string {
  const count = formatCount(side === 'more' ? Math.ceil(mean) : Math.floor(mean));
  const shown = marked(`${isAtMost ? 'at most ' : ''}${count}`, { side });
  return `${shown}${periods === 1 ? '' : ` on average, two ${noun}s`}`;
}

/** The maximum number of causes to list with a remedy. The projects' sections list all of their own. */
const maxCauses = 5;

const maxNames = 5;

const list = new Intl.ListFormat('en');

/** Says what the report, or one site's part of it, lacks and what to do about it, one line each; empty if it is complete. */
export function whatIsMissing({ sites, settings }: Pick<Report, 'sites' | 'settings'>): string[] {
  const lacking = sites.filter((site) => !isComplete(site));
  const [first, second] = sites;
  if (first === undefined || lacking.length === 0) return [];
  const remedies = lacking.flatMap(cutsIn).map((cut) => remedyFor(cut, settings));
  const what = isRead(first) ? whatWasRead(first) : 'This project could not be read.';
  const isPartial = (site: Site) => lacksIn(site).length > 0;
  const [partial, rangeless] = [lacking.filter(isPartial), lacking.filter((site) => !isPartial(site))];
  const all = joined([
    partial.length > 0 && `Incomplete: ${namesCode(partial)} could be read only in part or not at all.`,
    rangeless.length > 0 && `No usual range for ${namesCode(rangeless)}.`,
  ]);
  return [second ? all : what, ...[...new Set(remedies)].slice(0, maxCauses)];
}

/** `A`, `B`, and `C`, each as code; after five, how many more there are. */
export function namesCode(sites: readonly { readonly project: Project }[]): string {
  const named = sites.slice(0, maxNames).map(({ project }) => nameCode(project.name));
  const unnamed = sites.length - named.length;
  return list.format(unnamed === 0 ? named : [...named, `${unnamed} more`]);
}

function whatWasRead(site: JudgedSite): string {
  const { now, before } = site;
  const { whyNoRange: why } = site.findings;
  const partOf = (name: string, { cut, rows } = now) =>
    cut && `${rows.size === 0 ? 'nothing' : counted(rows.size, 'page')} of ${name}`;
  const read = [partOf(now.window.label), before && partOf(now.window.previousName, before)];
  const parts = read.filter((part) => part !== undefined);
  const said = [
    parts.length > 0 &&
      `${list.format(parts)} could be read. Lists and comparisons that need more are left out.`,
    why?.cut && `${why.said}. There is no usual range.`,
  ];
  return `Incomplete: ${joined(said) || 'all pages were read, but a total is missing.'}`;
}

/** Why a window is incomplete, and what to do about it, in our own words. */
export function remedyFor(cut: Cut, settings: Pick<ReportSettings, 'maxRequests' | 'enough'>): string {
  if (cut.kind === 'changed')
    return 'The list of pages changed while it was being read, so some may be missing. Re-run the workflow later.';
  if (cut.kind === 'service') return `${cut.what}. ${cut.hint || 'The log has the service’s error message.'}`;
  const { maxRequests, enough } = settings;
  if (enough.requests <= maxAdvised)
    return `Raise \`max-requests\` to ${enough.isLeast ? 'at least ' : ''}${enough.requests} (currently ${maxRequests}).`;
  const raise = maxRequests < maxAdvised ? `Raise \`max-requests\` to ${maxAdvised}, and use` : 'Use';
  return `That takes more than ${maxAdvised} requests. ${raise} \`history-file\`: later runs read the rest.`;
}
