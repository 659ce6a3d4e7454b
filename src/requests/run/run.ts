import { ActionError, describeError, explain, inOurWords, messageOf } from '../../core/errors.ts';
import type { DepsToRead } from '../../deps.ts';
import { GitHubError, missingThread } from '../../github/errors.ts';
import type { Job } from '../../service/schemas.ts';
import type { Phrase } from '../../text/phrase.ts';
import { type Card, jobOf } from '../card/card.ts';
import { whyNot } from '../card/remarks.ts';
import { isUnsent, stopped, turnedDown } from '../card/transitions.ts';
import { learned, statusCommentOf } from '../thread/claims.ts';
import { type Found, find, noCards, type PostedCard } from '../thread/find.ts';
import { newestJob } from '../thread/jobs.ts';
import type { Candidate } from './choose.ts';
import type { Plan, PromptContext } from './plan.ts';

/** How much of a thread to read, from its newest comment back: to the request's own comment, to the newest job, or all of it. */
type Reach = 'own comment' | 'newest job' | 'all';

const unposted = 'The job summary has what would have been posted.';

/** One process that works on one request: the request's card, and what the process has learned. It only reads; `LiveRun` also writes. */
export abstract class Run<Connections extends DepsToRead = DepsToRead> {
  /** At its end, a live run gets connections that have a time of their own (see `close`). */
  deps: Connections;
  readonly plan: Plan;
  readonly beganAtMs: number;
  /** The request, as it is now. */
  card: Card;
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
  /** What is known about the job that may get the prompt, and where it was sought. */
  candidate: { readonly sought: Candidate; readonly found: Candidate } | undefined;
  /** The context of the prompt; `undefined` if there is none, or until it is read. */
  context: PromptContext | undefined;
  /** How many requests `max-jobs` still allows; `undefined` until they are counted. */
  left: number | undefined;
  /** The first line of the reply to a command. */
  answer: Phrase | undefined;
  readonly #warned = new Set<string>();

  constructor(card: Card, plan: Plan, deps: Connections) {
    this.card = card;
    this.plan = plan;
    this.deps = deps;
    this.beganAtMs = deps.clock.now();
  }

  get cards(): readonly PostedCard[] {
    return this.found?.ours ?? [];
  }

  /** Posts a claim in the thread. Whatever happens next, every other run finds it. Another process may turn out to have won. */
  abstract claim(): Promise<void>;
  /** Sends the prompt to the chosen job, or to a new one. */
  abstract send(choice: Candidate): Promise<void>;
  /** Follows the job to its end, or leaves it running. */
  abstract follow(): Promise<void>;

  /** Whether the request is still to be sent: no process has sent it, and this run has no reason to stop. */
  get isReady(): boolean {
    return this.card.stop === undefined && isUnsent(this.card);
  }

  /** Changes the request. A live run saves each change. */
  become(card: Card): void {
    this.card = card;
  }

  /** Reads the thread and finds out who owns the request. */
  async readThread(reach: Reach): Promise<void> {
    const { card } = this;
    const { source, thread } = card;
    if (thread === undefined) return;
    const isEnough = (found: Found['ours'], oldestId: number) => {
      if (reach === 'all') return false;
      // Our status comment is always newer than the command that it belongs to.
      const own = statusCommentOf(found, card);
      const since = source?.kind === 'comment' ? source.id : 0;
      const isOwnKnown = oldestId <= since || own?.card.comment !== undefined;
      return isOwnKnown && (reach === 'own comment' || newestJob(found) !== undefined);
    };
    try {
      const found = await find({ thread, isEnough }, [this.plan.owner], this.deps);
      this.learn(found, card);
    } catch (error) {
      this.withoutThread(error);
    }
  }

