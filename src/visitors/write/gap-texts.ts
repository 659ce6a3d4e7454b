import * as z from 'zod/mini';
import type { GapsList } from '../../service/gaps-schemas.ts';
import { counted, firstFew, formatCount } from '../../text/counts.ts';
import { fenced, joined } from '../../text/markdown.ts';
import { type Gap, type Gaps, minNamed } from '../judge/gaps.ts';
import type { GapsPart } from '../read/read-gaps.ts';
import type { Cut } from '../read/window-read.ts';
import { nameCode, pathCode, shownCode } from './shown.ts';

const and = new Intl.ListFormat('en');
const nouns: Readonly<Record<GapsList, string>> = {
  assistant: 'question',
  'feedback/by-page': 'rated page',
  searches: 'search term',
  feedback: 'pending feedback item',
};

const kinds: Readonly<Record<Gap['what'], string>> = {
  question: 'Questions that weren’t answered',
  feedback: 'Thumbs down',
  search: 'Searches without a click',
  comment: 'Written feedback that no one has handled',
};

/** The maximum number of gaps of a kind to show. The report's files have all of them. */
const maxShown = 20;

const privateRepository = z.object({ repository: z.object({ private: z.literal(true) }) });

/** A warning about publishing people's own words, unless the repository is known to be private. */
export function publicWarning(payload: unknown): string | undefined {
  if (privateRepository.safeParse(payload).success) return undefined;
  return '`gaps: words` quotes what people asked and searched for, and in a public repository, job summaries, comments, and artifacts are public. Use `gaps: counts`, or report from a private repository.';
}

/** Renders the gaps: a short list of each kind, what could not be read, and a command to paste. */
export function gapsBlocks(gaps: Gaps, most: number): string[] {
  const lack = whatGapsLack(gaps);
  if (gaps.read.every(isUnread)) return [`The section on what readers didn’t find is missing. ${lack}`];
  const lines = Array.from(
    Map.groupBy(gaps.list, ({ what }) => what),
    ([what, some]) => {
      return `- **${kinds[what]}:** ${firstFew(some.map(entryOf), Math.min(most, maxShown)).join(', ')}`;
    },
  );
  const { notes, pages } = gaps.agents;
  const ofAgents = `- **AI agents** left ${counted(notes, 'note')} on ${counted(pages, 'page')}.`;
  if (notes > 0) lines.push(ofAgents);
  const none = `No question, rating, search, or written feedback came up ${minNamed} times or more.`;
  const command = gaps.largest && fenced(`/docs ${gaps.largest.said} ${gaps.largest.toDo}`);
  return [
    '### What readers did not find',
    lines.join('\n') || none,
    lack,
    command ? `To have the agent work on it, paste this as a comment:\n\n${command}` : '',
  ];
}

/** `on `/a` (14 of 40)`, `about `API keys` (12)`, ``sso` (54)`, or `66 of 186`. */
function entryOf({ what, page, category, words, missed, asked }: Gap): string {
  const often = missed === asked ? formatCount(missed) : `${formatCount(missed)} of ${formatCount(asked)}`;
  const subject = joined([
    words && shownCode(words),
    category && `about ${nameCode(category)}`,
    page !== undefined && `on ${pathCode(page)}`,
  ]);
  if (subject === '' && what === 'search') return often;
  return `${subject || 'elsewhere'} (${often})`;
}

function isUnread({ rows, cut }: GapsPart): boolean {
  return rows.length === 0 && cut !== undefined;
}

/** What was counted, and what is listed; `''` if nothing could be read. */
export function scopeOfGaps({ read }: Gaps): string {
  if (read.every(isUnread)) return '';
  const lists = read
    .filter((part) => !isUnread(part))
    .map(({ list, rows, cut, hasMore }) => {
      const what = counted(rows.length, nouns[list]);
      if (cut === undefined && !hasMore) return what;
      return list === 'feedback/by-page' ? `the ${what} that can be read` : `the first ${what}`;
    });
  return `Counted: ${and.format(lists)}. Anything seen fewer than ${minNamed} times is not listed.`;
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
