import type { Person, PullRequestState } from '../../github/changes.ts';
import type { Job } from '../../service/schemas.ts';
import { shortCode } from '../../text/markdown.ts';
import { type Card, type Ending, howEnded, jobOf } from '../card/card.ts';
import { isTerminal, pullRequestOf } from '../card/job.ts';
import { newestJob, type PostedCard, pendingBefore } from '../thread/claims.ts';
import type { OpenedPullRequest } from '../thread/repository-cards.ts';

/** How many times to wait for an earlier command that is still starting its job. */
const maxWaits = 4;

export interface Ask {
  /** `undefined`: send nothing, and only watch the job `jobId`. */
  readonly prompt: string | undefined;
  readonly jobId: string | undefined;
  /** Where to find a job for the prompt; `never` always starts a new job. */
  readonly continues: 'never' | 'thread' | 'repository';
  readonly wait: boolean;
}

/** The context that is sent with a prompt. */
export interface PromptContext {
  /** The version of the context: a pull request's head, or a digest of an issue's text. */
  readonly head: string | undefined;
  /** Whether a part of the context is sent even to a job that already has the rest: a review, or failed checks. */
  readonly hasNews: boolean;
  /** Adds the context to the prompt. `smaller` is the same text without patches, and `note` says what was left out. */
  compose(isKnown: boolean): {
    readonly prompt: string;
    readonly smaller: string | undefined;
    readonly note: string | undefined;
  };
}

export type ContextRead =
  | {
      readonly kind: 'read';
      readonly context: PromptContext | null;
      readonly note: string | undefined;
      /** The author of the merged change, if a review should be requested from them. */
      readonly author: Person | undefined;
    }
  /** The change needs no docs, so nothing is sent. */
  | { readonly kind: 'skip'; readonly ending: Ending };

/** Reads the context of a request. */
export interface ContextReader {
  /** For a push only: finds the number of the merged pull request. */
  readonly findThread: (() => Promise<number | undefined>) | undefined;
  /** @param isOwn whether the agent opened the pull request at this URL. */
  read(isOwn: (url: string) => Promise<boolean>): Promise<ContextRead>;
}

/** The job that gets the prompt. */
export interface Recipient {
  /** Absent if no job was found. */
  readonly jobId?: string | undefined;
  /** Absent if no job was found, or if it is gone. */
  readonly job?: Job | undefined;
  /** When the job got its last request, if a card says so. */
  readonly askedAt?: number | undefined;
  /** Whether the service refused the message once, although it has the job. */
  readonly isRefused?: boolean;
  /** The job's pull request; absent if there is none, or if the token can't see it. */
  readonly pull?: Pick<PullRequestState, 'state' | 'headSha'> | undefined;
  /** Why the prompt goes to a new job, for users. */
  readonly whyNew?: string;
}

/** What a run has learned so far. It is never saved. */
export interface Known {
  /** The thread's verified cards; absent until the thread is read. */
  readonly cards?: readonly PostedCard[];
  /** Whether the thread has requests that were made with another API key. */
  readonly hasOtherKeys?: boolean;
  /** The card of an earlier process, whose request this run continues. */
  readonly takenOver?: Card;
  /** The context of the prompt; `null` if there is none. */
  readonly context?: PromptContext | null;
  /** Absent until the job is searched for. */
  readonly recipient?: Recipient;
  /** An earlier job of the request failed, so a new job is created. */
  readonly startsOver?: boolean;
  /** How many times the run has waited for an earlier command. */
  readonly waits?: number;
  /** How many requests `max-jobs` still allows. */
  readonly left?: number;
  readonly isChecked?: boolean;
  readonly isPullChecked?: boolean;
}

/** A request in progress: its card, and what the run has learned. */
export interface Request {
  readonly card: Card;
  readonly known: Known;
}

