import type { ActionError } from '../../core/errors.ts';
import type { ShownProject } from '../../core/projects.ts';
import { type GapsPart, maxGapRequests, readGapLists } from './read-gaps.ts';
import {
  beginReading,
  createReadPage,
  type Reading,
  type ReadOptions,
  rowsPerRequest,
} from './read-page.ts';
import { shiftWindow, shiftWindowByYear, type Window } from './window.ts';
import { type Cut, hasVisitors, isLimit, minWeeks, type WindowRead } from './window-read.ts';

/** A site that couldn't be read at all. */
export type UnreadSite = Readonly<{ project: ShownProject; failure: ActionError }>;

export type SiteWindows = Readonly<{
  project: ShownProject;
  now: WindowRead;
  /** The window before it; `undefined` with `compare: none`. */
  before: WindowRead | undefined;
  /** The windows that show what is usual, oldest first. The last one is `before`. */
  earlier: readonly WindowRead[];
  /** The same window a year ago, if it was read. */
  lastYear?: WindowRead | undefined;
}>;

/** What was read of a site, or the error if even its totals couldn't be read. */
export type SiteRead =
  | (SiteWindows & { readonly gaps: readonly GapsPart[] | undefined })
  | UnreadSite;

/** The service allows 100 requests an hour. A few are left for retries. */
export const maxAdvised = 90;

/** The windows to read for a project, newest first. `lastYear` may be one of them. */
type Plan = Readonly<{
  project: ShownProject;
  windows: readonly [now: Reading, ...earlier: Reading[]];
  lastYear: Reading;
}>;

/**
 * Reads what the history lacks. The projects share one budget and take turns.
 * @throws ActionError if none can be read.
 */
export async function readSites(options: ReadOptions) {
  const plans = options.projects.map((project) => planSite(project, options));
  const gaps = await readInOrder(plans, options);
  const failures = plans.map(({ windows: [now] }) => now.failure);
  if (failures[0] !== undefined && !failures.includes(undefined)) throw failures[0];
  const sites = plans.map((plan) => gatherSite(plan, gaps.get(plan.project.id)));
  return { sites, enough: sumRequests(plans, options) };
}

function planSite(project: ShownProject, options: ReadOptions): Plan {
  const { window, history } = options;
  const begin = (other: Window) => beginReading(project.id, history.find(project.id, other));
  const windows: [Reading, ...Reading[]] = [begin(window)];
  if (options.compare === 'previous') {
    // The baseline comes before the last two windows, `window` and the one before it.
    const maxAge = 1 + options.baseline;
    for (let age = 1; age <= maxAge; age += 1) windows.push(begin(shiftWindow(window, -age)));
  }
  const yearAgo = shiftWindowByYear(window);
  // A window such as the twelfth month before is read and stored only once.
  const same = windows.find((reading) => reading.window.start === yearAgo.start);
  return { project, windows, lastYear: same ?? begin(yearAgo) };
}

/** The newest windows are read first, and the projects take turns. */
async function readInOrder(plans: readonly Plan[], options: ReadOptions) {
  const readNext = createReadPage(options);
  // All projects have the same number of windows.
  const ages = [...(plans[0]?.windows.keys() ?? [])];

  // First pages have the totals and the most-read pages.
  for (const age of ages) {
    for (const { reading } of listOpen(plans, age)) if (reading.next === 0) await readNext(reading);
  }
  // Then come the other rows of the two windows that are compared.
  for (const age of [0, 1]) {
    while (listOpen(plans, age).length > 0) {
      for (const { reading } of listOpen(plans, age)) await readNext(reading);
    }
  }
  const readable = plans.filter(({ windows: [now] }) => options.gaps !== 'none' && !now.failure);
  const projects = readable.map(({ project }) => project);
  const gaps = await readGapLists(projects, options);
  if ([...gaps.values()].flat().some(({ cut }) => isLimit(cut))) return gaps;

  // An earlier window shows what is usual for pages only if all its rows are read.
  for (const age of ages.slice(2)) {
    for (const { plan, reading } of listOpen(plans, age)) {
      while (reading.next !== undefined) {
        if (countRequests(reading, plan, reading.next) > options.budget.remaining) break;
        await readNext(reading);
      }
    }
  }
  // Only the totals of the same window last year are needed.
  for (const plan of plans) {
    if (needsLastYear(plan) && options.budget.remaining > 0) await readNext(plan.lastYear);
  }
  return gaps;
}

/** The windows of this age that can be read on. */
function listOpen(plans: readonly Plan[], age: number) {
  const open: { plan: Plan; reading: Reading }[] = [];
  for (const plan of plans) {
    const reading = plan.windows[age];
    if (reading?.next === undefined) continue;
    const isBegun = age < 2 && reading.next > 0;
    if (isBegun || findStop(plan) === undefined) open.push({ plan, reading });
  }
  return open;
}

/** Whether last year is unknown. A site that has just begun had no visitors then. */
function needsLastYear(plan: Plan): boolean {
  const { next, totals } = plan.lastYear;
  const isUnread = next === 0 && totals.total === undefined;
  const earlier = plan.windows.slice(1);
  // One of the oldest two may be silent.
  const isOld = earlier.length >= minWeeks && earlier.slice(-2).some(hasVisitors);
  return isUnread && isOld && findStop(plan) === undefined;
}

/**
 * Why no more windows of a project are begun: the service failed for this one, or for two in a row.
 * One that it can't count doesn't hide the others.
 */
function findStop({ windows }: Plan): Cut | undefined {
  const [now] = windows;
  if (now.failure !== undefined) return now.cut;
  const isFailed = (reading: Reading | undefined) => reading?.cut?.kind === 'service';
  return windows.find((reading, age) => isFailed(reading) && isFailed(windows[age - 1]))?.cut;
}

/** Counts the requests for a window's rows from an offset. */
function countRequests(read: WindowRead, { windows: [now] }: Plan, offset: number): number {
  let size = read.rows.size;
  if (read.cut !== undefined) {
    // It probably has about as many rows as this one.
    const sizeNow = now.rows.size + Number(now.cut !== undefined);
    size = Math.max(size + 1, sizeNow);
  }
  return Math.max(1, Math.ceil((size - offset) / rowsPerRequest));
}

/**
 * How many requests read all lists. `isLeast`: it may take more, because the number of pages of a
 * site is unknown.
 */
function sumRequests(plans: readonly Plan[], { budget, gaps }: ReadOptions) {
  let requests = 0;
  if (gaps !== 'none') requests += maxGapRequests * plans.length;
  for (const plan of plans) {
    for (const reading of plan.windows) {
      if (reading.known !== undefined) requests += countRequests(reading, plan, reading.known);
    }
  }
  const isLeast = plans.some(({ windows: [now] }) => now.cut?.kind === 'budget');
  return { requests: Math.max(requests, budget.max + 1), isLeast };
}

function gatherSite(plan: Plan, gaps: readonly GapsPart[] | undefined): SiteRead {
  const { project, windows } = plan;
  const [now, before] = windows;
  if (now.failure) return { project, failure: now.failure };
  // Each window keeps its place, even if it wasn't read, because the usual range depends on the
  // positions.
  // If the service failed, the others weren't begun because of that, not for lack of requests.
  const stop = findStop(plan);
  const earlier = windows
    .slice(1)
    .toReversed()
    .map((read): WindowRead => {
      return stop && read.cut?.kind === 'budget' ? { ...read, cut: stop } : read;
    });
  const site = { project, now, before, earlier, gaps };
  if (!hasVisitors(plan.lastYear)) return site;
  return { ...site, lastYear: plan.lastYear };
}
