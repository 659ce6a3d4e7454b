import { randomUUID } from 'node:crypto';
import { nameOfPullRequest } from '../../core/address.ts';
import { describeError } from '../../core/errors.ts';
import type { DepsWithGitHub } from '../../deps.ts';
import { GitHubError } from '../../github/errors.ts';
import { toMarkdown } from '../../text/phrase.ts';
import type { Card } from '../card/card.ts';
import { Phrases } from '../card/phrases.ts';
import { endWithReply, newCard } from '../card/transitions.ts';
import { statusCommentOf } from '../thread/claims.ts';
import type { PostedCard } from '../thread/find.ts';
import type { Saver } from '../thread/saver.ts';
import { openStore } from '../thread/store.ts';
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

/**
 * Posts one reminder for each pull request that has been open long enough, and counts them. Those
 * that this run can't write are postponed.
 */
export async function remind(
  settled: readonly Settled[],
  { afterMs, cards }: Reminding,
  saver: Saver,
  writer: Writer,
  deps: DepsWithGitHub,
): Promise<{ settled: Settled[]; reminders: number; isCanceled: boolean }> {
  const nowMs = deps.clock.now();
  /** The keys of the reminders that this run posted. */
  const posted = new Set<string>();
  let isCanceled = false;

  function isDue({ pull }: Settled): boolean {
    if (typeof pull !== 'object' || pull.state !== 'open' || pull.isDraft) return false;
    return nowMs - pull.createdAtMs >= afterMs;
  }

  function hasReminder(key: string, { posted }: Settled): boolean {
    const { thread, login } = posted.comment;
    const inThread = cards.filter(({ comment }) => comment.thread === thread);
    return statusCommentOf(inThread, { key }, login) !== undefined;
  }

  /**
   * Posts and records a reminder in the newest request's thread. Returns whether the next run must.
   */
  async function remindOf(key: string, newest: Settled, requests: readonly Settled[]) {
    if (!writer.canWrite(maxWritesPerReminder)) return true;
    if (!requests.some((request) => hasReminder(key, request))) {
      const hasFailed = await post(key, newest, afterMs, posted, writer, deps);
      if (hasFailed) return false;
    }
    // The card records the reminder, because the reminder itself may be deleted or be too old to be
    // listed.
    const pull = newest.card.pull && { ...newest.card.pull, remindedAt: nowMs };
    // The request's comment already has its reaction.
    const open = newest.is === 'saved' ? { ...newest.posted, card: newest.card } : newest.posted;
    return (await saver.save(open, { ...newest.card, pull })) === 'postponed';
  }

  const due = settled.filter(isDue).toSorted((a, b) => b.posted.comment.id - a.posted.comment.id);
  const postponed = new Set<Settled>();
  try {
    for (const [name, requests] of Map.groupBy(due, nameOfPull)) {
      deps.signal.throwIfAborted();
      const [newest] = requests;
      const isRecorded = requests.some(({ card }) => card.pull?.remindedAt !== undefined);
      if (newest === undefined || isRecorded) continue;
      if (await remindOf(`reminder:${name}`, newest, requests)) postponed.add(newest);
    }
  } catch (error) {
    if (!deps.signal.aborted) throw error;
    isCanceled = true;
  }
  return {
    settled: settled.map((each) => (postponed.has(each) ? { ...each, is: 'postponed' } : each)),
    reminders: posted.size,
    isCanceled,
  };
}

function nameOfPull({ card }: Settled): string | undefined {
  return card.pull && nameOfPullRequest(card.pull.url);
}

/**
 * Posts a reminder, and adds its key to those that were `posted`. If two runs post it at the same
 * time, the later one deletes its own. Returns whether it failed, also if the thread is locked.
 */
async function post(
  key: string,
  settled: Settled,
  afterMs: number,
  posted: Set<string>,
  writer: Writer,
  deps: DepsWithGitHub,
): Promise<boolean> {
  const { github } = deps;
  const { thread } = settled.posted.comment;
  const openedMs = settled.card.pull?.openedAt ?? 0;
  const store = openStore(thread, settled.posted.owner, deps);
  try {
    if ((await github.readIssue(thread))?.isLocked) return true;
    const reminder = reminderOf(key, settled, openedMs, deps);
    const claim = await writer.write(() => store.write(reminder));
    posted.add(key);
    const rivals = await store.readRivals(claim, openedMs + afterMs);
    const first = statusCommentOf(rivals.ours, { key }, claim.login)?.comment;
    if (first === undefined || first.id === claim.id) return false;
    await writer.write(() => github.deleteComment(claim.id));
    posted.delete(key);
    return false;
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error;
    writer.stopAtLimit(error);
    deps.runner.warning(describeError(error), { title: 'Docs Agent' });
    return true;
  }
}

/** The card of a reminder. It is claimed like a request. */
function reminderOf(
  key: string,
  { posted, card }: Settled,
  openedMs: number,
  { clock, context }: DepsWithGitHub,
): Card {
  const claim = newCard({
    key,
    nonce: randomUUID(),
    run: context.runId,
    runUrl: context.runUrl,
    attempt: context.runAttempt,
    thread: posted.comment.thread,
    isCommand: false,
    command: '',
    removed: 0,
    ask: 'reply',
  });
  const text = toMarkdown(new Phrases(card).openFor(clock.now() - openedMs));
  const stop = { outcome: 'answered', reason: 'status' } as const;
  return endWithReply({ ...claim, generation: 1 }, stop, text);
}
