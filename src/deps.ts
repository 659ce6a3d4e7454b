import type { Clock } from './core/clock.ts';
import type { GitHub, GitHubReader } from './github/client.ts';
import type { GitHubEvent } from './github/event.ts';
import type { RunContext } from './runner/context.ts';
import type { Files } from './runner/files.ts';
import type { Runner } from './runner/runner.ts';
import type { DocsService } from './service/client.ts';
import type { Scrub } from './text/scrub.ts';

/** A mode's connections to the outside world. */
export interface Deps {
  /** The service for the run's first project. For the others, use `service.forProject`. */
  readonly service: DocsService;
  /** `undefined` without a token, without a repository, or if the run doesn't need GitHub. */
  readonly github: GitHub | undefined;
  readonly runner: Runner;
  readonly clock: Clock;
  readonly files: Files;
  readonly context: RunContext;
  readonly event: GitHubEvent;
  readonly scrub: Scrub;
  /**
   * Aborted when the run is canceled. Unless they are bound to another signal, requests and sleeps
   * end then, too.
   */
  readonly signal: AbortSignal;
}

export type DepsWithGitHub = Deps & { readonly github: GitHub };

export function hasGitHub(deps: Deps): deps is DepsWithGitHub {
  return deps.github !== undefined;
}

/** The same connections, but their requests and sleeps end with another signal. */
export function bindDeps<Of extends Deps>(deps: Of, signal: AbortSignal): Of {
  return {
    ...deps,
    service: deps.service.within(signal),
    // It is there if it was there before.
    github: deps.github?.within(signal) as Of['github'],
    clock: deps.clock.within(signal),
  };
}

/** The connections of a dry run, which has nothing to write with. */
export interface DepsToRead extends Omit<Deps, 'service' | 'github' | 'runner'> {
  readonly service: Omit<DocsService, 'createJob' | 'sendMessage' | 'forProject' | 'within'>;
  readonly github: GitHubReader | undefined;
  readonly runner: Pick<Runner, 'info' | 'notice' | 'warning' | 'error' | 'verbatim'>;
}
