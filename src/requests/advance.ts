import { messageOf } from '../core/errors.ts';
import type { CallOptions } from '../service/client.ts';
import { ServiceError } from '../service/errors.ts';
import type { Job } from '../service/schemas.ts';
import { oneLine } from '../text/markdown.ts';
import { type Card, jobOf } from './card.ts';
import { type Found, merged, statusCommentOf } from './claims.ts';
import { withHead, withPull } from './follow.ts';
import { withGrace } from './grace.ts';
import { linksTo } from './job.ts';
import { findJob, isNotFound } from './looks.ts';
import type { Request, Seen, Step } from './next.ts';
import { findMaker, findOpenJob, readRepository } from './repository.ts';
import type { Run } from './run.ts';
import { learnFrom, readThread, show, withThread } from './thread.ts';
import {
  claimed,
  ended,
  looked,
  noted,
  sent,
  startedOver,
  stopped,
  watched,
  working,
} from './transitions.ts';
import { watch } from './watch.ts';

const earlierLookMs = 5_000;

/** Performs one step and returns the updated request. */
export async function advance(
  step: Exclude<Step, { do: 'end' }>,
  request: Request,
  run: Run,
): Promise<Request> {
  const { card, seen } = request;
  switch (step.do) {
    case 'read the thread': {
      const thread = await run.context?.findThread?.();
      const found = thread === undefined ? request : { card: run.keep({ ...card, thread }), seen };
      return readThread(found, run, run.ask.continues === 'thread' ? 'newest job' : 'own comment');
    }
    case 'read the context':
      return readContext(request, run);
    case 'claim':
      return claim(request, run);
    case 'wait for an earlier command':
      return waitForEarlier(step.earlier, request, run);
    case 'check the target':
      return { card, seen: { ...seen, target: await findTarget(step.jobId, run) } };
    case 'ask':
      return ask(noted(card, step.note), seen, step.job, run);
    case 'attach':
      logFollowing(step.job, run);
      return {
        card: run.keep(working({ ...card, ask: 'attach' }, step.job)),
        seen: { ...seen, isChecked: true },
      };
    case 'check the job':
      return lookAtOwn(step.mustExist, request, run);
    case 'start over': {
      const { takenOver: _, target: __, isChecked: ___, ...kept } = seen;
      return { card: run.keep(startedOver(card, step.note)), seen: { ...kept, startsOver: true } };
    }
    case 'watch': {
      const isFresh = seen.takenOver === undefined && card.ask === 'create';
      const isChecked = seen.takenOver !== undefined || card.ask === 'attach';
      const { timeoutMs, keep } = run;
      // Show the job in the thread right away, because re-runs and follow-ups look for it there.
      const followed = watched(card, run.deps.clock.now() + timeoutMs);
      const [begun] = step.isNews ? await show('Editing the status comment', followed, run) : [card];
      return { card: keep(await watch(begun, { timeoutMs, isFresh, isChecked, keep }, run.deps)), seen };
    }
    case 'check the pull request':
      return { card: await withPull(card, run), seen: { ...seen, isPullChecked: true } };
    case 'leave':
      return { card: run.keep(stopped(card, { outcome: 'detached', reason: 'not-waited' })), seen };
  }
}

async function readContext({ card, seen }: Request, run: Run): Promise<Request> {
  const isOwn = async (url: string) => (await readRepository(run)).some((one) => linksTo(jobOf(one), url));
  const result = await run.context?.read(isOwn);
  if (result?.kind === 'skip') return { card: stopped(card, result.ending), seen };
  const { context = null, note, author } = result ?? {};
  const reviewer = author === undefined ? card.reviewer : author.isBot ? undefined : author.login;
  return { card: noted({ ...card, reviewer }, note), seen: { ...seen, context } };
}

async function claim({ card, seen }: Request, run: Run): Promise<Request> {
  const { deps } = run;
  const { cards = [] } = seen;
  const last = statusCommentOf(cards, card.key, card.login);
  const generation = (last?.card.generation ?? 0) + 1;
  const claim = run.keep(claimed({ ...card, comment: undefined, generation }, deps.clock.now()));
  if (run.isDry) return { card: claim, seen };
  return withThread({ card: claim, seen }, run, async (store) => {
    const { written, around } = await withGrace(deps, (within) => store.claim(claim, run.beganAtMs, within));
    // Save the claim only after the older claim is deleted. If the run is killed in between, `post` reads the thread again.
    return learnFrom(merged(cards, around), { card: written, seen }, store, run, deps.signal);
  });
}

