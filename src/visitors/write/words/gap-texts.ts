import type { GapsList } from '../../../service/gaps-schemas.ts';
import { dash, firstFew, formatCount, joinWithAnd, pluralize } from '../../../text/counts.ts';
import { codeBlock, joinTexts, paragraphs } from '../../../text/markdown.ts';
import { ownWords, type Scrubbed } from '../../../text/scrub.ts';
import { type Gap, type Gaps, minNamed } from '../../judge/gaps.ts';
import type { JudgedSite, ReportSettings } from '../../judge/report.ts';
import type { GapsPart } from '../../read/read-gaps.ts';
import { type Cut, isLimit } from '../../read/window-read.ts';
import { countPeople } from './figures.ts';
import { fold, listBlock, nameHtml, pathHtml, shownCode } from './shown.ts';
import { remedyFor } from './warnings.ts';

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

/** The kinds of gaps with a column in the table of pages. */
const pageColumns = [
  { kind: 'question', title: 'Unanswered' },
  { kind: 'feedback', title: 'Thumbs down' },
] as const;

/** Where a gap is shown: in the table of pages, among the categories, or in its kind’s line. */
type Kind = Gap['what'] | 'page' | 'category';

/** Renders the gaps: a table of pages, lines for the rest, and a command to paste. */
export function gapsBlock({ gaps, docsUrl }: JudgedSite, settings: ReportSettings): string {
  if (!gaps) return '';
  const { list, read, agents } = gaps;
  const title = '### What readers didn’t find';
  const lack = lackIn(read, settings);
  if (read.every(isUnread)) return `${title}\n\nThis section is missing. ${lack}`;
  const shown = Math.min(settings.top, maxShown);
  const kinds = Map.groupBy(list, kindOf);
  const line = (name: string, kind: Kind) => {
    // “elsewhere” among other subjects would read like one of them.
    const { named = [], others = [] } = Object.groupBy(kinds.get(kind) ?? [], (gap) => {
      return subjectOf(gap) ? 'named' : 'others';
    });
    const entries = [...named, ...others].map(entryOf);
    return entries.length > 0 && `**${name}:** ${firstFew(entries, shown).join(', ')}`;
  };
  const cut = read.filter((part) => !part.cut && part.hasMore).map(scopeOf);
  const notes = pluralize(agents.notes, 'note');
  const lines = [
    line('Searches without a click', 'search'),
    line('Unanswered questions', 'question'),
    line('Thumbs down', 'feedback'),
    line('Written feedback that no one has handled', 'comment'),
    agents.notes > 0 && `**AI agents** left ${notes} on ${pluralize(agents.pages, 'page')}.`,
    list.length === 0 && `Nothing came up ${minNamed} times or more.`,
    cut.length > 0 && `There is more: only ${joinWithAnd(cut)} were counted.`,
  ];
  const categories = kinds.get('category');
  const foldTitle = categories ? `Categories (${categories.length})` : 'What couldn’t be read';
  const folded = paragraphs([line('Unanswered questions, by category', 'category'), lack]);
  return paragraphs([
    title,
    pagesTable(kinds.get('page') ?? [], shown, docsUrl),
    joinTexts(lines, '<br>'),
    commandBlock(gaps),
    folded && fold(foldTitle, folded),
  ]);
}

function kindOf({ what, page, category }: Gap): Kind {
  if (category !== undefined) return 'category';
  const hasColumn = pageColumns.some(({ kind }) => kind === what);
  if (hasColumn && page !== undefined) return 'page';
  return what;
}

/**
 * The pages with gaps, the most read first. Only kinds of gaps that came up get a column. One more
 * wouldn’t fit on a phone.
 */
function pagesTable(gaps: readonly Gap[], max: number, docsUrl: string | undefined) {
  const pages = [...Map.groupBy(gaps, ({ page = ownWords('') }) => page)];
  pages.sort(([, [a]], [, [b]]) => (b?.human ?? 0) - (a?.human ?? 0));
  const columns = pageColumns.filter(({ kind }) => gaps.some(({ what }) => what === kind));
  return listBlock(pages, max, {
    head: ['Page', ...columns.map(({ title }) => title)],
    cells: ([path, ofPage]) => [
      nameWithReaders(path, ofPage[0]?.human, docsUrl),
      ...columns.map(({ kind }) => {
        const gap = ofPage.find(({ what }) => what === kind);
        return gap ? formatMissed(gap) : dash;
      }),
    ],
  });
}

