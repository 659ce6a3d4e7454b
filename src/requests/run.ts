import { ActionError, messageOf } from '../core/errors.ts';
import type { OutputsOf } from '../core/mode-result.ts';
import type { Deps } from '../deps.ts';
import { GitHubError, missingPermission } from '../github/errors.ts';
import { type Card, endingOf, jobOf } from './card.ts';
import { pullRequestOf } from './job.ts';
import type { Owner } from './left.ts';
import type { Plan } from './next.ts';
import { openStore, type Store } from './store.ts';
import { interrupted } from './transitions.ts';

/** The name under which the runner saves the card for `post`. */
const savedState = 'run';

export interface RunOptions extends Plan {
  readonly owner: Owner;
  readonly timeoutMs: number;
  /** Whether the `thread` input contains a number. */
  readonly isThreadNamed: boolean;
  /** How many times to try to post the result in the thread. */
  readonly tries: number;
  /** Whether this is a dry run, which writes and saves nothing. */
  readonly isDry: boolean;
}

/** One process that works on one request. */
export type Run = ReturnType<typeof openRun>;

export function openRun(options: RunOptions, deps: Deps) {
  const { runner, clock, github } = deps;
  let store: Store | undefined;
  const warned = new Set<string>();
  let kept: Card | undefined;

  function warn(message: string): void {
    if (warned.has(message)) return;
    warned.add(message);
    runner.warning(message, { title: 'Docs Agent' });
  }
  function warnOfMissing(missing: string): void {
    warn(`${missing}. The job summary and the outputs contain what would have been posted.`);
  }

  return {
    ...options,
    deps,
    beganAtMs: clock.now(),
    /** The last saved card; `undefined` until the person's permission has been checked. */
    get kept() {
      return kept;
    },
    /** The cards of all threads, newest comment first; `undefined` until they are read. */
    repository: undefined as readonly Card[] | undefined,
    /** Access to the comments in a card's thread; `undefined` without a thread or a token. */
    storeOf({ thread }: Card): Store | undefined {
      if (thread === undefined || github === undefined) return undefined;
      store ??= openStore(thread, github, options.owner.signerOf(thread), clock);
      return store;
    },
    /** Saves the card for `post`, and sets the outputs that are correct if the process is killed right after this. */
    keep(card: Card): Card {
      kept = card;
      if (options.isDry) return card;
      runner.saveState(savedState, JSON.stringify(card));
      const { outcome = '', reason = '' } = endingOf(interrupted(card, 'interrupted')) ?? {};
      for (const [name, value] of Object.entries({ outcome, reason, ...outputsOf(card) }))
        if (value !== '') runner.setOutput(name, value);
      return card;
    },
    /** Clears the saved card, so that `post` does nothing. */
    forget(): void {
      if (kept !== undefined && !options.isDry) runner.saveState(savedState, '');
    },
    warnOfMissing,
    /**
     * Tries to update the thread. A failure is only a warning, because the summary contains the same information. Returns true
     * if there is no point in trying again: the update is done, or a permission is missing and `mayPass` is false.
     */
    async bestEffort(what: string, act: () => Promise<unknown>, { mayPass = false } = {}): Promise<boolean> {
      try {
        await act();
        return true;
      } catch (error) {
        if (error instanceof ActionError && error.reason === 'cancelled') throw error;
        const missing = missingPermission(error);
        // GitHub's errors already say what failed.
        if (missing === undefined)
          warn(error instanceof GitHubError ? error.message : `${what} failed: ${messageOf(error)}`);
        else warnOfMissing(missing);
        return missing !== undefined && !mayPass;
      }
    },
  };
}

/** The outputs that only agent mode has. */
export function outputsOf(card: Card): OutputsOf<'agent'> {
  const job = jobOf(card);
  const pullRequest = pullRequestOf(job);
  return {
    'job-id': job?.id ?? '',
    'job-status': job?.status ?? '',
    'pr-link': pullRequest?.url ?? '',
    'pr-number': pullRequest?.number ?? '',
    'comment-url': card.comment?.url ?? '',
  };
}
