import type { WebhookEvent } from '../../../simulator/github/types.ts';
import { USUAL_JOB } from '../../../simulator/service/job.ts';
import { memoryPlayer } from '../in-process/player.ts';
import { playWith, type RunEnd } from '../mishaps/mishap.ts';
import { endOf, leaks, type Run } from '../played.ts';
import { onLine } from '../scenarios/agent.ts';
import { collecting } from '../scenarios/left-open.ts';
import { serviceInputs } from '../usual.ts';
import type { Happening, Luck, Month } from './happenings.ts';
import { firstPull, Oracle, type Request } from './oracle.ts';

const [secondMs, hourMs, dayMs] = [1_000, 3_600_000, 24 * 3_600_000];
const agent = 'docs-agent[bot]';
const bots = [agent, 'renovate[bot]', 'coverage[bot]'];
const dashboard = 1;
const writers = 8;
const untroubled: Luck = { mishap: { kind: 'none' }, course: {}, wait: 'false' };
/** How an undisturbed run may fail. */
const redReasons = new Set(['job-failed', 'job-archived', 'deadline', 'unconfirmed', 'key-changed']);

/** Plays a month in a repository with two workflows, and a third one that collects. Returns what went wrong first. */
export async function problemsIn(month: Month): Promise<readonly string[]> {
  const model = new MonthModel(month);
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
  readonly #player = memoryPlayer();
  readonly #core = this.#player.core;
  readonly #github = this.#core.github;
  readonly #oracle: Oracle;
  readonly #month: Month;
  readonly #keys = [this.#core.service.apiKey];
  readonly #opened: number[] = [];
  /** How many runs may have sent a request, or may seem to have sent one. */
  #troubled = 0;
  #nextRun = 7_200_000_001;
  #nextPull = 20;

  constructor(month: Month) {
    this.#month = month;
    const { max, per } = month.cap;
    this.#oracle = new Oracle(this.#core, { max, windowMs: per === 'day' ? dayMs : 7 * dayMs });
    this.#github.mayEditInLocked = month.mayEditInLocked;
    for (const login of bots) this.#github.addUser(login, { type: 'Bot', permission: 'none' });
    for (let nth = 0; nth < writers; nth += 1) this.#github.addUser(person(nth), { permission: 'write' });
    for (const number of [dashboard, 2, 3, 4]) this.#github.addThread({ number });
    this.#github.git.commit({ files: { 'src/index.ts': '0\n' } });
    for (let nth = 0; nth < 3; nth += 1) this.#openChange();
    this.#chatter(250);
    this.#core.onBoundary(() => this.#openPulls());
  }

  async pass(ms: number): Promise<void> {
    this.#core.clock.advance(ms);
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
        return this.#say(happening, pick(this.#numbers(false), happening.which));
      case 'command on the agent’s pull request':
        return this.#say(happening, pick(this.#numbers(true), happening.which));
      case 'review':
        return this.#review(happening);
      case 'merge': {
        const number = pick(
          this.#numbers(false).filter((one) => one >= 20 && github.thread(one).state === 'open'),
          happening.which,
        );
        if (number !== undefined) await this.#merge(number, happening);
        this.#openChange();
        return;
      }
      case 're-run': {
        const request = pick(this.#oracle.requests, happening.which);
        const run = pick(request?.runs ?? [], happening.which);
        if (request === undefined || run === undefined) return;
        run.attempt += 1;
        return this.#run([[request, run]], happening.luck);
      }
      case 'agent’s pull request': {
        const { end, luck } = happening;
        const isRight = (number: number) =>
          github.pullRequests.of(number).mergedAt === null &&
          (github.thread(number).state === 'open') === (end !== 'reopened');
        const number = pick(this.#numbers(true).filter(isRight), happening.which);
        if (number === undefined) return;
        if (end === 'merged') await this.#merge(number, { method: 'squash', beside: 'no one', luck });
        else github.pullRequests.setState(number, end === 'closed' ? 'closed' : 'open');
        const cards = this.#oracle.cardsOf(number);
        await this.#collect(luck, github.pullRequestEvent(number, end === 'reopened' ? end : 'closed'));
        if (luck.mishap.kind === 'none') this.problems.push(...this.#oracle.judgeFate(number, cards));
        return;
      }
      case 'collect':
        return this.#collect(happening.luck);
      case 'busy': {
        const { isEdited, count } = happening;
        if (!isEdited) return this.#chatter(count);
        const own = github.comments.filter(({ login }) => login === 'renovate[bot]');
        for (const { id, body } of own.slice(-count)) github.edit(id, `${body}!`);
        return;
      }
      case 'bot says': {
        const thread = pick(this.#numbers(false), happening.which) ?? dashboard;
        const comment = github.comment('coverage[bot]', thread, `${happening.words} bot's words.`);
        const request = this.#request(github.issueCommentEvent(comment), "bot's words.", {
          thread,
          mayBeSent: false,
        });
        return this.#run([[request, this.#newRun(request)]], happening.luck);
      }
      case 'lock turned': {
        const thread = github.threads.get(pick([...github.threads.keys()], happening.which) ?? dashboard);
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
        service.addProject({ id: service.projectId, apiKey: this.#key, organization: 'org_simulated' });
        this.#oracle.keyedAt = clock.now();
    }
  }

  get #key(): string {
    return this.#keys[0] ?? '';
  }

  /** Someone writes a command, and maybe someone else another one at the same moment. */
  async #say(
    {
      who,
      words,
      beside,
      luck,
    }:
      | Extract<Happening, { kind: 'command' }>
      | Extract<Happening, { kind: 'command on the agent’s pull request' }>,
    thread: number | undefined,
  ): Promise<void> {
    const github = this.#github;
    // GitHub lets only people with write access comment in a locked thread.
    if (thread === undefined || (github.thread(thread).locked && who >= writers)) return;
    const ask = (by: number, number: number, said: string) => {
      const prompt = /help|status/.test(said) ? '' : `request ${this.#oracle.requests.length}.`;
      const comment = github.comment(person(by), number, `${said} ${prompt}`);
      return this.#request(github.issueCommentEvent(comment), prompt, {
        thread: number,
        isByStranger: by >= writers,
        words: said,
      });
    };
    const request = ask(who, thread, words);
    const other = beside === 'rush' ? ask(0, 2, '/docs --new') : request;
    const all = beside === 'no one' ? [request] : [request, other];
    await this.#run(
      all.map((one) => [one, this.#newRun(one)]),
      luck,
    );
  }

  /** Someone comments on a line, or submits a review with such a comment, which isn't a request of its own. */
  async #review({ who, which, isWhole, luck }: Extract<Happening, { kind: 'review' }>): Promise<void> {
    const { reviews, threads } = this.#github;
    const thread = pick(
      [...threads.values()].filter(({ isPullRequest, locked }) => isPullRequest && !locked),
      which,
    )?.number;
    if (thread === undefined) return;
    const prompt = `request ${this.#oracle.requests.length}.`;
    const options = { thread, isByStranger: who >= writers, words: '/docs' };
    const said = { ...onLine, body: isWhole ? '/docs a part.' : `/docs ${prompt}` };
    if (!isWhole) {
      const event = this.#github.reviewCommentEvent(reviews.comment(person(who), thread, said));
      const request = this.#request(event, prompt, options);
      return this.#run([[request, this.#newRun(request)]], luck);
    }
    const review = reviews.submit(person(who), thread, `/docs ${prompt}`, [said]);
    const [part] = reviews.commentsOf(review);
    const events = [
      this.#github.reviewEvent(review),
      ...(part ? [this.#github.reviewCommentEvent(part)] : []),
    ];
    for (const [nth, event] of events.entries()) {
      const request = this.#request(event, nth === 0 ? prompt : 'a part.', {
        ...options,
        mayBeSent: nth === 0 && who < writers,
      });
      await this.#run([[request, this.#newRun(request)]], luck);
    }
  }

  /** A change is merged. If it is the agent's own, nothing may be asked of the agent. */
  async #merge(
    number: number,
    { method, beside, luck }: Pick<Extract<Happening, { kind: 'merge' }>, 'method' | 'beside' | 'luck'>,
  ): Promise<void> {
    const before = this.#github.git.find('main').sha;
    const { sha: after } = this.#github.pullRequests.merge(number, method);
    const prompt = `Document #${number}.`;
    const event = this.#github.pushEvent({ before, after, pusher: person(1) });
    const inputs = { prompt, context: 'thread\nchanges', continue: 'repository' };
    const options = { thread: number, mayBeSent: number < firstPull, workflow: 'merge.yml', inputs };
    const request = this.#request(event, prompt, options);
    const times = beside === 'twins' ? 2 : 1;
    await this.#run(
      Array.from({ length: times }, () => [request, this.#newRun(request)]),
      luck,
    );
  }

  #request(
    event: WebhookEvent,
    prompt: string,
    options: Partial<Request> & Pick<Request, 'thread'>,
  ): Request {
    const usual = { isByStranger: false, workflow: 'command.yml', inputs: {}, runs: [] };
    const request = { ...usual, mayBeSent: options.isByStranger !== true, ...options, event, prompt };
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
    all: readonly (readonly [Request, Request['runs'][number]])[],
    { mishap, course, wait }: Luck,
  ): Promise<void> {
    const { service, clock } = this.#core;
    const beganAt = clock.now();
    const { max, per } = this.#month.cap;
    const usual = {
      ...serviceInputs(this.#core),
      'api-key': this.#key,
      wait,
      'timeout-minutes': '1',
      'max-jobs': `${max} per ${per}`,
    };
    const isCalm = mishap.kind === 'none' || all.length > 1;
    if (!isCalm) this.#troubled += 1;
    service.script({ ...USUAL_JOB, ...course });
    const makers = all.map(([request]) => this.#oracle.expectedFor(request));
    const ends = await Promise.all(
      all.map(([{ event, inputs, workflow }, run]) =>
        this.#withMishap(
          { event, workflow, ...run, inputs: { ...usual, ...inputs } },
          isCalm ? untroubled.mishap : mishap,
        ),
      ),
    );
    for (const [index, { played }] of ends.entries()) {
      const [request] = all[index] ?? [];
      const [maker, asked] = [makers[index], request && this.#oracle.asksOf(request)[0]?.job];
      if (maker !== undefined && asked !== undefined && asked !== maker)
        this.problems.push(`${request?.prompt} went to ${asked.id}, not to ${maker.id}`);
      const isByStranger = request?.isByStranger ?? false;
      const isRed = played.exitCode === 1 && mishap.kind !== 'cancel';
      const isUnexplained = isCalm && !redReasons.has(played.outputs.reason ?? '');
      if (isRed && (isByStranger || isUnexplained)) this.problems.push(`a run is red: ${endOf(played)}`);
    }
    this.problems.push(...this.#oracle.judgeAsks(beganAt));
    const [[request, run] = []] = all;
    if (request === undefined || all.length > 1 || run?.attempt !== 1 || !isCalm) return;
    const isHeard = request.prompt !== '' && request.mayBeSent && !this.#github.thread(request.thread).locked;
    if (
      isHeard &&
      this.#oracle.leftOfCap(beganAt) > this.#troubled &&
      this.#oracle.asksOf(request).length !== 1
    )
      this.problems.push(`${request.prompt} wasn’t sent: ${ends.map(({ played }) => endOf(played))}`);
  }

  async #collect({ mishap }: Pick<Luck, 'mishap'>, event = this.#github.scheduleEvent()): Promise<void> {
    const inputs = { 'api-key': this.#key, 'max-requests': '200', 'remind-after': '3 days' };
    const { played } = await this.#withMishap(
      collecting(this.#core, { event, inputs, runId: this.#nextRun++ }),
      mishap,
    );
    if (mishap.kind === 'none' && endOf(played) !== 'collected (complete)')
      this.problems.push(`collecting ends as ${endOf(played)}`);
  }

  async #withMishap(run: Run, mishap: Luck['mishap']): Promise<RunEnd> {
    const nth = mishap.kind === 'none' ? 1 : mishap.n;
    const end = await playWith(this.#player, run, mishap, { at: () => true, nth }, 16 * 1024);
    for (const key of this.#keys) this.problems.push(...leaks(this.#core, end.played, key));
    return end;
  }

  /** Once faults stop, one collect run finishes everything that can be finished, and a second one writes nothing. */
  async comeToRest(): Promise<void> {
    const { service, clock, requests } = this.#core;
    for (const job of service.jobs) if (job.status === 'active') job.end('completed');
    await this.pass(3 * hourMs);
    await this.#collect(untroubled);
    this.problems.push(...this.#oracle.judgeRest());
    clock.advance(secondMs);
    const before = requests.length;
    await this.#collect(untroubled);
    const writes = requests.slice(before).filter(({ to, method }) => to === 'github' && method !== 'GET');
    // In a locked thread, each run tries once.
    const seen = new Set<string>();
    for (const { route = '', path, method } of writes) {
      const id = Number(/\/comments\/(\d+)/.exec(path)?.[1]);
      const all = [...this.#github.comments, ...this.#github.reviews.comments];
      const thread = all.find((one) => one.id === id)?.number ?? Number(/\/issues\/(\d+)/.exec(path)?.[1]);
      const name = `${route} in #${thread}`;
      const isTried = method === 'POST' ? this.#github.thread(thread).locked : this.#oracle.isShut(thread);
      if (!isTried || seen.has(name)) this.problems.push(`a second collect run sends ${name}`);
      seen.add(name);
    }
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
    this.#github.pullRequests.open({ number, head, author: person(number % 20), title: `Change ${number}` });
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

function person(nth: number): string {
  return `person-${nth}`;
}

function pick<T>(from: readonly T[], which: number): T | undefined {
  return from.length === 0 ? undefined : from[which % from.length];
}
