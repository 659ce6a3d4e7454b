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
import { openStore } from '../thread/store.ts';
import type { Settled } from './settle.ts';

/** Posts one reminder for each pull request that has been open for `afterMs`, and returns how many. `cards`: of all threads. */
export async function remind(
  settled: readonly Settled[],
  afterMs: number,
  cards: readonly PostedCard[],
  save: (posted: PostedCard, card: Card) => Promise<unknown>,
  deps: DepsWithGitHub,
): Promise<number> {
  const nowMs = deps.clock.now();
  const isDue = ({ pullRequest: pull }: Settled) =>
    pull?.state === 'open' && !pull.isDraft && nowMs - pull.createdAtMs >= afterMs;
  const due = settled.filter(isDue).toSorted((a, b) => b.open.comment.id - a.open.comment.id);
  let reminders = 0;
  for (const [url, requests] of Map.groupBy(due, ({ card }) => card.pull?.url)) {
    const [newest] = requests;
    if (newest === undefined || requests.some(({ card }) => card.pull?.remindedAt !== undefined))
      continue;
    const key = `reminder:${url}`;
    const isWritten = requests.some(({ open: { comment } }) => {
      const inThread = cards.filter((posted) => posted.comment.thread === comment.thread);
      return statusCommentOf(inThread, { key }, comment.login) !== undefined;
    });
    const isNew = !isWritten && (await write(key, newest, afterMs, deps));
    if (isNew === undefined) continue;
    if (isNew) reminders += 1;
    // The card records the reminder, because the reminder itself may be deleted or be too old to be listed.
    const pull = newest.card.pull && { ...newest.card.pull, remindedAt: nowMs };
    await save(newest.open, { ...newest.card, pull });
  }
  return reminders;
}

/** Posts a reminder. If two runs post it at the same time, the later one deletes its own. `undefined` if posting failed, or if the thread is locked. */
async function write(key: string, settled: Settled, afterMs: number, deps: DepsWithGitHub) {
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
    const claim = await store.write(reminder);
    const { ours } = await store.readRivals(claim, openedMs + afterMs);
    const first = statusCommentOf(ours, { key }, claim.login)?.comment.id;
    if (first === undefined || first === claim.id) return true;
    await github.deleteComment(claim.id);
    return false;
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error;
    runner.warning(describeError(error), { title: 'Docs Agent' });
    return undefined;
  }
}
