import { Budget } from '../core/budget.ts';
import type { Job } from '../service/schemas.ts';
import { bestEffort } from './best-effort.ts';
import { type Card, jobOf } from './card.ts';
import type { Found } from './claims.ts';
import { Looks } from './looks.ts';
import { leftIn } from './open.ts';
import type { Run } from './run.ts';
import { Saver, settle } from './settle.ts';

/** A thread has few jobs that no process follows. */
const mostRequests = 40;

/**
 * Brings a thread's open comments to their end, as far as possible.
 *
 * @param newest its newest job, which was looked at already.
 */
export async function settleThread(
  cards: readonly Found[],
  newest: Job | undefined,
  { thread }: Card,
  run: Run,
): Promise<void> {
  const { deps, signerOf } = run;
  const { github, clock } = deps;
  if (github === undefined || thread === undefined) return;
  const left = leftIn(cards, thread, clock.now());
  await bestEffort('Finishing what was left open in the thread', run, async () => {
    const looks = new Looks(new Budget(mostRequests), deps);
    if (newest !== undefined) looks.add(newest.id, newest);
    const jobIds = left.open.map(({ card }) => jobOf(card)?.id).filter((id) => id !== undefined);
    await looks.at([...new Set(jobIds)]);
    await settle(left, looks, new Saver(github, deps), { clock, sinceMs: undefined, signerOf });
  });
}
