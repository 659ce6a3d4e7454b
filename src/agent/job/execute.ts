import { messageOf } from '../../core/errors.ts';
import type { CallOptions } from '../../service/client.ts';
import { ServiceError } from '../../service/errors.ts';
import type { Job } from '../../service/schemas.ts';
import { oneLine, shortCode } from '../../text/markdown.ts';
import type { Asked, AskedJob, JobState } from '../known.ts';
import type { Ask } from '../request/trigger.ts';
import type { Session } from '../session.ts';
import { endingOf, unseenEndingOf } from '../tell/ending.ts';
import { ongoingComment } from '../tell/render.ts';
import { bestEffort, needingThread } from '../thread/best-effort.ts';
import { learnFrom, lookAtThread } from '../thread/look.ts';
import { markerFacts } from '../thread/marker-facts.ts';
import { generationOf, merge, type Remembered } from '../thread/memory.ts';
import { findOpenJob } from '../thread/repository.ts';
import type { Thread } from '../thread/thread.ts';
import type { Step, WatchedJob } from './decide.ts';
import { withGrace } from './grace.ts';
import { isTerminal } from './status.ts';
import { isAsBefore, stateOf, type WatchStart, watch } from './watch.ts';

const earlierLookMs = 5_000;

/** Most runs are told nothing but the prompt: what reads changes is loaded when one is. */
const contextPart = () => import('../context/learn.ts');

/** Does one step and adds what came of it to what is known. The only place that acts on a request. */
export async function execute(step: Exclude<Step, { do: 'end' }>, ask: Ask, session: Session): Promise<void> {
  const { learn, deps } = session;
  switch (step.do) {
    case 'read the push':
      return (await contextPart()).learnPush(step.push, session);
    case 'read the thread':
      return readThread(ask, session);
    case 'read what it is about':
      return (await contextPart()).learnAbout(step.about, session);
    case 'find an open job':
      return findJob(session);
    case 'look at the job':
      return lookAtJob(step, session);
    case 'start anew':
      learn({ asked: { is: 'no' }, startsAnew: ask.jobId === undefined, target: undefined });
      learn({ askedAtMs: deps.clock.now() });
      return note(step.note, session);
    case 'claim':
      return claim(session);
    case 'wait for an earlier command':
      return waitForEarlier(step.earlier, session);
    case 'create':
      note(step.note, session);
      return create(ask, session);
    case 'message':
      return message(step.job, ask, session);
    case 'attach':
      // When somebody else has asked, nobody can tell.
      learn({
        asked: { is: 'yes', by: 'attaching', jobId: step.job.id, job: step.job },
        askedAtMs: undefined,
      });
      return logFollowing(step.job, session);
    case 'tell at work':
      return tellAtWork(session);
    case 'watch':
      return follow(step.asked, session);
  }
}

async function findJob(session: Session): Promise<void> {
  const job = await findOpenJob(session);
  const target = job && { jobId: job.id, job };
  session.learn({ isRepositorySearched: true, target });
}

async function readThread(ask: Ask, session: Session): Promise<void> {
  const reach = ask.continues === 'thread' ? 'newest job' : 'own comment';
  const wanted = { reach, within: session.deps.signal } as const;
  await needingThread(session, (thread) => lookAtThread(thread, session, wanted), { mustClaim: true });
}

function note(text: string | undefined, { learn, known }: Session): void {
  if (text !== undefined) learn({ notes: [...known.notes, text] });
}

/** The job that was asked for by a run before, or that a message is meant for. */
async function lookAtJob(
  { jobId, mustExist }: Extract<Step, { do: 'look at the job' }>,
  session: Session,
): Promise<void> {
  const { learn, deps, known } = session;
  const job = await deps.service.getJob(jobId, { signal: deps.signal }).catch((error: unknown) => {
    if (!mustExist && isNotFound(error)) return undefined;
    throw error;
  });
  const { asked } = known;
  if (asked.is !== 'yes') return learn({ target: { jobId, job } });
  learn({ asked: { ...asked, job, isGone: job === undefined } });
  if (job === undefined) return;
  logFollowing(job, session);
  // When a job ended that nobody watched, nobody can tell.
  if (isTerminal(job.status)) learn({ askedAtMs: undefined });
}

async function claim(session: Session): Promise<void> {
  const { known, deps } = session;
  const { last } = known.standing ?? {};
  const follows = {
    generation: last === undefined ? 1 : generationOf(last) + 1,
    sinceMs: known.beganAtMs,
  };
  const claimIn = async (thread: Thread) => {
    const facts = markerFacts(known, deps.context, deps.clock.now());
    const around = await withGrace(session, (within) =>
      thread.claim(facts, ongoingComment('starting', session), follows, within),
    );
    await learnFrom(merge(known.memory ?? [], around), thread, session, deps.signal);
  };
  await needingThread(session, claimIn, { mustClaim: true });
}

/** An earlier command of the thread is about to have the job that this one's message goes to. */
async function waitForEarlier(earlier: Remembered, session: Session): Promise<void> {
  const { learn, known, thread, deps } = session;
  const { looksAtEarlier = 0, memory = [] } = known;
  if (looksAtEarlier === 0)
    deps.runner.info('An earlier command of this thread is about to get its job; waiting for it.');
  await deps.clock.sleep(earlierLookMs, deps.signal);
  const now = await thread?.readAgain(earlier, deps.signal);
  const others = memory.filter((one) => one !== earlier);
  learn({ memory: merge(others, now === undefined ? [] : [now]), looksAtEarlier: looksAtEarlier + 1 });
}

function logFollowing({ id, status }: Job, { deps }: Session): void {
  deps.runner.info(`Following job ${oneLine(id)} (${oneLine(status)}).`);
}

