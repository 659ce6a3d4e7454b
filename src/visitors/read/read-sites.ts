import type { Budget } from '../../core/budget.ts';
import type { ActionError } from '../../core/errors.ts';
import type { Project } from '../../core/projects.ts';
import type { Deps } from '../../deps.ts';
import type { History } from './history.ts';
import { type GapsPart, maxGapRequests, readGapLists } from './read-gaps.ts';
import { beginReading, createReadPage, type Reading, type ReadPage, rowsPerRequest } from './read-page.ts';
import { previousWindow, type Window, windowLastYear } from './window.ts';
import { type Cut, hasVisitors, minWeeks, type WindowRead } from './window-read.ts';

/** A site that couldn't be read at all. */
export interface UnreadSite {
  readonly project: Project;
  readonly failure: ActionError;
}

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
export type SiteRead = (SiteWindows & { readonly gaps: readonly GapsPart[] | undefined }) | UnreadSite;

interface ReadOptions extends Pick<Deps, 'service' | 'signal'> {
  readonly projects: readonly Project[];
  readonly window: Window;
  readonly compare: 'previous' | 'none';
  /** How many earlier windows show what is usual. */
  readonly baseline: number;
  readonly gaps: 'none' | 'counts' | 'words';
  readonly budget: Budget;
  readonly history: History;
}

/** The service allows 100 requests an hour. A few are left for retries. */
export const maxAdvised = 90;

/** The windows to read for a project. The earlier ones begin with the newest, which is the previous window. */
interface Plan {
  readonly project: Project;
  readonly now: Reading;
  readonly earlier: readonly Reading[];
  readonly lastYear: Reading;
}

/** How many requests read all lists. `isLeast`: it may take more, because the number of pages of a site is unknown. */
export interface Enough {
  readonly requests: number;
  readonly isLeast: boolean;
}

/**
 * Reads the windows of all projects, except what the history has. The projects share one budget and take turns.
 * @throws ActionError, the first project's, if none can be read; the signal's reason.
 */
export async function readSites(options: ReadOptions): Promise<{ reads: SiteRead[]; enough: Enough }> {
  const { projects, history, service, budget, signal } = options;
  const plans = projects.map((project) => planOf(project, options));
  const readPage = createReadPage(service, budget, signal);
  const gaps = await readInOrder(plans, options, async (reading) => {
    await readPage(reading);
    if (reading.failure === undefined) history.keep(reading.projectId, reading.read);
  });
  const failures = plans.flatMap(({ now }) => now.failure ?? []);
  if (failures[0] !== undefined && failures.length === plans.length) throw failures[0];
  const reads = plans.map((plan) => siteOf(plan, gaps.get(plan.project.id)));
  return { reads, enough: enoughFor(plans, options) };
}

function planOf(project: Project, { history, compare, baseline, window }: ReadOptions): Plan {
  const begin = (which: Window) => beginReading(project.id, history.find(project.id, which));
  const now = begin(window);
  const earlier: Reading[] = [];
  const count = compare === 'none' ? 0 : Math.max(1, baseline);
  for (let past = previousWindow(window); earlier.length < count; past = previousWindow(past))
    earlier.push(begin(past));
  return { project, now, earlier, lastYear: begin(windowLastYear(window)) };
}

/**
 * Reads the first page of every window, then the other rows of the newest and of the one before, then what readers didn't find,
 * then the other rows of windows that can be read completely. Newer windows come first, and projects take turns.
 */
async function readInOrder(plans: readonly Plan[], options: ReadOptions, readNext: ReadPage) {
  const { budget, window } = options;
  /** What can be read on of the windows of this age. If the service fails for a project, no other windows of it are begun. */
  const openAt = (age: number) =>
    plans.flatMap((plan) => {
      const reading = [plan.now, ...plan.earlier][age];
      if (reading?.next === undefined) return [];
      const isBegun = age < 2 && reading.next > 0;
      return isBegun || !serviceCutIn(plan) ? { plan, reading } : [];
    });
  const ages = [0, ...(plans[0]?.earlier.keys() ?? []).map((index) => index + 1)];
  for (const age of ages) {
    for (const { reading } of openAt(age)) if (reading.next === 0) await readNext(reading);
  }
  for (const age of [0, 1]) {
    for (let round = openAt(age); round.length > 0; round = openAt(age))
      for (const { reading } of round) await readNext(reading);
  }
  const asking = options.gaps === 'none' ? [] : plans.filter(({ now }) => now.failure === undefined);
  const asked = asking.map(({ project }) => project);
  const gaps = await readGapLists(asked, window, options);
  for (const age of ages.slice(2)) {
    for (const { plan, reading } of openAt(age)) {
      while (reading.next !== undefined && requestsFor(reading, plan, reading.next) <= budget.remaining)
        await readNext(reading);
    }
  }
  // Only the totals of the same window last year are needed. A site that has just begun had no visitors then.
  for (const plan of plans) {
    const isOld = plan.earlier.length >= minWeeks && plan.earlier.every(({ read }) => hasVisitors(read));
    const isUnknown = plan.lastYear.read.totals.total === undefined;
    if (isOld && isUnknown && budget.remaining > 0 && !serviceCutIn(plan)) await readNext(plan.lastYear);
  }
  return gaps;
}

/** Why the service stopped answering about a project, if it did. */
function serviceCutIn({ now, earlier }: Plan): Cut | undefined {
  return [now, ...earlier].map(({ read }) => read.cut).find((cut) => cut?.kind === 'service');
}

/** The requests for a window's rows from an offset. One that wasn't read completely probably has about as many as this one. */
function requestsFor({ read }: Reading, { now }: Plan, offset: number): number {
  const sizeOf = ({ rows, cut }: WindowRead) => rows.size + (cut ? 1 : 0);
  const rows = read.cut ? Math.max(sizeOf(read), sizeOf(now.read)) : read.rows.size;
  return Math.max(1, Math.ceil((rows - offset) / rowsPerRequest));
}

function enoughFor(plans: readonly Plan[], { budget, gaps }: ReadOptions): Enough {
  const forLists = plans.flatMap((plan) => {
    const unknown = [plan.now, ...plan.earlier].filter(({ begun }) => begun.cut);
    return unknown.map((reading) => requestsFor(reading, plan, reading.begun.rows.size));
  });
  const forGaps = gaps === 'none' ? 0 : maxGapRequests * plans.length;
  return {
    requests: Math.max(
      forLists.reduce((sum, requests) => sum + requests, forGaps),
      budget.most + 1,
    ),
    isLeast: plans.some(({ now }) => now.read.cut?.kind === 'budget'),
  };
}

function siteOf(plan: Plan, gaps: readonly GapsPart[] | undefined): SiteRead {
  const { project, now, earlier, lastYear } = plan;
  if (now.failure) return { project, failure: now.failure };
  return {
    project,
    now: now.read,
    before: earlier[0]?.read,
    // Each window keeps its place, even if it wasn't read, because the usual range depends on the positions.
    earlier: earlier.toReversed().map(({ read }) => {
      return read.cut?.kind === 'budget' ? { ...read, cut: serviceCutIn(plan) ?? read.cut } : read;
    }),
    lastYear: hasVisitors(lastYear.read) ? lastYear.read : undefined,
    gaps,
  };
}
