import { explain } from '../core/errors.ts';
import type { Deps } from '../deps.ts';
import type { GitHub } from '../github/client.ts';
import { GitHubError } from '../github/errors.ts';
import type { Save } from '../requests/saver.ts';
import type { Settled } from '../requests/settle.ts';
import { reminderOf } from '../requests/words.ts';

/**
 * Writes one comment for each pull request that has been open that long, in the thread of its newest request.
 *
 * @returns how many were written.
 */
export async function remind(
  settled: readonly Settled[],
  afterMs: number,
  save: Save,
  { github, clock, runner, signal }: Pick<Deps, 'runner' | 'clock' | 'signal'> & { readonly github: GitHub },
): Promise<number> {
  const nowMs = clock.now();
  const due = settled
    .filter(({ look }) => look?.state === 'open' && !look.isDraft && nowMs - look.createdAtMs >= afterMs)
    .toSorted((one, other) => other.open.comment.id - one.open.comment.id);
  let reminders = 0;
  for (const ones of Map.groupBy(due, ({ card }) => card.pull?.url).values()) {
    const [{ open, card, look } = {}] = ones;
    if (!open || !card?.pull || !look || ones.some((one) => one.card.pull?.remindedAt !== undefined))
      continue;
    // The record comes first, so that a run that is killed in between doesn't lead to a second reminder.
    const isNoted = await save(open, { ...card, pull: { ...card.pull, remindedAt: nowMs } });
    if (isNoted !== 'saved') continue;
    try {
      await github.createComment(open.thread, reminderOf(card, nowMs - look.createdAtMs), signal);
      reminders += 1;
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      runner.warning(explain(error).text, { title: 'Docs Agent' });
      await save(open, card);
    }
  }
  return reminders;
}
