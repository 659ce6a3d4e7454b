import { randomUUID } from 'node:crypto';
import { describeError } from '../../core/errors.ts';
import type { DepsWithGitHub } from '../../deps.ts';
import { GitHubError } from '../../github/errors.ts';
import { toMarkdown } from '../../text/phrase.ts';
import type { Card } from '../card/card.ts';
import { Phrases } from '../card/phrases.ts';
import { newCard, replied } from '../card/transitions.ts';
import { statusCommentOf } from '../thread/claims.ts';
import type { PostedCard } from '../thread/find.ts';
import { openStore, type Saver } from '../thread/store.ts';
import type { Writer } from '../thread/writer.ts';
import type { Settled } from './settled.ts';

/**
 * The reminder itself, and if another run posted one first, deleting it. Then the card is edited to
 * record it.
 */
const maxWritesPerReminder = 3;

export interface Reminding {
  /** How long a pull request has to be open. */
  readonly afterMs: number;
  /** The cards of all threads. */
  readonly cards: readonly PostedCard[];
}

/** Posts one reminder for each pull request that has been open long enough. */
export class Reminder {
  /** How many reminders were posted. */
  posted = 0;
  readonly #reminding: Reminding;
  readonly #saver: Saver;
  readonly #writer: Writer;
  readonly #deps: DepsWithGitHub;
  readonly #nowMs: number;

  constructor(reminding: Reminding, saver: Saver, writer: Writer, deps: DepsWithGitHub) {
    this.#reminding = reminding;
    this.#saver = saver;
    this.#writer = writer;
    this.#deps = deps;
    this.#nowMs = deps.clock.now();
  }

  /** Reminds of the requests that are due. Those that this run can't write are postponed. */
  async remindOf(settled: readonly Settled[]): Promise<Settled[]> {
    const newestFirst = settled.toSorted((a, b) => b.open.comment.id - a.open.comment.id);
    const due = newestFirst.filter((each) => this.#isDue(each));
    const postponed = new Set<Settled>();
    for (const [url, requests] of Map.groupBy(due, ({ card }) => card.pull?.url)) {
      const [newest] = requests;
      const isRecorded = requests.some(({ card }) => card.pull?.remindedAt !== undefined);
      if (newest === undefined || isRecorded) continue;
      const isPostponed = await this.#remind(`reminder:${url}`, newest, requests);
      if (isPostponed) postponed.add(newest);
    }
    return settled.map((each) => (postponed.has(each) ? { ...each, is: 'postponed' } : each));
  }

  #isDue({ pullRequest }: Settled): boolean {
    if (pullRequest?.state !== 'open' || pullRequest.isDraft) return false;
    return this.#nowMs - pullRequest.createdAtMs >= this.#reminding.afterMs;
  }

  /**
   * Posts and records a reminder in the newest request's thread. Returns whether the next run has
   * to.
   */
  async #remind(key: string, newest: Settled, requests: readonly Settled[]): Promise<boolean> {
    if (!this.#writer.canWrite(maxWritesPerReminder)) return true;
    if (!requests.some((request) => this.#hasReminder(key, request))) {
      const posted = await this.#post(key, newest);
      if (posted === 'failed') return false;
      if (posted === 'posted') this.posted += 1;
    }
    // The card records the reminder, because the reminder itself may be deleted or be too old to be
    // listed.
    const pull = newest.card.pull && { ...newest.card.pull, remindedAt: this.#nowMs };
    // The request's comment already has its reaction.
    const open = newest.is === 'saved' ? { ...newest.open, card: newest.card } : newest.open;
    const saved = await this.#saver.save(open, { ...newest.card, pull });
    return saved === 'postponed';
  }

  #hasReminder(key: string, { open }: Settled): boolean {
    const { thread, login } = open.comment;
    const inThread = this.#reminding.cards.filter(({ comment }) => comment.thread === thread);
    return statusCommentOf(inThread, { key }, login) !== undefined;
  }

  /**
   * Posts a reminder. If two runs post it at the same time, the later one deletes its own. `failed`
   * also if the thread is locked.
   */
  async #post(key: string, settled: Settled): Promise<'posted' | 'withdrawn' | 'failed'> {
    const { github, runner } = this.#deps;
    const { thread } = settled.open.comment;
    const openedMs = settled.pullRequest?.createdAtMs ?? 0;
    const store = openStore(thread, settled.open.owner, this.#deps);
    try {
      const issue = await github.readIssue(thread);
      if (issue?.isLocked) return 'failed';
      const reminder = this.#reminderOf(key, settled, openedMs);
      const claim = await this.#writer.write(() => store.write(reminder));
      const rivals = await store.readRivals(claim, openedMs + this.#reminding.afterMs);
      const first = statusCommentOf(rivals.ours, { key }, claim.login)?.comment;
      if (first === undefined || first.id === claim.id) return 'posted';
      await this.#writer.write(() => github.deleteComment(claim.id));
      return 'withdrawn';
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      this.#writer.stopAtLimit(error);
      runner.warning(describeError(error), { title: 'Docs Agent' });
      return 'failed';
    }
  }

  /** The card of a reminder, which claims it as a request is claimed. */
  #reminderOf(key: string, { open, card }: Settled, openedMs: number): Card {
    const { clock, context } = this.#deps;
    const claim = newCard({
      key,
      nonce: randomUUID(),
      run: context.runId,
      runUrl: context.runUrl,
      attempt: context.runAttempt,
      thread: open.comment.thread,
      isCommand: false,
      command: '',
      removed: 0,
      ask: 'reply',
    });
    const text = toMarkdown(new Phrases(card).openFor(clock.now() - openedMs));
    const stop = { outcome: 'answered', reason: 'status' } as const;
    return replied({ ...claim, generation: 1 }, stop, text);
  }
}