  /** Remembers the thread's cards, and continues the work of an ended process. */
  learn(found: Found, card = this.card): void {
    const { card: after, earlier } = learned(found, card, this.deps.clock.now());
    this.found = found;
    this.takenOver = earlier ?? this.takenOver;
    // If the run is killed before it has deleted its own claim, `post` reads the thread again.
    if (after.stop?.reason === 'another-run') this.card = after;
    else this.become(after);
  }

  /** Without a permission, or if the thread is locked, the run continues without its thread. @throws any other error */
  withoutThread(error: unknown): void {
    const { card } = this;
    const { context } = this.deps;
    const { thread, comment: _, ...kept } = card;
    if (!(error instanceof GitHubError) || error.lacks === undefined) {
      const isNamed = this.plan.isThreadNamed && thread !== undefined;
      throw (isNamed ? missingThread(error, thread, context.repository) : undefined) ?? error;
    }
    // An earlier attempt may have sent the request.
    if (card.ask !== 'reply' && context.runAttempt > 1) {
      if (error.lacks === 'permission') throw error;
      const because = whyNot.mayBeSent(error.what);
      this.become(stopped(card, { outcome: 'skipped', reason: 'locked', because }));
      return;
    }
    this.found = noCards;
    if (this.endsUnrecorded(error)) return;
    this.warn(error);
    this.become(kept);
  }

  /** With `max-jobs`, ends a request whose status comment GitHub refuses: it would never be counted. */
  endsUnrecorded(error: unknown): boolean {
    const { thread: _, comment: __, ...kept } = this.card;
    const { cap, ask } = this.plan;
    if (cap === undefined || ask.prompt === undefined || !(error instanceof GitHubError))
      return false;
    // An earlier attempt may have sent the request.
    const isRefused = error.isRefusal || [404, 410, 422].includes(error.status ?? 0);
    if (!isRefused || kept.attempt > 1) return false;
    this.willReport(error);
    this.deps.runner.info(describeError(error));
    this.become(turnedDown(kept, 'unrecorded', whyNot.unrecorded(inOurWords(error))));
    return true;
  }

  /** The prompt with its context. A job that already received this version of the context gets only the new parts. */
  promptFor(job: Job | undefined) {
    const { context, cards } = this;
    const { prompt = '' } = this.plan.ask;
    const alone = { prompt, smaller: undefined, head: undefined, note: undefined };
    if (context === undefined) return alone;
    const knows =
      job !== undefined &&
      cards.some(({ card }) => jobOf(card)?.id === job.id && card.head === context.head);
    return knows && !context.hasNews ? alone : { ...context.compose(knows), head: context.head };
  }

  /** Warns of each cause once. If GitHub refused, the warning says what to do. @param meaning a sentence. */
  warn(error: unknown, meaning = unposted): void {
    if (this.#warned.has(causeOf(error))) return;
    this.#warned.add(causeOf(error));
    const { title, text } = explain(error);
    const isRefusal = error instanceof GitHubError && error.isRefusal;
    const message = isRefusal ? `${title}. ${meaning}\n${text}` : `${messageOf(error)}. ${meaning}`;
    this.deps.runner.warning(message.trimEnd(), { title: 'Docs Agent' });
  }

  /** Keeps a warning from repeating the cause of the error that ended the run. */
  willReport(error: unknown): void {
    this.#warned.add(causeOf(error));
  }

  /** Tries something that a run can do without: the summary says the same. `isOver`: there is no point in trying again. */
  async bestEffort<T>(act: () => Promise<T>, { mayPass = false, meaning = unposted } = {}) {
    try {
      return { value: await act(), isOver: true, isDone: true };
    } catch (error) {
      if (error instanceof ActionError && error.reason === 'cancelled') throw error;
      this.warn(error, meaning);
      const isOver = error instanceof GitHubError && error.isRefusal && !mayPass;
      return { value: undefined, isOver, isDone: false };
    }
  }
}

/** What warnings have in common if they have the same cause. */
function causeOf(error: unknown): string {
  return (error instanceof GitHubError ? error.lacks : undefined) ?? explain(error).title;
}
