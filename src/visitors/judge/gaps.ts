import type { PathFilter } from '../../core/globs.ts';
import type { Asked } from '../../service/gaps-schemas.ts';
import type { GapsPart } from '../read/read-gaps.ts';

/** Gaps that came up less often are never listed, because they may be about one person. */
export const fewestNamed = 5;

/** The subject of a gap. At most one of page, category, and words is set, except that a comment's words have its page. */
interface Subject {
  readonly what: 'question' | 'feedback' | 'comment' | 'search';
  readonly page?: string | undefined;
  readonly category?: string;
  readonly words?: string;
}

/** Something that readers didn't find, how often they didn't find it, and how often they asked. */
export type Gap = Subject & Pick<Asked, 'missed' | 'asked'>;

/** What a site's readers didn't find. */
export type Gaps = Readonly<ReturnType<typeof gapsOf>>;

/**
 * @param takesPage which pages may be named.
 * @param visited the pages that had visitors, by path.
 */
export function gapsOf(
  read: readonly GapsPart[],
  withWords: boolean,
  takesPage: PathFilter,
  visited: ReadonlyMap<string, unknown>,
) {
  const [asked = [], voted = [], searched = [], written = []] = read.map(({ rows }) => rows);
  const site = usualHost(asked.filter(({ page }) => page && visited.has(page.path))) ?? usualHost(asked);
  const isNamed = ({ page, missed }: Gap) => missed >= fewestNamed && (page === undefined || takesPage(page));
  /** Grouped by subject, largest first in each group. */
  const groups = [
    groupBy(asked, ({ page }) => ({ what: 'question', page: page?.host === site ? page?.path : undefined })),
    groupBy(asked, ({ category }) => category && { what: 'question', category }),
    groupBy(withWords ? asked : [], ({ words }) => words && { what: 'question', words }),
    groupBy(voted, ({ page }) => ({ what: 'feedback', page: page?.path })),
    groupBy(searched, ({ words }) => (withWords ? words && { what: 'search', words } : { what: 'search' })),
  ].map((gaps) => gaps.filter(isNamed));
  const comments = groupBy(written, ({ page }) => page && { what: 'comment', page: page.path }).filter(
    isNamed,
  );
  // Hardly two comments are the same, so the texts are quoted if their page has enough of them.
  const pages = new Set(comments.map(({ page }) => page));
  const quoted = groupBy(withWords ? written : [], ({ page, words }) => {
    return words && page && pages.has(page.path) ? { what: 'comment', page: page.path, words } : undefined;
  });
  return { read, groups: [...groups, comments, quoted], largest: largestOf(groups.flat(), visited) };
}

/** Adds up the rows by subject. The largest sum comes first; ties are sorted by subject. */
function groupBy(rows: readonly Asked[], subjectOf: (row: Asked) => Subject | '' | undefined): Gap[] {
  const gaps = new Map<string, Gap>();
  for (const row of rows) {
    const subject = subjectOf(row);
    if (!subject) continue;
    const key = JSON.stringify(subject);
    const { missed, asked } = gaps.get(key) ?? { missed: 0, asked: 0 };
    gaps.set(key, { ...subject, missed: missed + row.missed, asked: asked + row.asked });
  }
  const sorted = [...gaps].toSorted(([keyA, a], [keyB, b]) => b.missed - a.missed || (keyA < keyB ? -1 : 1));
  return sorted.map(([, gap]) => gap);
}

/** The host where most questions were asked. Others, such as apps and previews, may have other pages at the same paths. */
function usualHost(rows: readonly Asked[]): string | undefined {
  const pages = groupBy(rows, ({ page }) => page && { what: 'question', page: page.host });
  return pages.toSorted((a, b) => b.asked - a.asked)[0]?.page;
}

/** The gaps that fit into `most` rows. Every group shows its first gap before any group shows its second. */
export function shownGaps({ groups }: Gaps, most: number): Gap[] {
  const ranked = groups.flatMap((group) => group.map((gap, rank) => ({ gap, rank })));
  const inTurn = ranked.toSorted((a, b) => a.rank - b.rank).slice(0, most);
  const shown = new Set(inTurn.map(({ gap }) => gap));
  return groups.flat().filter((gap) => shown.has(gap));
}

/** A path that is safe in a prompt and in a chat message. */
const plain = /^(?:\/[\w-]*){1,8}$/;
const longestPlain = 80;

/**
 * The largest gap on a single page, and what to do about it, in fixed words. Anyone can send a question from a made-up URL, so
 * the page must have had visitors, and its path must be plain.
 */
function largestOf(gaps: readonly Gap[], visited: ReadonlyMap<string, unknown>) {
  const gap = gaps.find(
    ({ page = '' }) => page.length <= longestPlain && plain.test(page) && visited.has(page),
  );
  if (gap === undefined) return undefined;
  const { what, page, missed } = gap;
  return what === 'question'
    ? {
        said: `The assistant could not answer ${missed} questions asked on ${page}.`,
        toDo: 'Find out what is missing there and add it.',
      }
    : {
        said: `Readers gave ${page} a thumbs-down ${missed} times.`,
        toDo: 'Find out what is wrong there and fix it.',
      };
}
