import { shortCode } from '../lib/markdown.ts';
import type { Job } from '../service/schemas.ts';
import { readJob, readJobIfThere } from './job.ts';
import { merge, newestJob, ofTrigger, pendingBefore, type Remembered } from './memory.ts';
import { type Ending, endingOf } from './outcome.ts';
import { recognise } from './own.ts';
import { ongoingComment } from './render.ts';
import { advance, bestEffort, type Session, withGrace, withThread } from './session.ts';
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
  const resumed = await resume(remembered, ask, session);
  if (typeof resumed === 'object') return resumed;
  if (ask.prompt === undefined) return attach(ask, session);

  const claim = await claimTrigger(session);
  if (!claim.won) return { do: 'end', ending: { outcome: 'skipped', reason: 'another-run' } };
  if (ask.jobId !== undefined) return { do: 'message', job: await readJob(ask.jobId, session) };
  if (!ask.continues || resumed === 'anew') return { do: 'create' };
  return continueThread(merge(remembered, claim.seen), session);
}

/** The thread's memory; without the right to read or write there, the run goes on without a thread. */
async function rememberThread(ask: Ask, session: Session): Promise<Remembered[]> {
  return withThread(session, [], (thread) => thread.remember({ job: ask.continues }));
}

/** A trigger that was here before: a re-run, or a second run of the same comment. `anew`: its job came to nothing. */
async function resume(
  remembered: readonly Remembered[],
  ask: Ask,
  session: Session,
): Promise<Plan | 'first' | 'anew'> {
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
      return resumeJob(ofTrigger(remembered, progress.key), ask, session);
  }
}

/** The job the trigger has by what the thread remembers. */
async function resumeJob(
  own: Remembered | undefined,
  ask: Ask,
  session: Session,
): Promise<Plan | 'first' | 'anew'> {
  const { progress } = session;
  const jobId = progress.rememberedJob ?? '';
  const job = await readJobIfThere(jobId, session);
  if (job === undefined || job.status === 'failed' || job.status === 'archived') {
    delete progress.rememberedJob;
    delete progress.rememberedEnd;
    progress.followUp = false;
    advance(session, 'starting');
    // The inputs name the job themselves: it is attached to, or sent the message, once more.
    if (ask.prompt === undefined || ask.jobId !== undefined) return 'first';
    progress.notes.push(
      `The run before ended with job ${shortCode(jobId)} (${job?.status ?? 'gone'}); this is a new job.`,
    );
    return 'anew';
  }
  advance(session, 'following', { job });
  // What a job shows right after a message may be from before it, and a link may come late.
  const mayBeStale = progress.followUp && own?.marker.phase !== 'ended';
  if (job.status === 'completed' && job.prLink !== null && !mayBeStale) {
    // When it was completed nobody told.
    delete progress.askedAtMs;
    return { do: 'end', ending: endingOf(job) };
  }
  if (own !== undefined) progress.askedAtMs = own.comment.createdAtMs;
  const start = mayBeStale
    ? { kind: 'messaged' as const, job, before: job }
    : { kind: 'attached' as const, job };
  return { do: 'follow', start };
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
    `The thread’s job ${shortCode(jobId)} ${job === undefined ? 'is no longer there' : 'is archived'}; this is a new job.`,
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
