import {
  ActionError,
  describeBriefly,
  describeError,
  explain,
  messageOf,
} from '../../core/errors.ts';
import type { DepsToRead } from '../../deps.ts';
import { GitHubError, isGone, missingThread } from '../../github/errors.ts';
import type { Job } from '../../service/schemas.ts';
import type { Phrase } from '../../text/phrase.ts';
import { type Card, jobOf } from '../card/card.ts';
import { whyNot } from '../card/remarks.ts';
import { explainRefusal, isUnsent, stopRun } from '../card/transitions.ts';
import { decideOwnership, statusCommentOf } from '../thread/claims.ts';
import { type Found, findCards, noCards, type PostedCard } from '../thread/find.ts';
import { newestJob } from '../thread/jobs.ts';
import type { Candidate, Maker } from './choose.ts';
import type { Plan, PromptContext } from './plan.ts';

/**
 * How much of a thread to read, from its newest comment back: to the request's own comment, to the
 * newest job, or all of it.
 */
type Reach = 'own comment' | 'newest job' | 'all';

export type Attempt = 'done' | 'refused' | 'failed';

const unposted = 'The job summary has what would have been posted.';

/**
 * One process that works on one request: the request's card, and what the process has learned. It
 * only reads; `LiveRun` also writes.
 */
export abstract class Run<Connections extends DepsToRead = DepsToRead> {
  deps: Connections;
  readonly plan: Plan;
  /** On the monotonic clock. */
  readonly beganAtMs: number;
  /** When the thread was first read. */
  readAtMs = Number.POSITIVE_INFINITY;
  #card: Card;
  /** Whether the person's permission has been checked. Before that, nothing is saved. */
  isAdmitted = false;
  /** The cards of the thread; `undefined` until it is read. */
  found: Found | undefined;
  /** The cards of all threads; `undefined` until they are read. */
  repository: Found | undefined;
  /** The card of an earlier process, whose request this run continues. */
  takenOver: Card | undefined;
  /** Whether the comment with the command is gone, so the request isn't sent. */
  isCommandDeleted = false;
  /** The jobs that opened pull requests, by URL. `undefined` for those that the agent didn't open. */
  readonly makers = new Map<string, Maker | undefined>();
  /** The context of the prompt; `undefined` if there is none, or until it is read. */
  context: PromptContext | undefined;
  /** How many requests `max-jobs` still allows; `undefined` until they are counted. */
  requestsLeft: number | undefined;
  /** The first line of the reply to a command. */
  answer: Phrase | undefined;
  readonly #warned = new Set<string>();

  constructor(card: Card, plan: Plan, deps: Connections) {
    this.#card = card;
    this.plan = plan;
    this.deps = deps;
    this.beganAtMs = deps.clock.monotonic();
  }

  /** The request, as it is now. */
  get card(): Card {
    return this.#card;
  }

  get cards(): readonly PostedCard[] {
    return this.found?.ours ?? [];
  }

  /**
   * Posts a claim in the thread. Whatever happens next, every other run finds it. Returns whether
   * the request may be sent: another process may turn out to have won.
   */
  abstract claim(): Promise<boolean>;
  /** Sends the prompt to the chosen job, or to a new one. */
  abstract send(choice: Candidate): Promise<void>;
  /** Follows the job to its end, or leaves it running. */
  abstract follow(): Promise<void>;

  /** Whether the request can be sent: no process has sent it, and this run goes on. */
  get canSend(): boolean {
    return this.card.stop === undefined && isUnsent(this.card);
  }

  /** Changes the request. A live run saves it for `post`. */
  become(card: Card): void {
    this.#card = card;
  }

  /** Reads the thread and finds out who owns the request. */
  async readThread(reach: Reach): Promise<void> {
    const { card } = this;
    const { thread } = card;
    if (thread === undefined) return;
    this.readAtMs = Math.min(this.readAtMs, this.deps.clock.now());
    const isEnough = (cards: readonly PostedCard[], oldestId: number) =>
      hasRead(reach, card, cards, oldestId);
    try {
      const found = await findCards({ thread, isEnough }, [this.plan.owner], this.deps);
      this.learn(found, card);
    } catch (error) {
      this.continueWithoutThread(error);
    }
  }

  /** Whether this request is in a thread, as far as its newest comments say. */
  async isRequestedIn(thread: number): Promise<boolean> {
    try {
      const place = { thread, isEnough: () => true };
      const { ours } = await findCards(place, [this.plan.owner], this.deps);
      return statusCommentOf(ours, this.card) !== undefined;
    } catch (error) {
      // Without a permission, the run can't read its own thread either.
      if (error instanceof GitHubError && error.lacks !== undefined) return false;
      throw error;
    }
  }

  /** Remembers the thread's cards, and continues the work of an ended process. */
  learn(found: Found, card: Card): void {
    const ownership = decideOwnership(found, card, this.deps.clock.now());
    this.found = found;
    if (ownership.takenOver !== undefined) this.takenOver = ownership.takenOver;
    this.become(ownership.card);
  }

