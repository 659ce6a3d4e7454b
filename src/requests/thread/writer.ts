import { describeBriefly, describeError } from '../../core/errors.ts';
import type { DepsWithGitHub } from '../../deps.ts';
import { GitHubError, nearlySpent } from '../../github/errors.ts';

/**
 * GitHub asks for at least one second between writes (REST documentation, "Best practices for using
 * the REST API").
 */
const apartMs = 1_000;
/**
 * GitHub allows 500 writes an hour ("Rate limits for the REST API"). Other workflows in the
 * repository need some of them.
 */
const maxWrites = 400;

/**
 * Makes every write of a run that handles many requests: edits, reactions, reminders, and requests
 * for review.
 */
export class Writer {
  /** Why writes are left to the next run, as Markdown sentences. */
  readonly whyPostponed: Set<string>;
  readonly #deps: DepsWithGitHub;
  #writes = 0;
  #nextWriteMs = Number.NEGATIVE_INFINITY;
  #isRateLimited = false;

  constructor(whyPostponed: Set<string>, deps: DepsWithGitHub) {
    this.whyPostponed = whyPostponed;
    this.#deps = deps;
  }

  /** Whether this run can make so many more writes. If it can't, notes why. */
  canWrite(times: number): boolean {
    if (this.#isRateLimited) return false;
    if (this.#writes + times > maxWrites) {
      this.whyPostponed.add(`A run can write to GitHub at most ${maxWrites} times.`);
      return false;
    }
    if (this.#deps.github.isNearlySpent()) {
      this.whyPostponed.add(nearlySpent);
      return false;
    }
    return true;
  }

  /** Waits until the next write may be made. */
  async waitForTurn(): Promise<void> {
    const { clock } = this.#deps;
    const waitMs = Math.ceil(this.#nextWriteMs - clock.monotonic());
    if (waitMs > 0) await clock.sleep(waitMs);
  }

  /** Makes one write, at least a second after the last. */
  async write<T>(act: () => Promise<T>): Promise<T> {
    await this.waitForTurn();
    this.#writes += 1;
    try {
      return await act();
    } finally {
      // The second begins now, because the last try may have been much later than the first.
      this.#nextWriteMs = this.#deps.clock.monotonic() + apartMs;
    }
  }

  /**
   * Logs a failed write. The other writes continue, unless a rate limit was reached.
   * @throws any error that isn't GitHub's
   */
  logFailure(error: unknown): void {
    if (!(error instanceof GitHubError)) throw error;
    this.#deps.runner.info(describeError(error));
    this.stopAtLimit(error);
  }

  /** After a rate limit, nothing more is written. */
  stopAtLimit(error: GitHubError): void {
    if (error.limitMs === undefined) return;
    this.#isRateLimited = true;
    this.whyPostponed.add(describeBriefly(error));
  }
}
