import { ActionError, messageOf } from '../lib/errors.ts';
import { shortCode } from '../lib/markdown.ts';
import { ServiceError } from '../service/errors.ts';
import type { Job } from '../service/schemas.ts';
import { merge, newestJob, ofTrigger, pendingBefore, type Remembered } from './memory.ts';
import { type Ending, endingOf, isTerminal } from './outcome.ts';
import { statusComment } from './render.ts';
import { advance, bestEffort, type Session, withThread } from './session.ts';
import type { Ask } from './trigger.ts';
import { type WatchStart, watch } from './watch.ts';

/** How long a request on its way is left to come back when the run is cancelled: to know the job is worth two seconds. */
const cancelGraceMs = 2_000;
/** How long another trigger of the thread, that has claimed but has no job yet, is waited for: four looks, 5 s apart. */
const pendingLooks = 4;
const pendingLookMs = 5_000;

/** What to do, after the thread and the service were looked at. */
type Plan =
  | { readonly do: 'create' }
  | { readonly do: 'message'; readonly job: Job }
  | { readonly do: 'follow'; readonly job: Job }
  | { readonly do: 'end'; readonly ending: Ending };

/** Sees one request through: at most one job for its trigger, followed to its end. */
export async function fulfil(ask: Ask, session: Session): Promise<Ending> {
  advance(session, 'starting');
  const plan = await makePlan(ask, session);
  if (plan.do === 'end') return plan.ending;
  const start = await carryOut(plan, ask, session);
  await tellWorking(session);
  const hasEnded = start.kind === 'attached' && isTerminal(start.job.status);
  if (!ask.wait && !hasEnded) return { outcome: 'detached', reason: 'not-waited' };
  return follow(start, session);
}

async function makePlan(ask: Ask, session: Session): Promise<Plan> {
  const remembered = await rememberThread(ask, session);
  const own = ofTrigger(remembered, session.progress.key);
  const resumed = own === undefined ? undefined : await resume(own, ask, session);
  if (resumed !== undefined && resumed.do !== 'create') return resumed;
  if (ask.prompt === undefined) return attach(ask, session);

  const claim = await claimTrigger(session);
  if (!claim.won) return { do: 'end', ending: { outcome: 'skipped', reason: 'another-run' } };
  if (ask.jobId !== undefined) return { do: 'message', job: await readJob(ask.jobId, session) };
  if (resumed?.do === 'create' || !ask.continues) return { do: 'create' };
  return continueThread(merge(remembered, claim.seen), session);
}

/** The thread's memory; without the right to read or write there, the run goes on without a thread. */
async function rememberThread(ask: Ask, session: Session): Promise<Remembered[]> {
  const { progress } = session;
  return withThread(session, [], (thread) =>
    thread.remember({ ownSince: progress.sourceCommentId ?? 0, job: ask.continues }),
  );
}

/**
 * A trigger that was here before: a re-run, or a second run of the same comment. `undefined`: as if it had not been here;
 * `create`: its job came to nothing, and people run again to get another.
 */
async function resume(
  { comment, marker }: Remembered,
  ask: Ask,
  session: Session,
): Promise<Exclude<Plan, { do: 'message' }> | undefined> {
  const { context, runner } = session.deps;
  const { progress } = session;
  if (marker.run !== context.runId && context.runAttempt === 1) {
    runner.info(`Run ${marker.run} has taken this trigger already.`);
    return { do: 'end', ending: { outcome: 'skipped', reason: 'another-run' } };
  }
  progress.comment = { id: comment.id, url: comment.url, body: comment.body };
  if (marker.phase !== 'claimed' && marker.job === undefined) return undefined;
  if (marker.job === undefined) {
    advance(session, 'sending');
    return { do: 'end', ending: { outcome: 'failed', reason: 'unconfirmed' } };
  }
  const job = await readJobIfThere(marker.job, session);
  if (job === undefined || job.status === 'failed' || job.status === 'archived') {
    if (ask.prompt === undefined || ask.jobId !== undefined) return undefined;
    progress.notes.push(
      `The run before ended with job ${shortCode(marker.job)} (${job?.status ?? 'gone'}); this is a new job.`,
    );
    return { do: 'create' };
  }
  advance(session, 'following', { job, askedAtMs: comment.createdAtMs });
  if (job.status !== 'completed') return { do: 'follow', job };
  // When it was completed nobody told.
  delete progress.askedAtMs;
  return { do: 'end', ending: endingOf(job) };
}

