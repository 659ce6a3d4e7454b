import type { Comment, WebhookEvent } from '../../simulator/github/types.ts';
import { createInMemorySimulator, type InMemorySimulator } from '../../simulator/in-memory.ts';
import type { Job } from '../../simulator/service/job.ts';
import { ActionError } from '../../src/lib/errors.ts';
import { createMarkers } from '../../src/lib/marker.ts';
import { Life } from './crash-life.ts';
import { type InProcess, playMain, playPost } from './faults-in-process.ts';
import { faultAt } from './faults-kinds.ts';
import type { Course, Mishap, Step } from './faults-thread-steps.ts';
import { falseClaims, falseOutputs, leaks, type Played } from './faults-truth.ts';

const THREAD = 7;
const oversizedBytes = 16 * 1024;

/** What was asked for once, by a comment or by a run of its own, and all the runs it had. */
interface Trigger {
  readonly event: WebhookEvent;
  /** No other trigger has this prompt. */
  readonly prompt: string;
  readonly isAsk: boolean;
  readonly key: (runId: number) => string;
  readonly inputs: Readonly<Record<string, string>>;
  readonly runs: { readonly runId: number; attempt: number }[];
  /** The API key of the last request that was made for it. */
  askedWith: string | undefined;
  /** Whether its status comment was deleted, and its memory with that. */
  isForgotten: boolean;
  /** Whether a run found that what was asked last had come to nothing: it may ask anew, whatever becomes of the job. */
  cameToNothing: boolean;
}

/** One thread of a repository, the triggers in it, and what must hold of them after every step. */
export class ThreadModel {
  readonly problems: string[] = [];
  readonly #core: InMemorySimulator = createInMemorySimulator();
  readonly #triggers: Trigger[] = [];
  #apiKey = this.#core.service.apiKey;
  #nextRun = 7_200_000_001;

  constructor() {
    this.#core.github.addThread({ number: THREAD, isPullRequest: true });
    this.#core.github.addUser('stranger', { permission: 'read' });
  }

  async play(steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      await this.#play(step);
      if (this.problems.length > 0) return;
    }
    this.problems.push(...this.#core.violations);
  }

