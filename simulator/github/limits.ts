import type { SimClock } from '../clock/clock.ts';
import type { RecordedRequest } from '../http/messages.ts';
import { refuse } from './refusals.ts';

const HOUR_MS = 3_600_000;
/** The primary limit, which the headers of every answer count down. */
const PER_HOUR = 5_000;
const SECONDARY_MESSAGE =
  'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.';

/** An error that GitHub answers for a while, whatever is asked. */
export interface GitHubTrouble {
  readonly status: number;
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** How often; once by default. */
  readonly times?: number;
  /** To which requests; to all by default. */
  readonly when?: (request: RecordedRequest) => boolean;
}

/** GitHub's primary and secondary rate limits, and errors on demand. */
export class GitHubLimits {
  readonly #clock: SimClock;
  #used = 0;
  #resetAt: number;
  #exhaustedStatus = 403;
  readonly #troubles: { readonly trouble: GitHubTrouble; left: number }[] = [];

  constructor(clock: SimClock) {
    this.#clock = clock;
    this.#resetAt = clock.now() + HOUR_MS;
  }

  /** Uses up the primary limit; it is reset `resetInMs` from now. */
  exhaust({ resetInMs = HOUR_MS, status = 403 }: { resetInMs?: number; status?: 403 | 429 } = {}): void {
    this.#used = PER_HOUR;
    this.#resetAt = this.#clock.now() + resetInMs;
    this.#exhaustedStatus = status;
  }

  /** Answers with a secondary limit, with or without a Retry-After. */
  secondary({
    retryAfterSeconds,
    ...rest
  }: Pick<GitHubTrouble, 'times' | 'when'> & { readonly retryAfterSeconds?: number } = {}): void {
    const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
    this.fail({ status: 403, message: SECONDARY_MESSAGE, headers, ...rest });
  }

  /** Answers the next requests with an error. */
  fail(trouble: GitHubTrouble): void {
    this.#troubles.push({ trouble, left: trouble.times ?? 1 });
  }

  /** Counts a request; refuses it if a limit is reached or an error is due. */
  take(request: RecordedRequest): void {
    if (this.#clock.now() >= this.#resetAt) {
      this.#used = 0;
      this.#resetAt = this.#clock.now() + HOUR_MS;
    }
    if (this.#used >= PER_HOUR)
      throw refuse(this.#exhaustedStatus, 'API rate limit exceeded for installation ID 1.');
    this.#used += 1;
    const waiting = this.#troubles.find(({ trouble, left }) => left > 0 && (trouble.when?.(request) ?? true));
    if (waiting === undefined) return;
    waiting.left -= 1;
    const { status, message = `Simulated error ${status}`, headers = {} } = waiting.trouble;
    throw refuse(status, message, { headers });
  }

  /** The headers that every answer carries. */
  headers(): Record<string, string> {
    return {
      'x-ratelimit-limit': String(PER_HOUR),
      'x-ratelimit-remaining': String(Math.max(0, PER_HOUR - this.#used)),
      'x-ratelimit-used': String(this.#used),
      'x-ratelimit-reset': String(Math.ceil(this.#resetAt / 1000)),
      'x-ratelimit-resource': 'core',
    };
  }
}
