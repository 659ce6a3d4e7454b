import { firstFew, formatCount, pluralize } from '../../text/counts.ts';
import { joinTexts, paragraphs } from '../../text/markdown.ts';
import { aiShare } from '../judge/numbers.ts';
import {
  isOutside,
  isRead,
  type JudgedSite,
  type Report,
  type Site,
  sortByNeed,
} from '../judge/report.ts';
import type { Standout } from '../judge/standouts.ts';
import { isSilent } from '../read/window-read.ts';
import { describeComings } from './tables.ts';
import { changedSentence } from './words/changed-texts.ts';
import {
  countStandouts,
  describeWeeks,
  formatDifference,
  formatPercent,
  formatRange,
  nameOf,
} from './words/figures.ts';
import { wordsForGap } from './words/gap-texts.ts';
import { asPlain, plainName, plainPath } from './words/shown.ts';
import {
  changeOf,
  describePeople,
  onlySite,
  projectsVerdict,
  reasonsFor,
  sayCheckProject,
  sayPagesUnread,
  whatElse,
} from './words/verdicts.ts';
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
  const content = only ? aboutSite(only, report) : aboutProjects(report, maxProjects);
  const fired = firstFew(firedRules(sites, plainName), maxAlerts);
  const opening = [
    `${signOf(sites)} Docs: ${content.verdict}`,
    joinTexts([window.shortLabel, ...content.figures], ' · '),
    content.first,
    fired.length > 0 && `Alerts: ${fired.join(', ')}`,
  ];
  // With several sites, the report has the reasons.
  const [lack] = whatIsMissing(sites, report.settings, asPlain);
  const parts = [
    joinTexts(opening, '\n'),
    ...content.lines,
    joinTexts([uncheckedVerdict(sites, asPlain), lack]),
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
    .replace(/(?<=(\w?))([<>]=?) ?/g, (_, before: string, operator: keyof typeof operators) => {
      // A rule may be written without spaces.
      return `${before && ' '}${operators[operator]} `;
    });
}

function signOf(sites: readonly Site[]) {
  if (sites.some(isBad)) return '🔴';
  if (sortByNeed(sites).needing.length > 0) return '🟠';
  return '🟢';
}

/** Whether a rule fired, or there are no visitors, or fewer people than usual. */
function isBad(site: Site) {
  if (site.alerts.some(hasFired)) return true;
  if (!isRead(site)) return false;
  const { lastBusy, usual } = site.findings;
  return lastBusy !== undefined || usual.human?.side === 'fewer';
}

function aboutSite(site: JudgedSite, { settings }: Report) {
  const { changes = [], standingOut } = site.findings;
  const { words, detail = '', why } = describePeople(site);
  const rows = firstFew(standingOut.map(standoutLine), maxPages);
  const largest = changes.slice(0, maxPages).map(({ path, change }) => {
    return `${plainPath(path)} ${formatDifference(change)}`;
  });
  const pages = [
    rows.length > 0 && `${countStandouts(standingOut)}:`,
    ...rows,
    largest.length > 0 && `Biggest changes: ${largest.join(', ')}`,
    describeComings(site, asPlain),
  ];
  const lines = [
    why,
    joinTexts(pages, '\n'),
    changedSentence([site], asPlain),
    site.gaps?.largest && wordsForGap(site.gaps.largest).said,
  ];
  const first = whatElse(site, settings, asPlain);
  return { verdict: `${words}${detail}`, figures: figuresOf(site), first, lines };
}

/** `up 31% from the week before`, `36% AI`. */
function figuresOf(site: JudgedSite) {
  if (isSilent(site.now)) return [];
  const share = aiShare(site.now.totals);
  return [changeOf(site)?.words, share && `${formatPercent(share)} AI`];
}

function standoutLine(row: Standout) {
  const { before, now, range } = describeWeeks(row);
  return `${nameOf(row, undefined, asPlain)}: ${before}, then ${now} (before: ${range})`;
}

/** The projects that need a look, one a line, and then the others. Only so many are named. */
function aboutProjects({ sites, settings }: Report, max: number) {
  const projects = sortByNeed(sites);
  const needing = projects.needing.slice(0, max).map(needingLine);
  const others = projects.others.slice(0, max - needing.length).map(({ project, now }) => {
    return `${plainName(project.name)} ${formatCount(now.totals.human)}`;
  });
  const unlisted = sites.length - needing.length - others.length;
  const title = projects.areUsual ? 'As usual' : 'Others';
  const lines = [
    sayPagesUnread(sites, settings),
    needing.join('\n'),
    others.length > 0 && `${title}: ${others.join(' · ')}`,
    unlisted > 0 && `${pluralize(unlisted, 'more project')} not listed.`,
    max > 0 && changedSentence(sites, asPlain),
  ];
  const first = sayCheckProject(sites, asPlain);
  return { verdict: projectsVerdict(sites), figures: [], first, lines };
}

/** `API: ▼ 1,050 people, ▼ /sdk/go (usual: 1,900–2,300 people)`. */
function needingLine(site: Site) {
  const name = plainName(site.project.name);
  const range = isRead(site) ? site.findings.usual.human : undefined;
  const usual = isOutside(range) && `(usual: ${formatRange(range)} people)`;
  return joinTexts([`${name}: ${reasonsFor(site, asPlain)}`, usual]);
}
