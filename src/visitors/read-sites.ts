import type { Budget } from '../core/budget.ts';
import { ActionError } from '../core/errors.ts';
import type { Project } from '../core/inputs/projects.ts';
import type { Deps } from '../deps.ts';
import type { History } from '../report/history.ts';
import { createReadPage, type Reading, type ReadPage, rowsPerRequest } from '../report/read-page.ts';
import { previousWindow, type Window } from '../report/window.ts';
import { asEarlier, cutOf, type EarlierWindow, isSilent, type Windows } from '../report/window-read.ts';
import { firstFew } from '../text/first-few.ts';
import { shortCode } from '../text/markdown.ts';
import type { VisitorsConfig } from './inputs.ts';
import { type GapsRead, readGapLists } from './read-gaps.ts';

/** A project that couldn't be read at all. */
export interface FailedRead {
  readonly project: Project;
  readonly failure: ActionError;
}

/** A project's windows. */
export interface WindowsOfSite {
  readonly project: Project;
  readonly windows: Windows;
  /** The windows that show what is usual, oldest first. The last one is `windows.before`. */
  readonly earlier: readonly EarlierWindow[];
}

/** A project's windows, or the error if even its totals couldn't be read. */
export type SiteRead = (WindowsOfSite & { readonly gaps: GapsRead | undefined }) | FailedRead;

interface ReadOptions
  extends Pick<VisitorsConfig, 'projects' | 'compare' | 'baseline' | 'gaps'>,
    Pick<Deps, 'service' | 'signal'> {
  readonly window: Window;
  readonly budget: Budget;
  readonly history: History;
}

/** The windows to read for a project. */
interface Plan {
  readonly project: Project;
  readonly now: Reading;
  readonly before: Reading | undefined;
  /** What the history has of the previous window, in case it can't be read. */
  readonly knownBefore: EarlierWindow | undefined;
  /** The windows before that, newest first. `known` is what the history has. */
  readonly older: readonly { readonly known: EarlierWindow; readonly reading: Reading }[];
}

const mostNamed = 5;

/**
 * Reads the windows of all projects, except those that the history has. The projects share one budget and take turns. The order
 * is: all rows of the window (with one request reserved for each project's previous total), the previous window, totals of
 * earlier windows, what readers didn't find, and rows of earlier windows that can be read completely.
 * @throws ActionError if no project can be read; the signal's reason.
 */
export async function readSites(options: ReadOptions): Promise<SiteRead[]> {
  const { projects, history, service, budget, signal } = options;
  const plans = projects.map((project) => planOf(project, options));
  history.release();
  const readPage = createReadPage(service, budget, signal);
  const readNext: ReadPage = async (reading, reserve) => {
    await readPage(reading, reserve);
    const { read, next, projectId } = reading;
    // Until the last page has been read, the window is incomplete.
    if (read) history.keep(projectId, next === undefined ? read : { ...read, cut: { kind: 'budget' } });
  };
  const nows = plans.map(({ now }) => now);
  await readFirstPages(nows, readNext);
  throwIfNothingIsRead(plans);
  const befores = plans.flatMap(({ now, before }) => (before && now.read ? [before] : []));
  await readInTurn(nows, readNext, befores.filter(isOpen).length);
  await readFirstPages(befores, readNext);
  await readInTurn(befores, readNext);
  const gaps = await readBaseline(plans, readNext, options);
  return plans.map((plan) => siteOf(plan, gaps.get(plan.project.id)));
}

function planOf(project: Project, { window, history, compare, baseline }: ReadOptions): Plan {
  const begin = (which: Window): Reading => {
    const read = history.find(project.id, which);
    const next = read === undefined ? 0 : undefined;
    return { projectId: project.id, window: which, read, rows: new Map(), next };
  };
  const now = begin(window);
  if (compare === 'none') return { project, now, before: undefined, knownBefore: undefined, older: [] };
  const before = begin(previousWindow(window));
  const knownBefore = before.read ? undefined : history.lookUp(project.id, before.window);
  const older: Plan['older'][number][] = [];
  for (let next = before.window; older.length < baseline - 1; ) {
    next = previousWindow(next);
    const known = history.lookUp(project.id, next);
    older.push({ known, reading: { projectId: project.id, window: next, rows: new Map(), next: 0 } });
  }
  return { project, now, before, knownBefore, older };
}

