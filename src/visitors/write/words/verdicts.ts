import { formatCount, pluralize } from '../../../text/counts.ts';
import { joinTexts } from '../../../text/markdown.ts';
import { rule } from '../../judge/method/rule.ts';
import type { UsualCount } from '../../judge/method/usual-count.ts';
import {
  isComplete,
  isOutside,
  isRead,
  type JudgedSite,
  type ReportSettings,
  type Site,
  sortByNeed,
} from '../../judge/report.ts';
import { lacksLists, type NotJudged } from '../../judge/standouts.ts';
import { shiftWindow, type Window } from '../../read/window.ts';
import { isSilent, minWeeks } from '../../read/window-read.ts';
import {
  countPeople,
  describeChange,
  describeSize,
  formatRange,
  markSide,
  nameOf,
  sayWhen,
  verbFor,
} from './figures.ts';
import { asHtml } from './shown.ts';
import { describeTooFew, hasFired, remedyFor, sayNoRange } from './warnings.ts';

/* What happened, in sentences. They contain no text from outside but paths. */

/** How many people a site had: `3,337 people, more than usual`, and what goes on from there. */
type Verdict = Readonly<{
  words: string;
  side?: UsualCount['side'];
  /** ` (2,364–2,788)`. */
  detail?: string;
  /** Why nothing is said about what is usual. */
  why?: string;
}>;

const sideWords = { more: 'more than usual', fewer: 'fewer than usual', usual: 'as usual' };

const numbers = ['no', 'one', 'two', 'three', 'four'];
const ordinals = ['first', 'second', 'third', 'fourth'];

/** How many people a site had, and whether that is usual. */
export function describePeople(site: JudgedSite): Verdict {
  const { now, findings } = site;
  const { human } = now.totals;
  const range = findings.usual.human;
  const { whyNoRange } = findings;
  if (isSilent(now)) return verdictOfSilentSite(site);
  if (human === undefined)
    return {
      words: 'The number of people is unknown',
      detail: ': the service didn’t return it',
    };
  const words = countPeople(human);
  if (range?.side === 'varies')
    return { words, why: 'That number varies too much to tell what’s usual.' };
  if (range !== undefined)
    return {
      words: `${words}, ${sideWords[range.side]}`,
      side: range.side,
      detail: ` (${formatRange(range)})`,
    };
  if (whyNoRange === undefined) return { words };
  if (whyNoRange.lacking !== undefined)
    return verdictOfYoungSite(words, whyNoRange.lacking, now.window);
  // What wasn’t read is said among what is missing.
  if (whyNoRange.cause === 'unread') return { words };
  return { words, why: sayNoRange(whyNoRange, findings.whyNotJudged) };
}

function verdictOfSilentSite({ now, findings }: JudgedSite): Verdict {
  const { lastBusy } = findings;
  const words = 'No visitors were recorded';
  const why = ': either no one came, or the service didn’t record the visits';
  if (lastBusy === undefined) return { words, detail: why };
  const when = sayWhen(now.window, lastBusy.window);
  const visitors = pluralize(lastBusy.totals.total ?? 0, 'visitor');
  return { words, detail: `, after ${visitors} ${when}${why}` };
}

function verdictOfYoungSite(people: string, lacking: number, window: Window): Verdict {
  const { kind, noun } = window;
  const more = `${numbers[lacking]} more ${noun}${verbFor(lacking, '', 's')}`;
  const first = `, from the report for ${shiftWindow(window, lacking).shortLabel}`;
  return {
    words: `${people} in the ${ordinals[minWeeks - lacking]} ${noun} with data`,
    // Pages are compared with the weeks before the last two, so they need one more.
    why:
      `What’s usual is known after ${more}${kind === 'custom' ? '' : first}` +
      ` (for pages, a ${noun} later).`,
  };
}

/** The report’s first sentences: `**▲ 3,337 people, more than usual** (2,364–2,788), up 31% …`. */
export function sayVerdict(site: JudgedSite): string {
  const { words, side, detail = '', why } = describePeople(site);
  const figure = markSide(words, side);
  const change = changeOf(site);
  const end = `${detail}${change?.separator ?? ''}${change?.words ?? ''}`;
  return joinTexts([end === '' ? `**${figure}.**` : `**${figure}**${end}.`, why]);
}

