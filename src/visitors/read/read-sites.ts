import type { ActionError } from '../../core/errors.ts';
import type { Project } from '../../core/projects.ts';
import { type GapsPart, maxGapRequests, readGapLists } from './read-gaps.ts';
import {
  beginReading,
  createReadPage,
  type Reading,
  type ReadOptions,
  rowsPerRequest,
} from './read-page.ts';
import { laterWindow, type Window, windowLastYear } from './window.ts';
import { type Cut, hasVisitors, isLimit, minWeeks, type WindowRead } from './window-read.ts';

/** A site that couldn't be read at all. */
export type UnreadSite = Readonly<{ project: Project; failure: ActionError }>;

/** A site's windows. */
export interface SiteWindows {
  readonly project: Project;
  readonly now: WindowRead;
  /** The window before it; `undefined` with `compare: none`. */
  readonly before: WindowRead | undefined;
  /** The windows that show what is usual, oldest first. The last one is `before`. */
  readonly earlier: readonly WindowRead[];
  /** The same window a year ago, if it was read. */
  readonly lastYear?: WindowRead | undefined;
}

/** What was read of a site, or the error if even its totals couldn't be read. */
export type SiteRead =
  | (SiteWindows & { readonly gaps: readonly GapsPart[] | undefined })
  | UnreadSite;

/** The service allows 100 requests an hour. A few are left for retries. */
export const maxAdvised = 90;

/** The windows to read for a project, newest first. */
interface Plan {
  readonly project: Project;
  readonly windows: readonly [now: Reading, ...earlier: Reading[]];
  readonly lastYear: Reading;
}

/** Reads what the history lacks. The projects share one budget and take turns. @throws ActionError if none can be read. */
export async function readSites(options: ReadOptions) {
  const plans = options.projects.map((project) => planOf(project, options));
  const gaps = await readInOrder(plans, options);
  const failures = plans.flatMap(({ windows: [now] }) => now.failure ?? []);
  if (failures[0] !== undefined && failures.length === plans.length) throw failures[0];
  const reads = plans.map((plan) => siteOf(plan, gaps.get(plan.project.id)));
  return { reads, enough: enoughFor(plans, options) };
}

function planOf(project: Project, { history, compare, baseline, window }: ReadOptions): Plan {
  const begin = (which: Window) => beginReading(project.id, history.find(project.id, which));
  const length = compare === 'none' ? 0 : Math.max(1, baseline);
  const earlier = Array.from({ length }, (_, index) => begin(laterWindow(window, -1 - index)));
  const windows: Plan['windows'] = [begin(window), ...earlier];
  const yearAgo = windowLastYear(window);
  // The 12th month before, for example, is the same window as last year's. It is read and stored only once.
  const same = windows.find((reading) => reading.window.start === yearAgo.start);
  return { project, windows, lastYear: same ?? begin(yearAgo) };
}

/** First pages, other rows of the two compared windows, gaps, other whole windows; newest first, and projects take turns. */
async function readInOrder(plans: readonly Plan[], options: ReadOptions) {
  const readNext = createReadPage(options);
  const { budget } = options;
  /** What can be read on of the windows of this age. If the service fails for a project, no other windows of it are begun. */
  const openAt = (age: number) =>
    plans.flatMap((plan) => {
      const reading = plan.windows[age];
      if (reading?.next === undefined) return [];
      const isBegun = age < 2 && reading.next > 0;
      return isBegun || !serviceCutIn(plan) ? { plan, reading } : [];
    });
  const ages = [...(plans[0]?.windows.keys() ?? [])];
  for (const age of ages)
    for (const { reading } of openAt(age)) if (reading.next === 0) await readNext(reading);
  for (const age of [0, 1])
    for (let round = openAt(age); round.length > 0; round = openAt(age))
      for (const { reading } of round) await readNext(reading);
  const asked = options.gaps === 'none' ? [] : plans.filter(({ windows: [now] }) => !now.failure);
  const gaps = await readGapLists(
    asked.map(({ project }) => project),
    options,
  );
  if ([...gaps.values()].flat().some(({ cut }) => isLimit(cut))) return gaps;
  for (const age of ages.slice(2)) {
    for (const { plan, reading } of openAt(age)) {
      while (
        reading.next !== undefined &&
        requestsFor(reading, plan, reading.next) <= budget.remaining
      )
        await readNext(reading);
    }
  }
  // Only the totals of the same window last year are needed. A site that has just begun had no visitors then.
  for (const plan of plans) {
    const [, ...earlier] = plan.windows;
    // One of the oldest two may be silent.
    const isOld = earlier.length >= minWeeks && earlier.slice(-2).some(hasVisitors);
    const { next, totals } = plan.lastYear;
    const isUnread = next === 0 && totals.total === undefined;
    if (isOld && isUnread && budget.remaining > 0 && !serviceCutIn(plan))
      await readNext(plan.lastYear);
  }
  return gaps;
}

function serviceCutIn({ windows }: Plan): Cut | undefined {
  return windows.find(({ cut }) => cut?.kind === 'service')?.cut;
}

/** The requests for a window's rows from an offset. One that wasn't read completely probably has about as many as this one. */
function requestsFor({ rows, cut }: WindowRead, { windows: [now] }: Plan, offset: number): number {
  const size = cut ? Math.max(rows.size + 1, now.rows.size + (now.cut ? 1 : 0)) : rows.size;
  return Math.max(1, Math.ceil((size - offset) / rowsPerRequest));
}

/** How many requests read all lists. `isLeast`: it may take more, because the number of pages of a site is unknown. */
function enoughFor(plans: readonly Plan[], { budget, gaps }: ReadOptions) {
  let requests = gaps === 'none' ? 0 : maxGapRequests * plans.length;
  for (const plan of plans)
    for (const reading of plan.windows)
      if (reading.known !== undefined) requests += requestsFor(reading, plan, reading.known);
  const isLeast = plans.some(({ windows: [now] }) => now.cut?.kind === 'budget');
  return { requests: Math.max(requests, budget.most + 1), isLeast };
}

function siteOf(plan: Plan, gaps?: readonly GapsPart[]): SiteRead {
  const { project, windows, lastYear } = plan;
  const [now, before] = windows;
  if (now.failure) return { project, failure: now.failure };
  // Each window keeps its place, even if it wasn't read, because the usual range depends on the positions.
  const earlier = windows
    .slice(1)
    .toReversed()
    .map((read) => {
      return read.cut?.kind === 'budget' ? { ...read, cut: serviceCutIn(plan) ?? read.cut } : read;
    });
  return {
    project,
    now,
    before,
    earlier,
    lastYear: hasVisitors(lastYear) ? lastYear : undefined,
    gaps,
  };
}
