import { type Job, USUAL_JOB } from '../../../simulator/service/job.ts';
import { type MemoryPlayer, memoryPlayer } from '../in-process/player.ts';
import { today } from '../in-process/version.ts';
import { playWith, type RunEnd } from '../mishaps/mishap.ts';
import { jobNamed } from '../oracle/agent.ts';
import { endOf, leaks, type Run } from '../played.ts';
import { collecting } from '../scenarios/left-open.ts';
import { serviceInputs, THREAD } from '../usual.ts';
import type { Course, Happening, Mishap } from './happenings.ts';
import { type Attempts, hasNoResult, PlayedTrigger, type TriggerSpec } from './trigger.ts';

const oversizedBytes = 16 * 1024;

const untroubled: Mishap = { kind: 'none' };

/** What goes wrong in a run, and how its job behaves. */
interface Luck {
  readonly mishap: Mishap;
  readonly course: Course;
}

/** Runs generated events in one thread, and checks the results after each event. */
export class ThreadModel {
  readonly problems: string[] = [];
  readonly player: MemoryPlayer;
  readonly core: MemoryPlayer['core'];
  apiKey: string;
  readonly #triggers: PlayedTrigger[] = [];
  #nextRun = 7_200_000_001;

  constructor(player = memoryPlayer()) {
    this.player = player;
    this.core = player.core;
    this.apiKey = player.core.service.apiKey;
    this.core.github.addThread({ number: THREAD, isPullRequest: true });
    this.core.github.addThread({ number: busy });
    this.core.github.addUser('renovate[bot]', { type: 'Bot', permission: 'none' });
    this.core.github.addUser('docs-agent[bot]', { type: 'Bot', permission: 'none' });
    this.core.github.addUser('stranger', { permission: 'read' });
  }

  /** Returns what went wrong: at the first event with problems or, with `isWhole`, at any event. */
  async play(happenings: readonly Happening[], isWhole = false): Promise<readonly string[]> {
    for (const happening of happenings) {
      await this.#play(happening);
      if (this.problems.length > 0 && !isWhole) break;
    }
    if (this.problems.length === 0) await this.#comeToRest();
    return [...this.problems, ...this.core.violations];
  }