  /**
   * Without a permission, or if the thread is locked, the run continues without its thread.
   * @throws any other error
   */
  continueWithoutThread(error: unknown): void {
    const { card } = this;
    const { context } = this.deps;
    if (!(error instanceof GitHubError) || error.lacks === undefined) {
      if (!this.plan.isThreadNamed || card.thread === undefined) throw error;
      throw missingThread(error, card.thread, context.repository) ?? error;
    }
    // An earlier attempt may have sent the request.
    if (card.ask !== 'reply' && context.runAttempt > 1) {
      if (error.lacks === 'permission') throw error;
      const because = whyNot.mayBeSent(error.what);
      this.become(stopRun(card, { outcome: 'skipped', reason: 'locked', because }));
      return;
    }
    this.found = noCards;
    if (this.stopIfUnrecorded(error)) return;
    this.warn(error);
    this.become({ ...card, thread: undefined, comment: undefined });
  }

  /** With `max-jobs`, stops a request whose status comment GitHub refuses: it would not count. */
  stopIfUnrecorded(error: unknown): boolean {
    const { cap, ask } = this.plan;
    if (cap === undefined || ask.prompt === undefined || !(error instanceof GitHubError))
      return false;
    const mayPass = !error.isRefusal && !isGone(error);
    // An earlier attempt may have sent the request.
    if (mayPass || this.card.attempt > 1) return false;
    this.keepFromWarning(error);
    this.deps.runner.info(describeError(error));
    const card = { ...this.card, thread: undefined, comment: undefined };
    const why = whyNot.unrecorded(describeBriefly(error));
    this.become(stopRun(card, explainRefusal(card, 'unrecorded', why)));
    return true;
  }

  /**
   * The prompt with its context. A job that already received a part of the context gets only the
   * rest.
   */
  composePrompt(job: Job | undefined) {
    const { context } = this;
    const { prompt = '' } = this.plan.ask;
    const alone = { prompt, smaller: undefined, head: undefined, note: undefined };
    if (context === undefined) return alone;
    const requests = this.cards.filter(
      ({ card }) => job !== undefined && jobOf(card)?.id === job.id,
    );
    const isKnown = requests.some(({ card }) => card.head === context.head);
    const lastRequestId = Math.max(0, ...requests.map(requestId));
    return { ...context.compose({ isKnown, lastRequestId }), head: context.head };
  }

  /**
   * Warns of each cause once. If GitHub refused, the warning says what to do.
   * @param meaning a sentence.
   */
  warn(error: unknown, meaning = unposted): void {
    if (this.#warned.has(causeOf(error))) return;
    this.keepFromWarning(error);
    const { title, text } = explain(error);
    let message = `${messageOf(error)}. ${meaning}`;
    if (error instanceof GitHubError && error.isRefusal) message = `${title}. ${meaning}\n${text}`;
    this.deps.runner.warning(message.trimEnd(), { title: 'Docs Agent' });
  }

  /** No warning repeats the cause of an error that is reported elsewhere. */
  keepFromWarning(error: unknown): void {
    this.#warned.add(causeOf(error));
  }

  /**
   * Tries something that a run can do without: the summary says the same. `refused`: there is no
   * point in trying again.
   */
  async tryTo(act: () => Promise<unknown>, meaning = unposted): Promise<Attempt> {
    try {
      await act();
      return 'done';
    } catch (error) {
      if (error instanceof ActionError && error.reason === 'cancelled') throw error;
      this.warn(error, meaning);
      return error instanceof GitHubError && error.isRefusal ? 'refused' : 'failed';
    }
  }
}

/** Whether enough of a thread has been read. `oldestId` is the oldest comment that has been. */
function hasRead(
  reach: Reach,
  card: Card,
  cards: readonly PostedCard[],
  oldestId: number,
): boolean {
  if (reach === 'all') return false;
  // Our status comment is always newer than the command that it belongs to.
  const commandId = card.source?.kind === 'comment' ? card.source.id : 0;
  const isPastCommand = oldestId <= commandId;
  const hasOwn = isPastCommand || statusCommentOf(cards, card)?.card.comment !== undefined;
  if (reach === 'own comment') return hasOwn;
  return hasOwn && newestJob(cards) !== undefined;
}

/**
 * The comment that contains a request. A review isn't one, so its status comment stands for it. All
 * comments follow a request in the issue's own text.
 */
function requestId({ card, comment }: PostedCard): number {
  const { source } = card;
  if (source?.kind === 'issue') return 0;
  return source?.kind === 'comment' ? source.id : comment.id;
}

/** What warnings have in common if they have the same cause. */
function causeOf(error: unknown): string {
  if (error instanceof GitHubError && error.lacks !== undefined) return error.lacks;
  return explain(error).title;
}
