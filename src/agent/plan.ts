import { ActionError } from '../lib/errors.ts';
import { code } from '../lib/markdown.ts';
import type { Job } from '../service/schemas.ts';
import { newestJob, ofTrigger, pendingBefore, type Remembered } from './memory.ts';
import { type Ending, endingOf } from './outcome.ts';
import { recognise } from './own.ts';
import { ongoingComment } from './render.ts';
import { advance, bestEffort, type Session, withGrace } from './session.ts';
import { missingPermission, type Thread } from './thread.ts';
import type { Ask } from './trigger.ts';
import type { WatchStart } from './watch.ts';

/** How long another trigger of the thread, that has claimed but has no job yet, is waited for: four looks, 5 s apart. */
const pendingLooks = 4;
const pendingLookMs = 5_000;

/** What to do, after the thread and the service were looked at. */
export type Plan =
  | { readonly do: 'create' }
  | { readonly do: 'message'; readonly job: Job }
  | { readonly do: 'follow'; readonly start: WatchStart }
  | { readonly do: 'end'; readonly ending: Ending };

/** Looks at the thread and the service, claims the trigger, and gives what is to be done. */
export async function makePlan(ask: Ask, session: Session): Promise<Plan> {
  const remembered = await rememberThread(ask, session);
  const resumed = await resume(remembered, session);
  if (typeof resumed === 'object') return resumed;
  if (ask.prompt === undefined) return attach(ask, session);

  const claim = await claimTrigger(session);
  if (!claim.won) return { do: 'end', ending: { outcome: 'skipped', reason: 'another-run' } };
  if (ask.jobId !== undefined) return { do: 'message', job: await readJob(ask.jobId, session) };
  if (!ask.continues || resumed === 'anew') return { do: 'create' };
  return continueThread([...remembered, ...claim.seen], session);
}

/** The thread's memory; without the right to read or write there, the run goes on without a thread. */
async function rememberThread(ask: Ask, session: Session): Promise<Remembered[]> {
  const { progress } = session;
  return withThread(session, [], (thread) =>
    thread.remember({ ownSince: progress.sourceCommentId ?? 0, job: ask.continues }),
  );
}

/** A trigger that was here before: a re-run, or a second run of the same comment. `anew`: its job came to nothing. */
async function resume(remembered: readonly Remembered[], session: Session): Promise<Plan | 'first' | 'anew'> {
  const { deps, progress } = session;
  const standing = recognise(remembered, session);
  switch (standing) {
    case 'free':
    case 'told':
      return 'first';
    case 'taken':
      deps.runner.info('Another run has taken this trigger already.');
      return { do: 'end', ending: { outcome: 'skipped', reason: 'another-run' } };
    case 'unknown':
      return { do: 'end', ending: { outcome: 'failed', reason: 'unconfirmed' } };
    case 'job':
      return resumeJob(remembered, progress.rememberedJob ?? '', session);
  }
}

async function resumeJob(
  remembered: readonly Remembered[],
  jobId: string,
  session: Session,
): Promise<Plan | 'anew'> {
  const { progress } = session;
  const job = await readJobIfThere(jobId, session);
  if (job === undefined || job.status === 'failed' || job.status === 'archived') {
    progress.notes.push(
      `The run before ended with job ${code(jobId)} (${job?.status ?? 'gone'}); this is a new job.`,
    );
    delete progress.rememberedJob;
    delete progress.rememberedEnd;
    progress.followUp = false;
    advance(session, 'starting');
    return 'anew';
  }
  advance(session, 'following', { job });
  // What a job shows right after a message may be from before it, and a link may come late.
  const mayBeStale = progress.followUp && ofTrigger(remembered, progress.key)?.marker.phase !== 'ended';
  if (job.status === 'completed' && job.prLink !== null && !mayBeStale)
    return { do: 'end', ending: endingOf(job) };
  return {
    do: 'follow',
    start: mayBeStale ? { kind: 'messaged', job, before: job } : { kind: 'attached', job },
  };
}

async function attach({ jobId = '' }: Ask, session: Session): Promise<Plan> {
  const job = await readJob(jobId, session);
  advance(session, 'following', { job });
  return { do: 'follow', start: { kind: 'attached', job } };
}

/** Writes the claim before anything is asked of the service, so that whatever happens next, a re-run knows of it. */
async function claimTrigger(session: Session): Promise<{ won: boolean; seen: readonly Remembered[] }> {
  const { progress, deps } = session;
  const text = ongoingComment('starting', session);
  const claimed = await withThread(session, { won: true, seen: [] }, async (thread) => {
    if (progress.comment === undefined) return withGrace(session, (within) => thread.claim(text, within));
    await thread.show('claimed', text, deps.signal);
    return { won: true, seen: [] };
  });
  if (claimed.won) {
    advance(session, 'claimed');
  } else {
    deps.runner.info('Another run claimed this trigger first.');
    await bestEffort('Taking the comment back', session, async () => {
      if (progress.comment !== undefined) await session.thread?.withdraw(progress.comment.id);
    });
  }
  return claimed;
}

/** The thread's newest job goes on with this prompt, unless it is archived or gone. */
async function continueThread(remembered: readonly Remembered[], session: Session): Promise<Plan> {
  const { progress } = session;
  const jobId = (await pendingJob(remembered, session)) ?? newestJob(remembered);
  if (jobId === undefined) return { do: 'create' };
  const job = await readJobIfThere(jobId, session);
  if (job !== undefined && job.status !== 'archived') return { do: 'message', job };
  progress.notes.push(
    `The thread’s job ${code(jobId)} ${job === undefined ? 'is no longer there' : 'is archived'}; this is a new job.`,
  );
  return { do: 'create' };
}

/** The job of a trigger that came just before this one and is about to have it. */
async function pendingJob(
  remembered: readonly Remembered[],
  { deps, progress, thread }: Session,
): Promise<string | undefined> {
  const pending = pendingBefore(remembered, progress.comment?.id ?? 0, deps.clock.now());
  if (pending === undefined || thread === undefined) return undefined;
  deps.runner.info('An earlier command of this thread is about to get its job; waiting for it.');
  for (let look = 0; look < pendingLooks; look += 1) {
    await deps.clock.sleep(pendingLookMs, deps.signal);
    const now = await thread.again(pending);
    if (now?.marker.job !== undefined) return now.marker.job;
    if (now?.marker.phase !== 'claimed') return undefined;
  }
  return undefined;
}

/** Does something with the thread; a missing permission lets the run go on without it, anything else ends the run. */
async function withThread<T>(session: Session, without: T, act: (thread: Thread) => Promise<T>): Promise<T> {
  if (session.thread === undefined) return without;
  try {
    return await act(session.thread);
  } catch (error) {
    const missing = missingPermission(error);
    if (missing === undefined) throw error;
    session.deps.runner.warning(
      `${missing}. The job summary and the outputs tell what the comment would have.`,
    );
    session.thread = undefined;
    return without;
  }
}

async function readJob(jobId: string, { deps }: Session): Promise<Job> {
  return deps.service.getJob(jobId, { signal: deps.signal });
}

async function readJobIfThere(jobId: string, session: Session): Promise<Job | undefined> {
  return readJob(jobId, session).catch((error: unknown) => {
    if (error instanceof ActionError && error.reason === 'not-found') return undefined;
    throw error;
  });
}
