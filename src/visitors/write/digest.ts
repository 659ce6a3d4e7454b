import { firstFew, formatCount, pluralize } from '../../text/counts.ts';
import { joinTexts, paragraphs } from '../../text/markdown.ts';
import { aiShare, type Fraction, type Side } from '../judge/numbers.ts';
import {
  isOdd,
  isRead,
  type JudgedSite,
  type Report,
  type Site,
  sortByNeed,
} from '../judge/report.ts';
import type { Unusual } from '../judge/usual-pages.ts';
import { isSilent } from '../read/window-read.ts';
import { describeNewAndGone } from './tables.ts';
import { changedSentence } from './words/changed-texts.ts';
import {
  countStandouts,
  crawledPages,
  formatPercent,
  markSide,
  nameOf,
  shareWords,
  sideWords,
  unusualCount,
  usualRange,
} from './words/figures.ts';
import { wordsForGap } from './words/gap-texts.ts';
import { plainName, plainPath } from './words/shown.ts';
import { leadOf, onlySite, projectsVerdict, reasonsFor } from './words/verdicts.ts';
import { firedRules, hasFired, uncheckedVerdict, whatIsMissing } from './words/warnings.ts';

const maxCharacters = 3_000;

/** The maximum number of fired rules, and of pages. The outputs have all of them. */
const maxAlerts = 5;
const maxPages = 3;

/**
 * The report as plain text for a chat, in at most 3,000 characters. The first line is what a
 * notification shows.
 */
export function digestOf(report: Report, runUrl?: string): string {
  let projects = report.sites.length;
  let text = digestWith(projects, report, runUrl);
  while (text.length > maxCharacters && projects > 0) {
    projects -= 1;
    text = digestWith(projects, report, runUrl);
  }
  return text;
}

/** The digest with at most so many projects by name. */
function digestWith(maxProjects: number, report: Report, runUrl: string | undefined) {
  const { sites, window } = report;
  const only = onlySite(sites);
  const content = only ? aboutSite(only) : aboutProjects(sites, maxProjects);
  const fired = firstFew(firedRules(sites, plainName), maxAlerts);
  const opening = [
    `${signOf(sites)} ${content.verdict}`,
    joinTexts([window.shortLabel, ...content.figures], ' · '),
    fired.length > 0 && `Alerts: ${fired.join(', ')}`,
  ];
  // With several sites, the report has the reasons.
  const [lack] = whatIsMissing(sites, report.settings, plainName);
  const parts = [
    joinTexts(opening, '\n'),
    ...content.lines,
    joinTexts([uncheckedVerdict(sites, plainName), lack]),
  ];
  return paragraphs([toChat(paragraphs(parts)), runUrl]);
}

const operators = { '<': 'below', '>': 'above', '<=': 'at most', '>=': 'at least' };

/**
 * Our own sentences without their Markdown, without what guides line breaks, and without the
 * characters that chat apps drop.
 */
