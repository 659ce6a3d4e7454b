import type { Budget } from '../../core/budget.ts';
import type { ActionError } from '../../core/errors.ts';
import type { Project } from '../../core/projects.ts';
import type { Deps } from '../../deps.ts';
import type { History } from './history.ts';
import { type GapsPart, maxGapRequests, readGapLists } from './read-gaps.ts';
import { beginReading, createReadPage, type Reading, type ReadPage, rowsPerRequest } from './read-page.ts';
import { previousWindow, type Window } from './window.ts';
import { type Cut, minWeeks, type WindowRead } from './window-read.ts';

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

/** The windows to read for a project. The earlier ones begin with the newest, which is the previous window. */
interface Plan {
  readonly project: Project;
  readonly now: Reading;
  readonly earlier: readonly Reading[];
}

/** How many requests would have been enough for what the budget cut off. */
export interface Enough {
  /** For a complete report, and for the usual ranges of pages, in tens; `undefined` if that is more than a run should send. */
  readonly totals: number | undefined;
  readonly pages: number | undefined;
  /** Whether it may take even more, because the number of pages of a site is unknown. */
  readonly isLeast: boolean;
}

/** The service allows 100 requests an hour. A few are left for retries. */
export const maxAdvised = 90;

/**
 * Reads the windows of all projects, except those that the history has. The projects share one budget and take turns.
 * @throws ActionError, the first project's, if none can be read; the signal's reason.
 */
export async function readSites(options: ReadOptions): Promise<{ reads: SiteRead[]; enough: Enough }> {
  const { projects, history, service, budget, signal } = options;
  const plans = projects.map((project) => planOf(project, options));
  const readPage = createReadPage(service, budget, signal);
  const gaps = await readInOrder(plans, options, async (reading, reserve) => {
    await readPage(reading, reserve);
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
  return { project, now, earlier };
}

/**
 * Reads in this order: the first page of the window; totals of earlier windows, with up to half of the budget; the other rows of
 * the window and of the previous one; the other totals; what readers didn't find; rows of earlier windows that can be read
 * completely.
 */
async function readInOrder(plans: readonly Plan[], options: ReadOptions, readNext: ReadPage) {
  const { budget, window } = options;
  const nows = plans.map(({ now }) => now);
  const waiting = nows.filter(isOpen);
  // One request is reserved for each project that follows.
  for (const [index, now] of waiting.entries()) await readNext(now, waiting.length - 1 - index);
  const open = plans.filter(({ now }) => now.failure === undefined);
  /** The earlier windows of all projects, newest first, one of each project in turn. */
  const newestFirst = open
    .flatMap((plan) => plan.earlier.map((reading, age) => ({ plan, reading, age })))
    .sort((a, b) => a.age - b.age);
  /** Reads unknown totals. If the service fails for a project, no more of its are read. */
  const readTotals = async (mayGoOn: () => boolean) => {
    for (const { plan, reading } of newestFirst) {
      if (totalOf(reading) === undefined && isOpen(reading) && !serviceCutIn(plan) && mayGoOn())
        await readNext(reading);
    }
  };
  await readTotals(() => 2 * budget.used < budget.most);
  await readInTurn(nows, readNext);
  await readInTurn(
    open.flatMap(({ earlier: [before] }) => before ?? []),
    readNext,
  );
  await readTotals(() => budget.remaining > 0);
  const asking = options.gaps === 'none' ? [] : open.map(({ project }) => project);
  const gaps = await readGapLists(asking, window, options);
  for (const { plan, reading } of newestFirst) {
    // An earlier window probably has about as many pages as this one.
    const pages = Math.ceil(plan.now.read.rows.size / rowsPerRequest) - (reading.next === 0 ? 0 : 1);
    const isFitting = Math.max(1, pages) <= budget.remaining;
    if (totalOf(reading) === 0 || !isFitting || serviceCutIn(plan)) continue;
    while (isOpen(reading)) await readNext(reading);
  }
  return gaps;
}

function isOpen({ next }: Reading): boolean {
  return next !== undefined;
}

async function readInTurn(readings: readonly Reading[], readNext: ReadPage): Promise<void> {
  for (let round = readings.filter(isOpen); round.length > 0; round = round.filter(isOpen)) {
    for (const reading of round) await readNext(reading);
  }
}

function totalOf({ read }: Reading): number | undefined {
  return read.totals.total;
}

/** Why the service stopped answering about a project, if it did. */
function serviceCutIn({ now, earlier }: Plan): Cut | undefined {
  return [now, ...earlier].map(({ read }) => read.cut).find((cut) => cut?.kind === 'service');
}

/**
 * Adds up the requests for what the budget may cut off. It assumes that an unknown window has visitors, and as many rows as this
 * one. If not all rows were read, there is at least one more.
 */
function enoughFor(plans: readonly Plan[], { budget, gaps }: ReadOptions): Enough {
  const sizeOf = ({ rows, cut }: WindowRead) => rows.size + (cut ? 1 : 0);
  /** The requests for unknown windows from one age to another, and how many are for totals. This window's age is 0. */
  const requestsFor = (from: number, to?: number) => {
    const unknown = plans.flatMap(({ now, earlier }) =>
      [now, ...earlier].slice(from, to).flatMap(({ begun, read }) => (begun.cut ? { now, begun, read } : [])),
    );
    const first = unknown.filter(({ now, begun }) => begun === now.begun || begun.totals.total === undefined);
    const pages = unknown.map(
      ({ now, read }) => Math.max(1, sizeOf(now.read), sizeOf(read)) / rowsPerRequest,
    );
    return { all: pages.reduce((sum, size) => sum + Math.ceil(size), 0), totals: first.length };
  };
  const ends = plans.map(({ earlier }) => {
    const visited = earlier.filter((reading) => totalOf(reading) !== 0);
    return earlier.findIndex((reading) => reading === visited[minWeeks - 1]) + 2;
  });
  const [compared, older, needed] = [requestsFor(0, 2), requestsFor(2), requestsFor(2, Math.max(...ends))];
  // Up to half of the requests are for totals, even for more of them than a usual range takes.
  const early = Math.min(older.totals, compared.all - 2 * compared.totals);
  const inTens = (requests: number) => {
    const most = 10 * Math.ceil(Math.max(requests, budget.most + 1) / 10);
    return most > maxAdvised ? undefined : most;
  };
  const forGaps = gaps === 'none' ? 0 : maxGapRequests * plans.length;
  return {
    totals: inTens(compared.all + Math.max(early, needed.totals)),
    pages: inTens(compared.all + older.totals + forGaps + needed.all - needed.totals),
    isLeast: plans.some(({ now }) => now.read.cut?.kind === 'budget'),
  };
}

function siteOf(plan: Plan, gaps: readonly GapsPart[] | undefined): SiteRead {
  const { project, now, earlier } = plan;
  if (now.failure) return { project, failure: now.failure };
  return {
    project,
    now: now.read,
    before: earlier[0]?.read,
    // Each window keeps its place, even if it wasn't read, because the usual range depends on the positions.
    earlier: earlier.toReversed().map(({ read }) => {
      return read.cut?.kind === 'budget' ? { ...read, cut: serviceCutIn(plan) ?? read.cut } : read;
    }),
    gaps,
  };
}
