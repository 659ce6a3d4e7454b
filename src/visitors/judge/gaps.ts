import type { PathFilter } from '../../core/globs.ts';
import type { Asked } from '../../service/gaps-schemas.ts';
import type { GapsPart } from '../read/read-gaps.ts';

/** Gaps that came up less often are never listed, because they may be about one person. */
export const minNamed = 5;

/** What a gap is about. At most one of page, category, and words is set. */
type Subject = Readonly<{
  what: 'question' | 'feedback' | 'comment' | 'search';
  page?: string | undefined;
  category?: string;
  words?: string;
}>;

/** Something that readers didn't find, how often they didn't find it, and how often they asked. */
export type Gap = Subject & Pick<Asked, 'missed' | 'asked'>;

type Visited = ReadonlyMap<string, unknown>;

/** What a site's readers didn't find. */
export type Gaps = Readonly<ReturnType<typeof gapsOf>>;

/** Lists the gaps by kind, the most frequent first. `isChosen`: which pages may be named. `visited`: pages with visitors. */
export function gapsOf(
  read: readonly GapsPart[],
  withWords: boolean,
  isChosen: PathFilter,
  visited: Visited,
) {
  const [asked = [], voted = [], searched = [], written = []] = read.map(({ rows }) => rows);
  const site =
    mainHost(asked.filter(({ page }) => page && visited.has(page.path))) ?? mainHost(asked);
  const pageOf = ({ page }: Asked) => (page?.host === site ? page?.path : undefined);
  const questions = [
    ...groupBy(asked, (row) => ({ what: 'question', page: pageOf(row) })),
    ...groupBy(asked, ({ category }) => category && { what: 'question', category }),
    ...groupBy(withWords ? asked : [], ({ words }) => words && { what: 'question', words }),
  ];
  const list = [
    ...questions.toSorted((a, b) => b.missed - a.missed),
    ...groupBy(voted, ({ page }) => ({ what: 'feedback', page: page?.path })),
    ...groupBy(searched, ({ words }) =>
      withWords ? words && { what: 'search', words } : { what: 'search' },
    ),
    ...groupBy(
      written,
      ({ page, isOfAgent }) => !isOfAgent && { what: 'comment', page: page?.path },
    ),
  ].filter(({ page, missed }) => missed >= minNamed && (page === undefined || isChosen(page)));
  const byAgents = written.filter(({ isOfAgent, missed }) => isOfAgent && missed > 0);
  const pages = new Set(byAgents.map(({ page }) => page?.path)).size;
  return {
    read,
    list,
    largest: largestOf(list, visited),
    agents: { notes: byAgents.length, pages },
  };
}

/** Adds up the rows by subject. The largest sum comes first; ties are sorted by subject. */
function groupBy(
  rows: readonly Asked[],
  subjectOf: (row: Asked) => Subject | '' | false | undefined,
): Gap[] {
  const gaps = new Map<string, Gap>();
  for (const row of rows) {
    const subject = subjectOf(row);
    const key = JSON.stringify(subject);
    const { missed, asked } = gaps.get(key) ?? { missed: 0, asked: 0 };
    if (subject)
      gaps.set(key, { ...subject, missed: missed + row.missed, asked: asked + row.asked });
  }
  const sorted = [...gaps].toSorted(
    ([keyA, a], [keyB, b]) => b.missed - a.missed || (keyA < keyB ? -1 : 1),
  );
  return sorted.map(([, gap]) => gap);
}

/** The host where most questions were asked. Others, such as apps and previews, may have other pages at the same paths. */
function mainHost(rows: readonly Asked[]): string | undefined {
  const pages = groupBy(rows, ({ page }) => page && { what: 'question', page: page.host });
  return pages.toSorted((a, b) => b.asked - a.asked)[0]?.page;
}

/** A path that is safe in a prompt and in a chat message. */
const plain = /^(?=.{1,80}$)(?:\/[\w-]*){1,8}$/;

/** The largest gap on a page, in fixed words. Anyone can send a made-up URL, so the path must be plain and have had visitors. */
function largestOf(gaps: readonly Gap[], visited: Visited) {
  const gap = gaps.find(
    ({ what, page = '' }) => what !== 'comment' && plain.test(page) && visited.has(page),
  );
  if (gap === undefined) return undefined;
  const { what, page, missed } = gap;
  const [said, lacking, repair] =
    what === 'question'
      ? [`The assistant could not answer ${missed} questions asked on ${page}.`, 'missing', 'add']
      : [`Readers gave ${page} a thumbs-down ${missed} times.`, 'wrong', 'fix'];
  return { said, toDo: `Find out what is ${lacking} there and ${repair} it.` };
}
