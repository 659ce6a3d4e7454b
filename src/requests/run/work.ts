import type { Job } from '../../service/schemas.ts';
import { toOneLine } from '../../text/markdown.ts';
import { howEnded, jobOf } from '../card/card.ts';
import { whyNew } from '../card/remarks.ts';
import {
  addRemark,
  explainNewJob,
  markWorking,
  observe,
  startRequestOver,
  stopRun,
} from '../card/transitions.ts';
import { findJob } from '../follow/observed-job.ts';
import { countOpen, countRequests } from './cap.ts';
import { mayStartOver } from './choose.ts';
import { chooseJob, readRepository, waitForEarlier } from './find-job.ts';
import type { Run } from './run.ts';

/**
 * Works on one request, from reading its thread to its end.
 *
 * If an earlier process ended while it worked on the same request, reading the thread makes its
 * card ours (`run.takenOver` is the old one). If that process sent the prompt but recorded no job,
 * the card has become `unconfirmed`: nothing is sent again.
 */
export async function work(run: Run): Promise<void> {
  await findThread(run);
  const continuesThread = run.plan.ask.continues === 'thread';
  await run.readThread(continuesThread ? 'newest job' : 'own comment');
  if (run.isReady) await request(run);
  if (run.takenOver !== undefined && run.card.stop === undefined) await checkJob(run);
  // People re-run a workflow to try again, so a later attempt replaces a failed job: once in each
  // attempt.
  if (mayStartOver(run.card, run.takenOver)) {
    startOver(run);
    await request(run);
  }
  await run.follow();
}

/** A push doesn't say whose thread it belongs to: that of the pull request that it merged. */
async function findThread(run: Run): Promise<void> {
  const thread = await run.plan.context?.findThread();
  if (thread !== undefined) run.become({ ...run.card, thread });
}

/**
 * Sends a request that hasn't been sent. Each step may end it: a change that needs no docs, a
 * limit, or another process.
 */
async function request(run: Run): Promise<void> {
  // Read the context before the claim, so that a skipped change leaves no comment in its thread.
  await readContext(run);
  if (run.isReady) await countRequests(run);
  if (run.isReady) await countOpen(run);
  if (run.isReady) await claim(run);
  if (!run.isReady) return;
  // From here on, the request is this process's own.
  run.takenOver = undefined;
  await waitForEarlier(run);
  const choice = await chooseJob(run);
  // Without a prompt, the run only follows the job that the inputs name.
  if (run.plan.ask.prompt === undefined) {
    if (choice.job === undefined) return;
    logFollowed(choice.job, run);
    return run.become(markWorking({ ...run.card, ask: 'attach' }, choice.job));
  }
  run.card = explainNewJob(run.card, choice.why);
  await run.send(choice);
}

/** Reads what is sent with the prompt. The change may need no docs; then nothing is sent. */
async function readContext(run: Run): Promise<void> {
  if (run.plan.context === undefined) return;
  const read = await run.plan.context.read(async () => (await readRepository(run)).ours);
  if (read.skip !== undefined) return run.become(stopRun(run.card, read.skip));
  run.context = read.context;
  const { author } = read;
  if (author?.isBot === true) run.card = { ...run.card, reviewer: undefined };
  else if (author !== undefined) run.card = { ...run.card, reviewer: author.login };
  run.card = addRemark(run.card, 'fold', read.note);
}

/** Claims the request in its thread, unless this process already has. */
async function claim(run: Run): Promise<void> {
  if (run.card.state.is !== 'freed') return;
  if (run.isCommandDeleted)
    return run.become(stopRun(run.card, { outcome: 'skipped', reason: 'deleted' }));
  await run.claim();
}

/** Checks the job that an earlier process asked for. */
async function checkJob(run: Run): Promise<void> {
  const jobId = jobOf(run.card)?.id;
  if (jobId === undefined) return;
  const job = await findJob(jobId, run.card.askedAt, run.deps);
  if (job !== undefined) logFollowed(job, run);
  const observation = job === undefined ? 'missing' : { job, isLinkFinal: false };
  run.become(observe(run.card, observation, run.deps.clock.now()));
}

function logFollowed(job: Job, run: Run): void {
  run.deps.runner.info(`Following job ${toOneLine(job.id)} (${toOneLine(job.status)}).`);
}

/**
 * Drops the failed job of an earlier process. If the inputs name a job, that job is watched or
 * asked again.
 */
function startOver(run: Run): void {
  const { card } = run;
  const { prompt, jobId } = run.plan.ask;
  const job = jobOf(card);
  const isNamed = prompt === undefined || jobId !== undefined;
  let why: string | undefined;
  if (job !== undefined && !isNamed)
    why = whyNew.startedOver(job.id, howEnded(card) === 'gone' ? 'gone' : job.status);
  run.become(startRequestOver(card, why));
}
