import { ActionError } from '../core/errors.ts';
import type { Project } from '../core/inputs/projects.ts';
import type { Deps } from '../deps.ts';
import type { History } from '../report/history.ts';
import type { Reading, ReadPage } from '../report/read-page.ts';
import { previousWindow, type Window } from '../report/window.ts';
import { cutOf, remedyFor, type Windows } from '../report/window-read.ts';
import { firstFew } from '../text/first-few.ts';
import { shortCode } from '../text/markdown.ts';

/** A project of which nothing could be read. */
export interface FailedRead {
  readonly project: Project;
  readonly failure: ActionError;
}

/** A project's windows, or why not even the totals of its window could be read. */
export type SiteRead = { readonly project: Project; readonly windows: Windows } | FailedRead;

/** What is to be read, and where it comes from. */
export interface ReadOptions {
  readonly projects: readonly Project[];
  readonly compare: 'previous' | 'none';
  readonly maxRequests: number;
  readonly history: History;
  readonly readPage: ReadPage;
  readonly runner: Deps['runner'];
}

/** The windows that are to be known of a project; no window before if nothing is compared. */
interface Plan {
  readonly project: Project;
  readonly now: Reading;
  readonly before: Reading | undefined;
}

/** How many projects, and how many of their failures, an error names; others are counted. */
const mostNamed = 5;

/**
 * Takes the window of every project and the one before it from the history if that has them whole, otherwise from the service,
 * all with one budget: first the first page of each, which its totals come with, of this window and then of the one before; then
 * the other pages in turn, one of each project, so that none takes all: of this window first. Each window goes into the history
 * as soon as it is read.
 *
 * @throws ServiceError if the key is refused, which is the same for all; if no project can be read, what prevented it; the
 *   signal's reason.
 */
export async function readSites(window: Window, options: ReadOptions): Promise<SiteRead[]> {
  const { projects, compare, maxRequests, history, readPage, runner } = options;
  const begin = (projectId: string, which: Window): Reading => {
    const read = history.find(projectId, which);
    return { projectId, window: which, read, rows: new Map(), next: read === undefined ? 0 : undefined };
  };
  const plans = projects.map(
    (project): Plan => ({
      project,
      now: begin(project.id, window),
      before: compare === 'none' ? undefined : begin(project.id, previousWindow(window)),
    }),
  );
  const readNext: ReadPage = async (reading, keepBack) => {
    await readPage(reading, keepBack);
    const { read, next, projectId } = reading;
    if (read !== undefined && next === undefined) history.keep(projectId, read);
  };

  await readFirstPages(
    plans.map(({ now }) => now),
    readNext,
  );
  throwIfNothingIsRead(plans);
  await readFirstPages(
    plans.flatMap(({ now, before }) => (before && now.read ? [before] : [])),
    readNext,
  );
  await readInTurn(plans, readNext);

  logGaps(plans, maxRequests, runner);
  return plans.map(siteOf);
}

/** Reads the first page of each, with a request kept back for each that is still to come. */
async function readFirstPages(readings: readonly Reading[], readNext: ReadPage): Promise<void> {
  const waiting = readings.filter(({ next }) => next !== undefined);
  for (const [index, one] of waiting.entries()) await readNext(one, waiting.length - 1 - index);
}

/** Reads a page of each project in turn, of its first window that has more, until all are over. */
async function readInTurn(plans: readonly Plan[], readNext: ReadPage): Promise<void> {
  const isOpen = (one: Reading | undefined) => one?.read !== undefined && one.next !== undefined;
  const open = () => plans.flatMap(({ now, before }) => [now, before].find(isOpen) ?? []);
  for (let round = open(); round.length > 0; round = open()) {
    for (const one of round) await readNext(one);
  }
}

function throwIfNothingIsRead(plans: readonly Plan[]): void {
  const failures = plans.flatMap(({ project, now: { failure } }) => (failure ? [{ project, failure }] : []));
  const refusal = failures.find(({ failure }) => failure.reason === 'unauthorized');
  if (refusal !== undefined) throw refusal.failure;
  if (failures.length === plans.length) throw commonFailure(failures);
}

/** Why none of the projects could be read: the first failure if all are alike, otherwise each by the names of its projects. */
function commonFailure(failures: readonly FailedRead[]): ActionError {
  const [{ failure: first } = { failure: new ActionError('internal', 'There is no project') }] = failures;
  if (failures.every(({ failure }) => failure.message === first.message)) return first;
  const byCause = Map.groupBy(failures, ({ failure }) => `${failure.what} (\`${failure.reason}\`)`);
  const causes = Array.from(byCause, ([cause, alike]) => {
    const names = alike.map(({ project }) => shortCode(project.name));
    return `${firstFew(names, mostNamed).join(', ')}: ${cause}`;
  });
  const hints = new Set(failures.flatMap(({ failure }) => failure.hint ?? []));
  const words = failures.flatMap(({ project: { name }, failure: { said } }) =>
    said === undefined ? [] : [`${name}: ${said}`],
  );
  const what = `None of the ${failures.length} projects could be read. ${firstFew(causes, mostNamed).join('; ')}`;
  return new ActionError(first.reason, what, {
    hint: [...hints].slice(0, mostNamed).join(' '),
    said: words.length === 0 ? undefined : firstFew(words, mostNamed).join('\n'),
  });
}

function siteOf({ project, now, before }: Plan): SiteRead {
  if (now.read === undefined) {
    return { project, failure: now.failure ?? new ActionError('internal', 'The window was not asked for') };
  }
  const whyNoBefore = before?.failure && cutOf(before.failure);
  return { project, windows: { now: now.read, before: before?.read, whyNoBefore } };
}

/**
 * Logs what could not be read and what to do, with the service's own words, which the report leaves out. What many windows lack
 * for one reason is one warning: a step shows only ten.
 */
function logGaps(plans: readonly Plan[], maxRequests: number, runner: Deps['runner']): void {
  const warned = new Set<string>();
  for (const { project, now, before } of plans) {
    const whose = plans.length === 1 ? '' : `${project.name}: `;
    const asked = before === undefined || now.failure !== undefined ? [now] : [now, before];
    for (const reading of asked) {
      const gap = gapOf(reading, maxRequests);
      if (gap === undefined) continue;
      runner[warned.has(gap.kind) ? 'info' : 'warning'](`${whose}${reading.window.label} ${gap.text}`);
      warned.add(gap.kind);
    }
  }
}

/** What was not read of a window, why, and what to do about it. */
function gapOf({ read, failure }: Reading, maxRequests: number): { kind: string; text: string } | undefined {
  const inFull = ({ message, hint }: Pick<ActionError, 'message' | 'hint'>) =>
    hint === undefined ? message : `${message}. ${hint}`;
  if (failure !== undefined) return { kind: failure.reason, text: `could not be read: ${inFull(failure)}` };
  if (read?.cut === undefined) return undefined;
  const { cut, rows } = read;
  const isOfService = cut.kind === 'service';
  const why = isOfService ? inFull(cut) : remedyFor(cut, maxRequests);
  const text = `was not read whole; it ended after ${rows.size} pages. ${why}`;
  return { kind: isOfService ? cut.reason : cut.kind, text };
}
