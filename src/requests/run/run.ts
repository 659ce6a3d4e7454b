import { ActionError, explain, messageOf } from '../../core/errors.ts';
import type { OutputsOf } from '../../core/mode-result.ts';
import type { Deps, DepsToRead } from '../../deps.ts';
import { GitHubError } from '../../github/errors.ts';
import type { Phrase } from '../../text/phrase.ts';
import { type Card, jobOf, toStored } from '../card/card.ts';
import { endingOf, pullRequestOf } from '../card/job.ts';
import { checksOf } from '../card/pull.ts';
import { interrupted } from '../card/transitions.ts';
import { type Found, find, merged, type PostedCard } from '../thread/find.ts';
import { openStore, type Store } from '../thread/store.ts';
import type { Plan, PromptContext } from './plan.ts';

/** The name under which the runner saves the card for `post`. */
const savedState = 'run';
const unposted = 'The job summary has what would have been posted.';
const none: Found = { ours: [], ofOtherKeys: [], newer: [] };

/** One process that works on one request, and what it has learned. It only reads; `LiveRun` can write. */
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
  isTakenBack = false;
  /** The context of the prompt; `undefined` if there is none, or until it is read. */
  context: PromptContext | undefined;
  hasReadContext = false;
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

  /** The thread's cards that are ours. */
  get cards(): readonly PostedCard[] {
    return this.found?.ours ?? [];
  }

  /** Remembers the card. */
  keep(card: Card): Card {
    this.kept = card;
    return card;
  }

  /** Reads the thread, newest page first, until `isEnough` returns true. */
  async readThread(
    { thread }: Card,
    isEnough: (cards: readonly PostedCard[], oldestId: number) => boolean,
    within: AbortSignal,
  ): Promise<Found> {
    if (thread === undefined) return none;
    return find({ thread, isEnough }, [this.plan.owner], { ...this.deps, signal: within });
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

  /** Tries something that a run can do without: the summary says the same. Returns whether to stop trying. */
  async bestEffort(act: () => Promise<unknown>, { mayPass = false, meaning = unposted } = {}) {
    try {
      await act();
      return true;
    } catch (error) {
      if (error instanceof ActionError && error.reason === 'cancelled') throw error;
      this.warn(error, meaning);
      return error instanceof GitHubError && error.isRefusal && !mayPass;
    }
  }
}

/** A run that writes. */
export class LiveRun extends Run<Deps> {
  #store: Store | undefined;

  /** Access to the comments in a card's thread; `undefined` without a thread or a token. */
  storeOf({ thread }: Card): Store | undefined {
    const { github, clock } = this.deps;
    if (thread === undefined || github === undefined) return undefined;
    this.#store ??= openStore(thread, this.plan.owner, { github, clock });
    return this.#store;
  }

  override async readThread(...given: Parameters<Run['readThread']>): Promise<Found> {
    const read = await super.readThread(...given);
    return { ...read, ours: merged(this.#store?.posted() ?? [], read.ours) };
  }

  /** Saves the card for `post`, and sets the outputs that are correct if the process is killed right after this. */
  override keep(card: Card): Card {
    const { runner } = this.deps;
    runner.saveState(savedState, JSON.stringify(toStored(card)));
    const { outcome = '', reason = '' } = endingOf(interrupted(card, 'interrupted')) ?? {};
    for (const [name, value] of Object.entries({ outcome, reason, ...outputsOf(card) }))
      if (value !== '') runner.setOutput(name, value);
    return super.keep(card);
  }

  /** Clears the saved card, so that `post` does nothing. */
  forget(): void {
    if (this.kept !== undefined) this.deps.runner.saveState(savedState, '');
  }
}

/** What warnings have in common if they have the same cause. */
function causeOf(error: unknown): string {
  return (error instanceof GitHubError ? error.lacks : undefined) ?? explain(error).title;
}

/** The outputs that only agent mode has. */
export function outputsOf(card: Card): OutputsOf<'agent'> {
  const job = jobOf(card);
  const pullRequest = pullRequestOf(job);
  return {
    'job-id': job?.id ?? '',
    'job-status': job?.status ?? '',
    'pr-link': pullRequest?.url ?? '',
    'pr-number': pullRequest?.number ?? '',
    'comment-url': card.comment?.url ?? '',
    checks: checksOf(card)?.is ?? '',
  };
}
