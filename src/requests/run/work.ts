import type { Job } from '../../service/schemas.ts';
import { oneLine } from '../../text/markdown.ts';
import { type Card, jobOf } from '../card/card.ts';
import { whyNew } from '../card/sentences.ts';
import { isUnsent, noted, observed, startedOver, stopped, working } from '../card/transitions.ts';
import { findJob } from '../follow/watch.ts';
import { countOpen, countRequests } from './cap.ts';
import { type Candidate, candidateFor, choose, mayStartOver } from './choose.ts';
import { findCandidate, readRepository, waitForEarlier } from './find-job.ts';
import type { Run } from './run.ts';

/** What a request needs besides reading. A dry run has its own, which write nothing. */
export interface Ports {
  /** Posts a claim in the thread. Whatever happens next, every other run finds it. Another process may turn out to have won. */
  claim(card: Card): Promise<Card>;
  /** Sends the prompt to the chosen job, or to a new one. */
  send(card: Card, choice: Candidate): Promise<Card>;
  /** Follows the job to its end, or leaves it running. */
  follow(card: Card): Promise<Card>;
}

/**
 * Works on one request, from reading its thread to its end.
 *
 * If an earlier process ended while it worked on the same request, reading the thread makes its card ours (`run.takenOver` is the old
 * one). If that process sent the prompt but recorded no job, the card has become `unconfirmed`: nothing is sent again.
 */
export async function work(begun: Card, run: Run, ports: Ports): Promise<Card> {
  const { ask, context } = run.plan;
  const thread = (await context?.findThread?.()) ?? begun.thread;
  const found = thread === begun.thread ? begun : run.keep({ ...begun, thread });
  let card = await run.readThread(found, ask.continues === 'thread' ? 'newest job' : 'own comment');
  if (isReady(card)) card = await request(card, run, ports);
  if (run.takenOver !== undefined && card.stop === undefined) card = await lookAtJob(card, run);
  // People re-run a workflow to try again, so a later attempt replaces a failed job: once in each attempt.
  if (mayStartOver(card, run.takenOver)) card = await request(startOver(card, run), run, ports);
  return ports.follow(card);
}

/** Sends a request that hasn't been sent. Each step may end it: a change that needs no docs, a limit, or another process. */
async function request(begun: Card, run: Run, ports: Ports): Promise<Card> {
  // Read the context before the claim, so that a skipped change leaves no comment in its thread.
  let card = await readContext(begun, run);
  if (isReady(card)) card = await countRequests(card, run);
  if (isReady(card)) card = await countOpen(card, run);
  if (isReady(card) && card.state.is === 'freed') {
    if (run.isCommandDeleted) return { ...card, stop: { outcome: 'skipped', reason: 'deleted' } };
    card = await ports.claim(card);
  }
  if (!isReady(card)) return card;
  // From here on, the request is this process's own.
  run.takenOver = undefined;
  await waitForEarlier(card, run);
  const choice = choose(await findCandidate(candidateFor(card, run.cards, run.plan), run));
  if (run.plan.ask.prompt === undefined) return attach(card, choice, run);
  return ports.send({ ...card, whyNew: choice.why ?? card.whyNew }, choice);
}

/** Whether a request is still to be sent: no process has sent it, and this run has no reason to stop. */
function isReady(card: Card): boolean {
  return card.stop === undefined && isUnsent(card);
}

/** Reads what is sent with the prompt. The change may need no docs; then nothing is sent. */
async function readContext(card: Card, run: Run): Promise<Card> {
  if (run.plan.context === undefined) return card;
  const read = await run.plan.context.read(async () => (await readRepository(run)).ours);
  const { skip, context, author } = read;
  if (skip !== undefined) return stopped(card, skip);
  run.context = context;
  const reviewer = author === undefined ? card.reviewer : author.isBot ? undefined : author.login;
  return noted({ ...card, reviewer }, read.note);
}

/** Follows the job that the inputs name, without a prompt. */
function attach(card: Card, { job }: Candidate, run: Run): Card {
  if (job === undefined) return card;
  logFollowed(job, run);
  return run.keep(working({ ...card, ask: 'attach' }, job));
}

async function lookAtJob(card: Card, run: Run): Promise<Card> {
  const { id } = jobOf(card) ?? {};
  if (id === undefined) return card;
  const job = await findJob(id, card.askedAt, run.deps);
  if (job !== undefined) logFollowed(job, run);
  const what = job === undefined ? 'missing' : { job, isLinkFinal: false };
  return run.keep(observed(card, what, run.deps.clock.now()));
}

function logFollowed({ id, status }: Job, { deps }: Run): void {
  deps.runner.info(`Following job ${oneLine(id)} (${oneLine(status)}).`);
}

/** Drops the failed job of an earlier process. If the inputs name a job, that job is watched or asked again. */
function startOver(card: Card, run: Run): Card {
  const { ask } = run.plan;
  const { id: jobId = '', status = '' } = jobOf(card) ?? {};
  const isGone = card.state.is === 'ended' && card.state.how === 'gone';
  const isNamed = ask.prompt === undefined || ask.jobId !== undefined;
  const why = whyNew.startedOver(jobId, isGone ? 'gone' : status);
  return run.keep(startedOver(card, isNamed ? undefined : why));
}