  async #play(step: Step): Promise<void> {
    const { github, service, clock } = this.#core;
    switch (step.kind) {
      case 'command': {
        const isAsk = !/help|status/.test(step.words);
        const prompt = `prompt ${this.#triggers.length}.`;
        const comment = github.comment(step.by, THREAD, isAsk ? `${step.words} ${prompt}` : step.words);
        const event = github.issueCommentEvent(comment);
        const key = () => `comment:${comment.id}`;
        return this.#first({ event, prompt, isAsk, key, inputs: {} }, step);
      }
      case 'prompt': {
        const prompt = `prompt ${this.#triggers.length}.`;
        const event = github.pullRequestEvent(THREAD);
        const key = (runId: number) => `run:${runId}:docs.__octo-org_docs-agent`;
        return this.#first({ event, prompt, isAsk: true, key, inputs: { prompt } }, step);
      }
      case 're-run': {
        const trigger = pick(this.#triggers, step.which);
        const run = trigger === undefined ? undefined : pick(trigger.runs, step.which);
        if (trigger === undefined || run === undefined) return;
        run.attempt += 1;
        return this.#run(trigger, [run], step);
      }
      case 'second workflow': {
        const trigger = pick(this.#triggers, step.which);
        // A run without a comment is its own trigger: nobody else can have the same.
        if (trigger === undefined || trigger.inputs.prompt !== undefined) return;
        return this.#run(trigger, [this.#newRun(trigger)], step);
      }
      case 'two at once': {
        const trigger = pick(this.#triggers, step.which);
        const run = trigger === undefined ? undefined : pick(trigger.runs, step.which);
        // Help and status are not claimed: two workflows at once may answer twice.
        if (trigger === undefined || run === undefined || !trigger.isAsk) return;
        if (trigger.inputs.prompt !== undefined) return;
        const other = trigger.runs.find((one) => one !== run) ?? { ...this.#newRun(trigger), attempt: 0 };
        for (const one of [run, other]) one.attempt += 1;
        return this.#run(trigger, [run, other], { mishap: { kind: 'none' }, course: step.course });
      }
      case 'comment deleted': {
        const trigger = pick(this.#triggers, step.which);
        const [comment] =
          trigger === undefined ? [] : this.#statusComments(trigger, trigger.runs[0]?.runId ?? 0);
        if (trigger === undefined || comment === undefined) return;
        github.delete(comment.id);
        trigger.isForgotten = true;
        return;
      }
      case 'job ends':
        return endJob(pick(service.jobs, step.which), step.status);
      case 'key rotated':
        this.#apiKey = `${service.apiKey}_${this.#nextRun++}`;
        service.addProject({ id: service.projectId, apiKey: this.#apiKey, organisation: 'org_simulated' });
        return;
      case 'time passes':
        clock.advance(step.ms);
    }
  }

  async #first(
    parts: Pick<Trigger, 'event' | 'prompt' | 'isAsk' | 'key' | 'inputs'>,
    step: { readonly mishap: Mishap; readonly course: Course; readonly by?: string },
  ): Promise<void> {
    const trigger: Trigger = {
      ...parts,
      runs: [],
      askedWith: undefined,
      cameToNothing: false,
      isForgotten: false,
    };
    this.#triggers.push(trigger);
    await this.#run(trigger, [this.#newRun(trigger)], step);
    const isHeard = trigger.isAsk && step.by !== 'stranger' && step.mishap.kind === 'none';
    const asks = this.#asks(trigger).length;
    if (isHeard && asks !== 1) this.problems.push(`${trigger.prompt} was asked ${asks} times`);
  }

  #newRun(trigger: Trigger): Trigger['runs'][number] {
    const run = { runId: this.#nextRun++, attempt: 1 };
    trigger.runs.push(run);
    return run;
  }

  /** Plays runs of one trigger at once, and holds them to the truth. */
  async #run(
    trigger: Trigger,
    runs: readonly { readonly runId: number; readonly attempt: number }[],
    { mishap, course }: { readonly mishap: Mishap; readonly course: Course },
  ): Promise<void> {
    const { service } = this.#core;
    const before = { asks: this.#asks(trigger).length, job: this.#asks(trigger).at(-1)?.status };
    trigger.cameToNothing ||= isNothing(before.job);
    const bodies = runs.flatMap(({ runId }) => this.#statusComments(trigger, runId)).map(({ body }) => body);
    service.script({
      activeMs: 12_000,
      end: 'completed',
      prLink: 'auto',
      prLinkDelayMs: 0,
      staleMs: 0,
      ...course,
    });
    const inputs = {
      'api-key': this.#apiKey,
      'project-id': service.projectId,
      'timeout-minutes': '1',
      ...trigger.inputs,
    };
    const results = await Promise.all(
      runs.map((run) =>
        this.#withMishap(
          {
            core: this.#core,
            dispatcher: this.#core.dispatcher,
            staged: { event: trigger.event, inputs },
            identity: { ...run },
          },
          mishap,
        ),
      ),
    );

    const asks = this.#asks(trigger);
    // The job of before may have come to nothing while a fault held the run up, just in time for it to see that.
    const [earlier, askedAt] = [asks[before.asks - 1], asks.at(-1)?.current.at];
    if (earlier !== undefined && askedAt !== undefined)
      trigger.cameToNothing ||= isNothing(earlier.statusAt(askedAt));
    if (asks.length > before.asks) this.#judgeAsk(trigger, asks.length - before.asks, before);
    for (const { played, isOver } of results)
      this.#judgeEnd(trigger, played, {
        isOver,
        isAlone: runs.length === 1,
        asksBefore: before.asks,
        bodies,
      });
  }

  /** What one run has left behind, in the thread and outside. */
  #judgeEnd(
    trigger: Trigger,
    played: Played,
    {
      isOver,
      isAlone,
      asksBefore,
      bodies,
    }: { isOver: boolean; isAlone: boolean; asksBefore: number; bodies: readonly string[] },
  ): void {
    this.problems.push(...leaks(this.#core, played));
    const asks = this.#asks(trigger);
    const own = this.#statusComments(trigger, played.runId);
    // A claim follows another, which is taken back once it has won: a runner that is lost in between leaves both.
    const isLeftAlone = !isOver || played.outputs.outcome === 'skipped';
    if (own.length > 1 && !isLeftAlone)
      this.problems.push(`${own.length} status comments of ${trigger.prompt}`);
    if (!trigger.isAsk || !isOver) return;
    const job = asks.at(-1);
    const cameToNothing = trigger.cameToNothing || isNothing(job?.status);
    const isForgotten = trigger.isForgotten || trigger.askedWith !== this.#apiKey;
    const isAnew = asks.length === asksBefore && (cameToNothing || isForgotten);
    const isShared = job !== undefined && job.current.prompt !== trigger.prompt;
    const reality = { asked: asks.length > 0, job, isAnew, isShared };
    // Beside a run that asks anew, another may have told truly of the job that came to nothing.
    const toldOf = isAlone ? undefined : asks.find(({ id }) => id === played.outputs['job-id']);
    const seen = { ...reality, job: toldOf ?? job };
    const isNews = own.some(({ body }) => !bodies.includes(body));
    if (isNews) for (const { body } of own) this.problems.push(...falseClaims('comment', body, reality));
    if (played.summary !== '' && asksBefore === 0)
      this.problems.push(...falseClaims('summary', played.summary, seen));
    this.problems.push(...falseOutputs(played, seen, asksBefore > 0));
  }

  /** One request a trigger, but where its job came to nothing, or where the memory went with the key or its comment. */
  #judgeAsk(
    trigger: Trigger,
    more: number,
    before: { readonly asks: number; readonly job: string | undefined },
  ): void {
    const isForgotten =
      trigger.isForgotten || (trigger.askedWith !== undefined && trigger.askedWith !== this.#apiKey);
    const mayAgain = isForgotten || trigger.cameToNothing;
    if (more > 1 || (before.asks > 0 && !mayAgain))
      this.problems.push(
        `${trigger.prompt} was asked for again: ${before.asks} + ${more}, its job ${before.job}`,
      );
    trigger.askedWith = this.#apiKey;
    trigger.cameToNothing = false;
    trigger.isForgotten = false;
  }

  /** Plays main, with what happens to it, and post as the runner would; `isOver` where one of them came to its end. */
  async #withMishap(options: InProcess, mishap: Mishap): Promise<{ played: Played; isOver: boolean }> {
    const cancel = new AbortController();
    const life = new Life();
    const callOff = this.#lieInWait(mishap, cancel, life);
    const main = await playMain({ ...options, signal: cancel.signal, life });
    callOff();
    // What a cancelled run had on its way arrives before anything else happens.
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
    if (mishap.kind === 'kill' && life.isOver && !mishap.isPostRun) return { played: main, isOver: false };
    const post = await playPost(options, main);
    const played = life.isOver ? { ...main, summary: post?.summary ?? '' } : main;
    return { played, isOver: !life.isOver || post !== undefined };
  }

  /** Has the mishap happen to the next run; returns a function that calls it off. */
  #lieInWait(mishap: Mishap, cancel: AbortController, life: Life): () => void {
    if (mishap.kind === 'none') return () => undefined;
    const nth = { at: () => true, nth: mishap.n };
    switch (mishap.kind) {
      case 'fault':
        this.#core.faults.add(faultAt(mishap.fault, nth, oversizedBytes));
        return () => this.#core.faults.clear();
      case 'cancel':
        return this.#core.once({ ...nth, phase: mishap.phase }, () =>
          cancel.abort(new ActionError('cancelled', 'The run was cancelled')),
        );
      case 'kill':
        return this.#core.once({ ...nth, phase: mishap.phase }, () => life.kill());
    }
  }

  /** The jobs that were asked for a trigger, by a prompt or a message, in the order they were. */
  #asks({ prompt }: Trigger): Job[] {
    return this.#core.service.jobs
      .flatMap((job) => job.rounds.filter((round) => round.prompt === prompt).map(({ at }) => ({ job, at })))
      .sort((one, other) => one.at - other.at)
      .map(({ job }) => job);
  }

  #statusComments(trigger: Trigger, runId: number): Comment[] {
    const { url, service, github } = this.#core;
    const markers = createMarkers({
      service: { apiKey: this.#apiKey, baseUrl: url, projectId: service.projectId },
      repositoryId: String(github.repository.id),
      thread: THREAD,
    });
    const isOwn = (comment: Comment): boolean => {
      const marker = markers.read(comment);
      // A second workflow that denied what this one let in has replied for itself.
      const isOthersReply = marker?.phase === 'denied' && marker.run !== String(runId);
      return marker?.key === trigger.key(runId) && !isOthersReply;
    };
    return github.commentsOf(THREAD).filter(isOwn);
  }
}

function isNothing(status: string | undefined): boolean {
  return status === 'failed' || status === 'archived';
}

/** Ends a job now; one that came to nothing does not come back by itself. */
function endJob(job: Job | undefined, status: string): void {
  if (job !== undefined && !isNothing(job.status)) job.end(status);
}

function pick<T>(from: readonly T[], which: number): T | undefined {
  return from.length === 0 ? undefined : from[which % from.length];
}
