import { randomUUID } from 'node:crypto';
import { describeError } from '../../core/errors.ts';
import type { DepsWithGitHub } from '../../deps.ts';
import { GitHubError } from '../../github/errors.ts';
import { toMarkdown } from '../../text/phrase.ts';
import { Phrases } from '../card/phrases.ts';
import { newCard, replied } from '../card/transitions.ts';
import { statusCommentOf } from '../thread/claims.ts';
import type { PostedCard } from '../thread/find.ts';
import type { Saver } from '../thread/saver.ts';
import { openStore } from '../thread/store.ts';
import type { Writer } from '../thread/writer.ts';
import type { Settled } from './settled.ts';

/** The reminder itself, and if another run posted one first, deleting it. Then the card is edited to record it. */
const maxWritesPerReminder = 3;

export interface Reminding {
  /** How long a pull request has to be open. */
  readonly afterMs: number;
  /** The cards of all threads. */
  readonly cards: readonly PostedCard[];
}

/** Posts one reminder for each pull request that has been open long enough. `postponed`: those left to the next run. */
export async function remind(
  settled: readonly Settled[],
  { afterMs, cards }: Reminding,
  saver: Saver,
  writer: Writer,
  deps: DepsWithGitHub,
): Promise<{ readonly reminders: number; readonly postponed: readonly Settled[] }> {
  const nowMs = deps.clock.now();
  const isDue = ({ pullRequest: pull }: Settled) =>
    pull?.state === 'open' && !pull.isDraft && nowMs - pull.createdAtMs >= afterMs;
  const due = settled.filter(isDue).toSorted((a, b) => b.open.comment.id - a.open.comment.id);
  let reminders = 0;
  const postponed: Settled[] = [];
  for (const [url, requests] of Map.groupBy(due, ({ card }) => card.pull?.url)) {
    const [newest] = requests;
    if (newest === undefined || requests.some(({ card }) => card.pull?.remindedAt !== undefined))
      continue;
    if (!writer.canWrite(maxWritesPerReminder)) {
      postponed.push(newest);
      continue;
    }
    const key = `reminder:${url}`;
    const isWritten = requests.some(({ open: { comment } }) => {
      const inThread = cards.filter((posted) => posted.comment.thread === comment.thread);
      return statusCommentOf(inThread, { key }, comment.login) !== undefined;
    });
    const isNew = !isWritten && (await write(key, newest, afterMs, writer, deps));
    if (isNew === undefined) continue;
    if (isNew) reminders += 1;
    // The card records the reminder, because the reminder itself may be deleted or be too old to be listed.
    const pull = newest.card.pull && { ...newest.card.pull, remindedAt: nowMs };
    // The comment has its reaction already.
    const open = newest.is === 'saved' ? { ...newest.open, card: newest.card } : newest.open;
    const saved = await saver.save(open, { ...newest.card, pull });
    if (saved === 'postponed') postponed.push(newest);
  }
  return { reminders, postponed };
}

/** Posts a reminder. If two runs post it at the same time, the later one deletes its own. `undefined` if posting failed, or if the thread is locked. */
async function write(
  key: string,
  settled: Settled,
  afterMs: number,
  writer: Writer,
  deps: DepsWithGitHub,
) {
  const { open, card, pullRequest } = settled;
  const { github, clock, context, runner } = deps;
  const { thread } = open.comment;
  const { runId: run, runUrl, runAttempt: attempt } = context;
  const facts = {
    key,
    nonce: randomUUID(),
    run,
    runUrl,
    attempt,
    thread,
    isCommand: false,
    command: '',
  };
  const openedMs = pullRequest?.createdAtMs ?? 0;
  const text = toMarkdown(new Phrases(card).openFor(clock.now() - openedMs));
  const begun = { ...newCard({ ...facts, removed: 0, ask: 'reply' }), generation: 1 };
  const reminder = replied(begun, { outcome: 'answered', reason: 'status' }, text);
  const store = openStore(thread, open.owner, deps);
  try {
    if ((await github.readIssue(thread))?.isLocked) return undefined;
    const claim = await writer.write(() => store.write(reminder));
    const { ours } = await store.readRivals(claim, openedMs + afterMs);
    const first = statusCommentOf(ours, { key }, claim.login)?.comment.id;
    if (first === undefined || first === claim.id) return true;
    await writer.write(() => github.deleteComment(claim.id));
    return false;
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error;
    writer.stopAtLimit(error);
    runner.warning(describeError(error), { title: 'Docs Agent' });
    return undefined;
  }
}
