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

/** The simulator, and the workflow's current API key. */
interface World {
  readonly core: InMemorySimulator;
  readonly apiKey: string;
}

/** What triggers runs: a comment, or a prompt in the inputs. */
export interface TriggerSpec extends Pick<Run, 'event' | 'inputs'> {
  /** Unique among all triggers. */
  readonly prompt: string;
  /** Whether the command requests a job; `help` and `status` don't. */
  readonly isAsk: boolean;
}

/** A run and its last attempt. */
export interface Attempts extends Pick<Run, 'runId'> {
  attempt: number;
}

/** The reason codes that an undisturbed run may report. */
const untroubledReasons: ReadonlySet<string> = new Set([
  ...['pull-request', 'no-pull-request', 'job-failed', 'job-archived', 'deadline', 'not-waited'],
  ...['another-run', 'help', 'status', 'permission'],
]);

/** One minute to watch the job, ten minutes until collect mode may take over, and one minute to spare. */
const maxWatchMs = 12 * 60_000;

type Before = ReturnType<PlayedTrigger['lookBefore']>;

/** One request with all its runs, and the rules that they must follow. */
export class PlayedTrigger {
  readonly spec: TriggerSpec;
  readonly runs: Attempts[] = [];
  readonly #world: World;
  /** Status comments that were signed with an earlier key. */
  readonly #retired = new Set<Comment>();
  /** The API key with which the request was last sent to the service. */
  #askedWith: string | undefined;
  /** Whether the status comment, the only record of the request, was deleted. */
  #isForgotten = false;
  /** Whether a run found that the last job had failed. If so, a later run may send the request again. */
  #cameToNothing = false;
  /** Whether something went wrong in any run. If so, the state may be unknown. */
  #isTroubled = false;

  constructor(spec: TriggerSpec, world: World) {
    this.spec = spec;
    this.#world = world;
  }

  /** All jobs that got this prompt, at the start or as a message, in order. */
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

  /** The request's status comments, if they were signed with the current key. */
  get statusComments(): readonly Comment[] {
    const { core } = this.#world;
    return statusComments(core, { thread: THREAD, prompt: this.spec.prompt }).filter(
      (comment) => !this.#retired.has(comment),
    );
  }

  /** After the key is rotated, earlier comments no longer count. */
  retireComments(): void {
    for (const comment of this.statusComments) this.#retired.add(comment);
  }