function isOpen({ next }: Reading): boolean {
  return next !== undefined;
}

/** Reads the first page of each window. One request is reserved for each of the windows that follow. */
async function readFirstPages(readings: readonly Reading[], readNext: ReadPage): Promise<void> {
  const waiting = readings.filter(isOpen);
  for (const [index, one] of waiting.entries()) await readNext(one, waiting.length - 1 - index);
}

async function readInTurn(readings: readonly Reading[], readNext: ReadPage, reserve = 0): Promise<void> {
  for (let round = readings.filter(isOpen); round.length > 0; round = round.filter(isOpen)) {
    for (const one of round) await readNext(one, reserve);
  }
}

/**
 * Reads the baseline windows that the history doesn't have: all totals first, then what readers didn't find, then rows. If the
 * service fails for a project, no more of its baseline is read.
 */
async function readBaseline(plans: readonly Plan[], readNext: ReadPage, options: ReadOptions) {
  const { window, budget } = options;
  const able = plans.filter(({ now, before }) => now.read && !isBroken(now) && !(before && isBroken(before)));
  const newestFirst = able
    .flatMap((plan) => plan.older.map((one, back) => ({ ...one, plan, back })))
    .sort((one, other) => one.back - other.back);
  const hasFailed = ({ older }: Plan) => older.some(({ reading }) => isBroken(reading));
  for (const { plan, known, reading } of newestFirst) {
    if (known.totals.total === undefined && budget.left > 0 && !hasFailed(plan)) await readNext(reading);
  }
  const read = plans.flatMap(({ project, now }) => (now.read ? [project] : []));
  const gaps = await readGapLists(options.gaps === 'none' ? [] : read, window, options);
  for (const { plan, known, reading } of newestFirst) {
    const isSilentThen = isSilent(reading.read ?? known);
    // An earlier week probably has about as many pages as this one.
    const requests = Math.ceil((plan.now.read?.rows.size ?? 0) / rowsPerRequest) - (reading.read ? 1 : 0);
    if (known.pages || isSilentThen || budget.left < requests || hasFailed(plan)) continue;
    while (reading.next !== undefined) await readNext(reading);
  }
  return gaps;
}

function isBroken({ failure, read }: Reading): boolean {
  return failure !== undefined || read?.cut?.kind === 'service';
}

function throwIfNothingIsRead(plans: readonly Plan[]): void {
  const failures = plans.flatMap(({ project, now: { failure } }) => (failure ? [{ project, failure }] : []));
  const [first] = failures;
  if (first === undefined || failures.length < plans.length) return;
  if (failures.every(({ failure }) => failure.message === first.failure.message)) throw first.failure;
  const causes = failures.map(
    ({ project, failure }) => `${shortCode(project.name)}: ${failure.what} (\`${failure.reason}\`)`,
  );
  const what = `None of the ${failures.length} projects could be read. ${firstFew(causes, mostNamed).join('; ')}`;
  const hints = new Set(failures.flatMap(({ failure }) => failure.hint ?? []));
  throw new ActionError(first.failure.reason, what, { hint: [...hints].slice(0, mostNamed).join(' ') });
}

function siteOf({ project, now, before, knownBefore, older }: Plan, gaps: GapsRead | undefined): SiteRead {
  if (now.read === undefined) {
    const failure = now.failure ?? new ActionError('internal', 'This period was never requested');
    return { project, failure };
  }
  const earlier = older.map(({ known, reading: { read, next } }) => {
    if (read === undefined) return known;
    // If a window wasn't read to its end, its pages are incomplete.
    const whole = asEarlier(read);
    return next === undefined ? whole : { ...whole, pages: known.pages };
  });
  // Even if the previous window wasn't read, it keeps its place, because the usual range depends on each window's position.
  const last = before?.read ? asEarlier(before.read) : knownBefore;
  return {
    project,
    windows: { now: now.read, before: before?.read, whyNoBefore: before?.failure && cutOf(before.failure) },
    earlier: [...earlier.toReversed(), ...(last ? [last] : [])],
    gaps,
  };
}