  /** Once faults stop, one collect run finishes everything that can be finished, and a second one writes nothing. */
  async #comeToRest(): Promise<void> {
    const { clock, service } = this.core;
    for (const job of service.jobs) endJob(job, 'completed');
    clock.advance(restMs);
    const inputs = { 'api-key': this.apiKey };
    const collect = () => {
      const run = collecting(this.core, { inputs, runId: this.#nextRun++ });
      // An earlier version leaves what only a later one can finish.
      return this.player.play({ ...run, version: today });
    };
    await collect();
    const before = this.core.requests.length;
    const second = await collect();
    const writes = this.core.requests
      .slice(before)
      .filter(({ to, method }) => to === 'github' && method !== 'GET');
    if (endOf(second) !== 'collected (complete)')
      this.problems.push(`at rest, collecting ends as ${endOf(second)}`);
    for (const { route } of writes)
      this.problems.push(`at rest, a second collect run sends ${route}`);
  }

  async #play(happening: Happening): Promise<void> {
    const { github, service, clock } = this.core;
    const trigger = 'which' in happening ? pick(this.#triggers, happening.which) : undefined;
    const run = 'which' in happening ? pick(trigger?.runs ?? [], happening.which) : undefined;
    switch (happening.kind) {
      case 'command': {
        const { words, by } = happening;
        const isAsk = !/help|status/.test(words);
        const prompt = `prompt ${this.#triggers.length}.`;
        const comment = github.comment(by, THREAD, isAsk ? `${words} ${prompt}` : words);
        const event = github.issueCommentEvent(comment);
        const asked = await this.#first({ event, prompt, isAsk, inputs: {} }, happening);
        if (isAsk && by !== 'stranger') this.#expectHeard(asked, happening);
        return;
      }
      case 'prompt': {
        const prompt = `prompt ${this.#triggers.length}.`;
        const event = github.pullRequestEvent(THREAD);
        const spec = { event, prompt, isAsk: true, inputs: { prompt } };
        this.#expectHeard(await this.#first(spec, happening), happening);
        return;
      }
      case 're-run': {
        if (trigger === undefined || run === undefined) return;
        run.attempt += 1;
        return this.#run(trigger, [run], happening);
      }
      case 'second workflow': {
        if (trigger === undefined || isOwnPrompt(trigger)) return;
        return this.#run(trigger, [this.#newRun(trigger)], happening);
      }
      case 'two at once': {
        // `help` and `status` don't claim a request, so two workflows may both reply.
        if (
          trigger === undefined ||
          run === undefined ||
          isOwnPrompt(trigger) ||
          !trigger.spec.isAsk
        )
          return;
        const other = trigger.runs.find((one) => one !== run) ?? this.#newRun(trigger, 0);
        for (const one of [run, other]) one.attempt += 1;
        return this.#run(trigger, [run, other], { mishap: untroubled, course: happening.course });
      }
      case 'comment deleted': {
        const [comment] = trigger?.statusComments ?? [];
        if (comment === undefined) return;
        github.delete(comment.id);
        trigger?.forget();
        return;
      }
      case 'job ends':
        return endJob(pick(service.jobs, happening.which), happening.status);
      case 'collect':
        clock.advance(happening.afterMs);
        return this.#collect(happening);
      case 'key rotated':
        for (const trigger of this.#triggers) trigger.retireComments();
        this.apiKey = `${service.apiKey}_${this.#nextRun++}`;
        service.addProject({
          id: service.projectId,
          apiKey: this.apiKey,
          organization: 'org_simulated',
        });
        return;
      case 'repository renamed':
        github.rename(`docs-${this.#nextRun++}`);
        service.repositoryUrl = `https://github.com/${github.fullName}`;
        return;
      case 'busy': {
        const own = github.commentsOf(busy).slice(-happening.count);
        if (happening.isEdited) for (const { id } of own) github.edit(id, `${clock.now()}`);
        else
          for (let nth = 0; nth < happening.count; nth += 1)
            github.comment('renovate[bot]', busy, `${nth}`);
        return;
      }
      case 'thread locked':
        github.thread(THREAD).locked = true;
        github.mayEditInLocked = happening.mayEditInLocked;
        clock.advance(restMs);
        await this.#collectLocked();
        github.thread(THREAD).locked = false;
        return;
      case 'review':
        return this.#review(happening);
      case 'time passes':
        clock.advance(happening.ms);
    }
  }

  async #first(spec: TriggerSpec, luck: Luck): Promise<PlayedTrigger> {
    const trigger = new PlayedTrigger(spec, this);
    this.#triggers.push(trigger);
    await this.#run(trigger, [this.#newRun(trigger)], luck);
    return trigger;
  }

  /** If nothing goes wrong and the author has permission, the prompt must be sent exactly once. */
  #expectHeard({ spec, asks }: PlayedTrigger, { mishap }: Luck): void {
    if (mishap.kind === 'none' && asks.length !== 1)
      this.problems.push(`${spec.prompt} was asked ${asks.length} times`);
  }

  #newRun(trigger: PlayedTrigger, attempt = 1): Attempts {
    const run = { runId: this.#nextRun++, attempt };
    trigger.runs.push(run);
    return run;
  }

