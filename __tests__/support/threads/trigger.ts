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

/** Where triggers are: the simulator, and the API key that the workflow has by now. */
export interface World {
  readonly core: InMemorySimulator;
  readonly apiKey: string;
}

/** How to ask for something once: by a comment, or by a run of its own. */
export interface TriggerSpec extends Pick<Run, 'event' | 'inputs'> {
  /** No other trigger has this prompt. */
  readonly prompt: string;
  /** Whether it asks for a job; `help` and `status` do not. */
  readonly isAsk: boolean;
}

/** A run, and the last of its attempts. */
export interface Attempts extends Pick<Run, 'runId'> {
  attempt: number;
}

/** How a run ends that nothing was in the way of: by what became of the job, or by what other runs have left. */
const untroubledReasons: ReadonlySet<string> = new Set([
  ...['pull-request', 'no-pull-request', 'job-failed', 'job-archived', 'deadline', 'not-waited'],
  ...['another-run', 'help', 'status', 'permission'],
]);

/** A run's watch of a minute, and ten more until collecting takes it up, with a minute to spare. */
const longestWatchMs = 12 * 60_000;

/** What there was of a trigger before some of its runs were played. */
interface Before {
  readonly asks: number;
  readonly job: string | undefined;
  /** Its status comments, as they read. */
  readonly bodies: readonly string[];
}

/** What was asked for once, all the runs it had, and what must hold of them. */
export class PlayedTrigger {
  readonly spec: TriggerSpec;
  readonly runs: Attempts[] = [];
  readonly #world: World;
  /** Comments that were written with another key. */
  readonly #retired = new Set<Comment>();
  /** The API key of the last request that was made for it. */
  #askedWith: string | undefined;
  /** Whether its status comment was deleted, and its memory with that. */
  #isForgotten = false;
  /** Whether a run found that what was asked last had come to nothing: it may ask anew, whatever becomes of the job. */
  #cameToNothing = false;
  /** Whether something was in the way of one of its runs, which may have left what can't be known. */
  #isTroubled = false;

  constructor(spec: TriggerSpec, world: World) {
    this.spec = spec;
    this.#world = world;
  }

  /** The jobs that were asked for it, by a prompt or a message, in the order they were. */
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

  /** Its status comments that were written with the key of today. */
  get statusComments(): readonly Comment[] {
    const { core } = this.#world;
    return statusComments(core, { thread: THREAD, prompt: this.spec.prompt }).filter(
      (comment) => !this.#retired.has(comment),
    );
  }

  /** The key was rotated: what was written before is not remembered. */
  retireComments(): void {
    for (const comment of this.statusComments) this.#retired.add(comment);
  }

  /** All that is wrong with what a run of collect mode has written; `isAlone`: nothing was in its way or beside it. */
  judgeCollected(before: readonly string[], isAlone: boolean): string[] {
    const own = this.statusComments;
    if (isAlone && own.length > before.length)
      return [`collecting wrote another comment for ${this.spec.prompt}`];
    return own.flatMap((comment) => [
      ...(before.includes(comment.body) ? [] : this.#judgeEndIn(comment)),
      ...(isAlone && this.#isLeftAtWork(comment) ? [`${this.spec.prompt} is left at work`] : []),
    ]);
  }

  /** What is false in a comment that says how its job ended; anything else a run beside has written, and is judged for. */
  #judgeEndIn(comment: Comment): string[] {
    if (/^⏳|Nothing was|before the agent was asked/.test(headlineOf(comment))) return [];
    const job = this.#jobOf(comment);
    const isShared = job !== undefined && job.current.prompt !== this.spec.prompt;
    const reality = { asked: true, job, isShared, isStale: isStale(this.#world.core, job) };
    return falseStatements('comment', comment.body, reality);
  }

  /** Whether its job has ended, and no run can be watching it any more. */
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

  /** Call it before some runs are played, and hand what it gives to `judge`. */
  lookBefore(): Before {
    const { asks } = this;
    const job = asks.at(-1)?.status;
    this.#cameToNothing ||= isFruitless(job);
    const bodies = this.statusComments.map(({ body }) => body);
    return { asks: asks.length, job, bodies };
  }

  /** All that is wrong with what these runs, played at once, have left behind; `isUntroubled`: nothing was in their way. */
  judge(before: Before, ends: readonly RunEnd[], isUntroubled: boolean): string[] {
    const { asks } = this;
    // The job of before may have come to nothing while a fault held the run up, just in time for it to see that.
    const [earlier, askedAt] = [asks[before.asks - 1], asks.at(-1)?.current.at];
    if (earlier !== undefined && askedAt !== undefined)
      this.#cameToNothing ||= isFruitless(earlier.statusAt(askedAt));
    this.#isTroubled ||= !isUntroubled;
    return [
      ...this.#judgeAsks(before, asks.length - before.asks),
      ...ends.flatMap((end) => this.#judgeEnd(end, before, ends.length === 1, isUntroubled)),
    ];
  }

  /** One request a trigger, but where its job came to nothing, or where the memory went with the key or its comment. */
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

  /** What one run has left behind, in the thread and outside. */
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
    // A claim follows another, which is taken back once it has won: a runner that is lost in between leaves both.
    const isLeftAlone = !isOver || played.outputs.outcome === 'skipped';
    if (own.length > 1 && !isLeftAlone) problems.push(`${own.length} status comments of ${prompt}`);
    if (!isAsk || !isOver) return problems;

    const job = asks.at(-1);
    const isNothing = this.#cameToNothing || isFruitless(job?.status);
    const isForgotten = this.#isForgotten || this.#askedWith !== apiKey;
    const isAnew = asks.length === before.asks && (isNothing || isForgotten);
    const isShared = job !== undefined && job.current.prompt !== prompt;
    const reality = { asked: asks.length > 0, job, isAnew, isShared, isStale: isStale(core, job) };
    // Beside a run that asks anew, another may have truly reported the job that came to nothing.
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

/** Whether a job's end leaves its request free to be made again. */
export function isFruitless(status: string | undefined): boolean {
  return status === 'failed' || status === 'archived';
}
