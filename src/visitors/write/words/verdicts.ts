import { formatCount, pluralize } from '../../../text/counts.ts';
import { joinTexts } from '../../../text/markdown.ts';
import { changeFrom } from '../../judge/numbers.ts';
import { isComplete, isRead, type JudgedSite, type Site, sortByNeed } from '../../judge/report.ts';
import type { Unusual } from '../../judge/usual-pages.ts';
import { shiftWindow } from '../../read/window.ts';
import { isSilent, minWeeks, type WindowRead } from '../../read/window-read.ts';
import {
  crawledPages,
  formatPercent,
  markSide,
  nameOf,
  sideWords,
  sizeOf,
  usualRange,
  verbFor,
} from './figures.ts';
import { describeNoRange, hasFired } from './warnings.ts';

/* What happened, in sentences. They contain no text from outside but paths. */

/** Where figures outside their ranges are, and how they got there. */
const outside = {
  more: { is: 'above', moved: 'rose', direction: 1 },
  fewer: { is: 'below', moved: 'fell', direction: -1 },
};

/**
 * How many visitors a site had, and what is usual:
 * `**▲ 5,049 visitors, more than usual** (3,512–4,128), up 33% …`.
 */
export function leadOf(site: JudgedSite): string {
  const { total } = site.now.totals;
  const { usual, whyNoRange } = site.findings;
  if (total === 0) return leadOfSilentSite(site);
  if (total === undefined)
    return joinTexts([
      '**The service didn’t return a total,**',
      'so the report says nothing about the whole site.',
    ]);
  const count = pluralize(total, 'visitor');
  const ending = endOfLead(site);
  if (usual.total) {
    const { side } = usual.total;
    const figure = markSide(count, usual.total);
    const words = `**${figure}, ${sideWords(side)}** (${usualRange(usual.total)})`;
    const isCalm = side === 'usual' && crawledPages(site) === 0;
    const outsiders = isCalm && outsidersOf(site, 'people');
    if (outsiders) return `${words}, but ${outsiders}.`;
    return `${words}${ending}`;
  }
  if (!whyNoRange) return `**${count}**${ending}`;
  if (whyNoRange.lacking) return leadOfYoungSite(count, whyNoRange.lacking, site);
  return `**${count}** (no usual range: ${describeNoRange(whyNoRange)})${ending}`;
}

function leadOfSilentSite({ now, findings }: JudgedSite) {
  const { lastBusy } = findings;
  const silence = '**No visitors were recorded**';
  const why = 'either no one came, or the service didn’t record the visits.';
  if (!lastBusy) return `${silence}: ${why}`;
  const isPrevious = lastBusy.window.end === now.window.start;
  const when = isPrevious ? now.window.previousName : lastBusy.window.label;
  return `${silence}, after ${formatCount(lastBusy.totals.total)} in ${when}: ${why}`;
}

function leadOfYoungSite(count: string, lacking: number, { now }: JudgedSite) {
  const { kind, noun } = now.window;
  const nth = ['first', 'second', 'third', 'fourth'][minWeeks - lacking];
  const known = `What’s usual is known after ${pluralize(lacking, `more ${noun}`)}`;
  const lead = `**${count} in the ${nth} ${noun} with data.** ${known}`;
  if (kind === 'custom') return `${lead}.`;
  return `${lead}, from the report for ${shiftWindow(now.window, lacking).shortLabel}.`;
}

/** The end of the lead: the change since the window before, or the crawl that explains it. */
function endOfLead(site: JudgedSite) {
  const { usual, change } = site.findings;
  const crawled = crawledPages(site);
  if (crawled === 0) {
    if (!change?.part) return '.';
    const direction = change.part > 0 ? 'up' : 'down';
    return `, ${direction} ${formatPercent(change)} from ${site.now.window.previousName}.`;
  }
  const gained = `${pluralize(crawled, 'page')} gained only AI visitors`;
  if (site.findings.isRecounted) {
    const since = 'since July 31, 2026, the service has counted more reads as AI';
    return `. ${gained}: ${since}, so earlier counts are lower.`;
  }
  if (usual.total?.side === 'usual') return `. **Probably a crawl:** ${gained}.`;
  return `: **probably a crawl;** ${gained}.`;
}

/**
 * What else happened: who made the total unusual, what stands out most, and how this compares with
 * longer ago.
 */
