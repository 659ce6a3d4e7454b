import type { AgentOutcome, AgentReason } from '../../core/reasons.ts';
import type { Job } from '../../service/schemas.ts';

/*
 * The card is the request: who requested what, which process is watching it, and its state. The same JSON is the signed first
 * line of the status comment, the state saved for `post`, and the memory of a run without a thread (`stored.ts` has its stored
 * form). The comment's text is generated only from the card.
 */

const shownPromptBytes = 4 * 1024;

/**
 * How a request ended. `unseen`: we never saw the job pick up the follow-up, so its status may be older than the follow-up.
 * `gone`: the service no longer has the job. `unconfirmed`: we can't know whether the service accepted the request.
 */
export type How =
  | ('pr' | 'none' | 'unseen' | 'failed' | 'archived' | 'gone' | 'unconfirmed')
  | ('answered' | 'denied');

/** The fields that show whether a job has picked up a follow-up. */
export type JobState = Readonly<Pick<Job, 'status' | 'prLink'>>;

export type CardState =
  /** Nothing was sent, so any run may send the request. */
  | { readonly is: 'freed' }
  /** `claimed`: a process is about to send the request. `sent`: it was sent, but there has been no response. */
  | { readonly is: 'claimed' | 'sent'; readonly until: number }
  | {
      readonly is: 'working';
      readonly job: Job;
      /** The job's state before a follow-up, kept until the agent has picked up the follow-up. */
      readonly before?: JobState | undefined;
      /** The time when the process stops watching the job; absent if no process is watching. */
      readonly until?: number | undefined;
    }
  | { readonly is: 'ended'; readonly how: How; readonly job?: Job | undefined };

/** How a run ended. */
export interface Ending {
  readonly outcome: AgentOutcome;
  readonly reason: AgentReason;
  /** Why a change was skipped, in words for users. */
  readonly because?: string | undefined;
  readonly error?: Readonly<Record<'title' | 'text' | 'markdown', string>> | undefined;
}

/** The job's pull request, as last seen. */
interface CardPull {
  readonly url: string;
  /** `unseen`: the token of a collect run can't see the pull request. Only an event about the pull request updates the card. */
  readonly state: 'open' | 'merged' | 'closed' | 'unseen';
  readonly shown?: Shown | undefined;
  /** The pull request's head before a follow-up. If the head has changed by the end, the agent picked up the follow-up. */
  readonly head?: string | undefined;
  readonly isUpdated?: boolean | undefined;
  readonly remindedAt?: number | undefined;
}

interface Shown extends Readonly<Record<'additions' | 'deletions' | 'changedFiles', number>> {
  readonly title: string;
}

/** One request to the agent. All times are in milliseconds since the epoch. */
export interface Card {
  /** Identifies the request across runs, such as `comment:<id>`. */
  readonly key: string;
  /** A random ID for each process. A run ID isn't enough, because the steps and matrix legs of one run share it. */
  readonly nonce: string;
  readonly run: string;
  readonly runUrl: string;
  readonly attempt: number;
  /** One higher than the generation of the claim that this claim replaces; 0 before the first claim. */
  readonly generation: number;
  readonly thread?: number | undefined;
  readonly comment?: { readonly id: number; readonly url: string } | undefined;
  /** The login that posts our status comments, set once the first one is posted. */
  readonly login?: string | undefined;
  /** The comment or review that contains the request. */
  readonly source?: Source | undefined;
  /** Whether a command made the request. If so, the thread accepts more commands. */
  readonly isCommand: boolean;
  readonly command: string;
  readonly asker?: string | undefined;
  /** The part of the prompt that the comment shows. */
  readonly prompt?: string | undefined;
  /** How many invisible characters were removed from the prompt. */
  readonly removed: number;
  /** Remarks for users, as Markdown. */
  readonly notes: readonly string[];
  readonly ask: 'create' | 'message' | 'attach' | 'reply';
  /** The workflow, if the request uses `continue: repository`. Requests of the same workflow share a job. */
  readonly series?: string | undefined;
  /** The version of the context that was sent: a pull request's head, or a digest of an issue's text. */
  readonly head?: string | undefined;
  readonly askedAt?: number | undefined;
  /** When a process saw the job end or stopped watching it; absent if no process was watching. */
  readonly endedAt?: number | undefined;
  /** The last time that collect mode checked the job and found nothing new. */
  readonly checkedAt?: number | undefined;
  readonly state: CardState;
  readonly pull?: CardPull | undefined;
  /** The person from whom a review must still be requested. */
  readonly reviewer?: string | undefined;
  /** How the last run ended, if that isn't how the request ended. */
  readonly stop?: Ending | undefined;
  /** The reply to `help` or `status`, or to someone who was denied, as Markdown. */
  readonly answer?: string | undefined;
  /** The stored form from which the card was read. Fields of it that this version doesn't know are stored again. */
  readonly origin?: unknown;
}

interface Source {
  readonly kind: 'comment' | 'review-comment' | 'review';
  readonly id: number;
  readonly url?: string | undefined;
}

/** Shortens a prompt to the part that people see. */
export function shownPrompt(prompt: string): string {
  const bytes = Buffer.from(prompt);
  if (bytes.length <= shownPromptBytes) return prompt;
  const shown = bytes.toString('utf8', 0, shownPromptBytes).replace(/\uFFFD+$/, '');
  const more = Array.from(prompt).length - Array.from(shown).length;
  return `${shown}… (${more.toLocaleString('en')} more characters)`;
}

/** The request's job, as last reported by the service. */
export function jobOf({ state }: Pick<Card, 'state'>): Job | undefined {
  return 'job' in state ? state.job : undefined;
}

/** Whether the prompt goes to an existing job. */
export function isFollowUp({ ask }: Pick<Card, 'ask'>): boolean {
  return ask === 'message';
}

/** How the request ended; `undefined` if it hasn't ended. */
export function howEnded({ state }: Pick<Card, 'state'>): How | undefined {
  return state.is === 'ended' ? state.how : undefined;
}

/** Whether the thread accepts commands. Only a run that was started by a command knows this. */
export function hasCommands({ isCommand, thread }: Card): boolean {
  return isCommand && thread !== undefined;
}
