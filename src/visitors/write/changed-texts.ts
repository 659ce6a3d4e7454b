import { counted, dash, formatCount } from '../../text/counts.ts';
import { joined } from '../../text/markdown.ts';
import { type ChangedPage, minForChange } from '../judge/changed-pages.ts';
import { marked } from '../judge/numbers.ts';
import { isRead, type JudgedSite, type Site } from '../judge/report.ts';
import { fold, listBlock, nameHtml, pathHtml } from './shown.ts';
import { namesOf } from './warnings.ts';

const and = new Intl.ListFormat('en');
const dates = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' });

/** What is said about one page, and what stands beside it. */
const words: Readonly<Record<ChangedPage['became'], readonly [said: string, note?: string]>> = {
  more: ['has more readers than before'],
  fewer: ['has fewer readers than before'],
  new: ['is new', 'new'],
  gone: ['is no longer visited'],
  crawled: ['gained only AI visitors', 'only AI rose'],
  same: ['is as before'],
  early: ['has too few weeks before the change', 'too few weeks before'],
};

/** `Of 9 pages that changed since Oct 5, 2 have more readers than before (API), 1 has fewer (SDK), …`; `''` if none can be judged. */
export function changedSentence(sites: readonly Site[], shown = nameHtml): string {
  const read = sites.filter(isRead);
  const problem = sites.length === 1 && read[0]?.changed?.problem;
  if (problem) return `**The pages that changed are missing.** ${problem}`;
  const rows = read.flatMap(
    ({ project, changed }) => changed?.rows?.map((row) => ({ ...row, project })) ?? [],
  );
  if (rows.every(({ became }) => became === 'early')) return '';
  const since = dates.format(
    Math.min(...rows.map(({ pullRequest }) => Date.parse(pullRequest.date))),
  );
  const groups = Object.entries(words).flatMap(([group, [one]]) => {
    const some = rows.filter(({ became }) => became === group);
    const said = some.length === 1 ? one : one.replace(/^is/, 'are').replace(/^has/, 'have');
    const whose = [...new Map(some.map((row) => [row.project.id, row])).values()];
    const isNamed = sites.length > 1 && ['more', 'fewer', 'gone'].includes(group);
    const names = isNamed ? ` (${namesOf(whose, shown)})` : '';
    return some.length === 0 ? [] : { count: formatCount(some.length), said, names };
  });
  const [{ said, names } = { said: '', names: '' }] = groups;
  if (rows.length === 1) return `The page that changed since ${since} ${said}${names}.`;
  const all = `${formatCount(rows.length)} pages that changed since ${since}`;
  if (groups.length === 1) return `All ${all} ${said}${names}.`;
  // Only the first group says what its number is compared with.
  const parts = groups.map(({ count, said, names }, index) => {
    return `${count} ${index === 0 ? said : said.replace(/(?<= fewer) .*/, '')}${names}`;
  });
  return `Of ${all}, ${and.format(parts)}.`;
}

/** The pages that changed, their visitors before and since, and what isn’t in the table, collapsed. */
export function changedFold(site: JudgedSite, most: number): string {
  const { changed, docsUrl } = site;
  if (changed?.rows === undefined) return '';
  const { rows, few, shared, unvisited, isTruncated, pullRequests } = changed;
  const { read, partly, unread, isLeast } = pullRequests;
  const rounded = (count: number | null) =>
    formatCount(count === null ? undefined : Math.round(count));
  const visits = (
    { total, human, ai }: ChangedPage['since'],
    side: 'usual' | 'more' | 'fewer' = 'usual',
  ) =>
    `${marked(rounded(total), { side })}<br><sub>${rounded(human)} people<br>${rounded(ai)} AI</sub>`;
  const cells = ({ path, became, before, since, pullRequest, changes }: ChangedPage) => {
    const { number, url, isBot } = pullRequest;
    const link = `[&#35;${number}](<${encodeURI(url)}>)`;
    const notes = [link, isBot && 'bot', changes > 1 && `${changes} changes`, words[became][1]];
    return [
      `${pathHtml(path, docsUrl)}<br><sub>${joined(notes, ' · ')}</sub>`,
      became === 'new' ? dash : visits(before),
      visits(since, became === 'more' || became === 'fewer' ? became : undefined),
    ];
  };
  const not = (count: number, verb: 'is' | 'was', done: string) =>
    `${count === 1 ? verb : { is: 'are', was: 'were' }[verb]}n’t ${done}.`;
  const others = `${isLeast ? 'At least ' : ''}${counted(unread, 'other pull request')}`;
  const notes = [
    few > 0 && `${few} more had fewer than ${minForChange} visitors a week.`,
    shared > 0 && `${counted(shared, 'shared file')} ${not(shared, 'is', 'counted')}`,
    unvisited > 0 &&
      `${counted(unvisited, 'file')} of pages that no one visited ${not(unvisited, 'is', 'counted')}`,
    partly > 0 && `Of ${counted(partly, 'pull request')}, only the first 100 files were read.`,
    (unread > 0 || isLeast) &&
      `${unread > 0 ? others : 'Some other pull requests'} ${not(unread, 'was', 'read')}`,
    isTruncated &&
      'GitHub didn’t list all files, so the site is assumed to begin at the root of the repository.',
    hasSwings(site, rows) &&
      'In some of these weeks, the whole site had unusually many or few visitors; these numbers adjust for that.',
  ];
  const lead =
    rows.length > 0
      ? 'Average visitors a week before the week of the change and since (at most four weeks), adjusted to this week’s traffic. ▲ ▼ mark a clear difference; the change may not be the reason.'
      : `No page could be compared (${counted(read, 'pull request')} read). A comparison needs a change merged before this week, and ${minForChange} visitors a week.`;
  const list = listBlock(rows, most, { head: ['Page', 'Before', 'Since'], cells });
  const body = joined([lead, list, joined(notes)], '\n\n');
  return fold(`Pages that changed (${formatCount(rows.length)})`, body);
}

/** Whether the total was outside its usual range in a week since the first change. */
function hasSwings(
  { now, earlier, findings: { usual } }: JudgedSite,
  rows: readonly ChangedPage[],
): boolean {
  return [...earlier, now].some(({ window, totals: { total } }, week) => {
    const range = usual.total?.trend[week];
    const isSince = rows.some(({ pullRequest }) => window.end > pullRequest.date);
    return (
      isSince &&
      range !== undefined &&
      total !== undefined &&
      (total < range.low || total > range.high)
    );
  });
}
