import type { Clock } from './core/clock.ts';
import type { GitHub } from './github/client.ts';
import type { GitHubEvent } from './github/event.ts';
import type { RunContext } from './runner/context.ts';
import type { Files } from './runner/files.ts';
import type { Runner } from './runner/runner.ts';
import type { DocsService } from './service/client.ts';
import type { Scrub } from './text/scrub.ts';

/** Everything a mode needs from outside, as one plain object: tests pass in a clock that jumps and a runner that records. */
export interface Deps {
  /** The service for the run's project. With several, it is the first; use `forProject` for the others. */
  readonly service: DocsService;
  /** `undefined` without a token or outside a repository. */
  readonly github: GitHub | undefined;
  readonly runner: Runner;
  readonly clock: Clock;
  readonly files: Files;
  readonly context: RunContext;
  readonly event: GitHubEvent;
  /** Removes the key and the token from outside text. */
  readonly scrub: Scrub;
  /** Aborted when the run is canceled. */
  readonly signal: AbortSignal;
}
