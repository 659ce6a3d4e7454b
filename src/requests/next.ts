import type { Person } from '../github/changes.ts';
import type { Job } from '../service/schemas.ts';
import { shortCode } from '../text/markdown.ts';
import { type Card, type Ending, howEnded, jobOf } from './card.ts';
import { type Found, newestJob, pendingBefore } from './claims.ts';
import { isTerminal, pullRequestOf } from './job.ts';

/** How often to check an earlier command that is still starting its job: four times, 5 s apart. */
const earlierLooks = 4;

/** What a run is asked to do. */
export interface Ask {
  /** `undefined`: only attach to `jobId`. */
  readonly prompt: string | undefined;
  /** The job from the input `job-id`. */
  readonly jobId: string | undefined;
  /** Where to find a job for the prompt; `nowhere` starts a new one. */
  readonly continues: 'nowhere' | 'thread' | 'repository';
  readonly wait: boolean;
}

/** A pull request, as an event describes it. */
export interface OpenedPullRequest {
  readonly url: string;
  readonly createdAtMs: number;
}

/** What a prompt is about, read from GitHub. */
export interface PromptContext {
  /** The version that was read: a pull request's head, or a digest of an issue's text. */
  readonly head: string | undefined;
  /** Whether part of it is new with every request; a job that knows the rest gets only that part. */
  readonly isReview: boolean;
  /** The prompt followed by its context. `smaller` has no patches, and `note` says what was left out. */
  compose(isKnown: boolean): {
    readonly prompt: string;
    readonly smaller: string | undefined;
    readonly note: string | undefined;
  };
}

/** The result of reading the context. */
export type ContextRead =
  | {
      readonly kind: 'read';
      readonly context: PromptContext | null;
      readonly note: string | undefined;
      /** Who wrote what a push merged, if they should be asked for a review. */
      readonly author: Person | undefined;
    }
  /** A change that needs no docs. */
  | { readonly kind: 'skip'; readonly ending: Ending };

/** Reads what a request is about. */
export interface ContextReader {
  /** Only for a push: finds the number of the pull request that it merged. */
  readonly findThread: (() => Promise<number | undefined>) | undefined;
  /** @param isOwn whether the agent opened the pull request at this URL. */
  read(isOwn: (url: string) => Promise<boolean>): Promise<ContextRead>;
}

/** What a run has seen so far. Never saved. */
export interface Seen {
  /** The thread's verified cards; absent until it is read. */
  readonly cards?: readonly Found[];
  /** The card as an earlier process wrote it. */
  readonly takenOver?: Card;
  /** The context of the prompt; `null` if it is sent without any. */
  readonly context?: PromptContext | null;
  /** The job that the prompt goes to; `job` is missing if it's gone, or if none is open. */
  readonly target?: { readonly jobId: string | undefined; readonly job: Job | undefined };
  /** An earlier job of the request failed, so another is created. */
  readonly startsOver?: boolean;
  readonly looksAtEarlier?: number;
  /** This run has checked the card's job. */
  readonly isChecked?: boolean;
  /** This run has checked the pull request of the ended job. */
  readonly isPullChecked?: boolean;
}

/** A request as a run knows it. */
export interface Request {
  readonly card: Card;
  readonly seen: Seen;
}

/** What to do next for one request. */
export type Step =
  /** Reads the thread. The thread of a push has to be found first. */
  | { readonly do: 'read the thread' }
  /** Reads the context of the prompt. A change that needs no docs ends the run. */
  | { readonly do: 'read the context' }
  /** Says in the thread that a request is about to be sent, so that a re-run knows, whatever happens next. */
  | { readonly do: 'claim' }
  | { readonly do: 'wait for an earlier command'; readonly earlier: Found }
  /**
   * Reads the job that the prompt goes to. Without `jobId`, searches the repository's threads for the one that opened the pull
   * request, or for one whose pull request is still open.
   */
  | { readonly do: 'look at the target'; readonly jobId: string | undefined }
  /** Sends the prompt to a job, or to a new one. */
  | { readonly do: 'ask'; readonly job: Job | undefined; readonly note?: string }
  | { readonly do: 'attach'; readonly job: Job }
  /** Reads the job that an earlier process started or continued. `mustExist`: without it, the run fails. */
  | { readonly do: 'look at the job'; readonly mustExist: boolean }
  /** Drops a failed job so that the request can be sent again. */
  | { readonly do: 'start over'; readonly note: string | undefined }
  /** Follows the job. `isNews`: the thread doesn't show yet that it's running. */
  | { readonly do: 'watch'; readonly job: Job; readonly isNews: boolean }
  /** Checks the pull request of the ended job. */
  | { readonly do: 'look at the pull request' }
  /** Leaves the job running. */
  | { readonly do: 'leave' }
  | { readonly do: 'end' };

