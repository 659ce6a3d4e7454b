import type { Cap } from '../../core/cap.ts';
import type { Owner } from '../../core/sign.ts';
import type { OpenedPull, Person, PullRequestState } from '../../github/changes.ts';
import type { Ending } from '../card/card.ts';
import type { Publishing } from '../follow/pull.ts';
import type { PostedCard } from '../thread/find.ts';

/* What a run is asked to do. */

/** What a job already has. */
export interface KnownContext {
  /** Whether it was sent this version of the context. */
  readonly isKnown: boolean;
  /** The thread's comment that was the job's last request; 0 if the thread sent it none. */
  readonly lastRequestId: number;
}

export interface PromptContext {
  /** The version of the context: a pull request's head, or a digest of an issue's text. */
  readonly head: string | undefined;
  /** The pull request that the command is on; `undefined` if it isn't on one, or wasn't read. */
  readonly pull: Pick<PullRequestState, 'headSha' | 'state' | 'isFromFork'> | undefined;
  /**
   * Adds the context to the prompt, without what the job already has. `smaller` is the same text
   * without patches, and `note` says what was left out.
   */
  compose(known: KnownContext): {
    readonly prompt: string;
    readonly smaller: string | undefined;
    readonly note: string | undefined;
  };
}

/** What the cards of all threads tell a context reader. */
export interface CardSearch {
  readAll(): Promise<readonly PostedCard[]>;
  /** Finds those pull requests that the agent opened, and returns their URLs. */
  findOwn(pulls: readonly OpenedPull[]): Promise<ReadonlySet<string>>;
}

export interface ContextReader {
  /**
   * For a push, finds the numbers of the merged pull requests in whose threads the request may be.
   * If it is in none, it goes to the last one.
   */
  findThreads(cards: CardSearch): Promise<readonly number[]>;
  read(cards: CardSearch): Promise<{
    /** Why the change needs no docs. */
    readonly skip?: Ending;
    readonly context?: PromptContext | undefined;
    readonly note?: string | undefined;
    /** Who wrote the merged change, if a review should be requested from them. */
    readonly author?: Person | undefined;
  }>;
}

export interface Plan extends Publishing {
  readonly ask: {
    /** `undefined`: send nothing, and only watch the job `jobId`. */
    readonly prompt: string | undefined;
    readonly jobId: string | undefined;
    /** Where to find a job for the prompt; `never` always starts a new job. */
    readonly continues: 'never' | 'thread' | 'repository';
    readonly wait: boolean;
  };
  /**
   * The pull request on which the command was posted. If the agent opened it, its job gets the
   * prompt, unless the thread has another job.
   */
  readonly pullRequest?: (OpenedPull & { readonly isByBot: boolean }) | undefined;
  readonly cap: Cap | undefined;
  /** With so many of the agent's pull requests open, a prompt from the inputs starts no new job. */
  readonly maxOpen: number | undefined;
  /** Reads the context. Most requests have no context, so most runs never load the reader. */
  readonly context: ContextReader | undefined;
  readonly owner: Owner;
  readonly timeoutMs: number;
  readonly isThreadNamed: boolean;
}