/** The next step of a request. */
export type Step =
  | { readonly do: 'read the thread' }
  /** A change that needs no docs ends the run here. */
  | { readonly do: 'read the context' }
  /** Counts the requests of the last days, because `max-jobs` caps them. At the cap, the run ends here. */
  | { readonly do: 'count the requests'; readonly cap: Cap }
  /** Posts a claim in the thread before the request is sent. Whatever happens next, a re-run finds the claim. */
  | { readonly do: 'claim' }
  | { readonly do: 'wait for an earlier command'; readonly earlier: PostedCard }
  /** Finds the job for the prompt: this one, asked for at this time, or else a suitable job from any thread. */
  | { readonly do: 'find the recipient'; readonly jobId?: string; readonly askedAt?: number | undefined }
  /** Sends the prompt to this job, or to a new one. */
  | { readonly do: 'ask'; readonly job: Job | undefined; readonly whyNew?: string }
  | { readonly do: 'attach'; readonly job: Job }
  /** Reads the job of an earlier process. */
  | { readonly do: 'check the job' }
  /** Drops a failed job so that the request can be sent again. */
  | { readonly do: 'start over'; readonly whyNew: string | undefined }
  /** Watches the job until it ends. `isNews`: the thread doesn't show yet that the job is running. */
  | { readonly do: 'watch'; readonly job: Job; readonly isNews: boolean }
  | { readonly do: 'check the pull request' }
  /** Ends the run while the job is still running. */
  | { readonly do: 'leave' }
  | { readonly do: 'end' };

/** The effect of each step. A dry run performs those that read, claims only in memory, and stops at the first other step. */
export const effects: Readonly<Record<Step['do'], 'reads' | 'writes' | 'costs'>> = {
  'read the thread': 'reads',
  'read the context': 'reads',
  'count the requests': 'reads',
  claim: 'writes',
  'wait for an earlier command': 'reads',
  'find the recipient': 'reads',
  ask: 'costs',
  attach: 'writes',
  'check the job': 'reads',
  'start over': 'reads',
  watch: 'writes',
  'check the pull request': 'writes',
  leave: 'writes',
  end: 'writes',
};

/** The input `max-jobs`: at most this many requests in the last `days`. */
export interface Cap {
  readonly most: number;
  /** The word for the period, such as `week`. */
  readonly per: string;
  readonly days: number;
}

/** The task of a run. */
export interface Plan {
  readonly ask: Ask;
  /** The agent's pull request on which the command was posted. Its job gets the prompt if the thread has no other job. */
  readonly pullRequest?: OpenedPullRequest | undefined;
  /** The most requests that this repository may send. */
  readonly cap: Cap | undefined;
  /** Reads the context. Most requests have no context, so most runs never load the reader. */
  readonly context: ContextReader | undefined;
}

/** Decides the next step of a request. */
export function next({ card, known }: Request, plan: Plan, nowMs: number): Step {
  if (card.stop !== undefined) return { do: 'end' };
  const mayHaveThread = card.thread !== undefined || plan.context?.findThread !== undefined;
  if (mayHaveThread && known.cards === undefined) return { do: 'read the thread' };
  switch (card.state.is) {
    case 'freed':
    case 'claimed':
      return begin(card, known, plan, nowMs);
    case 'sent':
      return { do: 'end' };
    case 'working':
    case 'ended':
      return follow(card, known, plan);
  }
}