async function create(ask: Ask, session: Session): Promise<void> {
  const { service, runner } = session.deps;
  const job = await sendPrompt(ask, undefined, session, (prompt, options) =>
    service.createJob(prompt, options),
  );
  runner.info(
    `Created job ${oneLine(job.id)} (${oneLine(job.model == null ? job.status : `${job.status}, ${job.model}`)}).`,
  );
}

async function message(target: Job, ask: Ask, session: Session): Promise<void> {
  const { service, runner } = session.deps;
  try {
    const job = await sendPrompt(ask, target, session, (prompt, options) =>
      service.sendMessage(target.id, prompt, options),
    );
    runner.info(`Sent the message to job ${oneLine(job.id)} (${oneLine(job.status)}).`);
  } catch (error) {
    if (!isNotFound(error) || ask.jobId !== undefined) throw error;
    session.learn({ target: { jobId: target.id, job: undefined } });
  }
}

/** Sends the prompt with what it is about; once more without the patches where the service refuses its size. */
async function sendPrompt(
  ask: Ask,
  target: Job | undefined,
  session: Session,
  request: (prompt: string, options: CallOptions) => Promise<Job>,
): Promise<Job> {
  const { prompt, smaller } = await composed(ask, target, session);
  const by = target === undefined ? 'creating' : 'messaging';
  const before = target && stateOf(target);
  const sendOnce = (text: string) => send(by, before, session, (options) => request(text, options));
  try {
    return await sendOnce(prompt);
  } catch (error) {
    if (smaller === undefined || !mayBeTooLarge(error)) throw error;
    note('The service refused the prompt, so it was sent again without the patches.', session);
    return sendOnce(smaller);
  }
}

async function composed(ask: Ask, target: Job | undefined, session: Session) {
  if (ask.about === undefined) return { prompt: ask.prompt ?? '', smaller: undefined };
  return (await contextPart()).compose(ask, target, session);
}

/** Sends the one request that costs. After an error it is known whether the service may have taken it. */
async function send(
  by: Extract<Asked, { is: 'maybe' }>['by'],
  before: JobState | undefined,
  session: Session,
  request: (options: CallOptions) => Promise<Job>,
): Promise<Job> {
  const { learn, deps } = session;
  try {
    const job = await withGrace(session, (within, onItsWay) =>
      request({
        signal: within,
        beforeSend: () => {
          deps.signal.throwIfAborted();
          onItsWay(true);
        },
        onSend: () => learn({ asked: { is: 'maybe', by }, askedAtMs: deps.clock.now() }),
        onWait: (error, waitMs) => {
          learn({ asked: { is: 'no' } });
          onItsWay(false);
          deps.runner.info(`${messageOf(error)}. Trying again in ${Math.ceil(waitMs / 1000)} s.`);
        },
      }),
    );
    learn({ asked: seenAs(job, { is: 'yes', by, jobId: job.id, before }) });
    return job;
  } catch (error) {
    if (error instanceof ServiceError && error.reason !== 'unconfirmed') learn({ asked: { is: 'no' } });
    throw error;
  }
}

/** The marker with the job id goes into the thread at once: it is what a re-run and a follow-up find. */
async function tellAtWork(session: Session): Promise<void> {
  const { config, deps, learn } = session;
  learn({ isAnnounced: true, untilMs: deps.clock.now() + config.timeoutMinutes * 60_000 });
  await bestEffort('Editing the status comment', session, async () => {
    const facts = markerFacts(session.known, deps.context, deps.clock.now());
    await session.thread?.show(facts, ongoingComment('working', session), deps.signal);
  });
}

async function follow(asked: WatchedJob, session: Session): Promise<void> {
  const { config, deps, learn } = session;
  const end = await watch(
    {
      start: startOf(asked),
      timeoutMs: config.timeoutMinutes * 60_000,
      onChange: (job) => learn({ asked: seenAs(job, asked) }),
    },
    deps,
  );
  if (end.kind === 'terminal') {
    const { job } = end;
    // What an earlier run told as not seen stays so until the job has moved.
    const isUnseen = end.unseen || (asked.unseen !== undefined && isAsBefore(asked.unseen, job));
    const unseen = isUnseen ? stateOf(job) : undefined;
    const ending = isUnseen ? unseenEndingOf(job) : endingOf(job);
    learn({ asked: { ...asked, job, before: undefined, unseen }, ending });
    return;
  }
  if (end.lastError !== undefined)
    note(`The last look at the job did not succeed: ${shortCode(end.lastError)}`, session);
  learn({
    asked: seenAs(end.job, asked),
    ending: { outcome: 'timed-out', reason: end.isSeen ? 'deadline' : 'never-seen' },
  });
}

/** A job as it was seen last; once it has moved since a message, what it shows is no longer from before. */
function seenAs(job: Job, asked: AskedJob): AskedJob {
  const { before } = asked;
  return { ...asked, job, before: before !== undefined && isAsBefore(before, job) ? before : undefined };
}

/** What brought us to the job: it decides what to bear with at first. */
function startOf({ job, before, by, isRemembered }: WatchedJob): WatchStart {
  if (before !== undefined) return { kind: 'messaged', job, before };
  return { kind: by === 'creating' && isRemembered !== true ? 'created' : 'attached', job };
}

/** The service documents no size: 400 and 413 are how it would say that a prompt is too long, and nothing was created. */
function mayBeTooLarge(error: unknown): boolean {
  return error instanceof ServiceError && (error.status === 400 || error.status === 413);
}

function isNotFound(error: unknown): boolean {
  return error instanceof ServiceError && error.reason === 'not-found';
}
