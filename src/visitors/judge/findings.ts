import type { SiteWindows } from '../read/read-sites.ts';
import { isSilent, type WindowRead } from '../read/window-read.ts';
import { listFacts } from './page-facts.ts';
import { gatherLists } from './page-lists.ts';
import { judgePeople } from './people.ts';
import { pageFilter, sectionsByPath } from './site-pages.ts';
import { chooseCheckFirst, findStandouts } from './standouts.ts';

/** What there is to say about a site. What isn't known is `undefined`. */
export type Findings = Readonly<ReturnType<typeof compareWindows>>;

/** If an earlier window had this many visitors, a window without any is an alarm. */
const minBusy = 100;

/** Compares a site's windows. */
export function compareWindows(
  site: Omit<SiteWindows, 'project'>,
  settings: { readonly pages: readonly string[]; readonly sectionDepth: number },
) {
  const { now, earlier } = site;
  const lists = gatherLists(now, earlier);
  const paths = new Set(lists.pages.map(({ path }) => path));
  const scope = {
    isChosen: pageFilter(settings.pages),
    sectionOf: sectionsByPath(paths, settings.sectionDepth),
  };
  const people = judgePeople(site);
  const standouts = findStandouts(site, lists, scope);
  const facts = listFacts(lists, scope, standouts.standingOut);
  // All pages of a young site are new.
  const isYoung = people.whyNoRange?.lacking !== undefined;
  return {
    ...people,
    ...standouts,
    ...facts,
    appeared: isYoung ? undefined : facts.appeared,
    checkFirst: chooseCheckFirst(standouts.standingOut, facts.gone ?? []),
    /** The latest window that had so many visitors that having none now is alarming. */
    lastBusy: findLastBusy(now, earlier),
    /** Whether the service's figures contradict each other. */
    isContradictory: isContradictory(now),
  };
}

function findLastBusy(now: WindowRead, earlier: readonly WindowRead[]): WindowRead | undefined {
  if (!isSilent(now)) return undefined;
  return earlier.findLast(({ totals: { total = 0 } }) => total >= minBusy);
}

/** A count that the service didn't give contradicts nothing. */
function isContradictory({ totals, rows }: WindowRead): boolean {
  const { total } = totals;
  if (total === undefined) return false;
  const human = totals.human ?? total;
  const ai = totals.ai ?? total;
  if (human > total || ai > total || human + ai < total) return true;
  return rows.values().some((row) => row.total > total);
}
