import { counted, dash, formatCount } from '../../text/counts.ts';
import { joined } from '../../text/markdown.ts';
import { type ChangedPage, minForChange } from '../judge/changed-pages.ts';
import { marked } from '../judge/numbers.ts';
import type { JudgedSite } from '../judge/report.ts';
import { fold, listBlock } from './blocks.ts';
import { pathHtml } from './shown.ts';

const and = new Intl.ListFormat('en');
const dates = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' });

/** What is said about one page and about several, and beside a page. */
const words: Readonly<Record<ChangedPage['became'], readonly [one: string, several: string, note: string]>> =
  {
    more: ['has more readers than before', 'have more readers than before', ''],
    fewer: ['has fewer readers than before', 'have fewer readers than before', ''],
    new: ['is new', 'are new', 'new'],
    gone: ['is no longer visited', 'are no longer visited', ''],
    crawled: ['gained only AI visitors', 'gained only AI visitors', 'only AI rose'],
    same: ['is as before', 'are as before', ''],
    early: [
      'has too few weeks before the change',
      'have too few weeks before the change',
      'too few weeks before',
    ],
  };

/** `Of 9 pages that changed since Oct 5, 2 have more readers than before, 1 has fewer, …`; `''` if none can be judged. */
export function changedSentence({ changed }: JudgedSite): string {
  if (changed === undefined) return '';
  if ('problem' in changed) return `**The pages that changed are missing.** ${changed.problem}`;
  const { rows } = changed;
  if (rows.every(({ became }) => became === 'early')) return '';
  const groups = [...Map.groupBy(rows, ({ became }) => became)];
  const since = dates.format(Math.min(...rows.map(({ pullRequest }) => Date.parse(pullRequest.date))));
  const [[only = 'same'] = []] = groups;
  if (groups.length === 1) {
    const [one, several] = words[only];
    return rows.length === 1
      ? `The page that changed since ${since} ${one}.`
      : `All ${formatCount(rows.length)} pages that changed since ${since} ${several}.`;
  }
  const parts = groups.map(([became, some], index) => {
    const [one, several] = words[became];
    const said = `${formatCount(some.length)} ${some.length === 1 ? one : several}`;
    return became === 'fewer' && index > 0 ? said.replace(' readers than before', '') : said;
  });
  return `Of ${formatCount(rows.length)} pages that changed since ${since}, ${and.format(parts)}.`;
}

/** The pages that changed, their visitors before and since, and what isn’t in the table, collapsed. */
export function changedFold(site: JudgedSite, most: number): string {
  const { changed, docsUrl } = site;
  if (changed === undefined || 'problem' in changed) return '';
  const { rows, few, shared, unvisited, isTruncated, pullRequests } = changed;
  const { read, partly, unread, isLeast } = pullRequests;
  const visits = ({ total, human, ai }: ChangedPage['since'], side?: 'more' | 'fewer') => {
    const count = marked(whole(total), side && { side });
    return `${count}<br><sub>${whole(human)} people<br>${whole(ai)} AI</sub>`;
  };
  const cells = (row: ChangedPage) => {
    const { path, became, before, since, pullRequest, changes } = row;
    const { number, url, isBot } = pullRequest;
    const link = `[&#35;${number}](<${encodeURI(url)}>)`;
    const notes = [link, isBot && 'bot', changes > 1 && `${changes} changes`, words[became][2]];
    const side = became === 'more' || became === 'fewer' ? became : undefined;
    return [
      `${pathHtml(path, docsUrl)}<br><sub>${joined(notes, ' · ')}</sub>`,
      became === 'new' ? dash : visits(before),
      visits(since, side),
    ];
  };
  const notes = [
    few > 0 && `${few} more had fewer than ${minForChange} visitors a week.`,
    shared > 0 && `${counted(shared, 'shared file')} ${shared === 1 ? 'isn’t' : 'aren’t'} counted.`,
    unvisited > 0 &&
      `${counted(unvisited, 'file')} of pages that no one visited ${unvisited === 1 ? 'isn’t' : 'aren’t'} counted.`,
    partly > 0 && `Of ${counted(partly, 'pull request')}, only the first 100 files were read.`,
    (unread > 0 || isLeast) &&
      `${unread > 0 ? `${isLeast ? 'At least ' : ''}${counted(unread, 'earlier pull request')}` : 'Some earlier pull requests'} ${unread === 1 ? 'wasn’t' : 'weren’t'} read.`,
    isTruncated &&
      'GitHub didn’t list all files, so the site is assumed to begin at the root of the repository.',
    hasSwings(site) &&
      'In some of these weeks, the whole site had unusually many or few visitors; these numbers leave that out.',
  ];
  const lead =
    rows.length > 0
      ? 'Visitors a week, on average, before the week of the change and since (at most four weeks), at the level of this week. ▲ ▼ mark what is clearly different; the change needn’t be the reason.'
      : `No page could be compared (${counted(read, 'pull request')} read). That takes a change that was merged before this week, and ${minForChange} visitors a week.`;
  const list = listBlock(rows, most, { head: ['Page', 'Before', 'Since'], cells });
  return fold(
    `Pages that changed (${formatCount(rows.length)})`,
    joined([lead, list, joined(notes)], '\n\n'),
  );
}

function whole(count: number | null): string {
  return formatCount(count === null ? undefined : Math.round(count));
}

/** Whether the total was outside its usual range in a week since the first change. */
function hasSwings({ now, earlier, changed, findings: { usual } }: JudgedSite): boolean {
  if (changed === undefined || 'problem' in changed) return false;
  return [...earlier, now].some(({ window, totals: { total } }, week) => {
    const range = usual.total?.trend[week];
    const isSince = changed.rows.some(({ pullRequest }) => window.end > pullRequest.date);
    return isSince && range !== undefined && total !== undefined && (total < range.low || total > range.high);
  });
}
