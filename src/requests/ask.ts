import type { Ending } from './card.ts';

/** What the agent is asked. */
export interface Ask {
  /** `undefined`: only attach to `jobId`. */
  readonly prompt: string | undefined;
  /** The job that the inputs name. */
  readonly jobId: string | undefined;
  /** Where to look for a job that the prompt goes to; nowhere for a new one. */
  readonly continues: 'nowhere' | 'thread' | 'repository';
  readonly wait: boolean;
}

/** A prompt as it is sent. */
export interface Composed {
  readonly prompt: string;
  /** Without patches, for a service that refuses its size. */
  readonly smaller: string | undefined;
  /** What was left out, for readers. */
  readonly note: string | undefined;
}

/** What a prompt is about, read from GitHub. */
export interface PromptContext {
  /** The version that was read: a pull request's head, or a digest of an issue's words. */
  readonly head: string | undefined;
  /** The prompt with its context behind it. */
  compose(): Composed;
}

/** What came of reading the context. */
export type ContextRead =
  | { readonly kind: 'read'; readonly context: PromptContext | null; readonly note: string | undefined }
  /** A change that needs no docs. */
  | { readonly kind: 'skip'; readonly ending: Ending };

/** Reads what a request is about. */
export interface ContextReader {
  /** The number of the pull request that the push at hand merged. */
  findThread(): Promise<number | undefined>;
  /** @param isOwn whether the agent made the pull request at this address. */
  read(isOwn: (url: string) => Promise<boolean>): Promise<ContextRead>;
}

/** What a request is about, as far as that goes along with the prompt. Most runs read nothing, and never load the reader. */
export interface ContextSource {
  /** Whether the thread is that of the pull request which a push merged. */
  readonly findsThread: boolean;
  load(): Promise<ContextReader>;
}
