import type { PushEvent } from '../../github/event.ts';
import type { Job } from '../../service/schemas.ts';
import { shortCode } from '../../text/markdown.ts';
import type { AskedJob, Known } from '../known.ts';
import type { About } from '../request/about.ts';
import type { Ask } from '../request/trigger.ts';
import type { Ending } from '../tell/ending.ts';
import { newestJob, pendingBefore, type Remembered } from '../thread/memory.ts';
import { cameToNothing, isTerminal } from './status.ts';

/** How often an earlier command that is about to get its job is looked at: four times, 5 s apart. */
const earlierLooks = 4;

/** What to do next for one request. */
export type Step =
  /** Learns which pull request a push has merged: that is its thread. */
  | { readonly do: 'read the push'; readonly push: PushEvent }
  | { readonly do: 'read the thread' }
  /** Reads what the prompt is about; a change that the docs need not follow ends the run. */
  | { readonly do: 'read what it is about'; readonly about: About }
  /** Looks through the repository's threads for a job whose pull request is still open. */
  | { readonly do: 'find an open job' }
  /** Reads a job; `mustExist`: one that the service does not know ends the run. */
  | { readonly do: 'look at the job'; readonly jobId: string; readonly mustExist: boolean }
  /** Lets go of a job that came to nothing, to ask anew. */
  | { readonly do: 'start anew'; readonly note: string | undefined }
  /** Says in the thread that the agent is about to be asked, so that whatever happens next, a re-run knows of it. */
  | { readonly do: 'claim' }
  | { readonly do: 'wait for an earlier command'; readonly earlier: Remembered }
  | { readonly do: 'create'; readonly note: string | undefined }
  | { readonly do: 'message'; readonly job: Job }
  | { readonly do: 'attach'; readonly job: Job }
  | { readonly do: 'tell at work' }
  | { readonly do: 'watch'; readonly asked: WatchedJob }
  | { readonly do: 'end'; readonly ending: Ending };

/** A job that the service has told of, so that it can be watched. */
export type WatchedJob = AskedJob & { readonly job: Job };

/** What a decision depends on besides what is known. */
export interface Request {
  readonly ask: Ask;
  /** An attempt after the first is why people re-run: a job that came to nothing is asked for anew. */
  readonly attempt: number;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

const anotherRun: Ending = { outcome: 'skipped', reason: 'another-run' };

/** The next step of a request, from all that is known. Does nothing itself. */
export function decide(known: Known, request: Request): Step {
  const { asked, ending, memory, standing, threadNumber } = known;
  const change = request.ask.about?.change;
  if (ending !== undefined) return { do: 'end', ending };
  if (change?.kind === 'push' && known.pushed === undefined)
    return { do: 'read the push', push: change.push };
  if (threadNumber !== undefined && memory === undefined) return { do: 'read the thread' };
  if (standing?.is === 'elsewhere') return { do: 'end', ending: anotherRun };
  switch (asked.is) {
    case 'maybe':
      return {
        do: 'end',
        ending: { outcome: 'failed', reason: known.isKeyChanged === true ? 'key-changed' : 'unconfirmed' },
      };
    case 'yes':
      return follow(asked, known, request);
    case 'no':
      return begin(known, request);
  }
}

/** The agent was asked, by this run or one before. */
function follow(asked: AskedJob, known: Known, { ask, attempt }: Request): Step {
  const { jobId, job, isGone = false, isRemembered = false, before } = asked;
  if (isRemembered && attempt > 1 && (isGone || cameToNothing(job?.status ?? ''))) {
    // Where the inputs name the job, they are followed once more.
    const isNamed = ask.prompt === undefined || ask.jobId !== undefined;
    const how = isGone ? 'gone' : job?.status;
    const note = `The run before ended with job ${shortCode(jobId)} (${how}); this is a new job.`;
    return { do: 'start anew', note: isNamed ? undefined : note };
  }
  if (job === undefined) return { do: 'look at the job', jobId, mustExist: attempt === 1 };
  // What a job shows right after a message may be from before it.
  const isDone = isTerminal(job.status) && before === undefined;
  // An end that was told stays told, though a later message has set the job to work again.
  const isAnnounced = known.isAnnounced === true || known.status.told === 'the end';
  // This end names the job in the thread: to tell it that the job is at work would come to the same.
  if (!isDone && !ask.wait) return { do: 'end', ending: { outcome: 'detached', reason: 'not-waited' } };
  if (!isDone && !isAnnounced) return { do: 'tell at work' };
  return { do: 'watch', asked: { ...asked, job } };
}

/** Nothing was asked yet. */
function begin(known: Known, { ask, nowMs }: Request): Step {
  const { memory = [], status, target, threadNumber } = known;
  if (ask.prompt === undefined) {
    const jobId = ask.jobId ?? '';
    return target?.job === undefined
      ? { do: 'look at the job', jobId, mustExist: true }
      : { do: 'attach', job: target.job };
  }
  // Before the claim: a change that is skipped leaves nothing in its thread.
  if (ask.about !== undefined && known.gathered === undefined)
    return { do: 'read what it is about', about: ask.about };
  if (threadNumber !== undefined && status.told !== 'claimed') return { do: 'claim' };
  if (ask.jobId !== undefined) {
    return target?.job === undefined
      ? { do: 'look at the job', jobId: ask.jobId, mustExist: true }
      : { do: 'message', job: target.job };
  }
  if (ask.continues === 'nowhere' || known.startsAnew === true) return { do: 'create', note: undefined };
  if (ask.continues === 'repository') {
    if (known.isRepositorySearched !== true) return { do: 'find an open job' };
    return target?.job === undefined ? { do: 'create', note: undefined } : { do: 'message', job: target.job };
  }

  const earlier = pendingBefore(memory, status.comment?.id ?? 0, nowMs);
  if (earlier !== undefined && (known.looksAtEarlier ?? 0) < earlierLooks)
    return { do: 'wait for an earlier command', earlier };
  const jobId = newestJob(memory);
  if (jobId === undefined) return { do: 'create', note: undefined };
  if (target?.jobId !== jobId) return { do: 'look at the job', jobId, mustExist: false };
  if (target.job !== undefined && target.job.status !== 'archived') return { do: 'message', job: target.job };
  const why = target.job === undefined ? 'is no longer there' : 'is archived';
  return { do: 'create', note: `The thread’s job ${shortCode(jobId)} ${why}; this is a new job.` };
}
