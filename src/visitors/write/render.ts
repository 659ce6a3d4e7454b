import { dash, firstFew, formatCount, pluralize } from '../../text/counts.ts';
import { code, joinTexts, paragraphs, table } from '../../text/markdown.ts';
import {
  isComplete,
  isRead,
  type JudgedSite,
  type Report,
  type ReportSettings,
  type Site,
  sortByNeed,
} from '../judge/report.ts';
import type { Judging } from '../judge/standouts.ts';
import { isSilent } from '../read/window-read.ts';
import { siteChart } from './chart.ts';
import {
  changesBlock,
  describeComings,
  mostReadBlock,
  sectionsFold,
  standoutsBlock,
  topFold,
  totalsFold,
} from './tables.ts';
import { changedFold, changedSentence } from './words/changed-texts.ts';
import { formatRange, markPeople, shareBar, verbFor } from './words/figures.ts';
import { gapsBlock, scopeOfGaps } from './words/gap-texts.ts';
import { alertBlock, fold, nameHtml, shownCode } from './words/shown.ts';
import {
  projectsVerdict,
  reasonsFor,
  sayCheckProject,
  sayPagesUnread,
  sayVerdict,
  whatElse,
} from './words/verdicts.ts';
import {
  alarmLines,
  describeEarlyRun,
  describeUnchecked,
  listUnchecked,
  maxRules,
  uncheckedVerdict,
  whatIsMissing,
} from './words/warnings.ts';

/**
 * GitHub drops a step’s summary above 1 MiB. This leaves room for anything else the step writes.
 */
export const maxSummaryBytes = 900 * 1024;

/**
 * GitHub rejects comments above 65,536 characters. A text never has more characters than bytes.
 */
export const maxCommentBytes = 60_000;

const maxGlobs = 10;

/** How much shorter the lists get in each attempt. */
const shortening = 0.9;

/**
 * The report as Markdown. If it is too long, all lists get shorter; then, the sections of the last
 * projects are left out.
 */
export function renderReport(report: Report, maxBytes = maxSummaryBytes): string {
  let { top } = report.settings;
  let sections = report.sites.length;
  let text = renderWith(top, sections, report);
  while (Buffer.byteLength(text) > maxBytes && sections > 0) {
    if (top > 1) top = Math.floor(shortening * top);
    else sections -= 1;
    text = renderWith(top, sections, report);
  }
  return text;
}

/** The report with at most so many rows in each list, and sections of projects. */
function renderWith(top: number, sections: number, report: Report) {
  const { sites, window, ending } = report;
  const shortened = { ...report, settings: { ...report.settings, top } };
  const [first] = sites;
  const isOne = first !== undefined && sites.length === 1;
  const blocks = [
    `## Docs visitors, ${window.label}`,
    ending && describeEarlyRun(window, ending, report.settings.timeZone),
    isOne ? siteText(first, shortened) : projectsText(shortened, sections),
    howItWasMade(report),
    !isOne && '<sub>Totals are never added up: one person may read two sites.</sub>',
  ];
  return `${paragraphs(blocks)}\n`;
}

/** The parts of several sites. Only so many of those that need a look get a section. */
function projectsText(report: Report, sections: number) {
  const { sites, settings } = report;
  const projects = sortByNeed(sites);
  const { needing } = projects;
  const areOthersUsual = needing.length > 0 && projects.areUsual;
  const verdict = joinTexts([
    `**${projectsVerdict(sites)}.**`,
    areOthersUsual && 'The others are as usual.',
    sayCheckProject(sites),
  ]);
  const alarms = alarmLines(sites);
  const omitted = needing.length - sections;
  return paragraphs([
    alarms.length > 0 ? alertBlock('CAUTION', [verdict, ...alarms]) : verdict,
    alertBlock('WARNING', whatIsMissing(sites, settings)),
    sayPagesUnread(sites, settings),
    uncheckedVerdict(sites),
    needing.length > 0 && projectsTable(needing),
    changedSentence(sites),
    ...needing.slice(0, sections).map((site) => projectFold(site, report)),
    omitted > 0 && `*Left out for lack of space: ${pluralize(omitted, 'project')}.*`,
    othersFold(projects, settings),
  ]);
}

function projectsTable(sites: readonly Site[]) {
  const rows = sites.map((site) => {
    const name = boldName(site);
    if (!isRead(site)) return [name, 'not\u00a0read', dash];
    const people = markPeople(site);
    const range = site.findings.usual.human;
    if (range === undefined) return [name, people, dash];
    return [name, people, range.side === 'varies' ? 'varies' : formatRange(range)];
  });
  return table(['Project', 'People', 'Usual'], rows, 1);
}

function boldName({ project }: Site) {
  return `<b>${nameHtml(project.name)}</b>`;
}

function projectFold(site: Site, report: Report) {
  return fold(`${boldName(site)}: ${reasonsFor(site)}`, siteText(site, report));
}

/**
 * The projects that need no look, and what their readers didn't find, collapsed; `''` if there are
 * none.
 */
