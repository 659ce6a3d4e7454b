import { counted, firstFew, formatCount } from '../../text/counts.ts';
import { joined } from '../../text/markdown.ts';
import { aiShare } from '../judge/findings.ts';
import { formatPercent, marked } from '../judge/numbers.ts';
import { isOdd, isRead, type JudgedSite, type Report, type Site, sorted } from '../judge/report.ts';
import type { Unusual } from '../judge/usual-pages.ts';
import { isSilent } from '../read/window-read.ts';
import { changedSentence } from './changed-texts.ts';
import {
  crawledPages,
  lead,
  nameOf,
  projectsVerdict,
  reasons,
  shareWords,
  sideWords,
  standingOut,
  unusualCount,
  usualRange,
} from './sentences.ts';
import { plainName, plainPath, plainSentences } from './shown.ts';
import { comeAndGone } from './tables.ts';
import { firedRules, hasFired, uncheckedVerdict, whatIsMissing } from './warnings.ts';

const maxDigest = 3_000;

/** The maximum number of fired rules, and of pages. The outputs have all of them. */
const [maxAlerts, maxPages] = [5, 3];

/** The report as plain text for a chat, in at most 3,000 characters. The first line is what a notification shows. */
export function digestOf(report: Report, runUrl?: string, listed = report.sites.length): string {
  const { sites, window } = report;
  const [first] = sites;
  const only = sites.length === 1 && first && isRead(first) ? first : undefined;
  const fired = firstFew(firedRules(sites, plainName), maxAlerts);
  // With several sites, the report has the reasons.
  const lack = whatIsMissing(report, plainName).slice(0, 1);
  const opening = [
    `${signOf(sites)} ${only ? siteVerdict(only) : `Docs visitors: ${projectsVerdict(sites)}`}`,
    joined([window.shortLabel, ...(only ? figuresOf(only) : [])], ' · '),
    fired.length > 0 && `Alerts: ${fired.join(', ')}`,
  ];
  const parts = [
    plainSentences(opening, '\n'),
    ...(only ? siteLines(only) : projectLines(report, listed)).map((line) =>
      plainSentences([line]),
    ),
    plainSentences([uncheckedVerdict(sites, plainName), ...lack]),
    runUrl,
  ];
  const text = joined(parts, '\n\n');
  return text.length <= maxDigest || listed === 0 ? text : digestOf(report, runUrl, listed - 1);
}

function signOf(sites: readonly Site[]): string {
  const isBad = (site: Site) =>
    site.alerts.some(hasFired) ||
    (isRead(site) && (site.findings.lastBusy ?? site.findings.usual.total?.side === 'fewer'));
  return sites.some(isBad) ? '🔴' : sorted(sites).needing.length > 0 ? '🟠' : '🟢';
}

/** `Docs visitors fell 45%: 2,092 (usual 3,593–4,038)`, or `Docs visitors: 3,913, as usual (3,594–3,999)`. */
function siteVerdict(site: JudgedSite): string {
  const { total } = site.now.totals;
  const { usual, change } = site.findings;
  if (usual.total === undefined || !total) return `Docs: ${lead(site)}`;
  const { side } = usual.total;
  const by = formatPercent(change);
  const isSmall = by.startsWith('<') || change === undefined;
  const hasMoved =
    !isSmall && { more: change.part > 0, fewer: change.part < 0, usual: false }[side];
  const crawl = crawledPages(site) > 0 ? ', probably a crawl' : '';
  const [count, range] = [formatCount(total), usualRange(usual.total)];
  return hasMoved
    ? `Docs visitors ${side === 'more' ? 'rose' : 'fell'} ${by}: ${count} (usual ${range})${crawl}`
    : `Docs visitors: ${count}, ${sideWords(side)} (${range})${crawl}`;
}

/** `people ▲ 3,337, AI ▲ 1,834, 36% AI, as usual`; if people and AI are as usual, only the share. */
function figuresOf({ now, findings: { usual, basis, unusual, crawled } }: JudgedSite) {
  if (isSilent(now)) return [];
  const { human, ai } = now.totals;
  const share = aiShare(now.totals);
  const areOdd = isOdd(usual.human) || isOdd(usual.ai);
  const figures = [
    areOdd &&
      `people ${marked(formatCount(human), usual.human)}, AI ${marked(formatCount(ai), usual.ai)}`,
    share && shareWords(share, usual.share),
  ];
  const isQuiet = basis !== undefined && unusual.length + crawled.length === 0;
  return [joined(figures, ', '), isQuiet && 'no page stands out'];
}

function siteLines(site: JudgedSite) {
  const { unusual } = site.findings;
  const crawled = crawledPages(site);
  const lineOf = (row: Unusual) =>
    `${nameOf(row, undefined, plainPath)}: ${unusualCount(row, ', averaged over two')} (usual ${usualRange(row)})`;
  const title = unusual.length > 1 && `${standingOut(unusual)}:`;
  return [
    crawled > 0 && `${counted(crawled, 'page')} gained only AI visitors`,
    joined([title, ...firstFew(unusual.map(lineOf), maxPages)], '\n'),
    comeAndGone(site, plainPath),
    changedSentence([site]),
    site.gaps?.largest?.said,
  ];
}

/** The projects that need a look, one a line, and then the others. Only so many are named. */
function projectLines(report: Report, listed: number) {
  const { needing, others, areUsual } = sorted(report.sites);
  const lines = needing.slice(0, listed).map((site) => {
    const name = plainName(site.project.name);
    if (!isRead(site)) return `${name}: not read`;
    const { total: range } = site.findings.usual;
    const count = marked(formatCount(site.now.totals.total), range);
    const usual = range && (isOdd(range) ? ` (usual ${usualRange(range)})` : ', as usual');
    return `${name}: ${count}${usual ?? ''}; ${reasons(site, (row) => nameOf(row, undefined, plainPath))}`;
  });
  const more = others.slice(0, Math.max(0, listed - needing.length));
  const names = more.map(
    ({ project, now }) => `${plainName(project.name)} ${formatCount(now.totals.total)}`,
  );
  const left = report.sites.length - lines.length - more.length;
  return [
    lines.join('\n'),
    more.length > 0 && `${areUsual ? 'As usual' : 'Others'}: ${names.join(' · ')}`,
    left > 0 && `${counted(left, 'more project')} not listed.`,
    listed > 0 && changedSentence(report.sites, plainName),
  ];
}
