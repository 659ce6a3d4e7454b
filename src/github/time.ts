import type { Clock } from '../core/clock.ts';
import type { HttpResponse } from '../http/send.ts';

/** GitHub's `date` has whole seconds. */
const toleranceMs = 2_000;

export type GitHubTime = ReturnType<typeof createTime>;

/**
 * GitHub's time, which all runs share: the clocks of two runners may be minutes apart, and that of a
 * paused machine stands still. Until GitHub has responded, it is the machine's own.
 */
export function createTime(clock: Pick<Clock, 'now'>) {
  let aheadMs = 0;
  const now = () => clock.now() + aheadMs;
  return {
    now,
    /** Sets the time by a response, which GitHub dated between the request and now. */
    update({ headers }: HttpResponse, sentAtMs: number) {
      const dateMs = Date.parse(headers.date ?? '');
      if (dateMs < sentAtMs - toleranceMs) aheadMs -= sentAtMs - dateMs;
      if (dateMs > now() + toleranceMs) aheadMs += dateMs - now();
    },
  };
}
