import { counted, firstFew, formatCount } from '../../text/counts.ts';
import { joined } from '../../text/markdown.ts';
import { aiShare } from '../judge/findings.ts';
import { type Fraction, formatPercent, marked, type Side } from '../judge/numbers.ts';
import { isOdd, isRead, type JudgedSite, type Report, type Site, sorted } from '../judge/report.ts';
import type { Unusual } from '../judge/usual-pages.ts';
import { isSilent } from '../read/window-read.ts';
import { comeAndGone } from './tables.ts';
import { changedSentence } from './words/changed-texts.ts';
import {
  crawledPages,
  nameOf,
  shareWords,
  sideWords,
  standingOut,
  unusualCount,
  usualRange,
} from './words/figures.ts';
import { plainName, plainPath } from './words/shown.ts';
import { lead, projectsVerdict, reasons } from './words/verdicts.ts';
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
function digestWith(maxProjects: number, report: Report, runUrl: string | undefined): string {
  const { sites, window } = report;
  const [only] = sites.length === 1 ? sites.filter(isRead) : [];
  const verdict = only ? siteVerdict(only) : `Docs visitors: ${projectsVerdict(sites)}`;
  const figures = only ? figuresOf(only) : [];
  const fired = firstFew(firedRules(sites, plainName), maxAlerts);
  const opening = [
    `${signOf(sites)} ${verdict}`,
    joined([window.shortLabel, ...figures], ' · '),
    fired.length > 0 && `Alerts: ${fired.join(', ')}`,
  ];
  // With several sites, the report has the reasons.
  const [lack] = whatIsMissing(report, plainName);
  const parts = [
    joined(opening, '\n'),
    ...(only ? siteLines(only) : projectLines(report, maxProjects)),
    joined([uncheckedVerdict(sites, plainName), lack]),
  ];
  return joined([toChat(joined(parts, '\n\n')), runUrl], '\n\n');
}

const operators = { '<': 'below', '>': 'above', '<=': 'at most', '>=': 'at least' };

/**
 * Our own sentences without their Markdown, without what guides line breaks, and without the
 * characters that chat apps drop.
 */
function toChat(sentences: string): string {
  return sentences
    .replace(/\*\*|`|\u2060/g, '')
    .replaceAll('\u00a0', ' ')
    .replace(/([<>]=?) ?/g, (_, operator: keyof typeof operators) => `${operators[operator]} `);
}

function signOf(sites: readonly Site[]): string {
  if (sites.some(isBad)) return '🔴';
  return sorted(sites).needing.length > 0 ? '🟠' : '🟢';
}

/** Whether a rule fired, or there are no visitors, or fewer than usual. */
function isBad(site: Site): boolean {
  if (site.alerts.some(hasFired)) return true;
  if (!isRead(site)) return false;
  const { lastBusy, usual } = site.findings;
  return lastBusy !== undefined || usual.total?.side === 'fewer';
}

/**
 * `Docs visitors fell 45%: 2,092 (usual 3,593–4,038)`, or
 * `Docs visitors: 3,913, as usual (3,594–3,999)`.
 */
function siteVerdict(site: JudgedSite): string {
  const { total } = site.now.totals;
  const { usual, change } = site.findings;
  if (usual.total === undefined || !total) return `Docs: ${lead(site)}`;
  const { side } = usual.total;
  const count = formatCount(total);
  const range = usualRange(usual.total);
  const crawl = crawledPages(site) > 0 ? ', probably a crawl' : '';
  const movement = movementOf(change, side);
  if (movement !== '') return `Docs visitors ${movement}: ${count} (usual ${range})${crawl}`;
  return `Docs visitors: ${count}, ${sideWords(side)} (${range})${crawl}`;
}

/** `fell 45%`, if that is why the total is on this side of its range; `''` if not. */
function movementOf(change: Fraction | undefined, side: Side): string {
  const percent = formatPercent(change);
  const isSmall = percent.startsWith('<');
  if (change === undefined || isSmall) return '';
  if (side === 'more' && change.part > 0) return `rose ${percent}`;
  if (side === 'fewer' && change.part < 0) return `fell ${percent}`;
  return '';
}

/**
 * `people ▲ 3,337, AI ▲ 1,834, 36% AI, as usual`; if people and AI are as usual, only the share.
 */
function figuresOf({ now, findings }: JudgedSite) {
  if (isSilent(now)) return [];
  const { human, ai, share: shareRange } = findings.usual;
  const people = marked(formatCount(now.totals.human), human);
  const share = aiShare(now.totals);
  const figures = [
    (isOdd(human) || isOdd(ai)) && `people ${people}, AI ${marked(formatCount(now.totals.ai), ai)}`,
    share && shareWords(share, shareRange),
  ];
  const { basis, unusual, crawled } = findings;
  const isQuiet = basis !== undefined && unusual.length + crawled.length === 0;
  return [joined(figures, ', '), isQuiet && 'no page stands out'];
}

function siteLines(site: JudgedSite) {
  const { unusual } = site.findings;
  const crawled = crawledPages(site);
  const title = unusual.length > 1 && `${standingOut(unusual)}:`;
  return [
    crawled > 0 && `${counted(crawled, 'page')} gained only AI visitors`,
    joined([title, ...firstFew(unusual.map(unusualLine), maxPages)], '\n'),
    comeAndGone(site, plainPath),
    changedSentence([site]),
    site.gaps?.largest?.said,
  ];
}

function unusualLine(row: Unusual): string {
  const count = unusualCount(row, ', averaged over two');
  return `${plainNameOf(row)}: ${count} (usual ${usualRange(row)})`;
}

function plainNameOf(row: Unusual): string {
  return nameOf(row, undefined, plainPath);
}

/** The projects that need a look, one a line, and then the others. Only so many are named. */
function projectLines({ sites }: Report, max: number) {
  const { needing, others, areUsual } = sorted(sites);
  const lines = needing.slice(0, max).map(needingLine);
  const more = others.slice(0, max - lines.length).map(({ project, now }) => {
    return `${plainName(project.name)} ${formatCount(now.totals.total)}`;
  });
  const unlisted = sites.length - lines.length - more.length;
  return [
    lines.join('\n'),
    more.length > 0 && `${areUsual ? 'As usual' : 'Others'}: ${more.join(' · ')}`,
    unlisted > 0 && `${counted(unlisted, 'more project')} not listed.`,
    max > 0 && changedSentence(sites, plainName),
  ];
}

function needingLine(site: Site): string {
  const name = plainName(site.project.name);
  if (!isRead(site)) return `${name}: not read`;
  const range = site.findings.usual.total;
  const count = marked(formatCount(site.now.totals.total), range);
  const why = reasons(site, plainNameOf);
  if (range === undefined) return `${name}: ${count}; ${why}`;
  if (!isOdd(range)) return `${name}: ${count}, as usual; ${why}`;
  return `${name}: ${count} (usual ${usualRange(range)}); ${why}`;
}
