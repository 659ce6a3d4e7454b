import type { Clock } from './core/clock.ts';
import type { GitHub } from './github/client.ts';
import type { GitHubEvent } from './github/event.ts';
import type { RunContext } from './runner/context.ts';
import type { Files } from './runner/files.ts';
import type { Runner } from './runner/runner.ts';
import type { DocsService } from './service/client.ts';
import type { Scrub } from './text/scrub.ts';

/** All that a mode needs from outside, as one plain object: tests hand in a clock that jumps and a runner that records. */
export interface Deps {
  /** As the project sees it that the run is about; of several, the first: the others are asked for by their ids. */
  readonly service: DocsService;
  /** `undefined` without a token or outside a repository. */
  readonly github: GitHub | undefined;
  readonly runner: Runner;
  readonly clock: Clock;
  readonly files: Files;
  readonly context: RunContext;
  readonly event: GitHubEvent;
  /** Takes the key and the token out of what comes from outside. */
  readonly scrub: Scrub;
  /** Aborted when the run is cancelled. */
  readonly signal: AbortSignal;
}
