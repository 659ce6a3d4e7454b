import { counted, firstFew, formatCount } from '../../text/counts.ts';
import { joined } from '../../text/markdown.ts';
import { aiShare } from '../judge/findings.ts';
import { formatPercent, marked } from '../judge/numbers.ts';
import { isOdd, isRead, type JudgedSite, needsLook, type Report, type Site } from '../judge/report.ts';
import type { Unusual } from '../judge/usual-pages.ts';
import { isSilent } from '../read/window-read.ts';
import { hasFired, uncheckedVerdict } from './alert-texts.ts';
import { changedSentence } from './changed-texts.ts';
import { whatIsMissing } from './missing.ts';
import { reasons, sorted } from './projects.ts';
import {
  crawledPages,
  lead,
  nameOf,
  shareWords,
  sideWords,
  standingOut,
  unusualCount,
  usualRange,
} from './sentences.ts';
import { plainName, plainPath, plainSentences } from './shown.ts';
import { comeAndGone } from './tables.ts';

const maxDigest = 3_000;

/** The maximum number of fired rules to name. The output `alerts` has all of them. */
const maxAlerts = 5;

/** The maximum number of pages to name. */
const maxPages = 3;

/** The report as plain text for a chat, in at most 3,000 characters. The first line is what a notification shows. */
export function digestOf(report: Report, runUrl?: string, listed = report.sites.length): string {
  const { sites, window } = report;
  const [first] = sites;
  const only = sites.length === 1 && first && isRead(first) ? first : undefined;
  const fired = sites.flatMap(({ project, alerts }) =>
    alerts.filter(hasFired).map(({ rule }) => `${only ? '' : `${plainName(project.name)}: `}${rule.text}`),
  );
  // With several sites, the report has the reasons.
  const lack = whatIsMissing(report, plainName).slice(0, 1);
  const opening = [
    `${signOf(sites)} ${only ? siteVerdict(only) : `Docs visitors: ${sorted(report).verdict}`}`,
    joined([window.shortLabel, ...(only ? figuresOf(only) : [])], ' · '),
    fired.length > 0 && `Alerts: ${firstFew(fired, maxAlerts).join(', ')}`,
  ];
  const parts = [
    plainSentences(opening, '\n'),
    ...(only ? siteLines(only) : projectLines(report, listed)).map((line) => plainSentences([line])),
    plainSentences([uncheckedVerdict(sites, plainName), ...lack]),
    runUrl,
  ];
  const text = joined(parts, '\n\n');
  return text.length <= maxDigest || listed === 0 ? text : digestOf(report, runUrl, listed - 1);
}

/** 🔴 for an alarm and for fewer visitors than usual, 🟠 for anything else to look at, and 🟢. */
function signOf(sites: readonly Site[]): string {
  const isBad = (site: Site) =>
    site.alerts.some(hasFired) ||
    (isRead(site) && (site.findings.lastBusy ?? site.findings.usual.total?.side === 'fewer'));
  return sites.some(isBad) ? '🔴' : sites.some(needsLook) ? '🟠' : '🟢';
}

/** `Docs visitors fell 45%: 2,092 (usual 3,593–4,038)`, or `Docs visitors: 3,913, as usual (3,594–3,999)`. */
function siteVerdict(site: JudgedSite): string {
  const { total } = site.now.totals;
  const { usual, change } = site.findings;
  if (usual.total === undefined || !total) return `Docs: ${lead(site)}`;
  const { side } = usual.total;
  const crawl = crawledPages(site) > 0 ? ', probably a crawl' : '';
  const hasMoved = change && (side === 'more' ? change.part > 0 : side === 'fewer' && change.part < 0);
  if (!hasMoved)
    return `Docs visitors: ${formatCount(total)}, ${sideWords(side)} (${usualRange(usual.total)})${crawl}`;
  const moved = `${side === 'more' ? 'rose' : 'fell'} ${formatPercent(change)}`;
  return `Docs visitors ${moved}: ${formatCount(total)} (usual ${usualRange(usual.total)})${crawl}`;
}

/** `people ▲ 3,337, AI ▲ 1,834, 36% AI, as usual`; if people and AI are as usual, only the share. */
function figuresOf({ now, findings: { usual, basis, unusual, crawled } }: JudgedSite) {
  const { totals } = now;
  const share = aiShare(totals);
  const counts = [
    `people ${marked(formatCount(totals.human), usual.human)}`,
    `AI ${marked(formatCount(totals.ai), usual.ai)}`,
  ];
  const areOdd = isOdd(usual.human) || isOdd(usual.ai);
  if (isSilent(now)) return [];
  return [
    joined([...(areOdd ? counts : []), share && shareWords(share, usual.share)], ', '),
    basis !== undefined && unusual.length + crawled.length === 0 && 'no page stands out',
  ];
}

function siteLines(site: JudgedSite): string[] {
  const { unusual } = site.findings;
  const crawled = crawledPages(site);
  const pages = firstFew(unusual.map(pageLine), maxPages);
  const title = unusual.length > 1 && `${standingOut(unusual)}:`;
  return [
    crawled > 0 ? `${counted(crawled, 'page')} gained only AI visitors` : '',
    joined([title, ...pages], '\n'),
    comeAndGone(site, plainPath),
    changedSentence(site),
    site.gaps?.largest?.said ?? '',
  ];
}

function pageLine(row: Unusual): string {
  return `${nameOf(row, undefined, plainPath)}: ${unusualCount(row, ' on average of two')} (usual ${usualRange(row)})`;
}

/** The projects that need a look, one a line, and then the others. Only so many are named. */
function projectLines(report: Report, listed: number): string[] {
  const { needing, others, areUsual } = sorted(report);
  const totalOf = (site: Site) => (isRead(site) ? formatCount(site.now.totals.total) : 'not read');
  const lines = needing.slice(0, listed).map((site) => {
    const range = isRead(site) ? site.findings.usual.total : undefined;
    const usual = range && (isOdd(range) ? ` (usual ${usualRange(range)})` : ', as usual');
    const why = isRead(site) ? `; ${reasons(site, (row) => nameOf(row, undefined, plainPath))}` : '';
    return `${plainName(site.project.name)}: ${marked(totalOf(site), range)}${usual ?? ''}${why}`;
  });
  const more = others.slice(0, Math.max(0, listed - needing.length));
  const names = more.map((site) => `${plainName(site.project.name)} ${totalOf(site)}`).join(' · ');
  const left = report.sites.length - lines.length - more.length;
  return [
    lines.join('\n'),
    more.length > 0 ? `${areUsual ? 'As usual' : 'Others'}: ${names}` : '',
    left > 0 ? `${counted(left, 'more project')} not listed.` : '',
  ];
}
