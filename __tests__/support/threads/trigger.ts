import type { Comment } from '../../../simulator/github/types.ts';
import type { InMemorySimulator } from '../../../simulator/in-memory.ts';
import type { Job } from '../../../simulator/service/job.ts';
import type { RunEnd } from '../mishaps/mishap.ts';
import {
  falseOutputs,
  falseStatements,
  headlineOf,
  isStale,
  jobNamed,
  statusComments,
} from '../oracle/agent.ts';
import { endOf, leaks, type Run } from '../played.ts';
import { requestIn } from '../prompts.ts';
import { THREAD } from '../usual.ts';

/** Where triggers live: the simulator, and the workflow's current API key. */
export interface World {
  readonly core: InMemorySimulator;
  readonly apiKey: string;
}

/** One way to ask for something: a comment, or a separate run. */
export interface TriggerSpec extends Pick<Run, 'event' | 'inputs'> {
  /** No other trigger has this prompt. */
  readonly prompt: string;
  /** Whether it asks for a job; `help` and `status` don't. */
  readonly isAsk: boolean;
}

/** A run, and the last of its attempts. */
export interface Attempts extends Pick<Run, 'runId'> {
  attempt: number;
}

/** How an undisturbed run ends: by the state of the job, or by what other runs have left. */
const untroubledReasons: ReadonlySet<string> = new Set([
  ...['pull-request', 'no-pull-request', 'job-failed', 'job-archived', 'deadline', 'not-waited'],
  ...['another-run', 'help', 'status', 'permission'],
]);

/** A run's one-minute watch, ten more minutes until it can be collected, and a minute to spare. */
const longestWatchMs = 12 * 60_000;

/** The state of a trigger before some of its runs were played. */
interface Before {
  readonly asks: number;
  readonly job: string | undefined;
  /** The texts of its status comments. */
  readonly bodies: readonly string[];
}

/** One request, all its runs, and what must be true of them. */
export class PlayedTrigger {
  readonly spec: TriggerSpec;
  readonly runs: Attempts[] = [];
  readonly #world: World;
  /** Comments signed with a different key. */
  readonly #retired = new Set<Comment>();
  /** The API key of the last request made for it. */
  #askedWith: string | undefined;
  /** Whether its status comment was deleted, and its memory with it. */
  #isForgotten = false;
  /** Whether a run found that the last request had failed. Then it may ask again, whatever happens to the job. */
  #cameToNothing = false;
  /** Whether something disturbed one of its runs, which may have left a state that can't be known. */
  #isTroubled = false;

  constructor(spec: TriggerSpec, world: World) {
    this.spec = spec;
    this.#world = world;
  }

  /** The jobs asked for it, by a prompt or a message, in order. */
  get asks(): Job[] {
    return this.#world.core.service.jobs
      .flatMap((job) =>
        job.rounds
          .filter(({ prompt }) => requestIn(prompt) === this.spec.prompt)
          .map(({ at }) => ({ job, at })),
      )
      .sort((one, other) => one.at - other.at)
      .map(({ job }) => job);
  }

  /** Its status comments that were written with the current key. */
  get statusComments(): readonly Comment[] {
    const { core } = this.#world;
    return statusComments(core, { thread: THREAD, prompt: this.spec.prompt }).filter(
      (comment) => !this.#retired.has(comment),
    );
  }

  /** The key was rotated, so what was written before isn't remembered. */
  retireComments(): void {
    for (const comment of this.statusComments) this.#retired.add(comment);
  }

