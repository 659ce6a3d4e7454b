import type { Clock } from './lib/clock.ts';
import type { ModeResult } from './lib/outcome.ts';
import type { Files } from './runner/files.ts';
import type { Runner } from './runner/runner.ts';
import type { DocsService } from './service/client.ts';

/** All that a mode needs from outside, as one plain object: tests hand in a clock that jumps and a runner that records. */
export interface Deps {
  readonly service: DocsService;
  readonly runner: Runner;
  readonly clock: Clock;
  readonly files: Files;
  /** Aborted when the run is cancelled. */
  readonly signal: AbortSignal;
  /** Called once with the result the run ends in, errors and cancellation included, before outputs are set. */
  onEnd(close: (result: ModeResult) => Promise<ModeResult>): void;
  /** When the workflow run was created, in milliseconds since the epoch; `undefined` where nobody can tell. */
  readonly runCreatedAt?: () => Promise<number | undefined>;
  /** Where the visitors report is posted; absent where `thread` names no place. */
  readonly reportThread?: ReportThread;
}

/** The comments of one issue or pull request that carry reports. */
export interface ReportThread {
  /**
   * Finds this action's comment of that key by its marker, and edits it; creates it where there is none. The marker comes
   * on top of the text, which leaves room for it.
   *
   * @param key what the comment is about: one comment a key, in the whole thread.
   * @param markdown at most 60,000 characters.
   * @returns the comment's URL. @throws ActionError `github-error`.
   */
  publish(key: string, markdown: string): Promise<string>;
}
