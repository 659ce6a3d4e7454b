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
import type { Settled } from './pull.ts';

/**
 * The reminder itself, and if another run posted one first, deleting it. Then the card is edited to
 * record it.
 */
const maxWritesPerReminder = 3;

export interface Reminding {
  /** How long a pull request has to be open. */
  readonly afterMs: number;
  /** The cards of all threads, and when the run began to read them. */
  readonly cards: readonly PostedCard[];
  readonly readAtMs: number;
}

/**
 * Posts one reminder for each pull request that has been open long enough, and counts them. Those
 * that this run can't write are postponed.
 */
export async function remind(
  settled: readonly Settled[],
  { afterMs, cards, readAtMs }: Reminding,
  saver: Saver,
  writer: Writer,
  deps: DepsWithGitHub,
): Promise<{ settled: Settled[]; reminders: number }> {
  const nowMs = deps.clock.now();
  const postponed = new Set<Settled>();
  let reminders = 0;

  function isDue({ pull }: Settled): boolean {
    if (typeof pull !== 'object' || pull.state !== 'open' || pull.isDraft) return false;
    return nowMs - pull.createdAtMs >= afterMs;
  }

  function hasReminder(key: string, { posted }: Settled): boolean {
    const { thread, login } = posted.comment;
    const inThread = cards.filter(({ comment }) => comment.thread === thread);
    return statusCommentOf(inThread, { key }, login) !== undefined;
  }

  /** Posts and records a reminder in the newest request's thread. */
  async function remindOf(key: string, newest: Settled, requests: readonly Settled[]) {
    if (!writer.canWrite(maxWritesPerReminder)) {
      postponed.add(newest);
      return;
    }
    if (!requests.some((request) => hasReminder(key, request))) {
      const posted = await post(key, newest, readAtMs, writer, deps);
      if (posted === 'failed') return;
      if (posted === 'first') reminders += 1;
    }
    // The card records the reminder, because the reminder itself may be deleted or be too old to be
    // listed.
    const pull = newest.card.pull && { ...newest.card.pull, remindedAt: nowMs };
    // The request's comment already has its reaction.
    const open = newest.is === 'saved' ? { ...newest.posted, card: newest.card } : newest.posted;
    const saved = await saver.save(open, { ...newest.card, pull });
    if (saved === 'postponed') postponed.add(newest);
  }

  const due = settled.filter(isDue).toSorted((a, b) => b.posted.comment.id - a.posted.comment.id);
  for (const [name, requests] of Map.groupBy(due, nameOfPull)) {
    const [newest] = requests;
    const isRecorded = requests.some(({ card }) => card.pull?.remindedAt !== undefined);
    if (newest === undefined || isRecorded) continue;
    await remindOf(`reminder:${name}`, newest, requests);
  }
  return {
    settled: settled.map((each) => (postponed.has(each) ? { ...each, is: 'postponed' } : each)),
    reminders,
  };
}

function nameOfPull({ card }: Settled): string | undefined {
  return card.pull && nameOfPullRequest(card.pull.url);
}

/**
 * Posts a reminder. If two runs post it at the same time, the second one deletes its own. A
 * reminder in a locked thread has `failed`, too.
 */
async function post(
  key: string,
  settled: Settled,
  readAtMs: number,
  writer: Writer,
  deps: DepsWithGitHub,
): Promise<'first' | 'second' | 'failed'> {
  const { github } = deps;
  const { thread } = settled.posted.comment;
  const store = openStore(thread, settled.posted.owner, deps);
  try {
    if ((await github.readIssue(thread))?.isLocked) return 'failed';
    const reminder = reminderOf(key, settled, deps);
    const claim = await writer.write(() => store.write(reminder));
    const rivals = await store.readRivals(claim, readAtMs);
    const first = statusCommentOf(rivals.ours, { key }, claim.login)?.comment;
    if (first === undefined || first.id === claim.id) return 'first';
    await writer.write(() => github.deleteComment(claim.id));
    return 'second';
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error;
    writer.stopAtLimit(error);
    deps.runner.warning(describeError(error), { title: 'Docs Agent' });
    return 'failed';
  }
}

/** The card of a reminder. It is claimed like a request. */
function reminderOf(
  key: string,
  { posted, card }: Settled,
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
  const openedMs = card.pull?.openedAt ?? 0;
  const text = toMarkdown(new Phrases(card).openFor(clock.now() - openedMs));
  const stop = { outcome: 'answered', reason: 'status' } as const;
  return endWithReply({ ...claim, generation: 1 }, stop, text);
}