/** The change in people from the window before; `undefined` if it is unknown. */
export function changeOf({ now, before, findings }: JudgedSite) {
  const { human } = now.totals;
  const humanBefore = before?.totals.human;
  const isFirst = findings.whyNoRange?.lacking === minWeeks;
  if (human === undefined || humanBefore === undefined) return undefined;
  if (isFirst || isSilent(now)) return undefined;
  return describeChange(humanBefore, human, now.window.previousName);
}

/** What the verdict doesn’t say, whether pages were judged, and at the end, what to check first. */
export function whatElse(site: JudgedSite, settings: ReportSettings, shown = asHtml): string {
  const { now, findings } = site;
  if (isSilent(now)) return '';
  return joinTexts([
    !isFourWeeksInVerdict(site) && sayFourWeeks(site),
    findings.isContradictory &&
      'The service’s figures contradict each other: not all of them fit the total.',
    sayPages(site, settings),
    sayCheckFirst(site, shown),
  ]);
}

/** `Check `/sdk/go` first: 62 fewer people a week than before.`; `''` if nothing was lost. */
function sayCheckFirst({ now, findings, docsUrl }: JudgedSite, shown: typeof asHtml, where = '') {
  const { checkFirst } = findings;
  if (checkFirst === undefined) return '';
  const { human } = checkFirst;
  const check = `Check ${nameOf(checkFirst, docsUrl, shown)}${where} first`;
  const { noun } = now.window;
  if (checkFirst.side === 'gone') {
    const when = sayWhen(now.window, checkFirst.lastWindow);
    return `${check}: no one read it; ${formatCount(human)} did ${when}.`;
  }
  const fewer = `${formatCount(human)} fewer ${verbFor(human, 'person', 'people')}`;
  const atLeast = checkFirst.isLeast ? 'at least ' : '';
  return `${check}: ${atLeast}${fewer} a ${noun} than before.`;
}

/** That no page stands out, or why none was judged. */
function sayPages(site: JudgedSite, settings: ReportSettings) {
  const { judging, whyNotJudged, standingOut, checkFirst } = site.findings;
  if (whyNotJudged !== undefined) return sayNotJudged(whyNotJudged, site, settings);
  if (standingOut.length > 0 || checkFirst !== undefined) return '';
  if (judging?.areWhole === false) return 'None of the most-read pages stands out.';
  const which = settings.pages.length > 0 ? ' that matches `pages`' : '';
  return `No page${which} stands out.`;
}

function sayNotJudged(why: NotJudged, site: JudgedSite, settings: ReportSettings) {
  const { now, findings } = site;
  // The verdict has said it already, or says it among what is missing.
  if (findings.whyNoRange !== undefined) return '';
  const { kind, noun, previousName } = now.window;
  const which = settings.pages.length > 0 ? 'none that matches `pages`' : 'none';
  const notJudged = 'Pages aren’t judged:';
  switch (why.cause) {
    case 'not-compared':
    case 'no-people':
      return '';
    case 'no-people-before':
      return `${notJudged} no one came ${previousName}.`;
    case 'few-people':
      return `${notJudged} ${which} usually has ${rule.minPeople} people a ${noun}.`;
  }
  // That is said among what is missing.
  if (why.cause === 'unread' && !isComplete(site)) return '';
  if (why.lacking !== undefined && kind !== 'custom')
    return `Pages are judged from the report for ${shiftWindow(now.window, why.lacking).shortLabel} on.`;
  // The totals of those weeks may have been read.
  const unread = `the page lists of ${pluralize(why.unread, `earlier ${noun}`)} weren’t read`;
  const reason = why.cause === 'unread' ? unread : describeTooFew(why, minWeeks + 1);
  const remedy = why.cut && isComplete(site) && remedyFor(why.cut, settings);
  return joinTexts([`${notJudged} ${reason}.`, remedy]);
}

/** Whether the verdict says that there are more people, or fewer, as the last four weeks do. */
export function isFourWeeksInVerdict({ findings }: JudgedSite): boolean {
  const { fourWeeks, usual } = findings;
  if (fourWeeks === undefined) return false;
  return usual.human?.side === (fourWeeks.last > fourWeeks.before ? 'more' : 'fewer');
}

