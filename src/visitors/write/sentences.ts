import { counted, formatCount } from '../../text/counts.ts';
import { joined } from '../../text/markdown.ts';
import { aiShare } from '../judge/findings.ts';
import { changeFrom, type Fraction, formatPercent, marked } from '../judge/numbers.ts';
import { isComplete, isRead, type JudgedSite, type Site, sorted } from '../judge/report.ts';
import type { Usual } from '../judge/usual.ts';
import type { Unusual } from '../judge/usual-pages.ts';
import { laterWindow } from '../read/window.ts';
import { isSilent, minWeeks, type WindowRead } from '../read/window-read.ts';
import { pathHtml } from './shown.ts';

/* The sentences of one site. They contain no text from outside but paths. */

/** How many visitors there were, and what is usual: `**▲ 5,049 visitors, more than usual** (3,512–4,128), up 33% …`. */
export function lead(site: JudgedSite): string {
  const { usual, whyNoRange: why, lastBusy, change, isRecounted } = site.findings;
  const { window, totals } = site.now;
  if (isSilent(site.now)) {
    const when =
      lastBusy?.window.end === window.start ? window.previousName : lastBusy?.window.label;
    const after = lastBusy ? `, after ${formatCount(lastBusy.totals.total)} in ${when}` : '';
    return `**No visitors were recorded**${after}: either no one came, or the service didn’t record the visits.`;
  }
  if (totals.total === undefined)
    return '**The service didn’t return a total,** so the report says nothing about the whole site.';
  const count = counted(totals.total, 'visitor');
  const crawled = crawledPages(site);
  const gained = `${counted(crawled, 'page')} gained only AI visitors`;
  const crawl = isRecounted
    ? `. ${gained}: since July 31, 2026, the service has counted more reads as AI, so earlier counts are lower.`
    : `${usual.total?.side === 'usual' ? '. **Probably a crawl:**' : ': **probably a crawl;**'} ${gained}.`;
  const direction = change?.part ? `, ${change.part > 0 ? 'up' : 'down'}` : '';
  const moved = direction && `${direction} ${formatPercent(change)} from ${window.previousName}`;
  const more = crawled > 0 ? crawl : `${moved}.`;
  if (usual.total !== undefined) {
    const words = `**${marked(count, usual.total)}, ${sideWords(usual.total.side)}** (${usualRange(usual.total)})`;
    const odd = usual.total.side === 'usual' && crawled === 0 ? outsiders(site) : '';
    return `${words}${odd === '' ? more : `, but ${odd}.`}`;
  }
  if (why?.lacking === undefined)
    return `**${count}**${why ? ` (no usual range: ${why.said})` : ''}${more}`;
  const which = ['first', 'second', 'third', 'fourth'][minWeeks - why.lacking];
  const known = counted(why.lacking, `more ${window.noun}`);
  const report = `, from the report for ${laterWindow(window, why.lacking).shortLabel}`;
  return `**${count} in the ${which} ${window.noun} with data.** What’s usual is known after ${known}${window.kind === 'custom' ? '' : report}.`;
}

/** What else happened: who made the total unusual, what stands out most, and how this compares with longer ago. */
export function whatElse(site: JudgedSite): string {
  const { now, lastYear, docsUrl } = site;
  if (isSilent(now)) return '';
  const { basis, unusual, crawled, usual, slow } = site.findings;
  const { total, human } = usual;
  const { noun } = now.window;
  const [furthest] = unusual;
  const fallen = unusual.find(({ side }) => side === 'fewer');
  const fell = fallen && fallen !== furthest ? `, and ${nameOf(fallen, docsUrl)} fell most` : '';
  const most =
    furthest &&
    `${nameOf(furthest, docsUrl)} stands out${unusual.length > 1 ? ' most' : ''}${fell}`;
  const who =
    crawledPages(site) === 0 && total?.side !== 'usual'
      ? outsiders(site).replace(/^(\**)p/, '$1P')
      : '';
  const people =
    human && `People: ${marked(formatCount(now.totals.human), human)}, ${sideWords(human.side)}`;
  // AI isn’t compared: since July 2026, the service counts more of it.
  const sinceLastYear = changeFrom(lastYear?.totals.human, now.totals.human);
  const lastYears = sinceLastYear?.part
    ? `${sizeOf(sinceLastYear)} than in the same ${noun} last year`
    : '';
  const slowly = slow && changeFrom(slow.before, slow.last);
  const isQuiet = basis !== undefined && unusual.length === 0;
  return joined([
    crawled.length > 0 && people && `${joined([people, lastYears], '; ')}.`,
    joined([who, most], '; ') && `${joined([who, most], '; ')}.`,
    isQuiet && (crawled.length > 0 ? '**People read pages as usual.**' : '**No page stands out.**'),
    slowly &&
      `Over four ${noun}s: ${formatCount(slow.last)} a ${noun}, ${sizeOf(slowly)} than in the four before.`,
    crawled.length === 0 && lastYears !== '' && `People: ${lastYears}.`,
    contradicts(now) &&
      'The service’s figures contradict each other: not all of them fit the total.',
  ]);
}

