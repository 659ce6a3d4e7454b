import type { PathFilter } from '../../core/globs.ts';
import { canonicalPath } from '../../core/page-path.ts';
import type { Asked, GapsList } from '../../service/gaps-schemas.ts';
import type { VisitorsRow } from '../../service/schemas.ts';
import type { Scrubbed } from '../../text/scrub.ts';
import type { GapsPart } from '../read/read-gaps.ts';

/** Gaps that came up less often are never listed, because they may be about one person. */
export const minNamed = 5;

/** What a gap is about. At most one of page, category, and words is set. */
type Subject = Readonly<{
  what: 'question' | 'feedback' | 'comment' | 'search';
  page?: Scrubbed | undefined;
  category?: Scrubbed | undefined;
  words?: Scrubbed | undefined;
}>;

/**
 * Something that readers didn't find, how often they didn't find it, and how often they asked.
 * `human`: the people who read its page, if it has one and they are known.
 */
export type Gap = Subject & Pick<Asked, 'missed' | 'asked'> & Readonly<{ human?: number }>;

/** Pages with visitors. */
type Visited = ReadonlyMap<string, Pick<VisitorsRow, 'path' | 'human'>>;

/** What a site's readers didn't find. */
export type Gaps = Readonly<ReturnType<typeof listGaps>>;

/**
 * Lists the gaps by kind. Those of the most read pages come first, and then the most frequent. Only
 * chosen pages may be named.
 */
export function listGaps(
  parts: readonly GapsPart[],
  options: { withWords: boolean; isChosen: PathFilter; visited: Visited },
) {
  const { withWords } = options;
  const spellings = joinSpellings(options.visited);
  const visited: Visited = new Map(spellings.values().map((row) => [row.path, row]));
  const rowsOf = (list: GapsList) => {
    const rows = parts.find((part) => part.list === list)?.rows ?? [];
    return rows.map((row) => spellAsVisited(row, spellings));
  };
  const comments = rowsOf('feedback');
  const pageOf = createPageOf(comments, visited);
  const ofReaders = comments.filter(({ isOfAgent }) => !isOfAgent);
  const gaps: Gap[] = [
    ...listQuestions(rowsOf('assistant'), withWords, visited),
    ...groupBy(rowsOf('feedback/by-page'), ({ page }) => ({ what: 'feedback', page: page?.path })),
    ...listSearches(rowsOf('searches'), withWords),
    ...groupBy(ofReaders, (row) => ({ what: 'comment', page: pageOf(row) })),
  ];
  const mayBeNamed = ({ page }: Gap) => page === undefined || options.isChosen(page);
  const named = gaps.filter((gap) => gap.missed >= minNamed && mayBeNamed(gap));
  const list = sortByReaders(named.map((gap) => addReaders(gap, visited)));
  const notes = comments.filter(({ isOfAgent, missed }) => isOfAgent && missed > 0);
  const pages = new Set(notes.map(pageOf));
  return {
    read: parts,
    list,
    largest: list.find((gap) => isSafe(gap, visited)),
    /** What AI agents wrote, and on how many pages. */
    agents: { notes: notes.length, pages: pages.size },
  };
}

/**
 * Joins the rows of pages that the service lists in several spellings, such as `/a` and `/a/`. The
 * keys are canonical paths.
 */
function joinSpellings(visited: Visited): Visited {
  const joined = new Map<string, Pick<VisitorsRow, 'path' | 'human'>>();
  for (const row of visited.values()) {
    const canonical = canonicalPath(row.path);
    const known = joined.get(canonical);
    // Of several spellings of a page, the most visited one is the first.
    const both = known && { path: known.path, human: (known.human ?? 0) + (row.human ?? 0) };
    joined.set(canonical, both ?? row);
  }
  return joined;
}

/** A row with its page spelled as in the list of visitors. */
function spellAsVisited(row: Asked, spellings: Visited): Asked {
  const path = row.page && spellings.get(row.page.path)?.path;
  if (row.page === undefined || path === undefined) return row;
  return { ...row, page: { ...row.page, path } };
}

