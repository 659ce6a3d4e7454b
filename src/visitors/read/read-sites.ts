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
import { asEarlier, cutOf, type EarlierWindow, isSilent, type Windows } from './window-read.ts';

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
  readonly earlier: readonly EarlierWindow[];
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

/** An earlier window to read. `known` is what the history has, in case the window isn't read. */
type EarlierReading = Reading & { readonly known: EarlierWindow };

/** The windows to read for a project. */
type Plan = ReturnType<typeof planOf>;

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
  const befores = plans.flatMap(({ now, earlier: [before] }) => (before && now.read ? [before] : []));
  await readInTurn(nows, readNext, befores.filter(isOpen).length);
  await readFirstPages(befores, readNext);
  await readInTurn(befores, readNext);
  const gaps = await readBaseline(plans, readNext, options);
  return plans.map((plan) => siteOf(plan, gaps.get(plan.project.id)));
}

function planOf(project: Project, { window: current, history, compare, baseline }: ReadOptions) {
  const { id: projectId } = project;
  const begin = (window: Window, read?: Reading['read']): Reading => {
    return { projectId, window, read, rows: new Map(), next: read === undefined ? 0 : undefined };
  };
  const now = begin(current, history.find(projectId, current));
  /** Newest first, so it begins with the previous window. */
  const earlier: EarlierReading[] = [];
  const count = compare === 'none' ? 0 : Math.max(1, baseline);
  for (let past = previousWindow(current); earlier.length < count; past = previousWindow(past)) {
    // All figures of the previous window are compared, so a complete copy of it takes the place of reading it.
    const read = earlier.length === 0 ? history.find(projectId, past) : undefined;
    const known = read ? { ...read, pages: undefined } : history.findEarlier(projectId, past);
    earlier.push({ ...begin(past, read), known });
  }
  return { project, now, earlier };
}

function isOpen({ next }: Reading): boolean {
  return next !== undefined;
}

/** Reads the first page of each window. One request is reserved for each of the windows that follow. */
async function readFirstPages(readings: readonly Reading[], readNext: ReadPage): Promise<void> {
  const waiting = readings.filter(isOpen);
  for (const [index, reading] of waiting.entries()) await readNext(reading, waiting.length - 1 - index);
}

async function readInTurn(readings: readonly Reading[], readNext: ReadPage, reserve = 0): Promise<void> {
  for (let round = readings.filter(isOpen); round.length > 0; round = round.filter(isOpen)) {
    for (const reading of round) await readNext(reading, reserve);
  }
}

/**
 * Reads the baseline windows that the history doesn't have: all totals first, then what readers didn't find, then rows. If the
 * service fails for a project, no more of its baseline is read.
 */
async function readBaseline(plans: readonly Plan[], readNext: ReadPage, options: ReadOptions) {
  const { window, budget } = options;
  const newestFirst = plans
    .flatMap((plan) => plan.earlier.slice(1).map((reading, age) => ({ reading, plan, age })))
    .sort((a, b) => a.age - b.age);
  const hasFailed = ({ now, earlier }: Plan) => isBroken(now) || earlier.some(isBroken);
  for (const { plan, reading } of newestFirst) {
    if (reading.known.totals.total === undefined && budget.remaining > 0 && !hasFailed(plan))
      await readNext(reading);
  }
  const read = plans.flatMap(({ project, now }) => (now.read ? [project] : []));
  const gaps = await readGapLists(options.gaps === 'none' ? [] : read, window, options);
  for (const { plan, reading } of newestFirst) {
    const isSilentThen = isSilent(reading.read ?? reading.known);
    // An earlier week probably has about as many pages as this one.
    const requests = Math.ceil((plan.now.read?.rows.size ?? 0) / rowsPerRequest) - (reading.read ? 1 : 0);
    if (reading.known.pages || isSilentThen || budget.remaining < requests || hasFailed(plan)) continue;
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
  const hints = new Set(failures.flatMap(({ failure }) => failure.hint ?? []));
  throw new ActionError(first.failure.reason, `None of the ${failures.length} projects could be read`, {
    doing: firstFew(causes, mostNamed).join('; '),
    hint: [...hints].slice(0, mostNamed).join(' '),
  });
}

function siteOf({ project, now, earlier }: Plan, gaps: readonly GapsPart[] | undefined): SiteRead {
  const { read, failure = new ActionError('internal', 'This period was never requested') } = now;
  if (read === undefined) return { project, failure };
  const [before] = earlier;
  return {
    project,
    windows: { now: read, before: before?.read, whyNoBefore: before?.failure && cutOf(before.failure) },
    // Each window keeps its place, even if it wasn't read, because the usual range depends on the positions.
    earlier: earlier.map(earlierOf).toReversed(),
    gaps,
  };
}

/** If a window wasn't read to its end, its pages are those that the history has. */
function earlierOf({ known, read, next }: EarlierReading): EarlierWindow {
  if (read === undefined) return known;
  const latest = asEarlier(read);
  return next === undefined ? latest : { ...latest, pages: known.pages };
}