  /** Everything that is wrong after a collect run. `isAlone`: nothing went wrong, and no other run was active. */
  judgeCollected(before: readonly string[], isAlone: boolean): string[] {
    const own = this.statusComments;
    if (isAlone && own.length > before.length)
      return [`collecting wrote another comment for ${this.spec.prompt}`];
    return own.flatMap((comment) => [
      // A note may be added after the job's end was reported, and the job may be archived in between.
      ...(before.some((body) => headlineOf({ body }) === headlineOf(comment))
        ? []
        : this.#judgeEndIn(comment)),
      ...(isAlone && this.#isLeftAtWork(comment) ? [`${this.spec.prompt} is left at work`] : []),
    ]);
  }

  /** Finds false statements in a comment that says how its job ended. Other comments are checked elsewhere. */
  #judgeEndIn(comment: Comment): string[] {
    if (/^⏳|Nothing was|before anything was sent/.test(headlineOf(comment))) return [];
    const job = this.#jobOf(comment);
    const isShared = job !== undefined && job.current.prompt !== this.spec.prompt;
    const reality = { asked: true, job, isShared, isStale: isStale(this.#world.core, job) };
    return falseStatements('comment', comment.body, reality);
  }

  /** Whether the comment says that the job is active, although the job ended and no run can be watching it. */
  #isLeftAtWork(comment: Comment): boolean {
    const isUnwatched = this.#world.core.clock.now() > comment.updatedAt + maxWatchMs;
    const isAtWork = headlineOf(comment).startsWith('⏳') && jobNamed(comment) !== undefined;
    return isUnwatched && isAtWork && this.#jobOf(comment)?.status !== 'active';
  }

  #jobOf(comment: Comment): Job | undefined {
    const named = jobNamed(comment);
    return this.#world.core.service.jobs.find(({ id }) => id === named) ?? this.asks.at(-1);
  }

  /** Call this when the status comment is deleted. */
  forget(): void {
    this.#isForgotten = true;
  }

  /** Call this before some runs start, and pass the result to `judge`. */
  lookBefore() {
    const { asks } = this;
    const job = asks.at(-1)?.status;
    this.#cameToNothing ||= hasNoResult(job);
    const bodies = this.statusComments.map(({ body }) => body);
    return { asks: asks.length, job, bodies };
  }

  /** Everything that is wrong after these parallel runs. `isUntroubled`: nothing disturbed them. */
  judge(before: Before, ends: readonly RunEnd[], isUntroubled: boolean): string[] {
    const { asks } = this;
    // While a fault delayed the run, the previous job may have failed just in time for the run to see it.
    const [earlier, askedAt] = [asks[before.asks - 1], asks.at(-1)?.current.at];
    if (earlier !== undefined && askedAt !== undefined)
      this.#cameToNothing ||= hasNoResult(earlier.statusAt(askedAt));
    this.#isTroubled ||= !isUntroubled;
    return [
      ...this.#judgeAsks(before, asks.length - before.asks),
      ...ends.flatMap((end) => this.#judgeEnd(end, before, ends.length === 1, isUntroubled)),
    ];
  }

  /** A request may be sent only once, unless its job failed, the key was rotated, or the comment was deleted. */
  #judgeAsks(before: Before, more: number): string[] {
    if (more === 0) return [];
    const { apiKey } = this.#world;
    const isKeyNew = this.#askedWith !== undefined && this.#askedWith !== apiKey;
    const mayAsk = before.asks === 0 || this.#cameToNothing || this.#isForgotten || isKeyNew;
    this.#askedWith = apiKey;
    this.#cameToNothing = false;
    this.#isForgotten = false;
    if (more === 1 && mayAsk) return [];
    return [
      `${this.spec.prompt} was asked for again: ${before.asks} + ${more}, its job ${before.job}`,
    ];
  }

  #judgeEnd(
    { played, isOver }: RunEnd,
    before: Before,
    isAlone: boolean,
    isUntroubled: boolean,
  ): string[] {
    const { asks } = this;
    const { apiKey, core } = this.#world;
    const { isAsk, prompt } = this.spec;
    const problems = leaks(core, played);
    const { reason = '' } = played.outputs;
    const isKeyNew = reason === 'key-changed' && apiKey !== core.service.apiKey;
    const isUnderstood =
      untroubledReasons.has(reason) || isKeyNew || (reason === 'unconfirmed' && this.#isTroubled);
    if (isUntroubled && !isUnderstood)
      problems.push(`ends as ${endOf(played)}, and nothing was in its way`);
    const own = this.statusComments;
    // A new claim replaces an older one, which is then deleted. A run that dies in between leaves both.
    const isLeftAlone = !isOver || played.outputs.outcome === 'skipped';
    if (own.length > 1 && !isLeftAlone) problems.push(`${own.length} status comments of ${prompt}`);
    if (!isAsk || !isOver) return problems;

    const job = asks.at(-1);
    const isNothing = this.#cameToNothing || hasNoResult(job?.status);
    const isForgotten = this.#isForgotten || this.#askedWith !== apiKey;
    const isAnew = asks.length === before.asks && (isNothing || isForgotten);
    const isShared = job !== undefined && job.current.prompt !== prompt;
    const reality = { asked: asks.length > 0, job, isAnew, isShared, isStale: isStale(core, job) };
    // If another run sends the request again, it is correct for this run to report the failed job.
    const reported = isAlone ? undefined : asks.find(({ id }) => id === played.outputs['job-id']);
    const seen = { ...reality, job: reported ?? job };
    const isNews = own.some(({ body }) => !before.bodies.includes(body));
    if (isNews)
      for (const { body } of own) problems.push(...falseStatements('comment', body, reality));
    if (played.summary !== '' && before.asks === 0)
      problems.push(...falseStatements('summary', played.summary, seen));
    // At the same time, another workflow's first attempt may send the request. This run has sent none.
    const ofThisRun = isKeyNew && !isAlone ? { ...seen, asked: false } : seen;
    problems.push(...falseOutputs(played, ofThisRun, before.asks > 0));
    return problems;
  }
}

/** Whether a job's status allows the same request to be sent again. */
export function hasNoResult(status: string | undefined): boolean {
  return status === 'failed' || status === 'archived';
}