/** People and AI, if they are outside their ranges: `people and AI both rose`, or `**people fell to 1,050** (usual …) while …`. */
function outsiders(site: JudgedSite): string {
  const { human, ai, total } = site.findings.usual;
  const [one, other] = (['human', 'ai'] as const).flatMap((kind) => outsider(kind, site) ?? []);
  if (one === undefined || other === undefined) return one?.said ?? other?.said ?? '';
  if (human?.side !== ai?.side) return `${one.said} while ${other.said}`;
  if (total?.side !== human?.side) return `${one.said} and ${other.said}`;
  const [is, moved] = human?.side === 'more' ? ['above', 'rose'] : ['below', 'fell'];
  return one.hasMoved && other.hasMoved
    ? `people and AI both ${moved}`
    : `people and AI are both ${is} usual`;
}

/** `**people fell to 1,050** (usual 1,900–2,300)`; `undefined` if they are as usual. */
function outsider(kind: 'human' | 'ai', { now, before, findings: { usual } }: JudgedSite) {
  const [range, count = 0, previous] = [usual[kind], now.totals[kind], before?.totals[kind]];
  if (range === undefined || range.side === 'usual') return undefined;
  const isMore = range.side === 'more';
  const [who, still] = kind === 'human' ? ['people', 'were still at'] : ['AI', 'was still at'];
  const hasMoved = previous === undefined || (isMore ? count > previous : count < previous);
  const verb = hasMoved ? `${isMore ? 'rose' : 'fell'} to` : still;
  return {
    hasMoved,
    said: `**${who} ${verb} ${formatCount(count)}** (usual ${usualRange(range)})`,
  };
}

/** `3 of 12 projects need a look`. */
export function projectsVerdict(sites: readonly Site[]): string {
  const { needing, areUsual } = sorted(sites);
  const verb = needing.length === 1 ? 'needs' : 'need';
  return needing.length > 0 || !areUsual
    ? `${needing.length} of ${sites.length} projects ${verb} a look`
    : `All ${sites.length} projects are as usual`;
}

/** What there is to look at: `▼ people and AI`, `▲ /guides/webhooks`. */
export function reasons(site: Site, shown: typeof nameOf = nameOf): string {
  if (!isRead(site)) return 'not read';
  const { usual, unusual } = site.findings;
  const [furthest] = unusual;
  const names = {
    people: usual.human,
    AI: usual.ai,
    'AI share': usual.share,
    'all visitors': usual.total,
  };
  const figures = (['fewer', 'more'] as const).flatMap((side) => {
    const [one, other] = Object.entries(names).flatMap(([name, range]) =>
      range?.side === side ? name : [],
    );
    return one === undefined ? [] : marked(joined([one, other], ' and '), { side });
  });
  const all = [
    isSilent(site.now) && 'no visitors',
    site.alerts.some(({ state }) => state === 'fired') && 'alert',
    ...figures,
    crawledPages(site) > 0 && 'probably a crawl',
    furthest && figures.length === 0 && marked(shown(furthest), furthest),
    !isComplete(site) && 'incomplete',
  ];
  return joined(all, ', ');
}

