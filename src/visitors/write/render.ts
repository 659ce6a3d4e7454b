import { counted, dash, firstFew, formatCount } from '../../text/counts.ts';
import { code, joined, table } from '../../text/markdown.ts';
import { marked } from '../judge/numbers.ts';
import { isComplete, isOdd, isRead, type Report, type Site, sorted } from '../judge/report.ts';
import { isSilent, minWeeks } from '../read/window-read.ts';
import { changedFold, changedSentence } from './changed-texts.ts';
import { siteChart } from './chart.ts';
import { gapsBlocks, scopeOfGaps } from './gap-texts.ts';
import { lead, projectsVerdict, reasons, shareBar, usualRange, whatElse } from './sentences.ts';
import { alertBlock, fold, nameHtml, shownCode } from './shown.ts';
import { comeAndGone, mostRead, pageLists, totalsFold, unusualBlock } from './tables.ts';
import { alarmLines, uncheckedBlock, uncheckedVerdict, whatIsMissing } from './warnings.ts';

/** GitHub drops a step’s summary above 1 MiB. This leaves room for anything else the step writes. */
export const summaryBytes = 900 * 1024;

/** GitHub rejects comments above 65,536 characters. A text never has more characters than bytes. */
export const commentBytes = 60_000;

const maxGlobs = 10;

/** The report as Markdown. If it is too long, all lists get shorter; then, the sections of the last projects are left out. */
export function renderReport(
  report: Report,
  max = summaryBytes,
  sections = report.sites.length,
): string {
  const { sites, window } = report;
  const { top } = report.settings;
  const [first] = sites;
  const parts =
    first && sites.length === 1 ? siteBlocks(first, report) : projectsBlocks(report, sections);
  const notes =
    sites.length > 1 && '<sub>Totals are never added up: one person may read two sites.</sub>';
  const blocks = [`## Docs visitors, ${window.label}`, ...parts, howItWasMade(report), notes];
  const text = `${joined(blocks, '\n\n')}\n`;
  if (Buffer.byteLength(text) <= max || sections === 0) return text;
  if (top === 1) return renderReport(report, max, sections - 1);
  const settings = { ...report.settings, top: Math.floor(0.9 * top) };
  return renderReport({ ...report, settings }, max, sections);
}

/** The parts of several sites. Only so many of those that need a look get a section. */
function projectsBlocks(report: Report, sections: number) {
  const projects = sorted(report.sites);
  const { needing, areUsual } = projects;
  const rest = needing.length > 0 && areUsual && 'The others are as usual.';
  const verdict = joined([`**${projectsVerdict(report.sites)}.**`, rest]);
  const alarms = alarmLines(report.sites);
  const left = needing.length - sections;
  return [
    alarms.length > 0 ? alertBlock('CAUTION', [verdict, ...alarms]) : verdict,
    alertBlock('WARNING', whatIsMissing(report)),
    uncheckedVerdict(report.sites),
    needing.length > 0 && projectsTable(needing),
    changedSentence(report.sites),
    ...needing.slice(0, sections).map((site) => {
      const body = joined(siteBlocks(site, report), '\n\n');
      return fold(`<b>${nameHtml(site.project.name)}</b>: ${reasons(site)}`, body);
    }),
    left > 0 && `*Left out for lack of space: ${counted(left, 'project')}.*`,
    othersFold(projects, report.settings.top),
  ];
}

function projectsTable(sites: readonly Site[]): string {
  const rows = sites.map((site) => {
    const name = `<b>${nameHtml(site.project.name)}</b>`;
    if (!isRead(site)) return [name, 'not read', dash];
    const { total: range } = site.findings.usual;
    const count = marked(formatCount(site.now.totals.total), range);
    return [name, isOdd(range) ? `**${count}**` : count, range ? usualRange(range) : dash];
  });
  return table(['Project', 'Visitors', 'Usual'], rows, 1);
}

