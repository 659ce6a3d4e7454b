import { ActionError } from '../../core/errors.ts';
import type { Project } from '../../core/inputs/projects.ts';
import type { Deps } from '../../deps.ts';
import type { VisitorsConfig } from '../inputs.ts';
import { commonFailure, type Failed } from './common-failure.ts';
import { cutOf, remedyFor } from './cut.ts';
import type { History } from './history.ts';
import { previousWindow, type Window } from './period.ts';
import { PlannedWindow } from './planned-window.ts';
import type { Requests } from './requests.ts';
import type { WindowPair } from './window-read.ts';

/** The windows of a project. */
export interface WindowsRead {
  readonly project: Project;
  readonly windows: WindowPair;
}

/** What came of reading a project. */
export type ProjectRead =
  | WindowsRead
  /** Not even the totals of its window could be read. */
  | Failed;

/** Where windows come from. */
export interface Sources extends Pick<Deps, 'service' | 'runner'> {
  readonly historyOf: (projectId: string) => History;
  readonly requests: Requests;
}

/** The windows that are to be known of a project. */
interface Plan {
  readonly project: Project;
  readonly now: PlannedWindow;
  /** `undefined` where nothing is compared. */
  readonly before: PlannedWindow | undefined;
}

/**
 * Takes the window of every project and the one before it from the history where that holds them whole, and reads them from the
 * service else, all with one budget: first the first page of each, which its totals come with, of this window and then of the
 * one before; and then the other pages in turn, one of each project, so that none takes all: of this window as long as it has
 * some, then of the one before. Each window goes into the history as soon as it is read.
 *
 * @throws ServiceError where the key is refused, which all meet alike; where no project can be read, what kept all from it
 *   (ServiceError, or ActionError `budget-spent`) or, where that differs, an ActionError that names it for each, with the reason of
 *   the first; the signal's reason.
 */
export async function readProjects(
  window: Window,
  { projects, compare, maxRequests }: Pick<VisitorsConfig, 'projects' | 'compare' | 'maxRequests'>,
  sources: Sources,
): Promise<ProjectRead[]> {
  const plans = projects.map(
    (project): Plan => ({
      project,
      now: planned(project, window, sources),
      before: compare === 'none' ? undefined : planned(project, previousWindow(window), sources),
    }),
  );

  const nows = plans.map(({ now }) => now);
  await beginAll(nows);
  throwIfNothingIsRead(plans);
  const befores = plans.flatMap(({ now, before }) =>
    before === undefined || now.result instanceof ActionError ? [] : [before],
  );
  // No project's rows are to cost another its change, or its own.
  await beginAll(befores);
  await readInTurn(plans);

  logGaps(plans, maxRequests, sources.runner);
  return plans.map(readOf);
}

function planned({ id }: Project, window: Window, { service, historyOf, requests }: Sources): PlannedWindow {
  const history = historyOf(id);
  const source = { service: service.forProject(id), requests, onEnd: history.keep };
  return new PlannedWindow(window, source, history.find(window));
}

/** Reads the first page of each, with a request kept back for each that is still to come. */
async function beginAll(windows: readonly PlannedWindow[]): Promise<void> {
  const waiting = windows.filter(({ isWaiting }) => isWaiting);
  for (const [index, one] of waiting.entries()) await one.begin(waiting.length - 1 - index);
}

/** Reads a page of each project in turn, of its first window that has more, until all are over. */
async function readInTurn(plans: readonly Plan[]): Promise<void> {
  const open = () => plans.flatMap(({ now, before }) => [now, before].find((one) => one?.isOpen) ?? []);
  for (let round = open(); round.length > 0; round = open()) {
    for (const one of round) await one.next();
  }
}

function throwIfNothingIsRead(plans: readonly Plan[]): void {
  const failures = plans.flatMap(({ project, now: { result } }) =>
    result instanceof ActionError ? [{ project, failure: result }] : [],
  );
  const refusal = failures.find(({ failure }) => failure.reason === 'unauthorized');
  if (refusal !== undefined) throw refusal.failure;
  if (failures.length === plans.length) throw commonFailure(failures);
}

function readOf({ project, now, before }: Plan): ProjectRead {
  const [after, earlier] = [now.result, before?.result];
  if (after instanceof ActionError) return { project, failure: after };
  return earlier instanceof ActionError
    ? { project, windows: { now: after, before: undefined, whyNoBefore: cutOf(earlier) } }
    : { project, windows: { now: after, before: earlier, whyNoBefore: undefined } };
}

/**
 * Says in the log what could not be read and what to do, with the service's own words, which the report leaves out. What many windows lack for
 * one reason is one warning: a step shows only ten.
 */
function logGaps(plans: readonly Plan[], maxRequests: number, runner: Deps['runner']): void {
  const warned = new Set<string>();
  for (const { project, now, before } of plans) {
    const whose = plans.length === 1 ? '' : `${project.name}: `;
    const asked = before === undefined || now.result instanceof ActionError ? [now] : [now, before];
    for (const { window, result } of asked) {
      const gap = gapOf(result, maxRequests);
      if (gap === undefined) continue;
      runner[warned.has(gap.kind) ? 'info' : 'warning'](`${whose}${window.label} ${gap.text}`);
      warned.add(gap.kind);
    }
  }
}

/** What was not read of a window, why, and what to do about it. */
function gapOf(
  result: PlannedWindow['result'],
  maxRequests: number,
): { kind: string; text: string } | undefined {
  if (result instanceof ActionError)
    return { kind: result.reason, text: `could not be read: ${inFull(result)}` };
  const { cut, rows } = result;
  if (cut === undefined) return undefined;
  const isOfService = cut.kind === 'service';
  const why = isOfService ? inFull(cut) : remedyFor(cut, maxRequests);
  const text = `was not read whole; it ended after ${rows.size} pages. ${why}`;
  return { kind: isOfService ? cut.reason : cut.kind, text };
}

function inFull({ message, hint }: Pick<ActionError, 'message' | 'hint'>): string {
  return hint === undefined ? message : `${message}. ${hint}`;
}
