import { counted, dash, formatCount } from '../../text/counts.ts';
import { joined, table } from '../../text/markdown.ts';
import { marked } from '../judge/numbers.ts';
import {
  byNeed,
  isComplete,
  isOdd,
  isRead,
  type JudgedSite,
  needsLook,
  type Report,
  type Site,
} from '../judge/report.ts';
import { isSilent } from '../read/window-read.ts';
import { hasFired } from './alert-texts.ts';
import { fold } from './blocks.ts';
import { changedFold, changedSentence } from './changed-texts.ts';
import { gapsBlocks } from './gap-texts.ts';
import { crawledPages, nameOf, usualRange } from './sentences.ts';
import { nameHtml } from './shown.ts';

/** The projects that need a look, the worst first; the others, the largest first; and a verdict: `3 of 12 projects need a look`. */
export function sorted({ sites }: Report) {
  const needing = sites.filter(needsLook).toSorted(byNeed);
  const others = sites.filter((site): site is JudgedSite => isRead(site) && !needsLook(site));
  others.sort((a, b) => (b.now.totals.total ?? 0) - (a.now.totals.total ?? 0));
  // A young project has no usual range.
  const areUsual = others.length > 0 && others.every(({ findings }) => findings.usual.total !== undefined);
  const verb = needing.length === 1 ? 'needs' : 'need';
  const verdict =
    needing.length > 0 || !areUsual
      ? `${needing.length} of ${sites.length} projects ${verb} a look`
      : `All ${sites.length} projects are as usual`;
  return { needing, others, areUsual, verdict };
}

/** Their visitors and usual ranges. */
export function projectsTable(sites: readonly Site[]): string {
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
export function othersFold({ others, areUsual }: ReturnType<typeof sorted>, most: number): string {
  if (others.length === 0) return '';
  const title = areUsual
    ? `${counted(others.length, 'project')} as usual`
    : counted(others.length, 'other project');
  const more = others.flatMap((site) => {
    const { project, changed, gaps, docsUrl } = site;
    if (!changed && !gaps) return [];
    const blocks = [changedSentence([site]), ...gapsBlocks(gaps, most, docsUrl), changedFold(site, most)];
    return [`<b>${nameHtml(project.name)}</b>`, ...blocks];
  });
  return fold(title, joined([projectsTable(others), ...more], '\n\n'));
}

/** What there is to look at: `▼ people and AI`, `▲ /guides/webhooks`. */
export function reasons(site: Site, shown: typeof nameOf = nameOf): string {
  if (!isRead(site)) return 'not read';
  const { usual, unusual } = site.findings;
  const [furthest] = unusual;
  const names = { people: usual.human, AI: usual.ai, 'AI share': usual.share, 'all visitors': usual.total };
  const figures = (['fewer', 'more'] as const).flatMap((side) => {
    const [one, other] = Object.entries(names).flatMap(([name, range]) => (range?.side === side ? name : []));
    return one === undefined ? [] : marked(joined([one, other], ' and '), { side });
  });
  const all = [
    isSilent(site.now) && 'no visitors',
    site.alerts.some(hasFired) && 'alert',
    ...figures,
    crawledPages(site) > 0 && 'probably a crawl',
    furthest && figures.length === 0 && marked(shown(furthest), furthest),
    !isComplete(site) && 'incomplete',
  ];
  return joined(all, ', ');
}
