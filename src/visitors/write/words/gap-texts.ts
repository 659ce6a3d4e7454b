import type { GapsList } from '../../../service/gaps-schemas.ts';
import { counted, dash, firstFew, formatCount } from '../../../text/counts.ts';
import { fenced, joined } from '../../../text/markdown.ts';
import { type Gap, type Gaps, minNamed } from '../../judge/gaps.ts';
import type { GapsPart } from '../../read/read-gaps.ts';
import { type Cut, isLimit } from '../../read/window-read.ts';
import { fold, listBlock, nameHtml, pathHtml, shownCode } from './shown.ts';

const and = new Intl.ListFormat('en');

const nouns: Readonly<Record<GapsList, string>> = {
  assistant: 'question',
  'feedback/by-page': 'rated page',
  searches: 'search term',
  feedback: 'pending feedback item',
};

/** The maximum number of gaps of a kind to show. The report's files have all of them. */
const maxShown = 20;

/** Lines that fit on a phone. */
const phoneLines = /(.{1,32})(?: |$)/g;

/** Renders the gaps: a table of pages, lines for the rest, and a command to paste. */
export function gapsBlocks(gaps: Gaps | undefined, max: number, docsUrl?: string): string[] {
  if (gaps === undefined) return [];
  const title = '### What readers didn’t find';
  const lack = lackOfGaps(gaps.read);
  if (gaps.read.every(isUnread)) return [title, `This section is missing. ${lack}`];
  const shown = Math.min(max, maxShown);
  const kinds = Map.groupBy(gaps.list, kindOf);
  const line = (name: string, kind: Kind) => {
    const entries = kinds.get(kind)?.map(entryOf);
    return entries && `**${name}:** ${firstFew(entries, shown).join(', ')}`;
  };
  const lines = [
    line('Searches without a click', 'search'),
    line('Unanswered questions', 'question'),
    line('Thumbs down', 'feedback'),
    line('Written feedback that no one has handled', 'comment'),
    agentsLine(gaps),
    gaps.list.length === 0 && `Nothing came up ${minNamed} times or more.`,
    cutLine(gaps),
  ];
  const categories = line('Unanswered questions, by category', 'category');
  const categoriesCount = kinds.get('category')?.length;
  const foldTitle = categories ? `Categories (${categoriesCount})` : 'What couldn’t be read';
  const folded = joined([categories, lack], '\n\n');
  return [
    title,
    pagesTable(kinds.get('page') ?? [], shown, docsUrl),
    joined(lines, '<br>'),
    commandBlock(gaps),
    folded && fold(foldTitle, folded),
  ];
}

/** How a gap is shown: in the table of pages, among the categories, or in a line of its own kind. */
type Kind = Gap['what'] | 'page' | 'category';

function kindOf({ what, page, category }: Gap): Kind {
  if (category !== undefined) return 'category';
  if (page === undefined) return what;
  return what === 'question' || what === 'feedback' ? 'page' : what;
}

function pagesTable(gaps: readonly Gap[], max: number, docsUrl: string | undefined): string {
  const pages = Map.groupBy(gaps, ({ page = '' }) => page);
  return listBlock([...pages], max, {
    head: ['Page', 'Unanswered', 'Thumbs down'],
    cells: ([path, ofPage]) => [
      pathHtml(path, docsUrl),
      countOf('question', ofPage),
      countOf('feedback', ofPage),
    ],
  });
}

function countOf(what: Gap['what'], gaps: readonly Gap[]): string {
  const gap = gaps.find((gap) => gap.what === what);
  return gap === undefined ? dash : often(gap);
}

/** How often readers didn’t find something: `12 of 30`; `12` if they never did. */
function often({ missed, asked }: Gap): string {
  const count = formatCount(missed);
  return missed === asked ? count : `${count} of ${formatCount(asked)}`;
}

function entryOf(gap: Gap): string {
  const subject = subjectOf(gap);
  if (subject !== '') return `${subject} (${often(gap)})`;
  return gap.what === 'search' ? often(gap) : `elsewhere (${often(gap)})`;
}

function subjectOf({ page, category, words }: Gap): string {
  if (words) return shownCode(words);
  if (category) return nameHtml(category);
  return page === undefined ? '' : pathHtml(page);
}

function agentsLine({ agents }: Gaps): string {
  if (agents.notes === 0) return '';
  const pages = counted(agents.pages, 'page');
  return `**AI agents** left ${counted(agents.notes, 'note')} on ${pages}.`;
}

function cutLine({ read }: Gaps): string {
  const lists = read.filter(({ cut, hasMore }) => cut === undefined && hasMore);
  if (lists.length === 0) return '';
  return `There is more: only ${and.format(lists.map(scopeOf))} were counted.`;
}

/** A command for the page with the largest gap. A prompt may have several lines. */
function commandBlock({ largest }: Gaps): string {
  if (largest === undefined) return '';
  const command = `/docs ${largest.said} ${largest.toDo}`;
  const lines = command.replace(phoneLines, '$1\n').trimEnd();
  return `To have the agent fix a page, paste this into an issue:\n\n${fenced(lines)}`;
}

function isUnread({ rows, cut }: GapsPart): boolean {
  return rows.length === 0 && cut !== undefined;
}

/** What was counted, and what is listed; `''` if nothing could be read. */
export function scopeOfGaps(gaps: Gaps): string {
  const lists = gaps.read.filter((part) => !isUnread(part));
  if (lists.length === 0) return '';
  const unlisted = `Anything seen fewer than ${minNamed} times is not listed.`;
  return `Counted: ${and.format(lists.map(scopeOf))}. ${unlisted}`;
}

/** `12 questions`, `the first 750 questions`, or `the 100 rated pages that can be read`. */
function scopeOf({ list, rows, cut, hasMore }: GapsPart): string {
  const items = counted(rows.length, nouns[list]);
  if (cut === undefined && !hasMore) return items;
  return list === 'feedback/by-page' ? `the ${items} that can be read` : `the first ${items}`;
}

/** Whether every list was read to its end. */
export function areGapsWhole(gaps: Gaps): boolean {
  return gaps.read.every(({ cut, odd, hasMore }) => cut === undefined && odd === 0 && !hasMore);
}

/** What could not be read, and why; `''` if nothing. */
function lackOfGaps(parts: readonly GapsPart[]): string {
  const lacks: string[] = [];
  for (const { list, rows, cut, odd } of parts) {
    const more = rows.length === 0 ? '' : 'more ';
    if (cut !== undefined) lacks.push(`${more}${nouns[list]}s${whyNot(cut)}`);
    if (odd > 0) lacks.push(`${counted(odd, 'row')} of ${nouns[list]}s (\`invalid-response\`)`);
  }
  if (lacks.length === 0) return '';
  const lack = `Could not be read: ${and.format(lacks)}.`;
  const limit = parts.map(({ cut }) => cut).find(isLimit);
  if (limit?.kind !== 'service') return lack;
  return joined([lack, `${limit.what}.`, limit.hint]);
}

function whyNot(cut: Cut): string {
  if (cut.kind !== 'service') return ' (raise `max-requests`)';
  if (isLimit(cut)) return '';
  const isRefused = cut.reason === 'forbidden' || cut.reason === 'not-found';
  const plan = isRefused ? ': your key or plan may not include them' : '';
  return ` (\`${cut.reason}\`${plan})`;
}