function addReaders(gap: Gap, visited: Visited): Gap {
  const human = gap.page === undefined ? undefined : visited.get(gap.page)?.human;
  return human === undefined ? gap : { ...gap, human };
}

/** Sorts the gaps of each kind. */
function sortByReaders(gaps: readonly Gap[]): Gap[] {
  const kinds = Map.groupBy(gaps, ({ what }) => what).values();
  return [...kinds].flatMap((ofKind) => {
    return ofKind.toSorted((a, b) => (b.human ?? 0) - (a.human ?? 0));
  });
}

/** Unanswered questions by page, by category, and by their words. */
function listQuestions(questions: readonly Asked[], withWords: boolean, visited: Visited): Gap[] {
  const pageOf = createPageOf(questions, visited);
  const gaps: Gap[] = groupBy(questions, (row) => ({ what: 'question', page: pageOf(row) }));
  const labeled = questions.filter(({ category }) => category);
  gaps.push(...groupBy(labeled, ({ category }) => ({ what: 'question', category })));
  if (withWords) gaps.push(...groupByWords(questions, 'question'));
  return gaps.toSorted((a, b) => b.missed - a.missed);
}

function listSearches(searches: readonly Asked[], withWords: boolean): Gap[] {
  if (withWords) return groupByWords(searches, 'search');
  return groupBy(searches, () => ({ what: 'search' }));
}

function groupByWords(rows: readonly Asked[], what: Gap['what']): Gap[] {
  const quotable = rows.filter(({ words }) => words);
  return groupBy(quotable, ({ words }) => ({ what, words }));
}

/** Adds up the rows by subject. The largest sum comes first; ties are sorted by subject. */
function groupBy<Of extends Subject | { readonly host: string | undefined }>(
  rows: readonly Asked[],
  subjectOf: (row: Asked) => Of,
) {
  const sums = new Map<string, Of & Pick<Asked, 'missed' | 'asked'>>();
  for (const row of rows) {
    const subject = subjectOf(row);
    const key = JSON.stringify(subject);
    const { missed, asked } = sums.get(key) ?? { missed: 0, asked: 0 };
    sums.set(key, { ...subject, missed: missed + row.missed, asked: asked + row.asked });
  }
  const sorted = [...sums].toSorted(([keyA, a], [keyB, b]) => {
    if (a.missed !== b.missed) return b.missed - a.missed;
    return keyA < keyB ? -1 : 1;
  });
  return sorted.map(([, sum]) => sum);
}

/**
 * Creates the function that names the page of a row. Other hosts than the main one, such as apps and
 * previews, may have other pages at the same paths.
 */
function createPageOf(rows: readonly Asked[], visited: Visited) {
  const onVisited = rows.filter(({ page }) => page && visited.has(page.path));
  const host = findMainHost(onVisited) ?? findMainHost(rows);
  return ({ page }: Asked) => {
    const isOfSite = page?.host === '' || page?.host === host;
    return isOfSite ? page?.path : undefined;
  };
}

/** The host where most rows are from. */
function findMainHost(rows: readonly Asked[]): string | undefined {
  const onPages = rows.filter(({ page }) => page?.host);
  const hosts = groupBy(onPages, ({ page }) => ({ host: page?.host }));
  return hosts.toSorted((a, b) => b.asked - a.asked)[0]?.host;
}

/** A path that is safe in a prompt and in a chat message: only letters, digits, `-`, and `_`. */
const plain =
  /^(?=.{1,80}$)(?!.*\p{Default_Ignorable_Code_Point})(?:\/[\p{L}\p{M}\p{N}_-]*){1,8}$/u;

/**
 * Whether a gap's page may be in a prompt. Anyone can send a made-up URL, so it must have had
 * visitors.
 */
function isSafe({ what, page }: Gap, visited: Visited): boolean {
  return what !== 'comment' && page !== undefined && plain.test(page) && visited.has(page);
}
