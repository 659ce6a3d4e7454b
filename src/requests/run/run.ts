import { ActionError, describeError, explain, inOurWords, messageOf } from '../../core/errors.ts';
import type { DepsToRead } from '../../deps.ts';
import { GitHubError, missingThread } from '../../github/errors.ts';
import type { Job } from '../../service/schemas.ts';
import type { Phrase } from '../../text/phrase.ts';
import { type Card, jobOf } from '../card/card.ts';
import { whyNot } from '../card/sentences.ts';
import { stopped, turnedDown } from '../card/transitions.ts';
import { learned, newestJob, statusCommentOf } from '../thread/claims.ts';
import { type Found, find, noCards, type PostedCard } from '../thread/find.ts';
import type { Plan, PromptContext } from './plan.ts';

/** How much of a thread to read, from its newest comment back: to the request's own comment, to the newest job, or all of it. */
type Reach = 'own comment' | 'newest job' | 'all';

const unposted = 'The job summary has what would have been posted.';

/** One process that works on one request, and what it has learned. It only reads; `LiveRun` also writes. */
export class Run<Connections extends DepsToRead = DepsToRead> {
  readonly deps: Connections;
  readonly plan: Plan;
  readonly beganAtMs: number;
  /** The last saved card; `undefined` until the person's permission has been checked. */
  kept: Card | undefined;
  /** The cards of the thread; `undefined` until it is read. */
  found: Found | undefined;
  /** The cards of all threads; `undefined` until they are read. */
  repository: Found | undefined;
  /** The card of an earlier process, whose request this run continues. */
  takenOver: Card | undefined;
  /** Whether the comment with the command is gone, so the request isn't sent. */
  isCommandDeleted = false;
  /** The context of the prompt; `undefined` if there is none, or until it is read. */
  context: PromptContext | undefined;
  /** How many requests `max-jobs` still allows; `undefined` until they are counted. */
  left: number | undefined;
  /** The first line of the reply to a command. */
  answer: Phrase | undefined;
  /** Remarks for the job summary alone, as Markdown sentences. */
  readonly asides: string[] = [];
  readonly #warned = new Set<string>();

  constructor(plan: Plan, deps: Connections) {
    this.plan = plan;
    this.deps = deps;
    this.beganAtMs = deps.clock.now();
  }

  get cards(): readonly PostedCard[] {
    return this.found?.ours ?? [];
  }

  keep(card: Card): Card {
    this.kept = card;
    return card;
  }

  /** Reads the card's thread and finds out who owns the request. */
  async readThread(card: Card, reach: Reach, within = this.deps.signal): Promise<Card> {
    const { source, thread } = card;
    if (thread === undefined) return card;
    const isEnough = (found: Found['ours'], oldestId: number) => {
      if (reach === 'all') return false;
      // Our status comment is always newer than the command that it belongs to.
      const own = statusCommentOf(found, card);
      const since = source?.kind === 'comment' ? source.id : 0;
      const isOwnKnown = oldestId <= since || own?.card.comment !== undefined;
      return isOwnKnown && (reach === 'own comment' || newestJob(found) !== undefined);
    };
    try {
      const found = await find({ thread, isEnough }, [this.plan.owner], { ...this.deps, signal: within });
      return this.learn(found, card);
    } catch (error) {
      return this.withoutThread(error, card);
    }
  }

  /** Remembers the thread's cards, and continues the work of an ended process. */
  learn(found: Found, card: Card): Card {
    const { card: after, earlier } = learned(found, card, this.deps.clock.now());
    this.found = found;
    this.takenOver = earlier ?? this.takenOver;
    const isOurs = after !== card && after.stop?.reason !== 'another-run';
    return isOurs ? this.keep(after) : after;
  }

  /** Without a permission, or if the thread is locked, the run continues without its thread. @throws any other error */
  withoutThread(error: unknown, card: Card): Card {
    const { context } = this.deps;
    const { thread, comment: _, ...kept } = card;
    if (!(error instanceof GitHubError) || error.lacks === undefined) {
      const isNamed = this.plan.isThreadNamed && thread !== undefined;
      throw (isNamed ? missingThread(error, thread, context.repository) : undefined) ?? error;
    }
    // An earlier attempt may have sent the request.
    if (card.ask !== 'reply' && context.runAttempt > 1) {
      if (error.lacks === 'permission') throw error;
      return stopped(card, { outcome: 'skipped', reason: 'locked', because: whyNot.mayBeSent(error.what) });
    }
    this.found = noCards;
    const unrecorded = this.unrecorded(error, card);
    if (unrecorded !== undefined) return unrecorded;
    this.warn(error);
    return this.keep(kept);
  }

  /** With `max-jobs`, ends a request whose status comment GitHub refuses: it would never be counted. */
  unrecorded(error: unknown, { thread: _, comment: __, ...kept }: Card): Card | undefined {
    const { cap, ask } = this.plan;
    if (cap === undefined || ask.prompt === undefined || !(error instanceof GitHubError)) return undefined;
    // An earlier attempt may have sent the request.
    const isRefused = error.isRefusal || [404, 410, 422].includes(error.status ?? 0);
    if (!isRefused || kept.attempt > 1) return undefined;
    this.willReport(error);
    this.deps.runner.info(describeError(error));
    return this.keep(turnedDown(kept, 'unrecorded', whyNot.unrecorded(inOurWords(error))));
  }

  /** The prompt with its context. A job that already received this version of the context gets only the new parts. */
  promptFor(job: Job | undefined) {
    const { context, cards } = this;
    const { prompt = '' } = this.plan.ask;
    const alone = { prompt, smaller: undefined, head: undefined, note: undefined };
    if (context === undefined) return alone;
    const knows =
      job !== undefined && cards.some(({ card }) => jobOf(card)?.id === job.id && card.head === context.head);
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
      return { value: await act(), isOver: true };
    } catch (error) {
      if (error instanceof ActionError && error.reason === 'cancelled') throw error;
      this.warn(error, meaning);
      return { value: undefined, isOver: error instanceof GitHubError && error.isRefusal && !mayPass };
    }
  }
}

/** What warnings have in common if they have the same cause. */
function causeOf(error: unknown): string {
  return (error instanceof GitHubError ? error.lacks : undefined) ?? explain(error).title;
}
