import { explain } from '../core/errors.ts';
import type { Project } from '../core/inputs/projects.ts';
import type { Deps } from '../deps.ts';
import { jobOf } from '../requests/card.ts';
import type { Looks } from '../requests/looks.ts';
import { byTurn, type Left, type Settled } from '../requests/settle.ts';
import type { Signer } from '../requests/sign.ts';
import { ServiceError } from '../service/errors.ts';

/** What a run has to do with one project: what is open of it, how its jobs are, and what was settled. */
export interface Part {
  readonly project: Project;
  /** The project's signer for a thread. */
  readonly signerOf: (thread: number) => Signer;
  readonly left: Left;
  readonly looks: Looks;
  readonly settled: Settled[];
}

/**
 * Looks at the jobs of all projects, as many as there are requests for: the oldest first, and last those that an earlier run
 * looked at in vain. A project that refuses the key leaves the others alone. Gives whether there were more jobs than requests.
 *
 * @throws ServiceError if the key is refused, by one (401) or by all that have a job (403); the signal's reason.
 */
export async function lookAtAll(
  parts: readonly Part[],
  requests: number,
  { runner }: Pick<Deps, 'runner'>,
): Promise<{ readonly areMore: boolean }> {
  const jobs = byTurns(parts);
  const refusals: { readonly name: string; readonly error: ServiceError }[] = [];
  const asked = Map.groupBy(jobs.slice(0, requests), ({ part }) => part);
  for (const [{ looks, project }, chosen] of asked) {
    try {
      await looks.at(chosen.map(({ jobId }) => jobId));
    } catch (error) {
      if (!(error instanceof ServiceError) || error.reason !== 'forbidden') throw error;
      refusals.push({ name: project.name, error });
    }
  }
  const [first] = refusals;
  if (first !== undefined && refusals.length === asked.size) throw first.error;
  for (const { name, error } of refusals)
    runner.warning(`${name}: ${explain(error).text}`, { title: 'Docs Agent' });
  return { areMore: jobs.length > requests };
}

/** Looks until one project's job is found to have this pull request: at all at once, so that it takes a minute in all. */
export async function untilOpened(pullRequest: string, parts: readonly Part[]): Promise<void> {
  await Promise.all(
    parts.map(({ looks, left }) => looks.until(pullRequest, [...new Set(left.open.flatMap(jobIdOf))])),
  );
}

/** The jobs of all projects, each once, in the order of their turns. */
function byTurns(parts: readonly Part[]): { readonly part: Part; readonly jobId: string }[] {
  const all = parts
    .flatMap((part) =>
      part.left.open.flatMap((open) => jobIdOf(open).map((jobId) => ({ part, jobId, open }))),
    )
    .sort((one, other) => byTurn(one.open, other.open));
  return [
    ...new Map(all.toReversed().map((one) => [`${one.part.project.id}\n${one.jobId}`, one])).values(),
  ].toReversed();
}

function jobIdOf({ card }: Left['open'][number]): string[] {
  const id = jobOf(card)?.id;
  return id === undefined ? [] : [id];
}
