import { counted, firstFew, formatCount } from '../../text/counts.ts';
import { code, joined } from '../../text/markdown.ts';
import { countBoth } from '../judge/findings.ts';
import { marked } from '../judge/numbers.ts';
import { isComplete, isRead, type JudgedSite, type Report, reportTitle, type Site } from '../judge/report.ts';
import { countUsable, isSilent, minWeeks, type WindowRead } from '../read/window-read.ts';
import { alarmLines, alertVerdict, hasFired, uncheckedBlock, uncheckedVerdict } from './alert-texts.ts';
import { alertBlock, type Block, fitBlocks, fold, type SizeLimit, summaryLimit } from './blocks.ts';
import { siteChart } from './chart.ts';
import { gapsBlocks, scopeOfGaps } from './gap-texts.ts';
import { headline, whatIsMissing } from './sentences.ts';
import { nameHtml, pathHtml, shownCode } from './shown.ts';
import { comeAndGone, pageLists, projectsTable, totalsTable, unusualBlock } from './tables.ts';

const maxGlobs = 10;

/** Renders the report as Markdown. Several sites get one table, and a section each. Only the sections are shortened to fit. */
export function renderReport(report: Report, limit = summaryLimit): string {
  const { sites, window } = report;
  const title = `## ${reportTitle(window)}`;
  if (sites.length === 1)
    return fitBlocks([title, ...sites.flatMap((site) => siteBlocks(site, report))], limit);
  const unlimited = { ...limit, most: Number.POSITIVE_INFINITY };
  const scope = `**${sites.length} projects.** Their totals are never added up, because one person may read two sites.`;
  const missing = alertBlock('WARNING', whatIsMissing(report));
  const alarm = alertBlock('CAUTION', alarmLines(report));
  const unchecked = uncheckedVerdict(sites);
  const head = fitBlocks([title, alarm, missing, unchecked, scope, projectsTable(report)], unlimited);
  let space = limit.most - limit.measure(head);
  const sections = sites.map((site, index) => {
    // Each project gets an even share of the space. What it doesn't need goes to those after it.
    const most = Math.floor(space / (sites.length - index)) - limit.measure('\n');
    const text = section(site, report, { ...limit, most });
    space -= limit.measure(`\n${text}`);
    return text;
  });
  return [head, ...sections].join('\n');
}

/** Renders one of several sites, collapsed. If space is short, its chart is dropped first: the tables say nearly the same. */
function section(site: Site, report: Report, limit: SizeLimit): string {
  const title = joined([nameHtml(site.project.name), ...marksOf(site)], ', ');
  const most = limit.most - limit.measure(`${fold(title, '')}\n`);
  const chart = isRead(site) ? siteChart(site, report.settings.charts) : '';
  const body = fitBlocks(siteBlocks(site, report), { ...limit, most }, chart);
  return `${fold(title, body.trimEnd())}\n`;
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

function siteBlocks(site: Site, report: Report): Block[] {
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
