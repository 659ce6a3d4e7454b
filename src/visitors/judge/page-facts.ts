import type { PathFilter } from '../../core/globs.ts';
import type { VisitorsRow } from '../../service/schemas.ts';
import type { Scrubbed } from '../../text/scrub.ts';
import type { Window } from '../read/window.ts';
import { isRanked } from '../read/window-read.ts';
import type { Page } from './method/level.ts';
import { hasLostAll, isNew, lastLargeWeek } from './method/moved.ts';
import { rule } from './method/rule.ts';
import { areWhole, countVisited, gatherSections, peopleOn, type SiteLists } from './page-lists.ts';
import { byPath } from './site-pages.ts';

/* What pages and sections were read, and what changed from the week before: facts, without marks. */

export type PagePeople = Readonly<{ path: Scrubbed; human: number }>;

/** A page, and how many more people read it than the week before; `undefined` if it is unknown. */
export type PageChange = PagePeople & Readonly<{ change: number | undefined }>;

/** A page of this week, with its visitors. */
export type TopPage = PageChange & Readonly<{ row: VisitorsRow }>;

/** A page that no one reads anymore, with its people in the last window that had enough. */
export type GonePage = PagePeople & Readonly<{ lastWindow: Window }>;

/** A page that took another's place this week or the week before. */
export type MovedPage = PagePeople & Readonly<{ from: Scrubbed }>;

/** Whose pages are listed, and of which sections they are. */
export type Scope = Readonly<{
  isChosen: PathFilter;
  sectionOf: ReadonlyMap<string, Scrubbed>;
}>;

/** Lists facts about a site's pages, the most people first. Those that stand out are no mere changes. */
export function listFacts(
  lists: SiteLists,
  { isChosen, sectionOf }: Scope,
  standingOut: readonly { readonly path: string }[],
) {
  const pages = lists.pages.filter(({ path }) => isChosen(path));
  const others = pages.filter(({ path }) => !standingOut.some((row) => row.path === path));
  return {
    /** At most five, the largest change first. */
    changes: listChanges(others, lists),
    top: listTop(pages, lists),
    sections: listSections(pages, lists, sectionOf),
    /** The pages that are new; `undefined` if it isn't known what was listed earlier. */
    appeared: hasWhole(lists, 3) ? listNew(pages, lists) : undefined,
    /** The pages that no one reads anymore, and that didn't move. */
    gone: hasWhole(lists, 2) ? listGone(pages, lists) : undefined,
    moved: listMoved(lists, isChosen),
  };
}

function hasWhole(lists: SiteLists, weeks: number): boolean {
  return areWhole(lists) && lists.reads.length >= weeks;
}

function byPeople(a: PagePeople, b: PagePeople): number {
  return b.human - a.human || byPath(a, b);
}

/** A shorter list shows the biggest changes. */
const maxChanges = 5;

/** A change must be larger than so many standard errors of counting. */
const minErrors = 2;

/** The most-read pages; of an incomplete window, those that no unread page can outrank. */
function listTop(pages: readonly Page[], lists: SiteLists): TopPage[] | undefined {
  const top: TopPage[] = [];
  for (const page of pages) {
    const row = page.rows.at(-1);
    if (row?.human === undefined || row.total === 0) continue;
    top.push({ path: page.path, human: row.human, change: changeOf([page], lists), row });
  }
  top.sort(byPeople);
  const now = lists.reads.at(-1);
  if (now?.cut === undefined) return top;
  const maxMissing = lists.maxMissing.at(-1) ?? 0;
  const certain = top.filter(({ human }) => human > maxMissing);
  return isRanked(now) && certain.length > 0 ? certain : undefined;
}

/**
 * The sections of this week; `undefined` if its list isn't whole. A person who read several of a
 * section's pages is counted once for each.
 */
function listSections(
  pages: readonly Page[],
  lists: SiteLists,
  sectionOf: Scope['sectionOf'],
): (PageChange & { readonly pages: number })[] | undefined {
  if (lists.reads.at(-1)?.cut !== undefined) return undefined;
  const sections = gatherSections(pages, sectionOf).flatMap((section) => {
    const visited = countVisited(section.pages);
    const human = peopleOn(section.pages, lists, -1);
    if (visited === 0 || human === undefined) return [];
    const change = changeOf(section.pages, lists);
    return { path: section.path, pages: visited, human, change };
  });
  return sections.sort(byPeople);
}

/** The pages whose people changed most from the week before. */
function listChanges(pages: readonly Page[], lists: SiteLists): PageChange[] | undefined {
  if (lists.reads.length < 2) return undefined;
  const changes = pages.flatMap((page) => {
    const change = changeOf([page], lists) ?? 0;
    const human = peopleOn([page], lists, -1) ?? 0;
    const error = Math.sqrt(human + (human - change));
    const isLarge = Math.abs(change) >= rule.minDifference && Math.abs(change) > minErrors * error;
    return isLarge ? { path: page.path, human, change } : [];
  });
  changes.sort((a, b) => Math.abs(b.change) - Math.abs(a.change) || byPath(a, b));
  return changes.slice(0, maxChanges);
}

function listNew(pages: readonly Page[], lists: SiteLists): PagePeople[] {
  const appeared = pages.filter(isNew).map((page) => {
    return { path: page.path, human: peopleOn([page], lists, -1) ?? 0 };
  });
  return appeared.sort(byPeople);
}

function listGone(pages: readonly Page[], lists: SiteLists): GonePage[] {
  const gone = pages.filter(hasLostAll).flatMap((page) => {
    const week = lastLargeWeek(page);
    const lastWindow = lists.reads.at(week)?.window;
    const human = peopleOn([page], lists, week) ?? 0;
    return lastWindow === undefined ? [] : { path: page.path, human, lastWindow };
  });
  return gone.sort(byPeople);
}

/** The pages that moved since the week before. Earlier reports have told about the others. */
function listMoved(lists: SiteLists, isChosen: PathFilter): MovedPage[] {
  const moved = [];
  for (const { from, to } of lists.moves) {
    if (from.rows.at(-2) === undefined || !isChosen(to.path)) continue;
    moved.push({ from: from.path, path: to.path, human: peopleOn([to], lists, -1) ?? 0 });
  }
  return moved.sort(byPeople);
}

function changeOf(pages: readonly Page[], lists: SiteLists): number | undefined {
  const before = peopleOn(pages, lists, -2);
  const now = peopleOn(pages, lists, -1);
  if (before === undefined || now === undefined) return undefined;
  return now - before;
}