/** Waits for an earlier command that is still starting its job, because this prompt goes to the same job. */
async function waitForEarlier(earlier: Found, { card, seen }: Request, run: Run): Promise<Request> {
  const { clock, runner, signal } = run.deps;
  const { looksAtEarlier = 0, cards = [] } = seen;
  if (looksAtEarlier === 0)
    runner.info('An earlier command in this thread is still starting its job; waiting for it.');
  await clock.sleep(earlierLookMs, signal);
  const now = await run.storeOf(card)?.readAgain(earlier, signal);
  const others = cards.filter((one) => one !== earlier);
  const looked = {
    cards: now === undefined ? others : merged(others, [now]),
    looksAtEarlier: looksAtEarlier + 1,
  };
  return { card, seen: { ...seen, ...looked } };
}

async function findTarget(jobId: string | undefined, run: Run) {
  if (jobId !== undefined) return { jobId, job: await lookAt(jobId, run.ask.jobId !== undefined, run) };
  if (run.ask.continues === 'thread') return findMaker(run);
  const job = await findOpenJob(await readRepository(run), run);
  return { jobId: job?.id, job };
}

async function lookAt(jobId: string, mustExist: boolean, { deps }: Run): Promise<Job | undefined> {
  return mustExist ? deps.service.getJob(jobId, { signal: deps.signal }) : findJob(jobId, deps);
}

async function lookAtOwn(mustExist: boolean, { card, seen }: Request, run: Run): Promise<Request> {
  const job = await lookAt(jobOf(card)?.id ?? '', mustExist, run);
  const isChecked = { ...seen, isChecked: true };
  if (job === undefined) return { card: run.keep(ended(card, 'gone')), seen: isChecked };
  logFollowing(job, run);
  const after = looked(card, job, { nowMs: run.deps.clock.now(), isLinkFinal: false });
  return { card: run.keep(after), seen: isChecked };
}

function logFollowing({ id, status }: Job, { deps }: Run): void {
  deps.runner.info(`Following job ${oneLine(id)} (${oneLine(status)}).`);
}

/** Sends the prompt. If the service rejects its size, sends it again without patches. */
async function ask(begun: Card, seen: Seen, target: Job | undefined, run: Run): Promise<Request> {
  const { prompt, smaller, head, note } = composed(seen, target, run);
  const about = noted(head === undefined ? begun : { ...begun, head }, note);
  const card = target === undefined ? about : await withHead(about, target, seen.context?.head, run);
  const asked = (from: Card): Request => ({ card: from, seen: { ...seen, isChecked: true } });
  try {
    return asked(await send(prompt, card, target, run));
  } catch (error) {
    if (target !== undefined && isNotFound(error) && run.ask.jobId === undefined) {
      const missing = { jobId: target.id, job: undefined };
      return { card: run.keep(claimed(begun, run.deps.clock.now())), seen: { ...seen, target: missing } };
    }
    if (smaller === undefined || !mayBeTooLarge(error)) throw error;
    const again = 'The service rejected the prompt, so it was sent again without the patches.';
    return asked(await send(smaller, noted(card, again), target, run));
  }
}

/** The prompt with its context. A job that already received this version of the context gets only the new parts. */
export function composed({ context, cards = [] }: Seen, target: Job | undefined, run: Run) {
  const alone = { prompt: run.ask.prompt ?? '', smaller: undefined, head: undefined, note: undefined };
  if (context == null) return alone;
  const knows = cards.some(
    ({ card }) => jobOf(card)?.id === target?.id && card.head === context.head && target !== undefined,
  );
  return knows && !context.isReview ? alone : { ...context.compose(knows), head: context.head };
}

/** Sends the one request that costs credits. After an error, the card says whether the service may have accepted it. */
async function send(prompt: string, begun: Card, target: Job | undefined, run: Run): Promise<Card> {
  const { keep, deps } = run;
  const { clock, signal, runner, service } = deps;
  const by = target === undefined ? 'create' : 'message';
  let card = begun;
  const request = (options: CallOptions) =>
    target === undefined
      ? service.createJob(prompt, options)
      : service.sendMessage(target.id, prompt, options);
  try {
    const job = await withGrace(deps, (within) =>
      request({
        signal: within,
        beforeSend: () => signal.throwIfAborted(),
        onSend: () => {
          card = keep(sent(card, by, clock.now()));
        },
        onWait: (error, waitMs) => {
          card = keep(claimed(card, clock.now()));
          runner.info(`${messageOf(error)}. Trying again in ${Math.ceil(waitMs / 1000)} s.`);
        },
      }),
    );
    const model = job.model == null ? job.status : `${job.status}, ${job.model}`;
    const done = target === undefined ? 'Created' : 'Sent the message to';
    runner.info(`${done} job ${oneLine(job.id)} (${oneLine(model)}).`);
    return keep(working(card, job, target));
  } catch (error) {
    if (error instanceof ServiceError && error.reason !== 'unconfirmed') keep(claimed(card, clock.now()));
    throw error;
  }
}

/** The service documents no size limit. If a prompt is too long, the service probably returns 400 or 413 and creates nothing. */
function mayBeTooLarge(error: unknown): boolean {
  return error instanceof ServiceError && (error.status === 400 || error.status === 413);
}
