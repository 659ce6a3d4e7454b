import {
  type Block,
  fitBlocks,
  fold,
  joinBlocks,
  type SizeLimit,
  shareOut,
  textBlock,
  unlimited,
  warningBlock,
} from '../report/blocks.ts';
import { nameHtml, shownCode } from '../report/shown.ts';
import { hasNoVisits } from '../report/window-read.ts';
import { alertBlocks, alertVerdict, hasFired, isUnchecked, uncheckedVerdict } from './alert-texts.ts';
import { headline, largestMovers } from './headline.ts';
import { howItWasMade } from './how-it-was-made.ts';
import { namesCode, whatIsMissing, whatSiteLacks } from './missing.ts';
import { projectsTable, siteChart, totalsTable } from './overview.ts';
import {
  alertsOf,
  isComplete,
  isRead,
  type ReadSite,
  type Report,
  reportTitle,
  type Site,
  type UnreadSite,
} from './report.ts';
import { pageTables } from './tables.ts';

/** Globs named in a report; others are counted. */
const mostGlobs = 10;

/** The report as Markdown. One site fills it; several have a table with a row each, which is always whole, and a folded section each. */
export function renderReport(report: Report, limit: SizeLimit): string {
  const { sites, window } = report;
  const title = textBlock(`## ${reportTitle(window)}`);
  if (sites.length === 1)
    return joinBlocks([...title, ...sites.flatMap((site) => siteBlocks(site, report))], limit);
  const head = joinBlocks([...title, ...headBlocks(report)], unlimited(limit));
  const whole = sites.map((site) => section(site, report, unlimited(limit)));
  const needs = whole.map((text) => limit.measure(`\n${text}`));
  const rooms = shareOut(needs, limit.most - limit.measure(head));
  const sections = sites.map((site, index) => {
    const room = rooms[index] ?? 0;
    if (room === needs[index]) return whole[index];
    return section(site, report, { ...limit, most: room - limit.measure('\n') });
  });
  return [head, ...sections].join('\n');
}

/** What several sites have in common, and a row for each. */
function headBlocks(report: Report): Block[] {
  const scope = `**${report.sites.length} projects.** Their totals are never added up, since one person may read two sites.`;
  return [
    ...textBlock(scope),
    ...warningBlock(whatIsMissing(report)),
    ...textBlock(alertsInBrief(report)),
    ...textBlock(projectsTable(report)),
  ];
}

/** How many rules fired and for which projects, and which could not be checked; `''` without rules. */
function alertsInBrief(report: Report): string {
  const firing = report.sites.filter(({ alerts }) => alerts.some(hasFired));
  const see = firing.length === 0 ? '' : `See ${namesCode(firing.map(({ project }) => project))}.`;
  return [alertVerdict(alertsOf(report)), see, uncheckedInBrief(report)]
    .filter((part) => part !== '')
    .join(' ');
}

/** `2 alert rules could not be checked for `A` and `B`.`; `''` if all could. */
export function uncheckedInBrief(report: Report): string {
  const lacking = report.sites.filter(({ alerts }) => alerts.some(isUnchecked));
  return uncheckedVerdict(alertsOf(report), ` for ${namesCode(lacking.map(({ project }) => project))}`);
}

/** One of several sites, folded away. */
function section(site: Site, report: Report, limit: SizeLimit): string {
  const title = [nameHtml(site.project.name), ...marksOf(site)].join(', ');
  const most = limit.most - limit.measure(`${fold(title, '')}\n`);
  const body = fitBlocks(siteBlocks(site, report).map(deeper), { ...limit, most });
  return `${fold(title, body.trimEnd())}\n`;
}

/** What a site's section says before it is opened. */
function marksOf(site: Site): string[] {
  if (!isRead(site)) return ['not read'];
  return [...(site.alerts.some(hasFired) ? ['alert'] : []), ...(isComplete(site) ? [] : ['incomplete'])];
}

/** A block below the heading of its project. */
function deeper(block: Block): Block {
  const lower = (markdown: string) => markdown.replace(/^###(?= )/gm, '####');
  return block.kind === 'text'
    ? { ...block, text: lower(block.text) }
    : { ...block, lead: lower(block.lead) };
}

/** What there is to say of a site, in the order people read it: what happened, how much, which pages, and how it was made. */
function siteBlocks(site: Site, report: Report): Block[] {
  if (!isRead(site)) return [...unreadNote(site), ...alertBlocks(site.alerts)];
  const { pages, maxRequests } = report.settings;
  const opening = [headline(site), largestMovers(site, pages)].filter((line) => line !== '');
  return [
    ...textBlock(opening.join('\n')),
    ...warningBlock(whatSiteLacks(site, maxRequests)),
    ...alertBlocks(site.alerts),
    ...(hasNoVisits(site.windows.now) ? [] : figureBlocks(site, report)),
    ...textBlock(howItWasMade(site, report)),
  ];
}

/** Only our own words: the message may quote the service, and is in the log. */
function unreadNote({ failure: { reason, hint = '' } }: UnreadSite): Block[] {
  return warningBlock([`Nothing could be read of this project (\`${reason}\`). ${hint}`.trimEnd()]);
}

function figureBlocks(site: ReadSite, { settings: { charts, pages, top } }: Report): Block[] {
  // Below the title they need no heading; below the alerts they do.
  const heading = site.alerts.length === 0 ? '' : '### Totals\n\n';
  return [
    ...textBlock(`${heading}${totalsTable(site)}`),
    ...textBlock(siteChart(site, charts)).map((block) => ({ ...block, isSpare: true })),
    ...textBlock(scopeOf(pages)),
    ...pageTables(site, top),
  ];
}

/** Which pages the lists are about. The totals are always the whole site's: the service has none for a part of it. */
function scopeOf(pages: readonly string[]): string {
  if (pages.length === 0) return '';
  const some = pages.slice(0, mostGlobs).map(shownCode).join(', ');
  const more = pages.length > mostGlobs ? ` and ${pages.length - mostGlobs} more` : '';
  return `The lists below hold the pages of ${some}${more}. The figures above are the whole site’s, unfiltered: visitors of several pages do not add up.`;
}
