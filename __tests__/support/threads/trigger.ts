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
import { THREAD } from '../usual.ts';
import type { Machines } from './machines.ts';
import { asWritten, isTouched, isTouchedClaim } from './people.ts';
import { hasNoResult } from './witness.ts';

/** The simulator, and the workflow's current API key. */
interface World {
  readonly core: InMemorySimulator;
  readonly apiKey: string;
  readonly machines: Machines;
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
    return this.#world.machines.witness.asksOf(this.spec.prompt).map(({ job }) => job);
  }

  /** The request's status comments, if they were signed with the current key. */
  get statusComments(): readonly Comment[] {
    const { core, machines, apiKey } = this.#world;
    return statusComments(core, { thread: THREAD, prompt: this.spec.prompt }).filter(
      (comment) => machines.witness.keyOf(comment) === apiKey,
    );
  }

  /**
   * The same, without claims that a run may leave alone if there is another comment: those of suspended machines, and those that
   * people changed, because they could be pasted copies.
   */
  get #mainComments(): readonly Comment[] {
    const { machines } = this.#world;
    const own = this.statusComments;
    const isLeftAlone = (comment: Comment) =>
      isTouched(comment) || machines.isAsleep(machines.witness.posterOf(comment));
    const main = own.filter((comment) => !(saysUnsent(comment) && isLeftAlone(comment)));
    return main.length === 0 ? own : main;
  }

  /** Whether a comment has ever said that we can’t tell whether the service got the request. */
  get wasUnconfirmed(): boolean {
    const block = `\`\`\`text\n${this.spec.prompt}\n\`\`\``;
    const isUnconfirmed = ({ body }: { readonly body: string }) =>
      body.includes(block) && body.includes('can’t tell whether the service accepted');
    return this.#world.core.github.comments.some(({ history }) => history.some(isUnconfirmed));
  }

  /** The texts of the status comments, without what people did to them. */
  get bodies(): string[] {
    return this.statusComments.map((comment) => asWritten(comment).body);
  }

  /** Everything that is wrong after a collect run. `isAlone`: nothing went wrong, and no other run was active. */
  judgeCollected(before: readonly string[], isAlone: boolean): string[] {
    const own = this.statusComments;
    if (isAlone && own.length > before.length)
      return [`collecting wrote another comment for ${this.spec.prompt}`];
    return own.flatMap((comment) => [
      // A note may be added after the job's end was reported, and the job may be archived in between.
      ...(before.some((body) => headlineOf({ body }) === headlineOf(asWritten(comment)))
        ? []
        : this.#judgeEndIn(comment)),
      ...(isAlone && this.#isLeftAtWork(comment) ? [`${this.spec.prompt} is left at work`] : []),
    ]);
  }

  /** Finds false statements in a comment that says how its job ended. Other comments are checked elsewhere. */
  #judgeEndIn(comment: Comment): string[] {
    const { body } = asWritten(comment);
    if (/^⏳|Nothing was|before anything was sent/.test(headlineOf({ body }))) return [];
    const job = this.#jobOf(comment);
    const isShared = job !== undefined && job.current.prompt !== this.spec.prompt;
    const reality = { asked: true, job, isShared, isStale: isStale(this.#world.core, job) };
    return falseStatements('comment', body, reality);
  }

  /** What is wrong once everything was collected. */
  judgeRest(before: readonly string[]): string[] {
    const { prompt, isAsk } = this.spec;
    const own = this.#mainComments;
    const { asks } = this;
    const problems = this.#world.machines.witness.judgeAsks(prompt);
    if (own.length > 1) problems.push(`at rest, ${prompt} has ${own.length} status comments`);
    for (const comment of this.statusComments) {
      if (isTouchedClaim(comment)) continue;
      const headline = headlineOf(asWritten(comment));
      if (headline.startsWith('⏳')) problems.push(`at rest, ${prompt} stays at ${headline}`);
      else if (
        own.includes(comment) &&
        isAsk &&
        saysUnsent(comment) &&
        asks.length > 0 &&
        !this.#mayStartOver
      )
        problems.push(`at rest, ${prompt} was sent, and a comment says ${headline}`);
    }
    return [...problems, ...this.judgeCollected(before, true)];
  }

  /** Whether a later run may send the request again, and nothing has come of it so far. */
  get #mayStartOver(): boolean {
    const { apiKey, machines } = this.#world;
    const { witness } = machines;
    const { prompt } = this.spec;
    const last = witness.asksOf(prompt).at(-1);
    const isKeyNew = last?.sent?.key !== `Bearer ${apiKey}`;
    return hasNoResult(last?.job.status) || isKeyNew || witness.isForgotten(prompt);
  }

  /** Whether the comment says that the job is active, although the job ended and no run can be watching it. */
  #isLeftAtWork(comment: Comment): boolean {
    const { core, machines } = this.#world;
    const isUnwatched = core.clock.now() > comment.updatedAt + maxWatchMs + machines.clockSpreadMs;
    const isAtWork =
      headlineOf(asWritten(comment)).startsWith('⏳') && jobNamed(comment) !== undefined;
    return isUnwatched && isAtWork && this.#jobOf(comment)?.status !== 'active';
  }

  #jobOf(comment: Comment): Job | undefined {
    const named = jobNamed(comment);
    return this.#world.core.service.jobs.find(({ id }) => id === named) ?? this.asks.at(-1);
  }

  /** Call this if something goes wrong in a run before its end. */
  disturb(): void {
    this.#isTroubled = true;
  }

  /** Call this before some runs start, and pass the result to `judge`. */
  lookBefore() {
    const { asks } = this;
    const job = asks.at(-1)?.status;
    this.#cameToNothing ||= hasNoResult(job);
    return { asks: asks.length, job, bodies: this.bodies };
  }

  /** Everything that is wrong after these parallel runs. `isUntroubled`: nothing disturbed them. */
  judge(before: Before, ends: readonly RunEnd[], isUntroubled: boolean): string[] {
    const { asks } = this;
    // While a fault delayed the run, the previous job may have failed just in time for the run to see it.
    const [earlier, askedAt] = [asks[before.asks - 1], asks.at(-1)?.current.at];
    if (earlier !== undefined && askedAt !== undefined)
      this.#cameToNothing ||= hasNoResult(earlier.statusAt(askedAt));
    if (asks.length > before.asks) this.#cameToNothing = false;
    return [
      ...this.#world.machines.witness.judgeAsks(this.spec.prompt),
      ...ends.flatMap((end) => this.#judgeEnd(end, before, ends.length === 1, isUntroubled)),
    ];
  }

  /** What is wrong after a run beside which a machine was suspended, so that anything may have happened meanwhile. */
  judgeLate({ played }: RunEnd): string[] {
    const { core, machines } = this.#world;
    const { prompt } = this.spec;
    const problems = [...leaks(core, played), ...machines.witness.judgeAsks(prompt)];
    const job = played.outputs['job-id'] ?? '';
    if (this.spec.isAsk && job !== '' && !this.asks.some(({ id }) => id === job))
      problems.push(`outputs of ${prompt} name ${job}`);
    return problems;
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
    const own = this.#mainComments;
    // A new claim replaces an older one, which is then deleted. A run that dies in between leaves both.
    const isLeftAlone = !isOver || played.outputs.outcome === 'skipped';
    if (own.length > 1 && !isLeftAlone) problems.push(`${own.length} status comments of ${prompt}`);
    if (!isAsk || !isOver) return problems;

    const job = asks.at(-1);
    const isNothing = this.#cameToNothing || hasNoResult(job?.status);
    const isAnew = asks.length === before.asks && (isNothing || this.#mayStartOver);
    const isShared = job !== undefined && job.current.prompt !== prompt;
    const reality = { asked: asks.length > 0, job, isAnew, isShared, isStale: isStale(core, job) };
    // If another run sends the request again, it is correct for this run to report the failed job.
    const reported = isAlone ? undefined : asks.find(({ id }) => id === played.outputs['job-id']);
    const seen = { ...reality, job: reported ?? job };
    const bodies = own.map((comment) => asWritten(comment).body);
    const isNews = bodies.some((body) => !before.bodies.includes(body));
    if (isNews)
      for (const body of bodies) problems.push(...falseStatements('comment', body, reality));
    // At the same time, another run may send the request.
    const isSender = isAlone || reported !== undefined;
    const ofThisRun = isSender ? seen : { ...seen, asked: false };
    if (played.summary !== '' && before.asks === 0)
      problems.push(...falseStatements('summary', played.summary, ofThisRun));
    problems.push(...falseOutputs(played, ofThisRun, before.asks > 0));
    return problems;
  }
}

/** Whether a comment says that nothing was sent, or not yet. */
function saysUnsent(comment: Comment): boolean {
  return /Asking the|Nothing was|before anything was sent/.test(headlineOf(asWritten(comment)));
}