/** The share of AI as ten squares and in words: `🟦🟦🟦🟦🟦🟦🟧🟧🟧🟧 **36% AI, as usual**`; `''` if it is unknown. */
export function shareBar({ now: { totals }, findings: { usual } }: JudgedSite): string {
  const share = aiShare(totals);
  if (share === undefined) return '';
  const ai = Math.round((10 * share.part) / share.whole);
  const { human = share.whole + 1 } = totals;
  const others = ` · ${formatCount(human)} people, ${formatCount(share.whole - human)} only AI`;
  const isShown = usual.share === undefined && human <= share.whole;
  return `${'🟦'.repeat(10 - ai)}${'🟧'.repeat(ai)} ${shareWords(share, usual.share)}${isShown ? others : ''}`;
}

/** `**36% AI, as usual**`, or `**▲ 39% AI** (32–37%)`. */
export function shareWords(share: Fraction, range?: Usual): string {
  if (range === undefined) return `**${formatPercent(share)} AI**`;
  if (range.side === 'usual') return `**${formatPercent(share)} AI, as usual**`;
  const end = { part: range.side === 'more' ? range.high : range.low, whole: 1 };
  // A whole percentage could look as if it were in its range.
  const decimals = formatPercent(share) === formatPercent(end) ? 1 : 0;
  return `**${marked(formatPercent(share, decimals), range)} AI** (${shareRange(range, decimals)})`;
}

const sizeOf = (change: Fraction) =>
  `${formatPercent(change)} ${change.part < 0 ? 'fewer' : 'more'}`;

/** How many pages only AI made rise, if a crawl explains most of what rose. */
export function crawledPages({ findings: { crawled } }: JudgedSite): number {
  return crawled.filter((row) => row.pages === undefined).length;
}

export function sideWords(side: Usual['side']): string {
  return side === 'usual' ? 'as usual' : `${side} than usual`;
}

/** `1,640–1,880`, on one line if it is short enough for a phone. */
export function usualRange({ low, high }: Pick<Usual, 'low' | 'high'>): string {
  const to = high < 10_000 ? '\u2060–\u2060' : '\u2060–';
  return low === high ? formatCount(low) : `${formatCount(low)}${to}${formatCount(high)}`;
}

/** `35–38%`, on one line. */
export function shareRange({ low, high }: Usual, decimals: 0 | 1 = 0): string {
  const [from, to] = [low, high].map((share) => formatPercent({ part: share, whole: 1 }, decimals));
  return from === to ? `${to}` : `${from?.replace('%', '')}\u2060–\u2060${to}`;
}

/** Whether the service's figures contradict each other. A count that it didn't give contradicts nothing. */
function contradicts({ totals: { human, ai, total }, rows }: WindowRead): boolean {
  if (total === undefined) return false;
  if (Math.max(human ?? 0, ai ?? 0) > total || (human ?? total) + (ai ?? total) < total)
    return true;
  return rows.values().some((row) => row.total > total);
}

/** `/guides/a`; for a section, `/guides` and its number of pages. */
export function nameOf({ path, pages }: Unusual, docsUrl?: string, shown = pathHtml): string {
  return pages === undefined ? shown(path, docsUrl) : `${shown(path)} (${counted(pages, 'page')})`;
}

/** `▲ 299`; `▼ ≤ 118`; `▲ 121*` for the mean of two windows, rounded away from the range. */
export function unusualCount({ side, mean, periods, isAtMost }: Unusual, star = '*'): string {
  const count = formatCount(side === 'more' ? Math.ceil(mean) : Math.floor(mean));
  return `${marked(`${isAtMost ? '≤\u00a0' : ''}${count}`, { side })}${periods === 1 ? '' : star}`;
}

/** `1 section and 4 pages stand out`. */
export function standingOut(unusual: readonly Unusual[]): string {
  const pages = unusual.filter((row) => row.pages === undefined).length;
  const sections = unusual.length - pages;
  const parts = [sections > 0 && counted(sections, 'section'), pages > 0 && counted(pages, 'page')];
  return `${joined(parts, ' and ')} ${unusual.length === 1 ? 'stands' : 'stand'} out`;
}