/** `Over four weeks: 2,757 people a week, 9% more than in the four before.`; `''` if unknown. */
export function sayFourWeeks(site: JudgedSite): string {
  const { fourWeeks, usual } = site.findings;
  const size = describeSize(fourWeeks?.before, fourWeeks?.last);
  if (fourWeeks === undefined || size === '') return '';
  const { noun } = site.now.window;
  const people = `Over four ${noun}s: ${countPeople(fourWeeks.last)} a ${noun}`;
  const side = usual.human?.side;
  const isContrast = (side === 'more' || side === 'fewer') && !isFourWeeksInVerdict(site);
  const contrast = isContrast ? `, although this ${noun} had ${sideWords[side]}` : '';
  return `${people}, ${size} than in the four before${contrast}.`;
}

/** The site of a report on one, if it was read. */
export function onlySite(sites: readonly Site[]): JudgedSite | undefined {
  if (sites.length > 1) return undefined;
  return sites.find(isRead);
}

/** `Check `/sdk/go` in **CLI** first: …`, or `Check **CLI** first: ▼ 350 people (usually 410–480).` */
export function sayCheckProject(sites: readonly Site[], shown = asHtml): string {
  // Those that could not be read are said among what is missing.
  const worst = sortByNeed(sites).needing.find(isRead);
  if (worst === undefined) return '';
  const name = `**${shown.name(worst.project.name)}**`;
  const check = sayCheckFirst(worst, shown, ` in ${name}`);
  if (check !== '') return check;
  const range = worst.findings.usual.human;
  let people = sayUnusualPeople(worst);
  if (people !== '' && range !== undefined) people = `${people} (usually ${formatRange(range)})`;
  const reasons = sayHappenings(worst, shown, people);
  return reasons && `Check ${name} first: ${reasons}.`;
}

/** That pages of some projects aren’t judged, because their earlier lists weren’t read. */
export function sayPagesUnread(sites: readonly Site[], settings: ReportSettings): string {
  // If a report is incomplete, it says so already.
  const unread = sites
    .filter(isComplete)
    .filter(isRead)
    .flatMap(({ findings }) => {
      const { whyNotJudged } = findings;
      return lacksLists(whyNotJudged) ? [whyNotJudged] : [];
    });
  const [first] = unread;
  if (first === undefined) return '';
  const pages = `Pages of ${pluralize(unread.length, 'project')} aren’t judged`;
  const remedies = unread.map(({ cut }) => cut && remedyFor(cut, settings));
  const reason = `too few earlier ${first.noun}s were read`;
  return joinTexts([`${pages}: ${reason}.`, ...new Set(remedies)]);
}

/** `3 of 12 projects need a look`. */
export function projectsVerdict(sites: readonly Site[]): string {
  const { needing, areUsual } = sortByNeed(sites);
  if (needing.length === 0 && areUsual) return `All ${sites.length} projects are as usual`;
  const verb = verbFor(needing.length, 'needs', 'need');
  return `${needing.length} of ${sites.length} projects ${verb} a look`;
}

/** What there is to look at in a project: `▼ 350 people, ▼ /sdk/go`. */
export function reasonsFor(site: Site, shown = asHtml): string {
  if (!isRead(site)) return 'not read';
  return joinTexts([sayHappenings(site, shown), !isComplete(site) && 'incomplete'], ', ');
}

function sayHappenings(site: JudgedSite, shown: typeof asHtml, people = sayUnusualPeople(site)) {
  const isAlarmed = site.alerts.some(hasFired);
  return joinTexts([isAlarmed && 'alert', people, rowToSee(site, shown)], ', ');
}

function sayUnusualPeople({ now, findings }: JudgedSite) {
  const { human } = now.totals;
  const range = findings.usual.human;
  if (isSilent(now)) return 'no visitors';
  if (human === undefined || !isOutside(range)) return '';
  return markSide(countPeople(human), range.side);
}

/** The page to check first, or else the first row that stands out. */
function rowToSee({ findings }: JudgedSite, shown: typeof asHtml) {
  const { checkFirst, standingOut } = findings;
  const [first] = standingOut;
  if (checkFirst?.side === 'gone') return `${shown.path(checkFirst.path)} no longer visited`;
  if (checkFirst !== undefined) return markSide(nameOf(checkFirst, undefined, shown), 'fewer');
  return first && markSide(nameOf(first, undefined, shown), first.side);
}
