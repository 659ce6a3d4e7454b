import type { SiteWindows } from '../read/read-sites.ts';
import { isSilent, type WindowRead } from '../read/window-read.ts';
import type { Judgment } from './method/stands-out.ts';
import type { UsualCount } from './method/usual-count.ts';
import { changeFrom, type Fraction } from './numbers.ts';
import {
  listChanges,
  listGone,
  listMoved,
  listNew,
  listPages,
  listSections,
  listTop,
  type MovedPage,
  type PageChange,
  type PagePeople,
  type SectionPeople,
  type TopPage,
} from './page-facts.ts';
import { gatherLists, hasPeople, type Page, type SiteLists } from './page-lists.ts';
import {
  compareFourWeeks,
  explainNoRange,
  isRecounted,
  isUnread,
  judgeTotal,
  type NoRange,
} from './people.ts';
import { pageFilter, sectionsByPath } from './site-pages.ts';
import {
  type CheckFirst,
  chooseCheckFirst,
  describeJudging,
  explainNotJudged,
  type Judging,
  judgeLists,
  listStandouts,
  type NotJudged,
  type Standout,
} from './standouts.ts';

type Windows = Omit<SiteWindows, 'project'>;

/** What there is to say about a site. Lists have everything; what isn't known is `undefined`. */
export type Findings = Readonly<{
  /** The change in people from the window before; `undefined` if that had none. */
  change: Fraction | undefined;
  /** The usual ranges. Only that of people is a verdict; the others are for alerts. */
  usual: Readonly<Record<'human' | 'ai' | 'total', UsualCount | undefined>>;
  /** Why people have no usual range; `undefined` if they do, or if nothing is compared. */
  whyNoRange: NoRange | undefined;
  /** How many earlier windows weren't read. */
  unread: number;
  /** The people of a typical week of the last four and the four before, if they clearly differ. */
  fourWeeks: Readonly<{ last: number; before: number }> | undefined;
  /** The latest window that had so many visitors that having none now is alarming. */
  lastBusy: WindowRead | undefined;
  isContradictory: boolean;
  /** Whether the service counted less as AI in the window before. */
  isRecounted: boolean;
  /** By what pages were judged; `undefined` if the weeks are too few. */
  judging: Judging | undefined;
  /** Why no page was judged; `undefined` if one was. */
  whyNotJudged: NotJudged | undefined;
  /** Sections first; what fell first. */
  standingOut: readonly Standout[];
  checkFirst: CheckFirst | undefined;
  /** At most five. */
  changes: readonly PageChange[] | undefined;
  /** The most people first, as in all lists below. */
  top: readonly TopPage[] | undefined;
  sections: readonly SectionPeople[] | undefined;
  appeared: readonly PagePeople[] | undefined;
  /** The pages that no one reads anymore, and that didn't move. */
  gone: readonly PagePeople[] | undefined;
  moved: readonly MovedPage[];
  /** What the pages that changed are compared by. */
  compared: SiteComparison | undefined;
}>;

/** The lists by which pages are compared, and how they were judged. */
export type SiteComparison = Readonly<{ lists: SiteLists; judgment: Judgment<Page> }>;

/** If an earlier window had this many visitors, a window without any is an alarm. */
const minBusy = 100;

/** Compares a site's windows. */
export function compareWindows(
  site: Windows,
  settings: { readonly pages: readonly string[]; readonly sectionDepth: number },
): Findings {
  const { now, before, earlier } = site;
  const people = judgePeople(site);
  return {
    ...people,
    lastBusy: findLastBusy(now, earlier),
    isContradictory: isContradictory(now),
    isRecounted: before !== undefined && isRecounted(before, now),
    ...comparePages(site, settings, people.whyNoRange),
  };
}

function judgePeople({ now, before, earlier }: Windows) {
  return {
    change: changeFrom(before?.totals.human, now.totals.human),
    usual: {
      human: judgeTotal('human', now, earlier),
      ai: judgeTotal('ai', now, earlier),
      total: judgeTotal('total', now, earlier),
    },
    whyNoRange: explainNoRange(now, earlier),
    unread: earlier.filter(isUnread).length,
    fourWeeks: compareFourWeeks(now, earlier),
  };
}

function comparePages(
  site: Windows,
  settings: { readonly pages: readonly string[]; readonly sectionDepth: number },
  whyNoRange: NoRange | undefined,
) {
  const { now, earlier } = site;
  const isChosen = pageFilter(settings.pages);
  const paths = new Set([now, ...earlier].values().flatMap(({ rows }) => rows.keys()));
  const sectionOf = sectionsByPath(paths, settings.sectionDepth);
  const lists = gatherLists(now, earlier);
  const pages = listPages(now, lists, isChosen);
  const facts = {
    top: listTop(now, pages),
    sections: hasPeople(now) ? listSections(now, pages, lists, sectionOf, isChosen) : undefined,
  };
  if (lists === undefined) {
    return {
      ...facts,
      judging: undefined,
      whyNotJudged: explainNotJudged(now, earlier, undefined),
      standingOut: [],
      checkFirst: undefined,
      changes: undefined,
      appeared: undefined,
      gone: undefined,
      moved: [],
      compared: undefined,
    };
  }
  const judgment = judgeLists(lists, sectionOf);
  const judging = describeJudging(judgment, lists, isChosen);
  const standingOut = listStandouts(judgment, lists, earlier, isChosen);
  const gone = listGone(lists, isChosen);
  // All pages of a young site are new.
  const isYoung = whyNoRange?.lacking !== undefined;
  return {
    ...facts,
    judging,
    whyNotJudged: explainNotJudged(now, earlier, judging),
    standingOut,
    checkFirst: chooseCheckFirst(standingOut, gone ?? []),
    changes: listChanges(lists, isChosen, standingOut),
    appeared: isYoung ? undefined : listNew(lists, isChosen),
    gone,
    moved: listMoved(lists, isChosen),
    compared: { lists, judgment },
  };
}

function findLastBusy(now: WindowRead, earlier: readonly WindowRead[]): WindowRead | undefined {
  if (!isSilent(now)) return undefined;
  return earlier.findLast(({ totals: { total = 0 } }) => total >= minBusy);
}

/**
 * Whether the service's figures contradict each other. A count that it didn't give contradicts
 * nothing.
 */
function isContradictory({ totals, rows }: WindowRead): boolean {
  const { total } = totals;
  if (total === undefined) return false;
  const human = totals.human ?? total;
  const ai = totals.ai ?? total;
  if (human > total || ai > total || human + ai < total) return true;
  return rows.values().some((row) => row.total > total);
}