function toChat(sentences: string) {
  return sentences
    .replace(/\*\*|`|\u2060/g, '')
    .replaceAll('\u00a0', ' ')
    .replace(/([<>]=?) ?/g, (_, operator: keyof typeof operators) => `${operators[operator]} `);
}

function signOf(sites: readonly Site[]) {
  if (sites.some(isBad)) return '🔴';
  if (sortByNeed(sites).needing.length > 0) return '🟠';
  return '🟢';
}

/** Whether a rule fired, or there are no visitors, or fewer than usual. */
function isBad(site: Site) {
  if (site.alerts.some(hasFired)) return true;
  if (!isRead(site)) return false;
  const { lastBusy, usual } = site.findings;
  return lastBusy !== undefined || usual.total?.side === 'fewer';
}

function aboutSite(site: JudgedSite) {
  const { unusual } = site.findings;
  const crawled = crawledPages(site);
  const title = unusual.length > 1 && `${countStandouts(unusual)}:`;
  const lines = [
    crawled > 0 && `${pluralize(crawled, 'page')} gained only AI visitors`,
    joinTexts([title, ...firstFew(unusual.map(unusualLine), maxPages)], '\n'),
    describeNewAndGone(site, plainPath),
    changedSentence([site]),
    site.gaps?.largest && wordsForGap(site.gaps.largest).said,
  ];
  return { verdict: verdictOf(site), figures: figuresOf(site), lines };
}

/**
 * `Docs visitors fell 45%: 2,092 (usual 3,593–4,038)`, or
 * `Docs visitors: 3,913, as usual (3,594–3,999)`.
 */
function verdictOf(site: JudgedSite) {
  const { total } = site.now.totals;
  const { usual, change } = site.findings;
  if (!usual.total || !total) return `Docs: ${leadOf(site)}`;
  const { side } = usual.total;
  const count = formatCount(total);
  const range = usualRange(usual.total);
  const movement = describeMovement(change, side);
  let verdict = `Docs visitors: ${count}, ${sideWords(side)} (${range})`;
  if (movement) verdict = `Docs visitors ${movement}: ${count} (usual ${range})`;
  if (crawledPages(site) > 0) verdict += ', probably a crawl';
  return verdict;
}

/** `fell 45%`, if that is why the total is on this side of its range; `''` if not. */
function describeMovement(change: Fraction | undefined, side: Side) {
  const percent = formatPercent(change);
  if (!change || percent.startsWith('<')) return '';
  if (side === 'more' && change.part > 0) return `rose ${percent}`;
  if (side === 'fewer' && change.part < 0) return `fell ${percent}`;
  return '';
}

/**
 * `people ▲ 3,337, AI ▲ 1,834, 36% AI, as usual`; if people and AI are as usual, only the share.
 */
function figuresOf({ now, findings }: JudgedSite) {
  if (isSilent(now)) return [];
  const { usual, unusual } = findings;
  const people = markSide(formatCount(now.totals.human), usual.human);
  const ai = markSide(formatCount(now.totals.ai), usual.ai);
  const share = aiShare(now.totals);
  const figures = [
    (isOdd(usual.human) || isOdd(usual.ai)) && `people ${people}, AI ${ai}`,
    share && shareWords(share, usual.share),
  ];
  const isQuiet = findings.basis && unusual.length + findings.crawled.length === 0;
  return [joinTexts(figures, ', '), isQuiet && 'no page stands out'];
}

function unusualLine(row: Unusual) {
  const count = unusualCount(row, ', averaged over two');
  return `${plainNameOf(row)}: ${count} (usual ${usualRange(row)})`;
}

const plainNameOf = (row: Unusual) => nameOf(row, undefined, plainPath);

/** The projects that need a look, one a line, and then the others. Only so many are named. */
function aboutProjects(sites: readonly Site[], max: number) {
  const projects = sortByNeed(sites);
  const needing = projects.needing.slice(0, max).map(needingLine);
  const others = projects.others.slice(0, max - needing.length).map(({ project, now }) => {
    return `${plainName(project.name)} ${formatCount(now.totals.total)}`;
  });
  const unlisted = sites.length - needing.length - others.length;
  const title = projects.areUsual ? 'As usual' : 'Others';
  const lines = [
    needing.join('\n'),
    others.length > 0 && `${title}: ${others.join(' · ')}`,
    unlisted > 0 && `${pluralize(unlisted, 'more project')} not listed.`,
    max > 0 && changedSentence(sites, plainName),
  ];
  return { verdict: `Docs visitors: ${projectsVerdict(sites)}`, figures: [], lines };
}

function needingLine(site: Site) {
  const name = plainName(site.project.name);
  if (!isRead(site)) return `${name}: not read`;
  const range = site.findings.usual.total;
  const count = markSide(formatCount(site.now.totals.total), range);
  const why = reasonsFor(site, plainNameOf);
  if (!range) return `${name}: ${count}; ${why}`;
  if (!isOdd(range)) return `${name}: ${count}, as usual; ${why}`;
  return `${name}: ${count} (usual ${usualRange(range)}); ${why}`;
}
