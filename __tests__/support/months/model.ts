import type { WebhookEvent } from '../../../simulator/github/types.ts';
import { USUAL_JOB } from '../../../simulator/service/job.ts';
import { type MemoryPlayer, memoryPlayer } from '../in-process/player.ts';
import type { RunEnd } from '../mishaps/mishap.ts';
import { endOf, leaks, type Run } from '../played.ts';
import { onLine } from '../scenarios/agent.ts';
import { collecting } from '../scenarios/left-open.ts';
import { untroubled as calm, type Sleep } from '../threads/happenings.ts';
import { isUntroubled, Machines, untilOthersAct } from '../threads/machines.ts';
import { serviceInputs } from '../usual.ts';
import type { Happening, Luck, Month } from './happenings.ts';
import { firstPull, Oracle, type Request } from './oracle.ts';

const [secondMs, hourMs, dayMs] = [1_000, 3_600_000, 24 * 3_600_000];
const agent = 'docs-agent[bot]';
const bots = [agent, 'renovate[bot]', 'coverage[bot]'];
const dashboard = 1;
const [writers, people] = [8, 20];
const untroubled: Luck = { ...calm, course: {}, wait: 'false' };
/** How an undisturbed run may fail. */
const redReasons = new Set([
  'job-failed',
  'job-archived',
  'deadline',
  'unconfirmed',
  'key-changed',
]);

/** Plays a month in a repository with two workflows, and a third one that collects. Returns what went wrong first. */
export async function problemsIn(
  month: Month,
  player = memoryPlayer(),
): Promise<readonly string[]> {
  const model = new MonthModel(month, player);
  for (const { afterMs, happening } of month.happenings) {
    await model.pass(afterMs);
    await model.play(happening);
    if (model.problems.length > 0) break;
  }
  if (model.problems.length === 0) await model.comeToRest();
  return model.problems;
}

class MonthModel {
  readonly problems: string[] = [];
  readonly #core: MemoryPlayer['core'];
  readonly #github: MemoryPlayer['core']['github'];
  readonly #machines: Machines;
  readonly #oracle: Oracle;
  readonly #month: Month;
  readonly #keys: string[];
  readonly #opened: number[] = [];
  #nextRun = 7_200_000_001;
  #nextPull = 20;

  constructor(month: Month, player: MemoryPlayer) {
    this.#core = player.core;
    this.#github = player.core.github;
    this.#machines = new Machines(player);
    this.#keys = [player.core.service.apiKey];
    this.#month = month;
    const { max, per } = month.cap;
    const cap = { max, windowMs: per === 'day' ? dayMs : 7 * dayMs };
    this.#oracle = new Oracle(this.#core, this.#machines.witness, cap);
    this.#oracle.key = this.#key;
    this.#github.mayEditInLocked = month.mayEditInLocked;
    for (const login of bots) this.#github.addUser(login, { type: 'Bot', permission: 'none' });
    for (let nth = 0; nth < writers; nth += 1)
      this.#github.addUser(person(nth), { permission: 'write' });
    for (const number of [dashboard, 2, 3, 4]) this.#github.addThread({ number });
    this.#github.git.commit({ files: { 'src/index.ts': '0\n' } });
    for (let nth = 0; nth < 3; nth += 1) this.#openChange();
    this.#chatter(400);
    this.#core.onBoundary(() => this.#openPulls());
  }

