import type { PathFilter } from '../../core/globs.ts';
import type { VisitorsRow } from '../../service/schemas.ts';
import { isRanked } from '../read/window-read.ts';
import type { Page } from './method/level.ts';
import { hasLostAll, isNew } from './method/moved.ts';
import { rule } from './method/rule.ts';
import { addPeople, gatherSections, peopleIn, type SiteLists } from './page-lists.ts';
import { byPath } from './site-pages.ts';

/* What pages and sections were read, and what changed from the week before: facts, without marks. */

/** A page's people. */
export type PagePeople = Readonly<{ path: string; people: number }>;

/** A page, and how many more people read it than the week before; `undefined` if it is unknown. */
export type PageChange = PagePeople & Readonly<{ change: number | undefined }>;

/** A page of this week, with its visitors. */
export type TopPage = PageChange & Readonly<{ row: VisitorsRow }>;

/** A section. A person who read several of its pages is counted once for each. */
export type SectionPeople = PageChange & Readonly<{ pages: number }>;

/** A page that took another's place this week or the week before. */
export type MovedPage = PagePeople & Readonly<{ from: string }>;

/** What is known about a site's pages. Lists have everything, the most people first. */
export type PageFacts = Readonly<{
  /** At most five, the largest change first. */
  changes: readonly PageChange[] | undefined;
  top: readonly TopPage[] | undefined;
  sections: readonly SectionPeople[] | undefined;
  appeared: readonly PagePeople[] | undefined;
  /** The pages that no one reads anymore, and that didn't move, with their people before. */
  gone: readonly PagePeople[] | undefined;
  moved: readonly MovedPage[];
}>;

/** Whose pages are listed, and of which sections they are. */
export type Scope = Readonly<{
  isChosen: PathFilter;
  sectionOf: ReadonlyMap<string, string>;
}>;

/** Lists facts about a site's pages. Those that stand out are no mere changes. */
export function listFacts(
  lists: SiteLists,
  { isChosen, sectionOf }: Scope,
  standingOut: readonly { readonly path: string }[],
): PageFacts {
  const pages = lists.pages.filter(({ path }) => isChosen(path));
  const others = pages.filter(({ path }) => !standingOut.some((row) => row.path === path));
  return {
    changes: listChanges(others, lists),
    top: listTop(pages, lists),
    sections: listSections(pages, lists, sectionOf),
    appeared: listNew(pages, lists),
    gone: listGone(pages, lists),
    moved: listMoved(lists, isChosen),
  };
}

function byPeople(a: PagePeople, b: PagePeople): number {
  return b.people - a.people || byPath(a, b);
}

/** A shorter list shows the biggest changes. */
const maxChanges = 5;

/** A change must be larger than so many standard errors of counting. */
const minErrors = 2;

/** The most-read pages; of an incomplete window, those that no unread page can outrank. */
function listTop(pages: readonly Page[], lists: SiteLists): TopPage[] | undefined {
  const now = lists.reads.at(-1);
  const top: TopPage[] = [];
  for (const page of pages) {
    const row = page.rows.at(-1);
    if (row?.human === undefined || row.total === 0) continue;
    top.push({ path: page.path, people: row.human, change: changeOf(page, lists), row });
  }
  top.sort(byPeople);
  if (now?.cut === undefined) return top;
  if (!isRanked(now)) return undefined;
  // A page that wasn’t read has at most as many visitors as the last one that was.
  const last = [...now.rows.values()].at(-1)?.total ?? 0;
  const certain = top.filter(({ people }) => people > last);
  return certain.length > 0 ? certain : undefined;
}

/** The sections of this week; `undefined` if its list isn't whole. */
function listSections(
  pages: readonly Page[],
  lists: SiteLists,
  sectionOf: Scope['sectionOf'],
): SectionPeople[] | undefined {
  if (lists.reads.at(-1)?.cut !== undefined) return undefined;
  const sections = gatherSections(pages, sectionOf).flatMap((section) => {
    const visited = section.pages.filter(({ rows }) => (rows.at(-1)?.total ?? 0) > 0).length;
    const people = addPeople(section.pages, lists, -1);
    if (visited === 0 || people === undefined) return [];
    const before = addPeople(section.pages, lists, -2);
    const change = before === undefined ? undefined : people - before;
    return { path: section.path, pages: visited, people, change };
  });
  return sections.sort(byPeople);
}

/** The pages whose people changed most from the week before. */
function listChanges(pages: readonly Page[], lists: SiteLists): PageChange[] | undefined {
  if (lists.reads.length < 2) return undefined;
  const changes = pages.flatMap((page) => {
    const change = changeOf(page, lists) ?? 0;
    const people = peopleIn(page, lists, -1) ?? 0;
    const error = Math.sqrt(people + (people - change));
    const isLarge = Math.abs(change) >= rule.minDifference && Math.abs(change) > minErrors * error;
    // Pages that no one reads anymore have a list of their own.
    return isLarge && people > 0 ? { path: page.path, people, change } : [];
  });
  changes.sort((a, b) => Math.abs(b.change) - Math.abs(a.change) || byPath(a, b));
  return changes.slice(0, maxChanges);
}

/** The pages that are new; `undefined` if it isn't known what was listed earlier. */
function listNew(pages: readonly Page[], lists: SiteLists): PagePeople[] | undefined {
  if (!lists.areWhole || lists.reads.length < 3) return undefined;
  return listPeople(pages.filter(isNew), lists, -1);
}

function listGone(pages: readonly Page[], lists: SiteLists): PagePeople[] | undefined {
  if (!lists.areWhole || lists.reads.length < 2) return undefined;
  return listPeople(pages.filter(hasLostAll), lists, -2);
}

function listPeople(pages: readonly Page[], lists: SiteLists, week: number): PagePeople[] {
  const known = pages.map((page) => {
    return { path: page.path, people: peopleIn(page, lists, week) ?? 0 };
  });
  return known.sort(byPeople);
}

/** The pages that moved since the week before. Earlier reports have told about the others. */
function listMoved(lists: SiteLists, isChosen: PathFilter): MovedPage[] {
  const moved = [];
  for (const { from, to } of lists.moves) {
    if (from.isListed.at(-2) !== true || !isChosen(to.path)) continue;
    moved.push({ from: from.path, path: to.path, people: peopleIn(to, lists, -1) ?? 0 });
  }
  return moved.sort(byPeople);
}

function changeOf(page: Page, lists: SiteLists): number | undefined {
  const before = peopleIn(page, lists, -2);
  const now = peopleIn(page, lists, -1);
  if (before === undefined || now === undefined) return undefined;
  return now - before;
}