function nameWithReaders(path: Scrubbed, readers: number | undefined, docsUrl: string | undefined) {
  const name = pathHtml(path, docsUrl);
  return readers === undefined ? name : `${name}<br><sub>${countPeople(readers)}</sub>`;
}

function formatMissed({ missed, asked }: Gap) {
  if (missed === asked) return formatCount(missed);
  return `${formatCount(missed)} of ${formatCount(asked)}`;
}

function entryOf(gap: Gap) {
  const count = formatMissed(gap);
  const subject = subjectOf(gap);
  if (subject) return `${subject} (${count})`;
  if (gap.what === 'search') return count;
  return `elsewhere (${count})`;
}

function subjectOf({ page, category, words }: Gap) {
  if (words) return shownCode(words);
  if (category) return nameHtml(category);
  return page !== undefined && pathHtml(page);
}

/** A command for the page with the largest gap. A prompt may have several lines. */
function commandBlock({ largest }: Gaps) {
  if (!largest) return '';
  const { said, toDo } = wordsForGap(largest);
  const command = `/docs ${said} ${toDo}`.replace(phoneLines, '$1\n').trimEnd();
  return `To have the agent fix a page, paste this into an issue:\n\n${codeBlock(command)}`;
}

/** A gap on a page, and what to do about it, in fixed words. */
export function wordsForGap({ what, page, missed }: Gap) {
  if (what === 'question') {
    const said = `The assistant could not answer ${missed} questions asked on ${page}.`;
    return { said, toDo: 'Find out what is missing there and add it.' };
  }
  const said = `Readers gave ${page} a thumbs-down ${missed} times.`;
  return { said, toDo: 'Find out what is wrong there and fix it.' };
}

const isUnread = ({ rows, cut }: GapsPart) => rows.length === 0 && cut !== undefined;

/** What was counted, and what is listed; `''` if nothing could be read. */
export function scopeOfGaps(gaps: Gaps): string {
  const lists = gaps.read.filter((part) => !isUnread(part));
  if (lists.length === 0) return '';
  const unlisted = `Anything seen fewer than ${minNamed} times is not listed.`;
  return `Counted: ${joinWithAnd(lists.map(scopeOf))}. ${unlisted}`;
}

/** `12 questions`, `the first 750 questions`, or `the 100 rated pages that can be read`. */
function scopeOf(part: GapsPart) {
  const items = pluralize(part.rows.length, nouns[part.list]);
  if (!part.cut && !part.hasMore) return items;
  if (part.list === 'feedback/by-page') return `the ${items} that can be read`;
  return `the first ${items}`;
}

/** What could not be read, and why; `''` if nothing. */
function lackIn(parts: readonly GapsPart[], settings: ReportSettings) {
  const lacks: string[] = [];
  for (const { list, rows, cut, odd } of parts) {
    const items = `${nouns[list]}s`;
    const unreadItems = rows.length > 0 ? `more ${items}` : items;
    if (cut) lacks.push(`${unreadItems}${whyNot(cut)}`);
    if (odd > 0) lacks.push(`${pluralize(odd, 'row')} of ${items} (\`invalid-response\`)`);
  }
  if (lacks.length === 0) return '';
  const lack = `Could not be read: ${joinWithAnd(lacks)}.`;
  const cuts = parts.map(({ cut }) => cut);
  const shared = cuts.find(isLimit) ?? cuts.find((cut) => cut?.kind === 'budget');
  return joinTexts([lack, shared && remedyFor(shared, settings)]);
}

function whyNot(cut: Cut) {
  // What all lists have in common is said once.
  if (cut.kind !== 'service' || isLimit(cut)) return '';
  const isRefused = cut.reason === 'forbidden' || cut.reason === 'not-found';
  if (isRefused) return ` (\`${cut.reason}\`: your key or plan may not include them)`;
  return ` (\`${cut.reason}\`)`;
}