/** The step for a request that hasn't been sent yet. */
function begin(card: Card, known: Known, { ask, cap, context, pullRequest }: Plan, nowMs: number): Step {
  const { recipient, cards = [] } = known;
  // Read the context before the claim, so that a skipped change leaves no comment in its thread.
  if (context !== undefined && known.context === undefined) return { do: 'read the context' };
  // A re-run of a request that was sent is never stopped.
  const isCapped = ask.prompt !== undefined && card.sentBefore === undefined && known.left === undefined;
  if (cap !== undefined && isCapped) return { do: 'count the requests', cap };
  if (card.state.is === 'freed') return { do: 'claim' };
  if (ask.jobId !== undefined) {
    if (recipient?.job === undefined) return { do: 'find the recipient', jobId: ask.jobId };
    return { do: ask.prompt === undefined ? 'attach' : 'ask', job: recipient.job };
  }
  if (ask.continues === 'never' || known.startsOver === true) return { do: 'ask', job: undefined };
  if (ask.continues === 'repository') {
    if (recipient === undefined) return { do: 'find the recipient' };
    return { do: 'ask', job: recipient.job, ...(recipient.whyNew && { whyNew: recipient.whyNew }) };
  }
  const earlier = pendingBefore(cards, card.comment?.id ?? 0, nowMs);
  if (earlier !== undefined && (known.waits ?? 0) < maxWaits)
    return { do: 'wait for an earlier command', earlier };
  const newest = newestJob(cards);
  if (newest === undefined && pullRequest === undefined)
    return {
      do: 'ask',
      job: undefined,
      ...(known.hasOtherKeys && { whyNew: replacedKey('in this thread') }),
    };
  const isFound = recipient !== undefined && (newest === undefined || recipient.jobId === newest.jobId);
  if (!isFound) return { do: 'find the recipient', ...newest };
  const { job, pull } = recipient;
  const isOpen = pull === undefined || pull.state === 'open';
  if (job !== undefined && job.status !== 'archived' && isOpen) return { do: 'ask', job };
  return {
    do: 'ask',
    job: undefined,
    whyNew: `${whyNew(recipient, newest !== undefined)}; this is a new job.`,
  };
}

/** Says that the API key was replaced. `where` is `in this thread` or `of this workflow`. */
export function replacedKey(where: string): string {
  return `Earlier requests ${where} were made with another API key, so this is a new job.`;
}

/** Explains why the prompt goes to a new job. */
function whyNew({ jobId, job, pull }: Recipient, isOfThread: boolean): string {
  if (jobId === undefined)
    return 'We found no request here that led to this pull request (it may have been requested in another repository or with a different API key)';
  const whose = isOfThread ? 'The thread’s' : 'This pull request’s';
  if (job !== undefined && job.status !== 'archived')
    return `The pull request of job ${shortCode(jobId)} was ${pull?.state === 'merged' ? 'merged' : 'closed'}`;
  return `${whose} job ${shortCode(jobId)} ${job === undefined ? 'no longer exists' : 'is archived'}`;
}

/** The step for a request that was already sent, by this process or an earlier one. */
function follow(card: Card, { takenOver, isChecked = false, isPullChecked }: Known, { ask }: Plan): Step {
  const isRetry = takenOver !== undefined && card.attempt > 1;
  const job = jobOf(card);
  // People re-run a workflow to try again, so a re-run repeats a request that failed.
  const how = howEnded(card);
  if (isRetry && isChecked && (how === 'failed' || how === 'archived' || how === 'gone')) {
    // If the inputs name the job, watch that job again instead.
    const isNamed = ask.prompt === undefined || ask.jobId !== undefined;
    const status = how === 'gone' ? how : job?.status;
    const why = `The previous run’s job, ${shortCode(job?.id ?? '')}, has ended (${status}); this is a new job.`;
    return { do: 'start over', whyNew: isNamed ? undefined : why };
  }
  if (job === undefined) return { do: 'end' };
  if (!isChecked) return { do: 'check the job' };
  if (card.state.is === 'ended') {
    const isFinal = isPullChecked === true || pullRequestOf(job) === undefined;
    return { do: isFinal ? 'end' : 'check the pull request' };
  }
  // Right after a follow-up, the job's status may be from before the follow-up.
  const isOver = isTerminal(job.status) && card.state.is === 'working' && card.state.before === undefined;
  if (!isOver && !ask.wait) return { do: 'leave' };
  // If the thread shows a result, keep it there even if a later follow-up made the job active again.
  return { do: 'watch', job, isNews: !isOver && takenOver?.state.is !== 'ended' };
}
