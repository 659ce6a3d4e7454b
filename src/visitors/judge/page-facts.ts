import type { PathFilter } from '../../core/globs.ts';
import type { VisitorsRow } from '../../service/schemas.ts';
import { isRanked, type WindowRead } from '../read/window-read.ts';
import { isGone, isNew } from './method/moved.ts';
import { rule } from './method/rule.ts';
import { sum } from './method/statistics.ts';
import { joinSlashes, type Page, peopleIn, type SiteLists } from './page-lists.ts';
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
export type MovedPage = Readonly<{ from: string; to: string; people: number }>;

/** The most people first. */
export function byPeople(a: PagePeople, b: PagePeople): number {
  return b.people - a.people || byPath(a, b);
}

/** A shorter list shows the biggest changes. */
const maxChanges = 5;

/** A change must be larger than so many standard errors of counting. */
const minErrors = 2;

/** The pages of this week, with their visitors and changes. Pages without visitors are left out. */
export function listPages(
  now: WindowRead,
  lists: SiteLists | undefined,
  isChosen: PathFilter,
): TopPage[] {
  const changes = new Map<string, number>();
  for (const page of lists?.pages ?? []) {
    const change = lists && changeOf(page, lists);
    if (change !== undefined) changes.set(page.path, change);
  }
  const pages = joinSlashes(now.rows.values())
    .filter(({ path, total }) => isChosen(path) && total > 0)
    .map((row) => ({
      path: row.path,
      people: row.human ?? 0,
      change: changes.get(row.path),
      row,
    }));
  return pages.sort(byPeople);
}

/** The most-read pages; of an incomplete window, those that no unread page can outrank. */
export function listTop(
  now: WindowRead,
  pages: readonly TopPage[],
): readonly TopPage[] | undefined {
  if (now.cut === undefined) return pages;
  // A page that wasn’t read has at most as many visitors as the last one that was.
  const last = [...now.rows.values()].at(-1);
  if (last === undefined || !isRanked(now)) return undefined;
  const top = pages.filter(({ people }) => people > last.total);
  return top.length > 0 ? top : undefined;
}

/** The sections of this week; `undefined` if its list isn't whole. */
export function listSections(
  now: WindowRead,
  pages: readonly TopPage[],
  lists: SiteLists | undefined,
  sectionOf: ReadonlyMap<string, string>,
  isChosen: PathFilter,
): SectionPeople[] | undefined {
  if (now.cut !== undefined) return undefined;
  const nameOf = ({ path }: { readonly path: string }) => sectionOf.get(path) ?? '/';
  const before = new Map<string, number | undefined>();
  for (const page of lists?.pages ?? []) {
    if (!isChosen(page.path)) continue;
    const known = before.has(nameOf(page)) ? before.get(nameOf(page)) : 0;
    const people = lists && peopleIn(page, lists, -2);
    const isKnown = known !== undefined && people !== undefined;
    before.set(nameOf(page), isKnown ? known + people : undefined);
  }
  const sections = Array.from(Map.groupBy(pages, nameOf), ([path, ofSection]) => {
    const people = sum(ofSection.map((page) => page.people));
    const peopleBefore = before.get(path);
    const change = peopleBefore === undefined ? undefined : people - peopleBefore;
    return { path, pages: ofSection.length, people, change };
  });
  return sections.sort(byPeople);
}

/** The pages whose people changed most from the week before, the largest change first. */
export function listChanges(
  lists: SiteLists,
  isChosen: PathFilter,
  standingOut: readonly { readonly path: string }[],
): PageChange[] {
  const others = new Set(standingOut.map(({ path }) => path));
  const changes = lists.pages.flatMap((page) => {
    const change = changeOf(page, lists) ?? 0;
    const people = peopleIn(page, lists, -1) ?? 0;
    const both = people + (people - change);
    const isLarge =
      Math.abs(change) >= rule.minDifference && Math.abs(change) > minErrors * Math.sqrt(both);
    // Pages that no one reads anymore have a list of their own.
    if (!isLarge || people === 0 || !isChosen(page.path) || others.has(page.path)) return [];
    return { path: page.path, people, change };
  });
  changes.sort((a, b) => Math.abs(b.change) - Math.abs(a.change) || byPath(a, b));
  return changes.slice(0, maxChanges);
}

/** The pages that are new; `undefined` if it isn't known what was listed earlier. */
export function listNew(lists: SiteLists, isChosen: PathFilter): PagePeople[] | undefined {
  const isFirstKnown = lists.reads.length < 3;
  if (!lists.areWhole || isFirstKnown) return undefined;
  const pages = lists.pages.filter((page) => isNew(page) && isChosen(page.path));
  return pages
    .map((page) => ({ path: page.path, people: peopleIn(page, lists, -1) ?? 0 }))
    .sort(byPeople);
}

/** The pages that no one reads anymore, with their people the week before. */
export function listGone(lists: SiteLists, isChosen: PathFilter): PagePeople[] | undefined {
  if (!lists.areWhole) return undefined;
  const pages = lists.pages.filter((page) => isGone(page) && isChosen(page.path));
  return pages
    .map((page) => ({ path: page.path, people: peopleIn(page, lists, -2) ?? 0 }))
    .sort(byPeople);
}

/** The pages that moved since the week before. Earlier reports have told about the others. */
export function listMoved(lists: SiteLists, isChosen: PathFilter): MovedPage[] {
  const { moves } = lists;
  const isLatest = ({ from }: { readonly from: Page }) => from.isListed.at(-2) === true;
  const moved = moves.filter((move) => isLatest(move) && isChosen(move.to.path));
  const described = moved.map(({ from, to }) => {
    return { from: from.path, to: to.path, people: peopleIn(to, lists, -1) ?? 0 };
  });
  return described.sort((a, b) => b.people - a.people || (a.to < b.to ? -1 : 1));
}

function changeOf(page: Page, lists: SiteLists): number | undefined {
  const before = peopleIn(page, lists, -2);
  const now = peopleIn(page, lists, -1);
  if (before === undefined || now === undefined) return undefined;
  return now - before;
}
