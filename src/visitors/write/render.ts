import { counted, firstFew, formatCount } from '../../text/counts.ts';
import { code, joined } from '../../text/markdown.ts';
import { countBoth } from '../judge/findings.ts';
import { marked } from '../judge/numbers.ts';
import { isComplete, isRead, type JudgedSite, type Report, reportTitle, type Site } from '../judge/report.ts';
import { countUsable, isSilent, minWeeks, type WindowRead } from '../read/window-read.ts';
import { alarmLines, alertVerdict, hasFired, uncheckedBlock, uncheckedVerdict } from './alert-texts.ts';
import { alertBlock, fold } from './blocks.ts';
import { siteChart } from './chart.ts';
import { gapsBlocks, scopeOfGaps } from './gap-texts.ts';
import { headline, whatIsMissing } from './sentences.ts';
import { nameHtml, pathHtml, shownCode } from './shown.ts';
import { comeAndGone, pageLists, projectsTable, totalsTable, unusualBlock } from './tables.ts';

/** GitHub drops a step’s summary above 1 MiB. This leaves room for anything else the step writes. */
export const summaryBytes = 900 * 1024;

/** GitHub rejects comments above 65,536 characters. A text never has more characters than bytes. */
export const commentBytes = 60_000;

const maxGlobs = 10;

/**
 * Renders the report as Markdown. Several sites get one table, and a section each. If that is too long, all lists get shorter,
 * and then the last sections are left out.
 */
export function renderReport(
  report: Report,
  maxBytes = summaryBytes,
  sections = report.sites.length,
): string {
  const { top } = report.settings;
  const text = `${joined(blocksOf(report, sections), '\n\n')}\n`;
  if (Buffer.byteLength(text) <= maxBytes || sections === 0) return text;
  if (top === 1) return renderReport(report, maxBytes, sections - 1);
  const settings = { ...report.settings, top: Math.floor(0.8 * top) };
  return renderReport({ ...report, settings }, maxBytes, sections);
}

function blocksOf(report: Report, sections: number): string[] {
  const { sites, window } = report;
  const title = `## ${reportTitle(window)}`;
  if (sites.length === 1) return [title, ...sites.flatMap((site) => siteBlocks(site, report))];
  const left = sites.length - sections;
  return [
    title,
    alertBlock('CAUTION', alarmLines(report)),
    alertBlock('WARNING', whatIsMissing(report)),
    uncheckedVerdict(sites),
    `**${sites.length} projects.** Their totals are never added up, because one person may read two sites.`,
    projectsTable(report),
    ...sites.slice(0, sections).map((site) => {
      const title = joined([nameHtml(site.project.name), ...marksOf(site)], ', ');
      return fold(title, joined(siteBlocks(site, report), '\n\n'));
    }),
    left > 0 ? `*Left out for lack of space: ${counted(left, 'project')}.*` : '',
  ];
}

function marksOf(site: Site) {
  if (!isRead(site)) return ['not read'];
  const [furthest] = site.findings.unusual;
  return [
    isSilent(site.now) && 'no visitors',
    site.alerts.some(hasFired) && 'alert',
    !isComplete(site) && 'incomplete',
    furthest && marked(pathHtml(furthest.path), furthest),
  ];
}

function siteBlocks(site: Site, report: Report): string[] {
  const { charts, pages, top } = report.settings;
  const missing = alertBlock('WARNING', whatIsMissing({ ...report, sites: [site] }));
  if (!isRead(site)) return [missing, uncheckedBlock(site.alerts)];
  const isAlarm = site.findings.lastBusy !== undefined;
  const hasPages = !isSilent(site.now);
  const fired = alarmLines({ ...report, sites: [site] });
  return [
    alertBlock('CAUTION', [isAlarm ? headline(site) : '', ...fired]),
    missing,
    isAlarm ? '' : headline(site),
    totalsTable(site),
    siteChart(site, charts),
    ...(hasPages ? [scopeOf(pages), unusualBlock(site, report.settings), comeAndGone(site)] : []),
    ...(site.gaps === undefined ? [] : gapsBlocks(site.gaps, top)),
    ...(hasPages ? pageLists(site, report.settings) : []),
    uncheckedBlock(site.alerts),
    howItWasMade(site, report),
  ];
}

/** Says which pages are listed. The totals are for the whole site, because the service has no totals for part of a site. */
function scopeOf(pages: readonly string[]): string {
  if (pages.length === 0) return '';
  const some = firstFew(pages.map(shownCode), maxGlobs).join(', ');
  return `The lists below show the pages that match ${some}. The totals above are for the whole site, because visitor counts for different pages can’t be added together.`;
}

/** Says how the report was made. Nothing here depends on the run, so the same data always gives the same report. */
function howItWasMade(site: JudgedSite, { settings: { timeZone }, files }: Report): string {
  const { project, now, before } = site;
  const { csv, json, gaps } = files?.data.get(project.id) ?? {};
  const paths = [files?.markdown, csv, json, site.gaps && gaps].filter((path) => path !== undefined);
  const both = countBoth(now.totals);
  const about = ({ window, rows, cut }: WindowRead) =>
    `${window.label} (${timeZone}): ${counted(rows.size, 'page')} read${cut === undefined ? '' : ', not all'}.`;
  const points = [
    `Project: ${code(project.id)}.`,
    about(now),
    before && about(before),
    before &&
      before.window.days !== now.window.days &&
      'The usual ranges allow for the lengths of the months; the changes don’t.',
    both > 0 && `${counted(both, 'visitor')} counted as both human and AI, and once in the total.`,
    `Complete: ${isComplete(site) ? 'yes' : 'no'}.`,
    ...basesOf(site),
    '“Usual” is the range that 95 of 100 periods would fall into if nothing had changed.',
    site.gaps && scopeOfGaps(site.gaps),
    site.alerts.length > 0 && `${alertVerdict([site])}.`,
    paths.length > 0 && `Files: ${paths.map(code).join(', ')}.`,
  ];
  const lines = points.map((point) => point && `- ${point}`);
  return fold('How this report was made', joined(lines, '\n'));
}

/** How many earlier windows the usual ranges are based on. */
function basesOf({ now, earlier, findings: { basis } }: JudgedSite): string[] {
  const { usable, unread } = countUsable(earlier);
  const { noun } = now.window;
  const more = unread.length > 0 ? `; ${unread.length} more weren’t read` : '';
  const most = basis?.rows === undefined ? '' : `the ${formatCount(basis.rows)} most-read pages of `;
  return [
    usable < minWeeks ? '' : `The usual ranges of totals are based on ${usable} earlier ${noun}s${more}.`,
    basis ? `The usual ranges of pages are based on ${most}${basis.lists.length} earlier ${noun}s.` : '',
  ];
}
