import { BOT_LOGIN } from '../../../simulator/github/store.ts';
import type { Comment } from '../../../simulator/github/types.ts';
import type { RecordedRequest } from '../../../simulator/http/messages.ts';
import type { InMemorySimulator } from '../../../simulator/in-memory.ts';
import type { Job } from '../../../simulator/service/job.ts';
import { headlineOf, jobNamed, writtenIn } from '../oracle/agent.ts';
import type { Run } from '../played.ts';
import { asWritten } from '../threads/people.ts';
import { type Ask, hasNoResult, type Witness } from '../threads/witness.ts';

/** A request, and all its runs. */
export interface Request extends Pick<Run, 'event' | 'inputs' | 'workflow'> {
  /** The prompt, which no other request has; `''` if it asks for help or a status. */
  readonly prompt: string;
  readonly thread: number;
  /** Whether the agent may get it: not if a stranger or a bot wrote it, nor if it is about the agent's own change. */
  readonly mayBeSent: boolean;
  readonly runs: { readonly runId: number; attempt: number }[];
  /** Whether its author has no write access. Nothing may make the run red. */
  readonly isByStranger?: boolean;
  /** The command without the prompt. */
  readonly words?: string;
}

/** How many requests may be sent in a time. */
interface Cap {
  readonly max: number;
  readonly windowMs: number;
}

/** The first job's pull request is #101. */
export const firstPull = 101;
/** The finder reads at least this many of the comments before a pull request was opened. */
const foundComments = 200;
/** How long a run may take between counting the requests and sending its own. */
const slackMs = 3_600_000;
/** How many comments a run searches for the open pull request of earlier merges. */
const listedComments = 1_000;
/** Twice the time after which a request is too old. */
const listedMs = 28 * 24 * 3_600_000;

/** Finds what is wrong in a repository from the simulator's jobs, comments, and pull requests alone. */
export class Oracle {
  readonly requests: Request[] = [];
  /** The current key. Cards that were signed with another one count no longer. */
  key = '';
  readonly #core: InMemorySimulator;
  readonly #witness: Witness;
  readonly #cap: Cap;

  constructor(core: InMemorySimulator, witness: Witness, cap: Cap) {
    this.#core = core;
    this.#witness = witness;
    this.#cap = cap;
  }

  /** Each time that the service got the prompt, in order. */
  asksOf({ prompt }: Pick<Request, 'prompt'>): Ask[] {
    return this.#witness.asksOf(prompt);
  }

  /** All status comments of requests. */
  get cards(): Comment[] {
    return this.#core.github.comments.filter((comment) => this.#isCard(comment));
  }

