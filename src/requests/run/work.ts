import type { Job } from '../../service/schemas.ts';
import { oneLine } from '../../text/markdown.ts';
import { howEnded, jobOf } from '../card/card.ts';
import { whyNew } from '../card/remarks.ts';
import {
  addRemark,
  explainNewJob,
  observe,
  startedOver,
  stopped,
  working,
} from '../card/transitions.ts';
import { findJob } from '../follow/watch.ts';
import { countOpen, countRequests } from './cap.ts';
import { type Candidate, mayStartOver } from './choose.ts';
import { chooseJob, readRepository, waitForEarlier } from './find-job.ts';
import type { Run } from './run.ts';

/**
 * Works on one request, from reading its thread to its end.
 *
 * If an earlier process ended while it worked on the same request, reading the thread makes its card ours (`run.takenOver` is the old
 * one). If that process sent the prompt but recorded no job, the card has become `unconfirmed`: nothing is sent again.
 */
export async function work(run: Run): Promise<void> {
  const { ask, context } = run.plan;
  const thread = (await context?.findThread?.()) ?? run.card.thread;
  if (thread !== run.card.thread) run.become({ ...run.card, thread });
  await run.readThread(ask.continues === 'thread' ? 'newest job' : 'own comment');
  if (run.isReady) await request(run);
  if (run.takenOver !== undefined && run.card.stop === undefined) await lookAtJob(run);
  // People re-run a workflow to try again, so a later attempt replaces a failed job: once in each attempt.
  if (mayStartOver(run.card, run.takenOver)) {
    startOver(run);
    await request(run);
  }
  await run.follow();
}

/** Sends a request that hasn't been sent. Each step may end it: a change that needs no docs, a limit, or another process. */
async function request(run: Run): Promise<void> {
  // Read the context before the claim, so that a skipped change leaves no comment in its thread.
  await readContext(run);
  if (run.isReady) await countRequests(run);
  if (run.isReady) await countOpen(run);
  if (run.isReady && run.card.state.is === 'freed') {
    if (run.isCommandDeleted)
      return run.become(stopped(run.card, { outcome: 'skipped', reason: 'deleted' }));
    await run.claim();
  }
  if (!run.isReady) return;
  // From here on, the request is this process's own.
  run.takenOver = undefined;
  await waitForEarlier(run);
  const choice = await chooseJob(run);
  if (run.plan.ask.prompt === undefined) return attach(choice, run);
  run.card = explainNewJob(run.card, choice.why);
  await run.send(choice);
}

/** Reads what is sent with the prompt. The change may need no docs; then nothing is sent. */
async function readContext(run: Run): Promise<void> {
  if (run.plan.context === undefined) return;
  const read = await run.plan.context.read(async () => (await readRepository(run)).ours);
  const { skip, context, author } = read;
  if (skip !== undefined) return run.become(stopped(run.card, skip));
  run.context = context;
  const reviewer =
    author === undefined ? run.card.reviewer : author.isBot ? undefined : author.login;
  run.card = addRemark({ ...run.card, reviewer }, 'fold', read.note);
}

/** Follows the job that the inputs name, without a prompt. */
function attach({ job }: Candidate, run: Run): void {
  if (job === undefined) return;
  logFollowed(job, run);
  run.become(working({ ...run.card, ask: 'attach' }, job));
}

async function lookAtJob(run: Run): Promise<void> {
  const { id } = jobOf(run.card) ?? {};
  if (id === undefined) return;
  const job = await findJob(id, run.card.askedAt, run.deps);
  if (job !== undefined) logFollowed(job, run);
  const what = job === undefined ? 'missing' : { job, isLinkFinal: false };
  run.become(observe(run.card, what, run.deps.clock.now()));
}

function logFollowed({ id, status }: Job, { deps }: Run): void {
  deps.runner.info(`Following job ${oneLine(id)} (${oneLine(status)}).`);
}

/** Drops the failed job of an earlier process. If the inputs name a job, that job is watched or asked again. */
function startOver(run: Run): void {
  const { card, plan } = run;
  const { id = '', status = '' } = jobOf(card) ?? {};
  const isNamed = plan.ask.prompt === undefined || plan.ask.jobId !== undefined;
  const why = whyNew.startedOver(id, howEnded(card) === 'gone' ? 'gone' : status);
  run.become(startedOver(card, isNamed ? undefined : why));
}
