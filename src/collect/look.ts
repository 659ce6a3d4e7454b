import { byAge, inTurn, jobIdsOf, type Left } from '../agent/open/find.ts';
import type { Handled } from '../agent/open/finish.ts';
import type { Looks } from '../agent/open/looks.ts';
import { explain } from '../core/failure.ts';
import type { Project } from '../core/inputs/projects.ts';
import type { Deps } from '../deps.ts';
import type { Markers } from '../requests/marker.ts';
import { ServiceError } from '../service/errors.ts';

/** What a run has to do with one project: what is open of it, how its jobs stand, and what was done. */
export interface Part {
  readonly project: Project;
  /** The project's markers of a thread. */
  readonly markersOf: (thread: number) => Markers;
  readonly left: Left;
  readonly looks: Looks;
  readonly handled: Handled[];
}

/**
 * Looks at the jobs of all projects, as many as there are requests for. A project that refuses the key leaves the others.
 *
 * @throws ServiceError where the key is refused, by one (401) or by all that have a job (403); the signal's reason.
 */
export async function lookAtAll(
  parts: readonly Part[],
  requests: number,
  { clock, runner }: Pick<Deps, 'clock' | 'runner'>,
): Promise<void> {
  const chosen = inTurn(oldestFirst(parts), requests, clock.now()).slice(0, requests);
  const refusals: { readonly name: string; readonly error: ServiceError }[] = [];
  const asked = Map.groupBy(chosen, ({ part }) => part);
  for (const [{ looks, project }, jobs] of asked) {
    try {
      await looks.at(jobs.map(({ jobId }) => jobId));
    } catch (error) {
      if (!(error instanceof ServiceError) || error.reason !== 'forbidden') throw error;
      refusals.push({ name: project.name, error });
    }
  }
  const [first] = refusals;
  if (first !== undefined && refusals.length === asked.size) throw first.error;
  for (const { name, error } of refusals)
    runner.warning(`${name}: ${explain(error).text}`, { title: 'Docs Agent' });
}

/** Looks until one project's job is found to have this pull request: at all at once, so that it takes a minute in all. */
export async function untilOpened(pullRequest: string, parts: readonly Part[]): Promise<void> {
  await Promise.all(parts.map(({ looks, left }) => looks.until(pullRequest, jobIdsOf(left.open))));
}

/** The jobs of all projects, each once, by the age of the comments that wait for them. */
function oldestFirst(parts: readonly Part[]): { readonly part: Part; readonly jobId: string }[] {
  return parts
    .flatMap((part) =>
      jobIdsOf(part.left.open).flatMap((jobId) => {
        const open = part.left.open.find(({ marker }) => marker.job === jobId);
        return open === undefined ? [] : [{ part, jobId, open }];
      }),
    )
    .sort((one, other) => byAge(one.open, other.open));
}
