import { dash, firstFew, formatCount, joinWithAnd, pluralize } from '../../../text/counts.ts';
import { joinTexts, paragraphs } from '../../../text/markdown.ts';
import { type Changed, type ChangedPage, minForChange } from '../../judge/changes/changed-pages.ts';
import { isRead, type JudgedSite, type Site } from '../../judge/report.ts';
import { verbFor } from './figures.ts';
import { asHtml, fold, listBlock, namesOf, pathHtml } from './shown.ts';

/* What became of the pages that changed, in a sentence and in a table. */

const dates = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' });

type Compared = Exclude<Changed, { readonly problem: string }>;

const plurals = { has: 'have', is: 'are' };

/** What became of a page, in words: a verb, and the rest. */
type Fate = Readonly<{
  verb: keyof typeof plurals;
  words: string;
  /** What its number is compared with. Only the first part of a sentence says it. */
  basis?: string;
  /** Whether the sentence names the pages, or if there are several, the projects. */
  isNamed?: boolean;
  /** What stands beside the page in the table. */
  note?: string;
}>;

const basis = 'readers than before';

/** In the order of the sentence. */
const fates: Readonly<Record<ChangedPage['became'], Fate>> = {
  more: { verb: 'has', words: 'more', basis, isNamed: true, note: 'more readers' },
  fewer: { verb: 'has', words: 'fewer', basis, isNamed: true, note: 'fewer readers' },
  new: { verb: 'is', words: 'new', note: 'new' },
  gone: { verb: 'is', words: 'no longer visited', isNamed: true },
  same: { verb: 'is', words: 'as before' },
  early: { verb: 'has', words: 'too few weeks to compare', note: 'too few weeks' },
};

/** How many pages the sentence names. */
const maxNamed = 2;

/**
 * `Of 9 pages edited since Oct 5, 2 have more readers than before (`/a`, `/b`), 1 has fewer (`/c`),
 * …`; `''` if none can be judged.
 */
export function changedSentence(sites: readonly Site[], shown = asHtml): string {
  const judged = sites.filter(isRead);
  const problem = sites.length === 1 && judged[0]?.changed?.problem;
  if (problem) return `**The pages that changed are missing.** ${problem}`;
  const pages = judged.flatMap(({ project, changed }) => {
    return (changed?.rows ?? []).map((row) => ({ ...row, project }));
  });
  if (pages.every(({ became }) => became === 'early')) return '';
  const days = pages.map(({ pullRequest }) => Date.parse(pullRequest.date));
  const since = `edited since ${dates.format(Math.min(...days))}`;
  const parts = [];
  for (const [became, fate] of Object.entries(fates)) {
    const group = pages.filter((page) => page.became === became);
    if (group.length === 0) continue;
    const words = joinTexts([
      verbFor(group.length, fate.verb, plurals[fate.verb]),
      fate.words,
      parts.length === 0 && fate.basis,
      fate.isNamed && `(${nameGroup(group, sites.length, shown)})`,
    ]);
    parts.push({ count: formatCount(group.length), words });
  }
  const first = parts[0]?.words;
  if (pages.length === 1) return `The page ${since} ${first}.`;
  const all = `${formatCount(pages.length)} pages ${since}`;
  if (parts.length === 1) return `All ${all} ${first}.`;
  return `Of ${all}, ${joinWithAnd(parts.map(({ count, words }) => `${count} ${words}`))}.`;
}

function nameGroup(
  pages: readonly (ChangedPage & Pick<Site, 'project'>)[],
  siteCount: number,
  shown: typeof asHtml,
) {
  if (siteCount === 1)
    return firstFew(
      pages.map(({ path }) => shown.path(path)),
      maxNamed,
    ).join(', ');
  const projects = new Map(pages.map((page) => [page.project.id, page])).values();
  return namesOf([...projects], shown);
}

/**
 * The pages that changed, their readers before and since, and what isn’t in the table, collapsed.
 */
export function changedFold(site: JudgedSite, max: number): string {
  const { changed, docsUrl } = site;
  if (!changed?.rows) return '';
  const { rows } = changed;
  const list = listBlock(rows, max, {
    head: ['Page', 'Before', 'Since'],
    cells: (page) => cellsOf(page, docsUrl),
  });
  const body = paragraphs([introductionTo(changed), list, notesOn(changed)]);
  return fold(`Pages that changed (${formatCount(rows.length)})`, body);
}

function introductionTo({ rows, touched, pullRequests }: Compared) {
  if (rows.length === 0) {
    const read = `${pluralize(pullRequests.read, 'pull request')} read`;
    if (pullRequests.read > 0 && touched === 0)
      return `No page could be compared (${read}): no changed file is of a page in this report.`;
    return joinTexts([
      `No page could be compared (${read}).`,
      `A comparison needs a change merged before this week, and ${minForChange} people a week.`,
    ]);
  }
  return joinTexts([
    'People in an average week before the change, and since (up to four weeks). The week of the',
    'change counts for neither. People are scaled to this week’s traffic; AI isn’t. The change may',
    'not be the reason.',
  ]);
}

function cellsOf(page: ChangedPage, docsUrl: string | undefined) {
  const { became, pullRequest } = page;
  const beside = [
    `[&#35;${pullRequest.number}](<${encodeURI(pullRequest.url)}>)`,
    pullRequest.isBot && 'bot',
    page.changes > 1 && `${page.changes} changes`,
    fates[became].note,
  ];
  return [
    `${pathHtml(page.path, docsUrl)}<br><sub>${joinTexts(beside, ' · ')}</sub>`,
    became === 'new' ? dash : readersCell(page.before),
    readersCell(page.since),
  ];
}

function readersCell({ human, ai }: ChangedPage['since']) {
  return `${roundCount(human)}<br><sub>${roundCount(ai)} AI</sub>`;
}

function roundCount(count: number | null) {
  if (count === null) return dash;
  return formatCount(Math.round(count));
}

/** What isn’t in the table, and why its numbers may be off. */
function notesOn(changed: Compared) {
  const { few, pullRequests } = changed;
  const { partly, unread } = pullRequests;
  const shared = pluralize(changed.shared, 'shared file');
  const unvisited = pluralize(changed.unvisited, 'file');
  const atLeast = pullRequests.isLeast ? 'At least ' : '';
  const others = `${atLeast}${pluralize(unread, 'other pull request')}`;
  return joinTexts([
    few > 0 && `${few} more had fewer than ${minForChange} people a week.`,
    changed.shared > 0 && `${shared} ${isnt(changed.shared)} counted.`,
    changed.unvisited > 0 &&
      `${unvisited} of pages that no one visited ${isnt(changed.unvisited)} counted.`,
    partly > 0 && `Of ${pluralize(partly, 'pull request')}, only the first 100 files were read.`,
    unread > 0 && `${others} ${verbFor(unread, 'wasn’t', 'weren’t')} read.`,
    unread === 0 && atLeast && 'Some other pull requests weren’t read.',
    changed.isTruncated &&
      'GitHub didn’t list all files, so the site is assumed to begin' +
        ' at the root of the repository.',
    changed.hasSwings &&
      'In some of these weeks, the whole site had more or fewer people than usual. Scaling' +
        ' takes that out.',
  ]);
}

const isnt = (count: number) => verbFor(count, 'isn’t', 'aren’t');