function othersFold({ others, areUsual }: ReturnType<typeof sortByNeed>, settings: ReportSettings) {
  if (others.length === 0) return '';
  let title = pluralize(others.length, 'other project');
  if (areUsual) title = `${pluralize(others.length, 'project')} as usual`;
  const ofSites = others.map((site) => {
    const found = [
      changedSentence([site]),
      gapsBlock(site, settings),
      changedFold(site, settings.top),
    ];
    return (site.changed || site.gaps) && paragraphs([boldName(site), ...found]);
  });
  return fold(title, paragraphs([projectsTable(others), ...ofSites]));
}

function siteText(site: Site, { settings, files }: Report) {
  const { top } = settings;
  const missing = alertBlock('WARNING', whatIsMissing([site], settings));
  if (!isRead(site)) return paragraphs([missing, uncheckedFold(site)]);
  const hasPages = !isSilent(site.now);
  const blocks = [
    leadBlocks(site, settings),
    shareBar(site),
    siteChart(site, settings.charts),
    missing,
    hasPages && pagesBlocks(site, settings),
    changedSentence([site]),
    gapsBlock(site, settings),
    hasPages && topFold(site, top, files && 'in the CSV file'),
    hasPages && sectionsFold(site, top),
    changedFold(site, top),
    hasPages && totalsFold(site),
    uncheckedFold(site),
  ];
  return paragraphs(blocks);
}

/** What happened; as an alert, if a rule fired or no visitors came. */
function leadBlocks(site: JudgedSite, settings: ReportSettings) {
  const verdict = sayVerdict(site);
  const others = whatElse(site, settings);
  const alarms = alarmLines([site]);
  const isAlarm = alarms.length > 0 || site.findings.lastBusy !== undefined;
  if (!isAlarm) return joinTexts([verdict, others]);
  return paragraphs([alertBlock('CAUTION', [verdict, ...alarms]), others]);
}

/** What happened to pages. */
function pagesBlocks(site: JudgedSite, settings: ReportSettings) {
  return paragraphs([
    scopeOf(settings),
    standoutsBlock(site, settings),
    changesBlock(site),
    describeComings(site),
    mostReadBlock(site),
  ]);
}

/** Which pages are listed. The service has no totals for part of a site. */
function scopeOf({ pages }: ReportSettings) {
  if (pages.length === 0) return '';
  const globs = firstFew(pages.map(shownCode), maxGlobs).join(', ');
  const why = 'because visitor counts for different pages can’t be added together';
  return joinTexts([
    `The lists below show the pages that match ${globs}.`,
    `The totals above are for the whole site, ${why}.`,
  ]);
}

function uncheckedFold(site: Site) {
  const notes = listUnchecked(site).map(({ rule, why }) => {
    return `${shownCode(rule.text)}: ${describeUnchecked(why)}.`;
  });
  if (notes.length === 0) return '';
  const title = `Alert rules not checked (${formatCount(notes.length)})`;
  return fold(title, `- ${firstFew(notes, maxRules).join('\n- ')}`);
}

/**
 * Says how the report was made. Nothing here depends on the run, so the same data always gives the
 * same report.
 */
function howItWasMade(report: Report) {
  const { sites, files } = report;
  const readSites = sites.filter(isRead);
  const ofSites = readSites.map((site) => howSiteWasMade(site, files));
  const points = [
    '▲ and ▼ mark a number outside the range beside it. Of 100 quiet weeks, about 5 have an' +
      ' unusual number of people, and 6 to 8 name a page or section.',
    `Time zone: ${report.settings.timeZone}.`,
    readSites.some(({ now, before }) => before && before.window.days !== now.window.days) &&
      'The usual ranges allow for the lengths of the months; the changes don’t.',
    files && `Report: ${code(files.markdown)}.`,
    ...(sites.length === 1 ? ofSites.flat() : ofSites.map((points) => joinTexts(points))),
  ];
  const lines = points.map((point) => point && `- ${point}`);
  return fold('How this report was made', joinTexts(lines, '\n'));
}

function howSiteWasMade(site: JudgedSite, files: Report['files']) {
  const { now, gaps } = site;
  const { usual, judging } = site.findings;
  const unread = site.earlier.filter(({ totals }) => totals.human === undefined).length;
  const project = code(site.project.id);
  const complete = isComplete(site) ? 'yes' : 'no';
  const unreadVerb = verbFor(unread, 'wasn’t', 'weren’t');
  const data = files?.data.get(site.project.id);
  const paths = [data?.csv, data?.json, gaps && data?.gaps].filter((path) => path !== undefined);
  return [
    `Project: ${project}. Pages read: ${formatCount(now.rows.size)}. Complete: ${complete}.`,
    usual.human &&
      joinTexts([
        `The usual range is based on ${usual.human.weeks} earlier ${now.window.noun}s.`,
        unread > 0 && `${unread} more ${unreadVerb} read.`,
      ]),
    judging && judging.pages > 0 && sayJudging(judging, now.window.noun),
    gaps && scopeOfGaps(gaps),
    paths.length > 0 && `Files: ${paths.map(code).join(', ')}.`,
  ];
}

function sayJudging({ pages, weeks, areWhole }: Judging, noun: string) {
  const weeksBefore = weeks.length - 2;
  const which = areWhole ? '' : 'most-read ';
  const judged = `${formatCount(pages)} ${which}${verbFor(pages, 'page was', 'pages were')} judged`;
  return `${judged}: the last two ${noun}s, compared with the ${weeksBefore} before.`;
}
