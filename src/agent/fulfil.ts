import { messageOf } from '../lib/errors.ts';
import { shortCode } from '../lib/markdown.ts';
import { ServiceError } from '../service/errors.ts';
import type { Job } from '../service/schemas.ts';
import { type Ending, endingOf, isTerminal } from './outcome.ts';
import { makePlan, type Plan } from './plan.ts';
import { ongoingComment } from './render.ts';
import { advance, bestEffort, type Session, withGrace } from './session.ts';
import type { Ask } from './trigger.ts';
import { type WatchStart, watch } from './watch.ts';

/** Sees one request through: at most one job for its trigger, followed to its end. */
export async function fulfil(ask: Ask, session: Session): Promise<Ending> {
  const plan = await makePlan(ask, session);
  if (plan.do === 'end') return plan.ending;
  const start = await carryOut(plan, ask, session);
  await tellWorking(session);
  const hasEnded = start.kind === 'attached' && isTerminal(start.job.status);
  if (!ask.wait && !hasEnded) return { outcome: 'detached', reason: 'not-waited' };
  return follow(start, session);
}

/** Sends the one request that costs. Errors leave the stage at what is known: `claimed` (nothing there) or `sending`. */
async function carryOut(plan: Exclude<Plan, { do: 'end' }>, ask: Ask, session: Session): Promise<WatchStart> {
  const { service, runner } = session.deps;
  if (plan.do === 'follow') {
    runner.info(`Following job ${plan.start.job.id} (${plan.start.job.status}).`);
    return plan.start;
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
  const { runner, signal } = session.deps;
  try {
    const job = await withGrace(session, (within, onItsWay) =>
      request({
        signal: within,
        beforeSend: () => {
          signal.throwIfAborted();
          advance(session, 'sending');
          onItsWay(true);
        },
        onWait: (error, waitMs) => {
          advance(session, 'claimed');
          onItsWay(false);
          runner.info(`${messageOf(error)}. Trying again in ${Math.ceil(waitMs / 1000)} s.`);
        },
      }),
    );
    advance(session, 'following', { job });
    return job;
  } catch (error) {
    if (error instanceof ServiceError && error.reason !== 'unconfirmed') advance(session, 'claimed');
    throw error;
  }
}

/** The marker with the job id goes into the thread at once: it is what a re-run and a follow-up find. */
async function tellWorking(session: Session): Promise<void> {
  const { config, deps, progress } = session;
  progress.watchedUntilMs = deps.clock.now() + config.timeoutMs;
  await bestEffort('Editing the status comment', session, async () => {
    await session.thread?.show('working', ongoingComment('working', session), deps.signal);
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
