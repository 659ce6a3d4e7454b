import type { Clock } from '../../core/clock.ts';
import type { Markers } from '../../requests/marker.ts';
import type { Left, Open } from './find.ts';
import type { Looks } from './looks.ts';
import type { Teller, Told } from './tell.ts';
import { type Verdict, verdictOn } from './verdict.ts';

/** An open comment, what becomes of it, and whether that was told, if there was anything to tell. */
export interface Handled {
  readonly open: Open;
  readonly verdict: Verdict;
  readonly told: Told | undefined;
}

export interface FinishOptions {
  readonly clock: Clock;
  /** How long after it was asked a job is looked for; `undefined` for ever. */
  readonly sinceMs: number | undefined;
  /** The project's markers of a thread. */
  readonly markersOf: (thread: number) => Markers;
}

/**
 * Tells what has ended of what was left open, once its jobs were looked at, and takes back what no longer counts.
 *
 * @param handled takes what was done, one by one, for a caller that may be interrupted.
 */
export async function finishOpen(
  { open, outdated }: Left,
  looks: Looks,
  teller: Teller,
  { clock, sinceMs, markersOf }: FinishOptions,
  handled: Handled[] = [],
): Promise<void> {
  for (const one of open) {
    const verdict = verdictOn(one, looks.found(one.marker.job ?? ''), { nowMs: clock.now(), sinceMs });
    const told = verdict.is === 'over' ? await teller.tell(one, verdict, markersOf(one.thread)) : undefined;
    handled.push({ open: one, verdict, told });
  }
  for (const one of outdated) await teller.takeBack(one);
}
