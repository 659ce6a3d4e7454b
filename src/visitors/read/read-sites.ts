import type { Budget } from '../../core/budget.ts';
import { ActionError } from '../../core/errors.ts';
import type { Project } from '../../core/inputs/projects.ts';
import type { Deps } from '../../deps.ts';
import { firstFew } from '../../text/counts.ts';
import { shortCode } from '../../text/markdown.ts';
import type { History } from './history.ts';
import { type GapsPart, readGapLists } from './read-gaps.ts';
import { createReadPage, type Reading, type ReadPage, rowsPerRequest } from './read-page.ts';
import { previousWindow, type Window } from './window.ts';
import type { Cut, WindowRead, Windows } from './window-read.ts';

/** A site that couldn't be read at all. */
export interface UnreadSite {
  readonly project: Project;
  readonly failure: ActionError;
}

/** A site's windows. */
export interface SiteWindows {
  readonly project: Project;
  readonly windows: Windows;
  /** The windows that show what is usual, oldest first. The last one is `windows.before`. */
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

/** The windows to read for a project. */
type Plan = ReturnType<typeof planOf>;

const mostNamed = 5;

/** The service allows 100 requests an hour. A few are left for retries. */
export const mostRequests = 90;

/**
 * Reads the windows of all projects, except those that the history has. The projects share one budget and take turns. The order
 * is: the first page of the window; totals of earlier windows, with up to half of the budget; the other rows of the window and
 * of the previous one; the other totals; what readers didn't find; rows of earlier windows that can be read completely.
 * @throws ActionError if no project can be read; the signal's reason.
 */
export async function readSites(options: ReadOptions): Promise<SiteRead[]> {
  const { projects, history, service, budget, signal, window } = options;
  const plans = projects.map((project) => planOf(project, options));
  const readPage = createReadPage(service, budget, signal);
  const readNext: ReadPage = async (reading, reserve) => {
    await readPage(reading, reserve);
    if (reading.failure === undefined) history.keep(reading.projectId, reading.read);
  };
  const nows = plans.map(({ now }) => now);
  const waiting = nows.filter(isOpen);
  // One request is reserved for each project that follows.
  for (const [index, now] of waiting.entries()) await readNext(now, waiting.length - 1 - index);
  throwIfNothingIsRead(plans);
  const open = plans.filter(({ now }) => now.failure === undefined);
  const befores = open.flatMap(({ earlier }) => earlier.slice(0, 1));
  await readTotals(open, readNext, () => 2 * budget.used < budget.most);
  await readInTurn(nows, readNext);
  await readInTurn(befores, readNext);
  await readTotals(open, readNext, () => budget.remaining > 0);
  const asking = options.gaps === 'none' ? [] : open.map(({ project }) => project);
  const gaps = await readGapLists(asking, window, options);
  for (const { plan, reading } of newestFirst(open)) {
    const requests = requestsFor(plan, reading);
    if (requests === 0 || budget.remaining < requests || serviceCutIn(plan)) continue;
    while (reading.next !== undefined) await readNext(reading);
  }
  const enough = enoughFor(plans, budget);
  return plans.map((plan) => siteOf(plan, gaps.get(plan.project.id), enough));
}

function planOf(project: Project, options: ReadOptions) {
  const { history, compare, baseline } = options;
  const begin = (window: Window): Reading => {
    const read = history.find(project.id, window);
    return { projectId: project.id, read, rows: new Map(), next: read.cut && 0 };
  };
  const now = begin(options.window);
  /** Newest first, so it begins with the previous window. */
  const earlier: Reading[] = [];
  const count = compare === 'none' ? 0 : Math.max(1, baseline);
  for (let past = previousWindow(options.window); earlier.length < count; past = previousWindow(past))
    earlier.push(begin(past));
  const unknown = earlier.filter((reading) => totalOf(reading) === undefined).length;
  return { project, now, earlier, unknown };
}

function isOpen({ next }: Reading): boolean {
  return next !== undefined;
}

async function readInTurn(readings: readonly Reading[], readNext: ReadPage): Promise<void> {
  for (let round = readings.filter(isOpen); round.length > 0; round = round.filter(isOpen)) {
    for (const reading of round) await readNext(reading);
  }
}

/** Reads the unknown totals of earlier windows, newest first. If the service fails for a project, no more of its are read. */
async function readTotals(plans: readonly Plan[], readNext: ReadPage, mayGoOn: () => boolean) {
  for (const { plan, reading } of newestFirst(plans)) {
    if (totalOf(reading) === undefined && isOpen(reading) && !serviceCutIn(plan) && mayGoOn())
      await readNext(reading);
  }
}

/** The earlier windows of all projects, newest first, one of each project in turn. */
function newestFirst(plans: readonly Plan[]) {
  return plans
    .flatMap((plan) => plan.earlier.map((reading, age) => ({ plan, reading, age })))
    .sort((a, b) => a.age - b.age);
}

function totalOf({ read }: Reading): number | undefined {
  return read.totals.total;
}

/** How many more requests the pages of an earlier window probably take: it has about as many pages as this one. */
function requestsFor({ now }: Plan, reading: Reading): number {
  if (!isOpen(reading) || totalOf(reading) === 0) return 0;
  return Math.max(1, Math.ceil(now.read.rows.size / rowsPerRequest) - (reading.next === 0 ? 0 : 1));
}

/** How many requests a run needs for all totals, and for all pages, of the earlier windows; `undefined` if that is unknown. */
function enoughFor(plans: readonly Plan[], { used }: Budget) {
  const earlier = newestFirst(plans);
  const readings = plans.flatMap(({ now, earlier: [before] }) => [now, ...(before ? [before] : [])]);
  const pages = earlier.reduce((sum, { plan, reading }) => sum + requestsFor(plan, reading), used);
  if (readings.every(({ read }) => read.cut?.kind !== 'budget'))
    return { totals: used + earlier.filter(({ reading }) => totalOf(reading) === undefined).length, pages };
  // Half of the requests are for totals, so twice as many as there are totals suffice. More pages may be unknown.
  const totals = 2 * plans.reduce((sum, { unknown }) => sum + 1 + unknown, 0);
  return { totals, pages: pages > mostRequests ? pages : undefined };
}

/** Why the service stopped answering about a project, if it did. */
function serviceCutIn({ now, earlier }: Plan): Cut | undefined {
  return [now, ...earlier].map(({ read }) => read.cut).find((cut) => cut?.kind === 'service');
}

function throwIfNothingIsRead(plans: readonly Plan[]): void {
  const failures = plans.flatMap(({ now: { failure } }) => failure ?? []);
  const [first] = failures;
  if (first === undefined || failures.length < plans.length) return;
  if (failures.every(({ message }) => message === first.message)) throw first;
  const causes = failures.map(({ what, reason }, index) => {
    return `${shortCode(plans[index]?.project.name ?? '')}: ${what} (\`${reason}\`)`;
  });
  const hints = new Set(failures.flatMap(({ hint }) => hint ?? []));
  throw new ActionError(first.reason, `None of the ${plans.length} projects could be read`, {
    doing: firstFew(causes, mostNamed).join('; '),
    hint: [...hints].slice(0, mostNamed).join(' '),
  });
}

function siteOf(
  plan: Plan,
  gaps: readonly GapsPart[] | undefined,
  enough: ReturnType<typeof enoughFor>,
): SiteRead {
  const { project, now, earlier } = plan;
  if (now.failure) return { project, failure: now.failure };
  return {
    project,
    windows: { now: now.read, before: earlier[0]?.read },
    // Each window keeps its place, even if it wasn't read, because the usual range depends on the positions.
    earlier: earlier.toReversed().map((reading) => {
      const { read } = reading;
      const lacking = totalOf(reading) === undefined ? enough.totals : enough.pages;
      if (read.cut?.kind !== 'budget') return read;
      return { ...read, cut: serviceCutIn(plan) ?? { kind: 'budget', enough: lacking } };
    }),
    gaps,
  };
}
