import { formatDifference, plural } from '../report/numbers.ts';
import { plainName, plainPath, plainText } from '../report/shown.ts';
import { alertVerdict, uncheckedVerdict } from './alert-texts.ts';
import { headline } from './headline.ts';
import { whatIsMissing } from './missing.ts';
import {
  alertsOf,
  isComplete,
  isRead,
  type ReadSite,
  type Report,
  reportTitle,
  type Site,
} from './report.ts';

const most = 3_000;

/** The maximum number of pages to name for a single site. With several sites, each gets one. */
const moversOfOne = 3;

/**
 * Renders the report as plain text for a chat, in at most 3,000 characters. Several sites get a line or two each. If they don't
 * all fit, the sites that changed most come first, and the others are counted.
 */
export function digestOf(report: Report, runUrl: string): string {
  const { sites, window } = report;
  const isOne = sites.length === 1;
  const opening = isOne ? reportTitle(window) : `${reportTitle(window)}, ${plural(sites.length, 'project')}`;
  const alerts = alertsOf(report);
  const lacking = sites.filter((site) => !isComplete(site)).length;
  // With several sites, the report names the incomplete ones.
  const lackOfAll = `Incomplete: ${lacking} of ${sites.length} projects. The report says what is missing.`;
  const lack = isOne ? plainText(whatIsMissing(report)) : lacking > 0 ? lackOfAll : '';
  const verdict = alertVerdict(alerts);
  const closing = [verdict && `${verdict}.`, uncheckedVerdict(alerts), lack, runUrl];
  const linesOf = (site: Site) => siteLines(site, isOne);
  const text = (some: readonly Site[]) => {
    const left = sites.length - some.length;
    const more = left === 0 ? '' : `${plural(left, 'more project')} not listed.`;
    return [opening, ...some.map(linesOf), more, ...closing].filter((part) => part !== '').join('\n\n');
  };
  const inOrder = text(sites);
  if (inOrder.length <= most) return inOrder;
  let kept = sites.toSorted((a, b) => changeSize(b) - changeSize(a));
  while (kept.length > 0 && text(kept).length > most) kept = kept.slice(0, -1);
  return text(kept);
}

/** What happened on a site, and the pages whose traffic is most unusual. One of several sites gets its name and one page. */
function siteLines(site: Site, isOnly: boolean): string {
  const name = plainName(site.project.name);
  if (!isRead(site)) return `${name}: not read (${site.failure.reason}).`;
  const said = plainText([headline(site)]);
  if (!isOnly) return `${name}: ${said}\n${movers(site, 1)}`.trimEnd();
  return [said, movers(site, moversOfOne), site.gaps?.largest?.said].filter(Boolean).join('\n\n');
}

function movers({ findings }: ReadSite, count: number): string {
  const named = findings.movers.slice(0, count);
  return named
    .map(({ path, now, baseline }) => `${formatDifference(now - Math.round(baseline))} ${plainPath(path)}`)
    .join('\n');
}

/** By how many visitors a site changed, if that is unusual. Silence counts, too. */
function changeSize(site: Site): number {
  if (!isRead(site) || site.findings.usual.total?.side === 'usual') return 0;
  return Math.abs(site.findings.change?.part ?? 0);
}