/** The projects that need no look, and what their readers didn't find, collapsed; `''` if there are none. */
function othersFold({ others, areUsual }: ReturnType<typeof sorted>, most: number): string {
  if (others.length === 0) return '';
  const title = areUsual
    ? `${counted(others.length, 'project')} as usual`
    : counted(others.length, 'other project');
  const more = others.flatMap((site) => {
    const { project, changed, gaps, docsUrl } = site;
    if (!changed && !gaps) return [];
    const blocks = [
      changedSentence([site]),
      ...gapsBlocks(gaps, most, docsUrl),
      changedFold(site, most),
    ];
    return [`<b>${nameHtml(project.name)}</b>`, ...blocks];
  });
  return fold(title, joined([projectsTable(others), ...more], '\n\n'));
}

function siteBlocks(site: Site, report: Report) {
  const { charts, pages, top } = report.settings;
  const missing = alertBlock('WARNING', whatIsMissing({ ...report, sites: [site] }));
  if (!isRead(site)) return [missing, uncheckedBlock(site)];
  const alarms = alarmLines([site]);
  const isAlarm = alarms.length > 0 || site.findings.lastBusy !== undefined;
  const [first, more] = [lead(site), whatElse(site)];
  const some = firstFew(pages.map(shownCode), maxGlobs).join(', ');
  // The service has no totals for part of a site.
  const scope = `The lists below show the pages that match ${some}. The totals above are for the whole site, because visitor counts for different pages can’t be added together.`;
  return [
    ...(isAlarm ? [alertBlock('CAUTION', [first, ...alarms]), more] : [joined([first, more])]),
    shareBar(site),
    missing,
    siteChart(site, charts),
    ...(isSilent(site.now)
      ? []
      : [pages.length > 0 && scope, unusualBlock(site, report.settings), comeAndGone(site)]),
    changedSentence([site]),
    ...gapsBlocks(site.gaps, top, site.docsUrl),
    mostRead(site),
    totalsFold(site),
    changedFold(site, top),
    ...(isSilent(site.now) ? [] : pageLists(site, top)),
    uncheckedBlock(site),
  ];
}

/** Says how the report was made. Nothing here depends on the run, so the same data always gives the same report. */
function howItWasMade({ sites, settings: { timeZone }, files }: Report): string {
  const read = sites.filter(isRead);
  const ofSites = read.map((site) => {
    const { project, now, gaps } = site;
    const { basis, usable, unread } = site.findings;
    const { noun } = now.window;
    const more = unread > 0 ? `; ${unread} more weren’t read` : '';
    const most =
      basis?.rows === undefined ? '' : `the ${formatCount(basis.rows)} most-read pages of `;
    const data = files?.data.get(project.id);
    const paths = data ? [data.csv, data.json, ...(gaps ? [data.gaps] : [])] : [];
    return [
      `Project: ${code(project.id)}. Pages read: ${formatCount(now.rows.size)}. Complete: ${isComplete(site) ? 'yes' : 'no'}.`,
      usable >= minWeeks &&
        `The usual ranges of totals are based on ${usable} earlier ${noun}s${more}.`,
      basis &&
        `The usual ranges of pages are based on ${most}${basis.lists.length} earlier ${noun}s.`,
      gaps && scopeOfGaps(gaps),
      paths.length > 0 && `Files: ${paths.map(code).join(', ')}.`,
    ];
  });
  const points = [
    `“Usual” is where 95 of 100 periods would be if the earlier trend had continued. Time zone: ${timeZone}.`,
    read.some(({ now, before }) => before && before.window.days !== now.window.days) &&
      'The usual ranges allow for the lengths of the months; the changes don’t.',
    files && `Report: ${code(files.markdown)}.`,
    ...(sites.length === 1 ? ofSites.flat() : ofSites.map((ofSite) => joined(ofSite))),
  ];
  const lines = points.map((point) => point && `- ${point}`);
  return fold('How this report was made', joined(lines, '\n'));
}