  async #run(
    trigger: PlayedTrigger,
    runs: readonly Attempts[],
    { mishap, course }: Luck,
  ): Promise<void> {
    const { core, apiKey } = this;
    const { event, inputs } = trigger.spec;
    const usual = { ...serviceInputs(core), 'api-key': apiKey, 'timeout-minutes': '1' };
    const before = trigger.lookBefore();
    core.service.script({ ...USUAL_JOB, ...course });
    const ends = await Promise.all(
      runs.map((run) =>
        this.#withMishap({ event, inputs: { ...usual, ...inputs }, ...run }, mishap),
      ),
    );
    this.problems.push(...trigger.judge(before, ends, mishap.kind === 'none'));
  }

  /** Runs collect mode, possibly in parallel with other runs, and checks every comment. */
  async #collect({
    beside,
    which,
    mishap,
    course,
  }: Extract<Happening, { kind: 'collect' }>): Promise<void> {
    const before = this.#triggers.map(({ statusComments }) =>
      statusComments.map(({ body }) => body),
    );
    const collector = () => {
      const run = collecting(this.core, {
        inputs: { 'api-key': this.apiKey },
        runId: this.#nextRun++,
      });
      // With several runs in parallel, the fault could hit the wrong one.
      return this.#withMishap(run, beside === 'none' ? mishap : untroubled);
    };
    const others: Promise<unknown>[] = [];
    if (beside === 'collector' || beside === 'both') others.push(collector());
    if (beside === 're-run' || beside === 'both')
      others.push(this.#play({ kind: 're-run', which, mishap: untroubled, course }));
    const { played, isOver } = await collector();
    await Promise.all(others);
    const isAlone = beside === 'none' && isOver && mishap.kind === 'none';
    if (isAlone && endOf(played) !== 'collected (complete)')
      this.problems.push(`collecting ends as ${endOf(played)}`);
    this.problems.push(...leaks(this.core, played));
    for (const [index, trigger] of this.#triggers.entries())
      this.problems.push(...trigger.judgeCollected(before[index] ?? [], isAlone));
  }

  /** Without a fault, a locked thread is no reason to be incomplete, and each run tries to edit there only once. */
  async #collectLocked(): Promise<void> {
    const before = this.core.requests.length;
    const inputs = { 'api-key': this.apiKey };
    const played = await this.player.play(
      collecting(this.core, { inputs, runId: this.#nextRun++ }),
    );
    const inThread = this.core.github.comments.filter(({ number }) => number === THREAD);
    const isLocked = ({ path }: { readonly path: string }) =>
      inThread.some(({ id }) => path.endsWith(`/${id}`));
    const edits = this.core.requests
      .slice(before)
      .filter((request) => request.method === 'PATCH' && isLocked(request)).length;
    if (endOf(played) !== 'collected (complete)')
      this.problems.push(`in a locked thread, collecting ends as ${endOf(played)}`);
    if (!this.core.github.mayEditInLocked && edits > 1)
      this.problems.push(`a locked thread is tried ${edits} times`);
  }

  /** A command on the agent's pull request goes to the job that opened it, if that job's status comment is still there. */
  async #review({ which, course }: Extract<Happening, { kind: 'review' }>): Promise<void> {
    const { github, service } = this.core;
    const jobs = service.jobs.filter(({ prLink }) => prLink !== null);
    const job = pick(jobs, which);
    if (job === undefined) return;
    const number = Number(job.prLink?.match(/\d+$/)?.[0]);
    const createdAt = job.rounds[0].at + job.rounds[0].script.activeMs;
    const options = { number, isPullRequest: true, author: 'docs-agent[bot]' };
    if (!github.threads.has(number))
      github.threads.set(number, { ...github.addThread(options), createdAt });
    // Among at least this many comments before the pull request, its job's status comment is found.
    const near = github.comments.filter((comment) => comment.createdAt < createdAt).slice(-200);
    const cards = this.#triggers.flatMap(({ statusComments }) => statusComments);
    const isKnown = near.some((card) => cards.includes(card) && jobNamed(card) === job.id);
    service.script({ ...USUAL_JOB, ...course });
    const before = service.jobs.length;
    const event = github.issueCommentEvent(
      github.comment('maintainer', number, `/docs review ${this.#nextRun}.`),
    );
    const inputs = { ...serviceInputs(this.core), 'api-key': this.apiKey, wait: 'false' };
    await this.player.play({ event, inputs, runId: this.#nextRun++ });
    if (isKnown && service.jobs.length > before)
      this.problems.push(`a command on #${number} didn’t go to ${job.id}`);
  }

  #withMishap(run: Run, mishap: Mishap): Promise<RunEnd> {
    const nth = mishap.kind === 'none' ? 1 : mishap.n;
    return playWith(this.player, run, mishap, { at: () => true, nth }, oversizedBytes);
  }
}

/** Long enough that no run watches a job any more, and that a claim without a job is unconfirmed. */
const restMs = 3 * 3_600_000;

/** The thread in which a bot writes. */
const busy = 99;

/** Whether the prompt is an input of the run, in which case no other workflow can share it. */
function isOwnPrompt({ spec }: PlayedTrigger): boolean {
  return spec.inputs.prompt !== undefined;
}

function endJob(job: Job | undefined, status: string): void {
  if (job !== undefined && !hasNoResult(job.status)) job.end(status);
}

function pick<T>(from: readonly T[], which: number): T | undefined {
  return from.length === 0 ? undefined : from[which % from.length];
}
