import type { Job } from '../../service/schemas.ts';
import { toOneLine } from '../../text/markdown.ts';
import { type Ending, howEnded, jobOf } from '../card/card.ts';
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
import { checkMaxJobs, checkMaxOpen } from './cap.ts';
import { mayStartOver } from './choose.ts';
import { chooseJob, findOwnPulls, readRepository, waitForEarlierCommand } from './find-job.ts';
import type { CardSearch } from './plan.ts';
import type { Run } from './run.ts';

/**
 * Works on one request, from reading its thread to its end.
 *
 * If an earlier process ended while it worked on the same request, reading the thread makes its
 * card ours (`run.takenOver` is the old one). If that process may have sent the prompt but recorded
 * no job, the card has become `unconfirmed`: nothing is sent again.
 */
export async function work(run: Run): Promise<void> {
  await findThread(run);
  const reach = run.plan.ask.continues === 'thread' ? 'newest job' : 'own comment';
  await run.readThread(reach);
  const isOurs = run.canSend && (await sendRequest(run));
  if (run.card.stop !== undefined) return;
  // An earlier process has asked for the job.
  if (!isOurs) await continueRequest(run);
  if (run.card.stop === undefined) await run.follow();
}

function searchFor(run: Run): CardSearch {
  return {
    readAll: async () => (await readRepository(run)).ours,
    findOwn: (pulls) => findOwnPulls(pulls, run),
  };
}

/** A push doesn't name a thread. Its thread is a pull request that it merged. */
async function findThread(run: Run): Promise<void> {
  const threads = (await run.plan.context?.findThreads(searchFor(run))) ?? [];
  for (const thread of threads) {
    const isLast = thread === threads.at(-1);
    if (!isLast && !(await run.isRequestedIn(thread))) continue;
    run.become({ ...run.card, thread });
    return;
  }
}

/**
 * Sends a request that hasn't been sent, unless the change needs no docs, a limit has been reached,
 * or another process has it. Returns whether the request is this process's own.
 */
async function sendRequest(run: Run): Promise<boolean> {
  // Read the context before the claim, so that a skipped change leaves no comment in its thread.
  const skip = await readContext(run);
  if (skip !== undefined) return stop(skip, run);
  const atMaxJobs = await checkMaxJobs(run);
  if (atMaxJobs !== undefined) return stop(atMaxJobs, run);
  const atMaxOpen = await checkMaxOpen(run);
  if (atMaxOpen !== undefined) return stop(atMaxOpen, run);
  if (run.isCommandDeleted) return stop({ outcome: 'skipped', reason: 'deleted' }, run);
  const hasWon = await run.claim();
  if (!hasWon) return false;
  // The request is ours now, so there is no earlier process's job to check.
  run.takenOver = undefined;
  if (run.plan.ask.prompt === undefined) await attachJob(run);
  else await sendPrompt(run);
  return true;
}

/** Ends the run before it sends anything, so the request isn't its own. */
function stop(ending: Ending, run: Run): false {
  run.become(stopRun(run.card, ending));
  return false;
}

/** Reads what is sent with the prompt. If the change needs no docs, returns how the run ends. */
async function readContext(run: Run): Promise<Ending | undefined> {
  const { context } = run.plan;
  if (context === undefined) return undefined;
  const reading = await context.read(searchFor(run));
  if (reading.skip !== undefined) return reading.skip;
  run.context = reading.context;
  const { author } = reading;
  let { reviewer } = run.card;
  if (author !== undefined) reviewer = author.isBot ? undefined : author.login;
  run.become(addRemark({ ...run.card, reviewer }, 'fold', reading.note));
  return undefined;
}

async function sendPrompt(run: Run): Promise<void> {
  await waitForEarlierCommand(run);
  const choice = await chooseJob(run);
  run.become(explainNewJob(run.card, choice.why));
  await run.send(choice);
}

/** Without a prompt, the run only follows the job that the inputs name. */
async function attachJob(run: Run): Promise<void> {
  const { job } = await chooseJob(run);
  if (job === undefined) return;
  logFollowing(job, run);
  // If the request starts over, its card asks for a new job.
  run.become(markWorking({ ...run.card, ask: 'attach' }, job));
}

/**
 * Continues the request of an earlier process. People re-run a workflow to try again, so a later
 * attempt replaces a failed job, once.
 */
async function continueRequest(run: Run): Promise<void> {
  await checkJob(run);
  if (!mayStartOver(run.card, run.takenOver)) return;
  startOver(run);
  await sendRequest(run);
}

/** Checks the job that an earlier process asked for. */
async function checkJob(run: Run): Promise<void> {
  const jobId = jobOf(run.card)?.id;
  if (jobId === undefined) return;
  const job = await findJob(jobId, run.card.askedAt, run.deps);
  if (job !== undefined) logFollowing(job, run);
  // While the run follows the job, the link may still come.
  const sighting = job === undefined ? 'missing' : { job, isLinkFinal: false };
  run.become(observe(run.card, sighting, run.deps.clock.now()));
}

function logFollowing(job: Job, run: Run): void {
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
  if (job !== undefined && !isNamed) {
    const status = howEnded(card) === 'gone' ? 'gone' : job.status;
    why = whyNew.startedOver(job.id, status);
  }
  run.become(startRequestOver(card, why));
}
