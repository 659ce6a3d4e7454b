import { ActionError, messageOf } from '../core/errors.ts';
import type { Deps } from '../deps.ts';
import { GitHubError, missingPermission } from '../github/errors.ts';
import { type Card, endingOf, jobOf } from './card.ts';
import { pullRequestOf } from './job.ts';
import type { Plan } from './next.ts';
import { createSigner } from './sign.ts';
import { openStore, type Store } from './store.ts';
import { interrupted } from './transitions.ts';

/** The runner's state in which `post` finds the card. */
const savedState = 'run';

export interface RunOptions extends Plan {
  readonly service: { readonly apiKey: string; readonly baseUrl: string; readonly projectId: string };
  readonly timeoutMs: number;
  /** Whether the `thread` input names the thread. */
  readonly isThreadNamed: boolean;
  /** How often to try to show the thread the end. */
  readonly tries: number;
  /** Nothing is written, and nothing is kept. */
  readonly isDry: boolean;
}

/** One process that works on one request: what it was given, and where it leaves what it knows. */
export type Run = ReturnType<typeof openRun>;

export function openRun(options: RunOptions, deps: Deps) {
  const { runner, clock, github, context } = deps;
  let store: Store | undefined;
  const warned = new Set<string>();
  const outputs = new Map<string, string>();
  let kept: Card | undefined;

  const { service } = options;
  const signerOf = (thread: number) =>
    createSigner({ service, repositoryId: context.repositoryId, thread, scrub: deps.scrub });

  /** Warns in the log, once of each thing. */
  function warn(message: string): void {
    if (warned.has(message)) return;
    warned.add(message);
    runner.warning(message, { title: 'Docs Agent' });
  }
  function warnOfMissing(missing: string): void {
    warn(`${missing}. The job summary and the outputs say what the thread would have said.`);
  }

  return {
    ...options,
    deps,
    /** When the run began. */
    beganAtMs: clock.now(),
    /** The card as it was kept last; `undefined` before the person who asked was let in. */
    get kept() {
      return kept;
    },
    signerOf,
    /** The cards of all threads, once they were read: the newest comment first. */
    repository: undefined as readonly Card[] | undefined,
    /** The thread of a card; `undefined` without a thread, or without the right to write there. */
    storeOf({ thread }: Card): Store | undefined {
      if (thread === undefined || github === undefined) return undefined;
      store ??= openStore({ thread, github, signer: signerOf(thread), clock });
      return store;
    },
    /** Leaves the card for `post`, and outputs that are true if the process is killed in the next moment. */
    keep(card: Card): Card {
      kept = card;
      if (options.isDry) return card;
      runner.saveState(savedState, JSON.stringify(card));
      const { outcome = '', reason = '' } = endingOf(interrupted(card, 'interrupted')) ?? {};
      for (const [name, value] of Object.entries({ outcome, reason, ...outputsOf(card) })) {
        if (value !== (outputs.get(name) ?? '')) runner.setOutput(name, value);
        outputs.set(name, value);
      }
      return card;
    },
    /** Nothing is left for `post`. */
    forget(): void {
      if (kept !== undefined && !options.isDry) runner.saveState(savedState, '');
    },
    warnOfMissing,
    /**
     * Does something that only informs the thread; if it fails, that is a warning, since outputs and summary say it too. A
     * cancellation still ends the run. Gives whether that is over: done, or without the permission that it takes, unless that may
     * come back.
     */
    async bestEffort(what: string, act: () => Promise<unknown>, { mayPass = false } = {}): Promise<boolean> {
      try {
        await act();
        return true;
      } catch (error) {
        if (error instanceof ActionError && error.reason === 'cancelled') throw error;
        const missing = missingPermission(error);
        // GitHub's errors say themselves what failed.
        if (missing === undefined)
          warn(error instanceof GitHubError ? error.message : `${what} did not work: ${messageOf(error)}`);
        else warnOfMissing(missing);
        return missing !== undefined && !mayPass;
      }
    },
  };
}

/** The outputs of agent mode, except what every mode has. */
export function outputsOf(card: Card): Record<string, string> {
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