export function whatElse(site: JudgedSite): string {
  const { now, findings } = site;
  if (isSilent(now)) return '';
  const { usual, slow } = findings;
  const { noun } = now.window;
  const isCrawl = crawledPages(site) > 0;
  const count = markSide(formatCount(now.totals.human), usual.human);
  const people = usual.human && `${count}, ${sideWords(usual.human.side)}`;
  // AI isn’t compared: since July 2026, the service counts more of it.
  const yearly = changeFrom(site.lastYear?.totals.human, now.totals.human);
  const lastYear = yearly?.part ? `${sizeOf(yearly)} than in the same ${noun} last year` : '';
  // A crawl explains the total, and the lead of a usual one names them.
  const needsOutsiders = !isCrawl && usual.total?.side !== 'usual';
  const outsiders = needsOutsiders && outsidersOf(site, 'People');
  const remarkable = joinTexts([outsiders, standoutOf(site)], '; ');
  const isQuiet = findings.basis !== undefined && findings.unusual.length === 0;
  const slowly = slow && changeFrom(slow.before, slow.last);
  return joinTexts([
    isCrawl && people && `People: ${joinTexts([people, lastYear], '; ')}.`,
    remarkable && `${remarkable}.`,
    isQuiet && isCrawl && '**People read pages as usual.**',
    isQuiet && !isCrawl && '**No page stands out.**',
    slowly &&
      `Over four ${noun}s: ${formatCount(slow.last)} a ${noun}, ` +
        `${sizeOf(slowly)} than in the four before.`,
    !isCrawl && lastYear && `People: ${lastYear}.`,
    isContradictory(now) &&
      'The service’s figures contradict each other: not all of them fit the total.',
  ]);
}

function standoutOf({ findings, docsUrl }: JudgedSite) {
  const { unusual } = findings;
  const [furthest] = unusual;
  if (!furthest) return '';
  const lead = `${nameOf(furthest, docsUrl)} stands out`;
  if (unusual.length === 1) return lead;
  const fallen = unusual.find(({ side }) => side === 'fewer');
  if (!fallen || fallen === furthest) return `${lead} most`;
  return `${lead} most, and ${nameOf(fallen, docsUrl)} fell most`;
}

/**
 * People and AI, if they are outside their ranges: `people and AI both rose`, or
 * `**people fell to 1,050** (usual …) while …`. `people` is the word, which may begin a sentence.
 */
function outsidersOf(site: JudgedSite, people: 'people' | 'People') {
  const human = outsiderOf('human', people, site);
  const ai = outsiderOf('ai', 'AI', site);
  if (!human) return ai?.words ?? '';
  if (!ai) return human.words;
  if (human.side !== ai.side) return `${human.words} while ${ai.words}`;
  if (human.side !== site.findings.usual.total?.side) return `${human.words} and ${ai.words}`;
  const { is, moved } = outside[human.side];
  if (human.hasMoved && ai.hasMoved) return `${people} and AI both ${moved}`;
  return `${people} and AI are both ${is} usual`;
}

/** `**people fell to 1,050** (usual 1,900–2,300)`; `undefined` if they are as usual. */
function outsiderOf(kind: 'human' | 'ai', who: string, site: JudgedSite) {
  const range = site.findings.usual[kind];
  const count = site.now.totals[kind];
  if (!range || range.side === 'usual' || count === undefined) return undefined;
  const { side } = range;
  const { moved, direction } = outside[side];
  const previous = site.before?.totals[kind];
  const hasMoved = previous === undefined || Math.sign(count - previous) === direction;
  let verb = kind === 'human' ? 'were still at' : 'was still at';
  if (hasMoved) verb = `${moved} to`;
  const words = `**${who} ${verb} ${formatCount(count)}** (usual ${usualRange(range)})`;
  return { side, hasMoved, words };
}

/**
 * Whether the service's figures contradict each other. A count that it didn't give contradicts
 * nothing.
 */
function isContradictory({ totals, rows }: WindowRead) {
  const { total } = totals;
  if (total === undefined) return false;
  const human = totals.human ?? total;
  const ai = totals.ai ?? total;
  if (human > total || ai > total || human + ai < total) return true;
  return rows.values().some((row) => row.total > total);
}

/** The site of a report on one, if it was read. */
export function onlySite(sites: readonly Site[]): JudgedSite | undefined {
  if (sites.length > 1) return undefined;
  return sites.find(isRead);
}

/** `3 of 12 projects need a look`. */
export function projectsVerdict(sites: readonly Site[]): string {
  const { needing, areUsual } = sortByNeed(sites);
  if (needing.length === 0 && areUsual) return `All ${sites.length} projects are as usual`;
  const verb = verbFor(needing.length, 'needs', 'need');
  return `${needing.length} of ${sites.length} projects ${verb} a look`;
}

/** What there is to look at: `▼ people and AI`, `▲ /guides/webhooks`. */
export function reasonsFor(site: Site, shown: (row: Unusual) => string = nameOf): string {
  if (!isRead(site)) return 'not read';
  const { usual, unusual } = site.findings;
  const [furthest] = unusual;
  const ranges = [
    { name: 'people', range: usual.human },
    { name: 'AI', range: usual.ai },
    { name: 'AI share', range: usual.share },
    { name: 'all visitors', range: usual.total },
  ];
  const figuresOn = (side: 'fewer' | 'more') => {
    const names = ranges.filter(({ range }) => range?.side === side).map(({ name }) => name);
    return names.length > 0 && markSide(names.slice(0, 2).join(' and '), { side });
  };
  const figures = joinTexts([figuresOn('fewer'), figuresOn('more')], ', ');
  const all = [
    isSilent(site.now) && 'no visitors',
    site.alerts.some(hasFired) && 'alert',
    figures,
    crawledPages(site) > 0 && 'probably a crawl',
    furthest && figures === '' && markSide(shown(furthest), furthest),
    !isComplete(site) && 'incomplete',
  ];
  return joinTexts(all, ', ');
}
