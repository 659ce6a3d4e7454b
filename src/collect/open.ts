import { explain } from '../core/errors.ts';
import type { Project } from '../core/inputs/projects.ts';
import type { Deps } from '../deps.ts';
import type { RepositoryComment } from '../github/changes.ts';
import type { GitHub } from '../github/client.ts';
import { GitHubError } from '../github/errors.ts';
import { jobOf } from '../requests/card.ts';
import type { Looks } from '../requests/looks.ts';
import { permissionsHint } from '../requests/saver.ts';
import { byAge, byTurn, type Left, leftIn, ourLogin } from '../requests/settle.ts';
import { mayBeSigned, type Signer } from '../requests/sign.ts';
import { cardsIn, unverifiedKeyOf } from '../requests/store.ts';
import { ServiceError } from '../service/errors.ts';
import type { CollectConfig } from './inputs.ts';

/** Of 100 comments each: all before the first edit, which moves them. */
const mostPages = 30;

type SignerOf = (thread: number) => Signer;

/** What a run has to do for one project: what is open, and how its jobs are. */
export interface Part extends Left {
  readonly project: Project;
  /** The project's signer for a thread. */
  readonly signerOf: SignerOf;
  readonly looks: Looks;
}

/**
 * Reads the comments of all threads that may be ours, back to when a job is given up at the latest. `isWhole` says whether all
 * of them were read.
 *
 * @throws GitHubError, or the signal's reason.
 */
export async function readComments(github: GitHub, { collectSince }: CollectConfig, { clock, signal }: Deps) {
  const options = { sinceMs: clock.now() - 2 * collectSince, maxPages: mostPages };
  const { comments, isWhole } = await github.readRepositoryComments(options, signal).catch(namingPermission);
  // Most comments are none of ours: they cost no key.
  return { comments: comments.filter(({ body }) => mayBeSigned(body)), isWhole };
}

/** What no process follows any more of the project whose cards the signers verify. */
export function openIn(comments: readonly RepositoryComment[], signerOf: SignerOf, nowMs: number): Left {
  const threads = Map.groupBy(comments, ({ thread }) => thread);
  const read = [...threads].map(([thread, ours]) => ({ thread, cards: cardsIn(ours, signerOf(thread)) }));
  const login = ourLogin(read.flatMap(({ cards }) => cards));
  const left = read.map(({ thread, cards }) => leftIn(cards, thread, nowMs, login));
  return {
    open: left.flatMap(({ open }) => open).sort(byAge),
    outdated: left.flatMap(({ outdated }) => outdated),
  };
}

/**
 * After a key was rotated, what the key before has signed cannot be edited: that must not look as if all had ended. Counts such
 * comments in a sentence; empty without any.
 */
export function ofOtherKeys(comments: readonly RepositoryComment[], parts: readonly Part[]): string[] {
  const isOtherKeys = (one: RepositoryComment) =>
    parts.some(({ signerOf }) => unverifiedKeyOf(one, signerOf(one.thread)) !== undefined);
  const count = comments.filter(isOtherKeys).length;
  if (count === 0) return [];
  const whose = parts.length === 1 ? 'this project' : 'these projects';
  return [`Comments of ${whose} that were signed with another API key, and stay as they are: ${count}.`];
}

/**
 * Looks at the jobs of all projects, as many as there are requests for: the oldest first, and last those that an earlier run
 * looked at in vain. A project that refuses the key leaves the others alone. Returns whether there were more jobs than requests.
 *
 * @throws ServiceError if the key is refused, by one (401) or by all that have a job (403); the signal's reason.
 */
export async function lookAtAll(
  parts: readonly Part[],
  requests: number,
  { runner }: Pick<Deps, 'runner'>,
): Promise<boolean> {
  const jobs = jobsByTurn(parts);
  const asked = Map.groupBy(jobs.slice(0, requests), ({ part }) => part);
  const refusals: { readonly name: string; readonly error: ServiceError }[] = [];
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
  return jobs.length > requests;
}

/** Looks until one project's job is found to have this pull request: at all at once, so that it takes a minute in all. */
export async function untilOpened(pullRequest: string, parts: readonly Part[]): Promise<void> {
  await Promise.all(
    parts.map((part) => part.looks.until(pullRequest, [...new Set(jobsIn(part).map(({ jobId }) => jobId))])),
  );
}

/** Each job once, in the turn of the last of its comments. */
function jobsByTurn(parts: readonly Part[]) {
  const lastFirst = parts.flatMap(jobsIn).sort((one, other) => byTurn(other.open, one.open));
  const jobs = new Map(lastFirst.map((one) => [`${one.part.project.id}\n${one.jobId}`, one]));
  return [...jobs.values()].reverse();
}

function jobsIn(part: Part) {
  return part.open.flatMap((open) => {
    const jobId = jobOf(open.card)?.id;
    return jobId === undefined ? [] : { part, jobId, open };
  });
}

function namingPermission(error: unknown): never {
  if (!(error instanceof GitHubError) || !error.forbidden) throw error;
  throw new GitHubError(error.what, { said: error.said, cause: error, hint: permissionsHint });
}
