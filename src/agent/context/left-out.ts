import type { NamedOnly } from './noise.ts';

/** What of a subject the agent is not sent. Bytes are of UTF-8. */
export interface LeftOut {
  /** Whether the body was edited after the event. */
  readonly editedBody: boolean;
  readonly bodyBytes: number;
  readonly notesBytes: number;
  readonly labels: number;
  readonly pullRequests: number;
  readonly commits: number;
  /** Files that are not even in the list of names. */
  readonly fileNames: number;
  /** Files whose patches are not for the agent, by why. */
  readonly namedOnly: Readonly<Record<NamedOnly, number>>;
  /** Of the files whose patches are for the agent: their hunks, and how many of these did not fit. */
  readonly hunks: { readonly missing: number; readonly of: number };
  /** Whether no patch is sent at all, since the service refused the prompt with them. */
  readonly patchesRefused: boolean;
  /** How many files GitHub lists, where there may be more; `undefined` where these are all. */
  readonly listedOfMore: number | undefined;
}