async function attach({ jobId = '' }: Ask, session: Session): Promise<Plan> {
  const job = await readJob(jobId, session);
  advance(session, 'following', { job });
  return { do: 'follow', job };
}

/** Writes the claim before anything is asked of the service, so that whatever happens next, a re-run knows of it. */
async function claimTrigger(session: Session): Promise<{ won: boolean; seen: readonly Remembered[] }> {
  const { progress, deps } = session;
  const text = render('starting', session);
  const claimed = await withThread(session, { won: true, seen: [] }, async (thread) => {
    if (progress.comment === undefined) return thread.claim(text);
    await thread.show('claimed', text, deps.signal);
    return { won: true, seen: [] };
  });
  if (claimed.won) {
    advance(session, 'claimed');
  } else {
    deps.runner.info('Another run claimed this trigger first.');
    await bestEffort('Taking the comment back', session, async () => session.thread?.withdraw());
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

/** Sends the one request that costs. Errors leave the stage at what is known: `claimed` (nothing there) or `sending`. */
async function carryOut(plan: Exclude<Plan, { do: 'end' }>, ask: Ask, session: Session): Promise<WatchStart> {
  const { service, runner } = session.deps;
  if (plan.do === 'follow') {
    runner.info(`Following job ${plan.job.id} (${plan.job.status}).`);
    return { kind: 'attached', job: plan.job };
  }
  const prompt = ask.prompt ?? '';
  if (plan.do === 'message') {
    session.progress.followUp = true;
    const job = await send(session, (options) => service.sendMessage(plan.job.id, prompt, options)).catch(
      (error: unknown) => {
        const gone = error instanceof ServiceError && error.reason === 'not-found' && ask.jobId === undefined;
        if (gone) return undefined;
        throw error;
      },
    );
    if (job !== undefined) {
      runner.info(`Sent the message to job ${job.id} (${job.status}).`);
      return { kind: 'messaged', job, before: plan.job };
    }
    session.progress.followUp = false;
    session.progress.notes.push(
      `The thread’s job ${shortCode(plan.job.id)} is no longer there; this is a new job.`,
    );
  }
  const job = await send(session, (options) => service.createJob(prompt, options));
  runner.info(`Created job ${job.id} (${job.status}${job.model == null ? '' : `, ${job.model}`}).`);
  return { kind: 'created', job };
}

type SendOptions = Parameters<Session['deps']['service']['createJob']>[1];

async function send(session: Session, request: (options: SendOptions) => Promise<Job>): Promise<Job> {
  const { clock, runner, signal } = session.deps;
  const grace = new AbortController();
  const abortLater = () => {
    void clock.sleep(cancelGraceMs).then(() => grace.abort(signal.reason));
  };
  signal.addEventListener('abort', abortLater, { once: true });
  try {
    const job = await request({
      signal: grace.signal,
      beforeSend: () => {
        signal.throwIfAborted();
        advance(session, 'sending');
      },
      onWait: (error, waitMs) => {
        advance(session, 'claimed');
        runner.info(`${messageOf(error)}. Trying again in ${Math.ceil(waitMs / 1000)} s.`);
      },
    });
    advance(session, 'following', { job });
    return job;
  } catch (error) {
    if (error instanceof ServiceError && error.reason !== 'unconfirmed') advance(session, 'claimed');
    throw error;
  } finally {
    signal.removeEventListener('abort', abortLater);
  }
}

/** The marker with the job id goes into the thread at once: it is what a re-run and a follow-up find. */
async function tellWorking(session: Session): Promise<void> {
  const { config, deps, progress } = session;
  progress.watchedUntilMs = deps.clock.now() + config.timeoutMs;
  await bestEffort('Editing the status comment', session, async () => {
    await session.thread?.show('working', render('working', session), deps.signal);
  });
  advance(session, 'following');
}

async function follow(start: WatchStart, session: Session): Promise<Ending> {
  const { config, deps, progress } = session;
  const end = await watch(
    {
      start,
      timeoutMs: config.timeoutMs,
      onChange: (job) => {
        progress.job = job;
      },
    },
    deps,
  );
  progress.job = end.job;
  if (end.kind === 'terminal') return endingOf(end.job);
  if (end.lastError !== undefined)
    progress.notes.push(`The service could not be reached at the end: ${shortCode(end.lastError)}`);
  return { outcome: 'timed-out', reason: 'deadline' };
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

function render(outcome: 'starting' | 'working', { progress, deps }: Session): string {
  return statusComment({
    state: { outcome, reason: '' },
    progress,
    context: deps.context,
    nowMs: deps.clock.now(),
  });
}