/** What a run has to do. */
export interface Plan {
  readonly ask: Ask;
  /** The bot's pull request that a command is on. If the thread has no job, the job that opened it gets the prompt. */
  readonly pullRequest?: OpenedPullRequest | undefined;
  /** The context of the prompt, if it has any. Most runs need none and never load the reader. */
  readonly context: ContextReader | undefined;
}

/** The next step of a request. */
export function next({ card, seen }: Request, plan: Plan, nowMs: number): Step {
  if (card.stop !== undefined) return { do: 'end' };
  const mayHaveThread = card.thread !== undefined || plan.context?.findThread !== undefined;
  if (mayHaveThread && seen.cards === undefined) return { do: 'read the thread' };
  switch (card.state.is) {
    case 'freed':
    case 'claimed':
      return begin(card, seen, plan, nowMs);
    case 'sent':
      return { do: 'end' };
    case 'working':
    case 'ended':
      return follow(card, seen, plan);
  }
}

/** Nothing was sent yet. */
function begin(card: Card, seen: Seen, { ask, context, pullRequest }: Plan, nowMs: number): Step {
  const { target, cards = [] } = seen;
  // Before the claim: a change that is skipped leaves nothing in its thread.
  if (context !== undefined && seen.context === undefined) return { do: 'read the context' };
  if (card.state.is === 'freed') return { do: 'claim' };
  if (ask.jobId !== undefined) {
    if (target?.job === undefined) return { do: 'look at the target', jobId: ask.jobId };
    return { do: ask.prompt === undefined ? 'attach' : 'ask', job: target.job };
  }
  if (ask.continues === 'nowhere' || seen.startsOver === true) return { do: 'ask', job: undefined };
  if (ask.continues === 'repository') {
    if (target === undefined) return { do: 'look at the target', jobId: undefined };
    return { do: 'ask', job: target.job };
  }
  const earlier = pendingBefore(cards, card.comment?.id ?? 0, nowMs);
  if (earlier !== undefined && (seen.looksAtEarlier ?? 0) < earlierLooks)
    return { do: 'wait for an earlier command', earlier };
  const jobId = newestJob(cards);
  if (jobId === undefined && pullRequest === undefined) return { do: 'ask', job: undefined };
  if (target === undefined || (jobId !== undefined && target.jobId !== jobId))
    return { do: 'look at the target', jobId };
  if (target.job !== undefined && target.job.status !== 'archived') return { do: 'ask', job: target.job };
  return { do: 'ask', job: undefined, note: `${whyNew(target, jobId !== undefined)}; this is a new job.` };
}

/** Why a prompt doesn't go to the job of its thread, or to the one that opened its pull request. */
function whyNew({ jobId, job }: NonNullable<Seen['target']>, isOfThread: boolean): string {
  if (jobId === undefined)
    return 'We found no request here that led to this pull request (it may have been requested in another repository or with a different API key)';
  const whose = isOfThread ? 'The thread’s' : 'This pull request’s';
  return `${whose} job ${shortCode(jobId)} ${job === undefined ? 'no longer exists' : 'is archived'}`;
}

/** The request was sent, by this process or an earlier one. */
function follow(card: Card, { takenOver, isChecked = false, isPullChecked }: Seen, { ask }: Plan): Step {
  const isRetry = takenOver !== undefined && card.attempt > 1;
  const job = jobOf(card);
  // People re-run to try again, so a later attempt repeats a request that failed.
  const how = howEnded(card);
  if (isRetry && isChecked && (how === 'failed' || how === 'archived' || how === 'gone')) {
    // A job from the inputs is followed again instead.
    const isNamed = ask.prompt === undefined || ask.jobId !== undefined;
    const status = how === 'gone' ? how : job?.status;
    const note = `The previous run ended with job ${shortCode(job?.id ?? '')} (${status}); this is a new job.`;
    return { do: 'start over', note: isNamed ? undefined : note };
  }
  if (job === undefined) return { do: 'end' };
  if (!isChecked) return { do: 'look at the job', mustExist: !isRetry };
  if (card.state.is === 'ended') {
    const isSeen = isPullChecked === true || pullRequestOf(job) === undefined;
    return { do: isSeen ? 'end' : 'look at the pull request' };
  }
  // Right after a message, the job's status may predate it.
  const isOver = isTerminal(job.status) && card.state.is === 'working' && card.state.before === undefined;
  if (!isOver && !ask.wait) return { do: 'leave' };
  // A result that the thread shows stays there, even if a later message has put the job back to work.
  return { do: 'watch', job, isNews: !isOver && takenOver?.state.is !== 'ended' };
}
