import type { GapsList } from '../../service/gaps-schemas.ts';
import { counted, dash, firstFew, formatCount } from '../../text/counts.ts';
import { fenced, joined } from '../../text/markdown.ts';
import { type Gap, type Gaps, minNamed } from '../judge/gaps.ts';
import type { GapsPart } from '../read/read-gaps.ts';
import { type Cut, isLimit } from '../read/window-read.ts';
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

/** Renders the gaps: a table of pages, lines for the rest, and a command to paste. */
export function gapsBlocks(gaps: Gaps | undefined, most: number, docsUrl?: string): string[] {
  if (gaps === undefined) return [];
  const { read, list, largest, agents } = gaps;
  const lack = whatGapsLack(read);
  const cutLists = read.filter(({ cut, hasMore }) => cut === undefined && hasMore).map(countedIn);
  const title = '### What readers didn’t find';
  if (read.every(isUnread)) return [title, `This section is missing. ${lack}`];
  const shown = Math.min(most, maxShown);
  const kinds = Map.groupBy(list, ({ what, page, category }) => {
    if (category !== undefined) return 'category';
    return page !== undefined && (what === 'question' || what === 'feedback') ? 'page' : what;
  });
  const pages = Map.groupBy(kinds.get('page') ?? [], ({ page = '' }) => page);
  const lineOf = (name: string, kind: Gap['what'] | 'category') => {
    const some = kinds.get(kind)?.map(entryOf);
    return some && `**${name}:** ${firstFew(some, shown).join(', ')}`;
  };
  const lines = [
    lineOf('Searches without a click', 'search'),
    lineOf('Unanswered questions', 'question'),
    lineOf('Thumbs down', 'feedback'),
    lineOf('Written feedback that no one has handled', 'comment'),
    agents.notes > 0 &&
      `**AI agents** left ${counted(agents.notes, 'note')} on ${counted(agents.pages, 'page')}.`,
    list.length === 0 && `Nothing came up ${minNamed} times or more.`,
    cutLists.length > 0 && `There is more: only ${and.format(cutLists)} were counted.`,
  ];
  const categories = lineOf('Unanswered questions, by category', 'category');
  const folded = joined([categories, lack], '\n\n');
  // Lines that fit on a phone. A prompt may have several.
  const command =
    largest &&
    `/docs ${largest.said} ${largest.toDo}`.replace(/(.{1,32})(?: |$)/g, '$1\n').trimEnd();
  const oftenOf = (kind: Gap['what'], some: readonly Gap[]) => {
    const gap = some.find(({ what }) => what === kind);
    return gap ? often(gap) : dash;
  };
  return [
    title,
    listBlock([...pages], shown, {
      head: ['Page', 'Unanswered', 'Thumbs down'],
      cells: ([path, some]) => [
        pathHtml(path, docsUrl),
        oftenOf('question', some),
        oftenOf('feedback', some),
      ],
    }),
    joined(lines, '<br>'),
    command ? `To have the agent fix a page, paste this into an issue:\n\n${fenced(command)}` : '',
    folded &&
      fold(
        categories ? `Categories (${kinds.get('category')?.length})` : 'What couldn’t be read',
        folded,
      ),
  ];
}

function often({ missed, asked }: Gap): string {
  return missed === asked ? formatCount(missed) : `${formatCount(missed)} of ${formatCount(asked)}`;
}

function entryOf(gap: Gap): string {
  const { what, page, category, words } = gap;
  const place = page === undefined ? '' : pathHtml(page);
  const subject = (words && shownCode(words)) || (category && nameHtml(category)) || place;
  return subject === '' && what === 'search'
    ? often(gap)
    : `${subject || 'elsewhere'} (${often(gap)})`;
}

const isUnread = ({ rows, cut }: GapsPart) => rows.length === 0 && cut !== undefined;

/** What was counted, and what is listed; `''` if nothing could be read. */
export function scopeOfGaps({ read }: Gaps): string {
  const lists = read.filter((part) => !isUnread(part)).map(countedIn);
  const scope = `Counted: ${and.format(lists)}. Anything seen fewer than ${minNamed} times is not listed.`;
  return lists.length === 0 ? '' : scope;
}

/** `12 questions`, `the first 750 questions`, or `the 100 rated pages that can be read`. */
function countedIn({ list, rows, cut, hasMore }: GapsPart): string {
  const what = counted(rows.length, nouns[list]);
  if (cut === undefined && !hasMore) return what;
  return list === 'feedback/by-page' ? `the ${what} that can be read` : `the first ${what}`;
}

/** Whether every list was read to its end. */
export function areGapsWhole({ read }: Gaps): boolean {
  return read.every(({ cut, odd, hasMore }) => cut === undefined && odd === 0 && !hasMore);
}

/** What could not be read, and why; `''` if nothing. */
function whatGapsLack(read: readonly GapsPart[]): string {
  const lacks = read.flatMap(({ list, rows, cut, odd }) => [
    ...(cut === undefined
      ? []
      : [`${rows.length === 0 ? '' : 'more '}${nouns[list]}s${whyNot(cut)}`]),
    ...(odd === 0 ? [] : [`${counted(odd, 'row')} of ${nouns[list]}s (\`invalid-response\`)`]),
  ]);
  const limit = read.find(({ cut }) => isLimit(cut))?.cut;
  const said = lacks.length > 0 && `Could not be read: ${and.format(lacks)}.`;
  return joined([said, ...(limit?.kind === 'service' ? [`${limit.what}.`, limit.hint] : [])]);
}

function whyNot(cut: Cut): string {
  if (cut.kind !== 'service') return ' (raise `max-requests`)';
  if (isLimit(cut)) return '';
  const isRefused = cut.reason === 'forbidden' || cut.reason === 'not-found';
  return ` (\`${cut.reason}\`${isRefused ? ': your key or plan may not include them' : ''})`;
}