  async pass(ms: number): Promise<void> {
    await this.#machines.pass(ms);
    this.#openPulls();
    for (const number of this.#opened.splice(0))
      if (this.#month.isCollectedWhenOpened)
        await this.#collect(untroubled, this.#github.pullRequestEvent(number));
  }

  async play(happening: Happening): Promise<void> {
    const { clock, service } = this.#core;
    const github = this.#github;
    switch (happening.kind) {
      case 'command':
        return this.#say(happening);
      case 'review':
        return this.#review(happening);
      case 'merge': {
        const isOpen = (number: number) => number >= 20 && github.thread(number).state === 'open';
        const number = pick(this.#numbers(false).filter(isOpen), happening.which);
        if (number !== undefined) await this.#merge(number, happening);
        this.#openChange();
        return;
      }
      case 're-run': {
        const request = pick(this.#oracle.requests, happening.which);
        const run = pick(request?.runs ?? [], happening.which);
        if (request === undefined || run === undefined) return;
        if (!this.#machines.canRunAgain(run)) return;
        run.attempt += 1;
        return this.#run([request], happening.luck, [run]);
      }
      case 'agent’s pull request': {
        const { end, luck } = happening;
        const isRight = (number: number) =>
          github.pullRequests.of(number).mergedAt === null &&
          (github.thread(number).state === 'open') === (end !== 'reopened');
        const number = pick(this.#numbers(true).filter(isRight), happening.which);
        if (number === undefined) return;
        if (end === 'merged')
          await this.#merge(number, { method: 'squash', beside: 'no one', luck });
        else github.pullRequests.setState(number, end === 'closed' ? 'closed' : 'open');
        const cards = this.#oracle.cardsOf(number);
        await this.#collect(
          luck,
          github.pullRequestEvent(number, end === 'reopened' ? end : 'closed'),
        );
        // Of a comment that someone edits at that moment, a later run says what became of it.
        const isSettled = isUntroubled(luck) && luck.touched.kind === 'none';
        if (isSettled) this.problems.push(...this.#oracle.judgeFate(number, cards));
        return;
      }
      case 'collect':
        return this.#collect(happening.luck);
      case 'comment touched': {
        const comment = pick(this.#oracle.cards, happening.which);
        if (comment !== undefined) this.#machines.touch(comment, happening.how);
        return;
      }
      case 'busy': {
        const { isEdited, count } = happening;
        if (!isEdited) return this.#chatter(count);
        const own = github.comments.filter(({ login }) => login === 'renovate[bot]');
        for (const { id, body } of own.slice(-count)) github.edit(id, `${body}!`);
        return;
      }
      case 'lock turned': {
        const thread = github.threads.get(
          pick([...github.threads.keys()], happening.which) ?? dashboard,
        );
        if (thread !== undefined) thread.locked = !thread.locked;
        return;
      }
      case 'renamed':
        if (github.formerNames.size > 0) return;
        github.rename('guides');
        service.repositoryUrl = `https://github.com/${github.fullName}`;
        return;
      case 'key rotated':
        if (this.#keys.length > 1) return;
        clock.advance(secondMs);
        this.#keys.unshift(`${service.apiKey}_rotated`);
        service.addProject({
          id: service.projectId,
          apiKey: this.#key,
          organization: 'org_simulated',
        });
        this.#oracle.key = this.#key;
    }
  }

  get #key(): string {
    return this.#keys[0] ?? '';
  }

  /** Someone writes a command, and maybe someone else another one at the same moment. */
  #say({
    who,
    which,
    isOnAgents,
    words,
    beside,
    luck,
  }: Happening & { kind: 'command' }): Promise<void> | undefined {
    const thread = pick(this.#numbers(isOnAgents), which);
    const ask = (by: number, number: number, said: string) => {
      const prompt = /help|status/.test(said) ? '' : `request ${this.#oracle.requests.length}.`;
      const comment = this.#github.comment(person(by), number, `${said} ${prompt}`);
      const event = this.#github.issueCommentEvent(comment);
      return this.#request(event, prompt, { thread: number, ...authorOf(by), words: said });
    };
    // GitHub lets only people with write access comment in a locked thread.
    if (thread === undefined || (this.#github.thread(thread).locked && who >= writers)) return;
    const request = ask(who, thread, words);
    const other = beside === 'rush' ? ask(0, 2, '/docs --new') : request;
    return this.#run(beside === 'no one' ? [request] : [request, other], luck);
  }

  /** Someone comments on a line: as a request, or in a review that is the request. */
  async #review({ who, which, isWhole, luck }: Happening & { kind: 'review' }): Promise<void> {
    const { reviews, threads } = this.#github;
    const pulls = [...threads.values()].filter(
      ({ isPullRequest, locked }) => isPullRequest && !locked,
    );
    const thread = pick(pulls, which)?.number;
    if (thread === undefined) return;
    const prompt = `request ${this.#oracle.requests.length}.`;
    const options = { thread, ...authorOf(who), words: '/docs' };
    const said = { ...onLine, body: `/docs ${isWhole ? 'a part.' : prompt}` };
    const review = reviews.submit(person(who), thread, isWhole ? `/docs ${prompt}` : '', [said]);
    if (isWhole)
      await this.#run([this.#request(this.#github.reviewEvent(review), prompt, options)], luck);
    for (const comment of reviews.commentsOf(review)) {
      const event = this.#github.reviewCommentEvent(comment);
      const part = isWhole
        ? this.#request(event, 'a part.', { ...options, mayBeSent: false })
        : this.#request(event, prompt, options);
      await this.#run([part], luck);
    }
  }

  /** A change is merged. If it is the agent's own, nothing may be asked of the agent. */
  #merge(
    number: number,
    { method, beside, luck }: Pick<Happening & { kind: 'merge' }, 'method' | 'beside' | 'luck'>,
  ) {
    const before = this.#github.git.find('main').sha;
    const { sha: after } = this.#github.pullRequests.merge(number, method);
    const prompt = `Document #${number}.`;
    const event = this.#github.pushEvent({ before, after, pusher: person(1) });
    const inputs = { prompt, context: 'thread\nchanges', continue: 'repository' };
    const mayBeSent = number < firstPull;
    const options = { thread: number, mayBeSent, workflow: 'merge.yml', inputs };
    const request = this.#request(event, prompt, options);
    return this.#run(beside === 'twins' ? [request, request] : [request], luck);
  }

  #request(
    event: WebhookEvent,
    prompt: string,
    options: Pick<Request, 'thread' | 'mayBeSent'> & Partial<Request>,
  ): Request {
    const request = { workflow: 'command.yml', inputs: {}, runs: [], ...options, event, prompt };
    this.#oracle.requests.push(request);
    return request;
  }

  #newRun({ runs }: Request): Request['runs'][number] {
    const run = { runId: this.#nextRun++, attempt: 1 };
    runs.push(run);
    return run;
  }

  /** Plays runs that begin together, and judges what they did. Only a single run has a mishap. */
  async #run(
    requests: readonly Request[],
    luck: Luck,
    runs = requests.map((one) => this.#newRun(one)),
  ): Promise<void> {
    const { service, clock } = this.#core;
    const beganAt = clock.now();
    const { max, per } = this.#month.cap;
    const limits = { wait: luck.wait, 'timeout-minutes': '1', 'max-jobs': `${max} per ${per}` };
    const usual = { ...serviceInputs(this.#core), 'api-key': this.#key, ...limits };
    const isRival = requests.length > 1;
    const mishap = isRival && luck.mishap.kind !== 'sleep' ? untroubled.mishap : luck.mishap;
    service.script({ ...USUAL_JOB, ...luck.course });
    const ends = requests.map(async (request, index) => {
      const { event, inputs, workflow, isByStranger = false } = request;
      const expected = this.#oracle.expectedFor(request);
      // A run for a stranger sends few requests, and not even a lasting fault may make it red.
      const isHard = isByStranger && mishap.kind !== 'none';
      const harder = isHard ? { ...mishap, n: 1 + (mishap.n % 4), isLasting: true } : mishap;
      const run = { runId: 0, ...runs[index], event, workflow, inputs: { ...usual, ...inputs } };
      const itsLuck = index === 0 ? { ...luck, mishap: harder } : untroubled;
      const judge = ({ played }: RunEnd) => {
        const isExplained =
          !isByStranger &&
          (!isUntroubled({ ...luck, mishap }) || redReasons.has(played.outputs.reason ?? ''));
        if (played.exitCode === 1 && mishap.kind !== 'cancel' && !isExplained)
          this.problems.push(`a run is red: ${endOf(played)}`);
      };
      const judgeLate = (end: RunEnd) => {
        judge(end);
        this.problems.push(...this.#oracle.judgeAsks(beganAt));
      };
      const end = await this.#start(run, itsLuck, judgeLate, request);
      if (end === 'asleep') return;
      judge(end);
      const [asked] = this.#oracle.asksOf(request);
      const isDisturbed = this.#machines.hasWoken(beganAt) || luck.touched.kind !== 'none';
      if (isDisturbed || expected === undefined || asked === undefined) return;
      if (asked.job !== expected)
        this.problems.push(`${request.prompt} went to ${asked.job.id}, not to ${expected.id}`);
    });
    await Promise.all(ends);
    this.problems.push(...this.#oracle.judgeAsks(beganAt));
    const [request] = requests;
    if (luck.mishap.kind === 'sleep' && request !== undefined)
      await this.#goOn(request, luck.mishap);
  }

  /** What others do about a request whose run may be suspended. */
  async #goOn(request: Request, sleep: Sleep): Promise<void> {
    await this.pass(untilOthersAct(sleep));
    if (sleep.meanwhile.startsWith('collect')) await this.#collect(untroubled);
    const [run] = request.runs;
    if (!sleep.meanwhile.endsWith('re-run') || run === undefined) return;
    if (!this.#machines.canRunAgain(run)) return;
    run.attempt += 1;
    await this.#run([request], untroubled, [run]);
  }

  async #collect(luck: Luck, event = this.#github.scheduleEvent()): Promise<void> {
    const inputs = { 'api-key': this.#key, 'max-requests': '200', 'remind-after': '3 days' };
    const run = collecting(this.#core, { event, inputs, runId: this.#nextRun++ });
    const end = await this.#start(run, luck);
    if (end === 'asleep' || !isUntroubled(luck)) return;
    const expected = this.#hasMoreThanCollectReads() ? 'incomplete' : 'complete';
    if (endOf(end.played) !== `collected (${expected})`)
      this.problems.push(`collecting ends as ${endOf(end.played)}`);
  }

  /** Whether there are more comments in 28 days, anyone's, than docs/collect.md says that a run reads. */
  #hasMoreThanCollectReads(): boolean {
    const since = this.#core.clock.now() - 28 * dayMs;
    return this.#github.comments.filter(({ updatedAt }) => updatedAt >= since).length > 3_000;
  }

  async #start(
    run: Run,
    luck: Luck,
    judge: (end: RunEnd) => void = () => undefined,
    request?: Request,
  ): Promise<RunEnd | 'asleep'> {
    const findLeaks = ({ played }: RunEnd) => {
      for (const key of this.#keys) this.problems.push(...leaks(this.#core, played, key));
    };
    const judgeLate = (end: RunEnd) => {
      findLeaks(end);
      judge(end);
    };
    const newest = () =>
      this.#oracle.cards.findLast(
        ({ body }) => request === undefined || body.includes(`\n${request.prompt}\n`),
      );
    const end = await this.#machines.start(run, luck, { newest, judgeLate });
    if (end !== 'asleep') findLeaks(end);
    return end;
  }

  /** Once faults stop, one collect run finishes everything that can be finished, and a second one writes nothing. */
  async comeToRest(): Promise<void> {
    const { service, clock, requests } = this.#core;
    // Suspended machines wake up first: their runs may still start jobs.
    await this.pass(3 * hourMs);
    for (const job of service.jobs) if (job.status === 'active') job.end('completed');
    await this.pass(3 * hourMs);
    await this.#collect(untroubled);
    this.problems.push(...this.#oracle.judgeRest());
    clock.advance(secondMs);
    const before = requests.length;
    await this.#collect(untroubled);
    this.problems.push(...this.#oracle.judgeWrites(requests.slice(before)));
    this.problems.push(...this.#core.violations);
  }

  /** The numbers of all threads, or of the agent's pull requests. */
  #numbers(isAgents: boolean): number[] {
    return [...this.#github.threads.keys()].filter((number) => number >= firstPull === isAgents);
  }

  #openChange(): void {
    const number = this.#nextPull++;
    const head = `change-${number}`;
    this.#github.git.branch(head);
    this.#github.git.commit({ branch: head, files: { [`src/${number}.ts`]: `${number}\n` } });
    this.#github.pullRequests.open({
      number,
      head,
      author: person(number % 20),
      title: `Change ${number}`,
    });
  }

  /** Opens the pull requests of jobs that have ended, as the agent does. */
  #openPulls(): void {
    for (const [index, { prLink }] of this.#core.service.jobs.entries()) {
      const number = firstPull + index;
      if (prLink === null || this.#github.threads.has(number)) continue;
      const head = `docs-agent/${number}`;
      this.#github.git.branch(head);
      this.#github.git.commit({ branch: head, files: { [`docs/${number}.md`]: `${number}\n` } });
      this.#github.pullRequests.open({ number, head, author: agent, title: `Docs ${number}` });
      this.#opened.push(number);
    }
  }

  #chatter(count: number): void {
    for (let nth = 0; nth < count; nth += 1)
      this.#github.comment('renovate[bot]', dashboard, `Update ${nth}`);
  }
}

/** Whether a request by this person may be sent. */
function authorOf(nth: number) {
  return { mayBeSent: nth < writers, isByStranger: nth >= writers };
}

/** One of the people, or the bot that writes commands. */
function person(nth: number): string {
  return nth < people ? `person-${nth}` : 'coverage[bot]';
}

/** The newest of some items, or one before it. */
function pick<T>(from: readonly T[], which: number): T | undefined {
  return from.length === 0 ? undefined : from.at(-1 - (which % from.length));
}