  /**
   * Whether a request was sent although the cap had been reached when its run began. Requests that were made with another key, or
   * whose comment was deleted, don't count. Nor do those whose comment was edited since: it moved to a page of GitHub's list that
   * the run may have read before.
   */
  #isCapIgnored({ sent }: Ask): boolean {
    if (sent === undefined) return true;
    const beganMs = this.#witness.beganMs(sent);
    const sinceMs = beganMs - this.#cap.windowMs + slackMs;
    const counted = this.#witness
      .asks()
      .filter(
        (ask) =>
          ask.at < beganMs &&
          ask.at >= sinceMs &&
          ask.sent?.key === sent.key &&
          !this.#witness.wasDeleted(ask.prompt) &&
          !this.#wasEdited(ask, beganMs),
      );
    return counted.length >= this.#cap.max;
  }

  #wasEdited({ prompt }: Ask, sinceMs: number): boolean {
    return this.cards.some(
      ({ body, updatedAt }) => body.includes(`\n${prompt}\n`) && updatedAt >= sinceMs,
    );
  }

  /** What is wrong with how often requests were sent, after some runs that began together. */
  judgeAsks(beganAt: number): string[] {
    return this.requests.flatMap((request) => {
      const [first] = this.asksOf(request);
      if (first === undefined) return [];
      const { prompt, mayBeSent } = request;
      const isCapIgnored = first.at >= beganAt && this.#isCapIgnored(first);
      return [
        ...(mayBeSent ? [] : [`${prompt} was sent`]),
        ...(isCapIgnored ? [`${prompt} was sent although the cap was reached`] : []),
        ...this.#witness.judgeAsks(prompt),
      ];
    });
  }

  /** The comments that name a pull request's job, and that are found by when the pull request was opened. */
  cardsOf(number: number): Comment[] {
    const { github } = this.#core;
    const { createdAt } = github.thread(number);
    const before = github.comments.filter(
      (comment) => !comment.deleted && comment.createdAt < createdAt,
    );
    return before
      .slice(-foundComments)
      .filter(
        (comment) => this.#isCard(comment) && jobNamed(comment) === this.#makerOf(number)?.id,
      );
  }

  #makerOf(number: number): Job | undefined {
    return this.#core.service.jobs[number - firstPull];
  }

  /** The job that must get a request, if it is certain: the maker of its pull request, or what earlier merges asked for. */
  expectedFor(request: Request): Job | undefined {
    const { github } = this.#core;
    const { thread: number, words, workflow } = request;
    if (this.asksOf(request).length > 0) return undefined;
    if (workflow === 'merge.yml') return this.#openJob();
    const maker = this.#makerOf(number);
    if (maker?.prLink == null || words !== '/docs' || github.thread(number).state !== 'open')
      return undefined;
    const isOther = writtenIn(this.#core, number).some(
      (comment) => (jobNamed(comment) ?? maker.id) !== maker.id,
    );
    // If no card has the link yet, the five newest jobs at work are looked at.
    const working = this.cards.filter((card) => headlineOf(asWritten(card)).startsWith('⏳'));
    const newest = [...new Set(working.reverse().map(jobNamed))].slice(0, 5);
    const isFound = (card: Comment) =>
      asWritten(card).body.includes(`/pull/${number}>`) || newest.includes(maker.id);
    return !isOther && !hasNoResult(maker.status) && this.cardsOf(number).some(isFound)
      ? maker
      : undefined;
  }

  /** The newest job with an open pull request that an earlier merge went to. */
  #openJob(): Job | undefined {
    const { github, service } = this.#core;
    const newestFirst = github.comments.toSorted((one, other) => other.updatedAt - one.updatedAt);
    const cards = newestFirst
      .slice(0, listedComments)
      .filter((card) => this.#isCard(card) && card.body.includes('Document #'));
    const names = [...new Set(cards.sort((one, other) => other.id - one.id).map(jobNamed))].filter(
      (name) => name !== undefined,
    );
    const jobs = names
      .slice(0, 5)
      .flatMap((name) => service.jobs.find(({ id }) => id === name) ?? []);
    return jobs.find((job) => {
      const number = firstPull + service.jobs.indexOf(job);
      return (
        job.status === 'active' || (job.prLink !== null && github.thread(number).state === 'open')
      );
    });
  }

  /** Whether it is a request's status comment, signed with the current key. */
  #isCard(comment: Comment): boolean {
    const isOurs = comment.login === BOT_LOGIN && this.#witness.keyOf(comment) === this.key;
    return isOurs && !comment.deleted && comment.body.includes('```text\n');
  }

  /** Whether comments there can't be edited. */
  #isShut(thread: number): boolean {
    const { github } = this.#core;
    return github.thread(thread).locked && !github.mayEditInLocked;
  }

  /** Whether a comment may keep an old state: nothing is written in a locked thread about an old request. */
  #mayStay({ number, createdAt }: Comment): boolean {
    const { github, clock } = this.#core;
    const isOld = clock.now() - createdAt >= listedMs / 2;
    return this.#isShut(number) || (github.thread(number).locked && isOld);
  }

  /** The comments that say something else about a pull request than what became of it. */
  judgeFate(number: number, cards: readonly Comment[]): string[] {
    const { github } = this.#core;
    const { mergedAt } = github.pullRequests.of(number);
    const end = mergedAt !== null ? 'merged' : github.thread(number).state;
    return cards.flatMap((card) => {
      const headline = headlineOf(asWritten(card));
      const said = /was (merged|closed)/.exec(headline)?.[1] ?? 'open';
      if (!headline.includes(`/pull/${number}>`) || said === end || this.#mayStay(card)) return [];
      return [`#${number} is ${end}, and a comment in #${card.number} says ${headline}`];
    });
  }

  /** What is left once all jobs have ended, and everything was collected. */
  judgeRest(): string[] {
    const { github, clock } = this.#core;
    const cards = this.cards.filter(({ updatedAt }) => clock.now() - updatedAt < listedMs);
    const stuck = cards.filter(
      (card) => headlineOf(asWritten(card)).startsWith('⏳') && !this.#mayStay(card),
    );
    const pulls = [...github.threads.keys()].filter((number) => number >= firstPull);
    return [
      ...stuck.map((card) => `in #${card.number}, a comment stays at ${headlineOf(card)}`),
      ...pulls.flatMap((number) => this.judgeFate(number, cards)),
    ];
  }

  /** What a collect run writes although the one before left nothing. In a locked thread, each run tries once while a request is new. */
  judgeWrites(sent: readonly RecordedRequest[]): string[] {
    const { github, clock } = this.#core;
    const comments = [...github.comments, ...github.reviews.comments];
    const writes = sent.filter(({ to, method }) => to === 'github' && method !== 'GET');
    const all = writes.map(({ route, path, method }) => {
      const [, list, id] =
        /\/(issues|comments)\/(\d+)/.exec(path.replace('issues/comments', 'comments')) ?? [];
      const comment =
        list === 'comments' ? comments.find((one) => one.id === Number(id)) : undefined;
      const thread = comment?.number ?? Number(id);
      const isLocked = method === 'POST' ? github.thread(thread).locked : this.#isShut(thread);
      // A reaction is about the request, whose status comment may be newer than the command.
      const inThread = this.cards.filter(({ number }) => number === thread);
      const about = method === 'POST' ? inThread.at(-1) : comment;
      const isNew = about === undefined || clock.now() - about.createdAt < listedMs / 2;
      return {
        name: `a second collect run sends ${route} in #${thread}`,
        mayBeTried: isLocked && isNew,
      };
    });
    return all.flatMap(({ name, mayBeTried }, index) => {
      const isFirst = all.findIndex((one) => one.name === name) === index;
      return mayBeTried && isFirst ? [] : [name];
    });
  }
}
