import * as z from 'zod/mini';
import type { GapsList } from '../../service/gaps-schemas.ts';
import { counted, dash, formatCount } from '../../text/counts.ts';
import { cell, code } from '../../text/markdown.ts';
import { fewestNamed, type Gap, type Gaps, shownGaps } from '../judge/gaps.ts';
import type { GapsPart } from '../read/read-gaps.ts';
import type { Cut } from '../read/window-read.ts';
import type { Block } from './blocks.ts';
import { nameCell, pathCell, shownCode } from './shown.ts';

const and = new Intl.ListFormat('en');
const nouns: Readonly<Record<GapsList, string>> = {
  assistant: 'question',
  'feedback/by-page': 'rated page',
  searches: 'search term',
  feedback: 'pending feedback item',
};

const privateRepository = z.object({ repository: z.object({ private: z.literal(true) }) });

/** A warning about publishing people's own words, unless the repository is known to be private. */
export function publicWarning(payload: unknown): string | undefined {
  if (privateRepository.safeParse(payload).success) return undefined;
  return '`gaps: words` quotes what people asked, searched for, and wrote, and in a public repository, job summaries, comments, and artifacts are public. Use `gaps: counts`, or report from a private repository.';
}

/** Renders the gaps: a table, what was counted, what could not be read, and a command to paste. */
export function gapsBlocks(gaps: Gaps, most: number): Block[] {
  const lack = whatGapsLack(gaps);
  if (gaps.read.every(isUnread)) return [`This report doesn’t include what readers didn’t find. ${lack}`];
  const lead = '### What readers did not find';
  const outOf = gaps.groups.flat().length;
  const rows = shownGaps(gaps, most).map(cells);
  const none = `${lead}\n\nNo question, rating, search, or comment came up ${fewestNamed} times or more.`;
  return [
    outOf === 0 ? none : { lead, head: ['Where', 'What', 'How often'], numbersFrom: 2, rows, outOf },
    `${scopeOf(gaps)} ${lack}`.trim(),
    gaps.largest === undefined
      ? ''
      : `To have the agent work on it, paste this as a comment:\n\n${code(`/docs ${gaps.largest.said} ${gaps.largest.toDo}`)}`,
  ];
}

function cells({ what, page, category, words, missed, asked }: Gap): string[] {
  const about = category === undefined ? '' : ` about ${nameCell(category)}`;
  const quote = words === undefined ? '' : ` ${cell(shownCode(words))}`;
  const texts = {
    question: quote
      ? `the question${quote} without an answer`
      : `questions${about} that the assistant could not answer`,
    feedback: 'thumbs down',
    comment: quote ? `the comment${quote}` : 'comments that no one has handled yet',
    search: `searches${quote && ` for${quote}`} without a click`,
  };
  const isOutOf = what !== 'comment' && (missed !== asked || !quote);
  const often = isOutOf ? `${formatCount(missed)} of ${formatCount(asked)}` : formatCount(missed);
  return [page === undefined ? dash : pathCell(page), texts[what], often];
}

function isUnread({ rows, cut }: GapsPart): boolean {
  return rows.length === 0 && cut !== undefined;
}

function scopeOf({ read, groups }: Gaps): string {
  const lists = read
    .filter((part) => !isUnread(part))
    .map(({ list, rows, cut, hasMore }) => {
      const what = counted(rows.length, nouns[list]);
      if (cut === undefined && !hasMore) return what;
      return list === 'feedback/by-page' ? `the ${what} that can be read` : `the first ${what}`;
    });
  const isQuoted = groups.flat().some(({ what, words }) => what === 'comment' && words);
  const except = isQuoted ? `, except single comments on a page with ${fewestNamed} or more` : '';
  return `Counted: ${and.format(lists)}. Anything seen fewer than ${fewestNamed} times is not listed${except}.`;
}

/** What could not be read, and why; `''` if nothing. A list counts as complete even if it has more rows than we read. */
export function whatGapsLack({ read }: Gaps): string {
  const lacks = read.flatMap(({ list, rows, cut, odd }) => [
    ...(cut === undefined ? [] : [`${rows.length === 0 ? '' : 'more '}${nouns[list]}s (${whyNot(cut)})`]),
    ...(odd === 0 ? [] : [`${counted(odd, 'row')} of ${nouns[list]}s (\`invalid-response\`)`]),
  ]);
  return lacks.length === 0 ? '' : `Could not be read: ${and.format(lacks)}.`;
}

function whyNot(cut: Cut): string {
  if (cut.kind !== 'service') return 'raise `max-requests`';
  const isRefused = cut.reason === 'forbidden' || cut.reason === 'not-found';
  return `\`${cut.reason}\`${isRefused ? ': your key or plan may not include them' : ''}`;
}