  /** Everything wrong with what a collect run wrote. `isAlone`: nothing disturbed it or ran next to it. */
  judgeCollected(before: readonly string[], isAlone: boolean): string[] {
    const own = this.statusComments;
    if (isAlone && own.length > before.length)
      return [`collecting wrote another comment for ${this.spec.prompt}`];
    return own.flatMap((comment) => [
      ...(before.includes(comment.body) ? [] : this.#judgeEndIn(comment)),
      ...(isAlone && this.#isLeftAtWork(comment) ? [`${this.spec.prompt} is left at work`] : []),
    ]);
  }

  /** What is false in a comment that says how its job ended. Anything else was written and is judged by another run. */
  #judgeEndIn(comment: Comment): string[] {
    if (/^⏳|Nothing was|before anything was sent/.test(headlineOf(comment))) return [];
    const job = this.#jobOf(comment);
    const isShared = job !== undefined && job.current.prompt !== this.spec.prompt;
    const reality = { asked: true, job, isShared, isStale: isStale(this.#world.core, job) };
    return falseStatements('comment', comment.body, reality);
  }

  /** Whether its job has ended, and no run can still be watching it. */
  #isLeftAtWork(comment: Comment): boolean {
    const isUnwatched = this.#world.core.clock.now() > comment.updatedAt + longestWatchMs;
    const isAtWork = headlineOf(comment).startsWith('⏳') && jobNamed(comment) !== undefined;
    return isUnwatched && isAtWork && this.#jobOf(comment)?.status !== 'active';
  }

  #jobOf(comment: Comment): Job | undefined {
    const named = jobNamed(comment);
    return this.#world.core.service.jobs.find(({ id }) => id === named) ?? this.asks.at(-1);
  }

  /** Its status comment was deleted. */
  forget(): void {
    this.#isForgotten = true;
  }

  /** Call it before some runs are played, and pass the result to `judge`. */
  lookBefore(): Before {
    const { asks } = this;
    const job = asks.at(-1)?.status;
    this.#cameToNothing ||= hasNoResult(job);
    const bodies = this.statusComments.map(({ body }) => body);
    return { asks: asks.length, job, bodies };
  }

  /** Everything wrong with what these concurrent runs left behind. `isUntroubled`: nothing disturbed them. */
  judge(before: Before, ends: readonly RunEnd[], isUntroubled: boolean): string[] {
    const { asks } = this;
    // The previous job may have failed while a fault delayed the run, just in time for the run to see it.
    const [earlier, askedAt] = [asks[before.asks - 1], asks.at(-1)?.current.at];
    if (earlier !== undefined && askedAt !== undefined)
      this.#cameToNothing ||= hasNoResult(earlier.statusAt(askedAt));
    this.#isTroubled ||= !isUntroubled;
    return [
      ...this.#judgeAsks(before, asks.length - before.asks),
      ...ends.flatMap((end) => this.#judgeEnd(end, before, ends.length === 1, isUntroubled)),
    ];
  }

  /** One request per trigger, unless its job failed, or its memory was lost with the key or its comment. */
  #judgeAsks(before: Before, more: number): string[] {
    if (more === 0) return [];
    const { apiKey } = this.#world;
    const isKeyNew = this.#askedWith !== undefined && this.#askedWith !== apiKey;
    const mayAsk = before.asks === 0 || this.#cameToNothing || this.#isForgotten || isKeyNew;
    this.#askedWith = apiKey;
    this.#cameToNothing = false;
    this.#isForgotten = false;
    if (more === 1 && mayAsk) return [];
    return [`${this.spec.prompt} was asked for again: ${before.asks} + ${more}, its job ${before.job}`];
  }

  /** What one run left behind, in the thread and outside. */
  #judgeEnd({ played, isOver }: RunEnd, before: Before, isAlone: boolean, isUntroubled: boolean): string[] {
    const { asks } = this;
    const { apiKey, core } = this.#world;
    const { isAsk, prompt } = this.spec;
    const problems = leaks(core, played);
    const { reason = '' } = played.outputs;
    const isKeyNew = reason === 'key-changed' && apiKey !== core.service.apiKey;
    const isUnderstood =
      untroubledReasons.has(reason) || isKeyNew || (reason === 'unconfirmed' && this.#isTroubled);
    if (isUntroubled && !isUnderstood) problems.push(`ends as ${endOf(played)}, and nothing was in its way`);
    const own = this.statusComments;
    // A claim follows another, which is withdrawn once the new one has won. A runner that dies in between leaves both.
    const isLeftAlone = !isOver || played.outputs.outcome === 'skipped';
    if (own.length > 1 && !isLeftAlone) problems.push(`${own.length} status comments of ${prompt}`);
    if (!isAsk || !isOver) return problems;

    const job = asks.at(-1);
    const isNothing = this.#cameToNothing || hasNoResult(job?.status);
    const isForgotten = this.#isForgotten || this.#askedWith !== apiKey;
    const isAnew = asks.length === before.asks && (isNothing || isForgotten);
    const isShared = job !== undefined && job.current.prompt !== prompt;
    const reality = { asked: asks.length > 0, job, isAnew, isShared, isStale: isStale(core, job) };
    // Next to a run that asks again, another may have truthfully reported the failed job.
    const reported = isAlone ? undefined : asks.find(({ id }) => id === played.outputs['job-id']);
    const seen = { ...reality, job: reported ?? job };
    const isNews = own.some(({ body }) => !before.bodies.includes(body));
    if (isNews) for (const { body } of own) problems.push(...falseStatements('comment', body, reality));
    if (played.summary !== '' && before.asks === 0)
      problems.push(...falseStatements('summary', played.summary, seen));
    problems.push(...falseOutputs(played, seen, before.asks > 0));
    return problems;
  }
}

/** Whether a job's end frees its request to be made again. */
export function hasNoResult(status: string | undefined): boolean {
  return status === 'failed' || status === 'archived';
}
