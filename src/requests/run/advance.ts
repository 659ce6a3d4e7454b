import type { Job } from '../../service/schemas.ts';
import { oneLine } from '../../text/markdown.ts';
import { type Card, jobOf } from '../card/card.ts';
import { linksTo } from '../card/job.ts';
import { observed } from '../card/observed.ts';
import { claimed, noted, startedOver, stopped, watched, working } from '../card/transitions.ts';
import { findJob } from '../follow/observe.ts';
import { openFollower } from '../follow/pull-requests.ts';
import { watch } from '../follow/watch.ts';
import { merged, type PostedCard, statusCommentOf } from '../thread/claims.ts';
import { ask } from './ask.ts';
import { countRequests } from './cap.ts';
import { findRecipient, readRepository } from './find-job.ts';
import type { Request, Step } from './next.ts';
import { learnFrom, readThread, withThread } from './read-thread.ts';
import { type Run, show, withGrace } from './run.ts';

const earlierWaitMs = 5_000;

/** Performs one step and returns the updated request. */
export async function advance(step: Exclude<Step, { do: 'end' }>, request: Request, run: Run) {
  const { card, known } = request;
  switch (step.do) {
    case 'read the thread': {
      const thread = await run.context?.findThread?.();
      const found = thread === undefined ? request : { card: run.keep({ ...card, thread }), known };
      return readThread(found, run, run.ask.continues === 'thread' ? 'newest job' : 'own comment');
    }
    case 'read the context':
      return readContext(request, run);
    case 'count the requests': {
      const { left, ...counted } = await countRequests(card, step.cap, run);
      return { ...counted, known: { ...known, left } };
    }
    case 'claim':
      return claim(request, run);
    case 'wait for an earlier command':
      return waitForEarlier(step.earlier, request, run);
    case 'find the recipient':
      return { card, known: { ...known, recipient: await findRecipient(step, known, run) } };
    case 'ask':
      return ask({ ...card, whyNew: step.whyNew ?? card.whyNew }, known, step.job, run);
    case 'attach':
      logFollowing(step.job, run);
      return {
        card: run.keep(working({ ...card, ask: 'attach' }, step.job)),
        known: { ...known, isChecked: true },
      };
    case 'check the job':
      return checkJob(request, run);
    case 'start over': {
      const { takenOver: _, recipient: __, isChecked: ___, ...kept } = known;
      return { card: run.keep(startedOver(card, step.whyNew)), known: { ...kept, startsOver: true } };
    }
    case 'watch': {
      const isChecked = known.takenOver !== undefined || card.ask === 'attach';
      const { timeoutMs, keep } = run;
      // Show the job in the thread right away, because re-runs and follow-ups look for it there.
      const followed = watched(card, run.deps.clock.now() + timeoutMs);
      const { card: begun } = step.isNews ? await show(followed, run) : { card };
      return { card: keep(await watch(begun, { timeoutMs, isChecked, keep }, run.deps)), known };
    }
    case 'check the pull request':
      return { card: run.keep(await withPull(card, run)), known: { ...known, isPullChecked: true } };
    case 'leave':
      return { card: run.keep(stopped(card, { outcome: 'detached', reason: 'not-waited' })), known };
  }
}

async function readContext({ card, known }: Request, run: Run): Promise<Request> {
  const isOwn = async (url: string) =>
    (await readRepository(run)).cards.some((earlier) => linksTo(jobOf(earlier), url));
  const result = await run.context?.read(isOwn);
  if (result?.kind === 'skip') return { card: stopped(card, result.ending), known };
  const { context = null, note, author } = result ?? {};
  const reviewer = author === undefined ? card.reviewer : author.isBot ? undefined : author.login;
  return { card: noted({ ...card, reviewer }, note), known: { ...known, context } };
}

async function claim({ card, known }: Request, run: Run): Promise<Request> {
  const { deps } = run;
  const { cards = [] } = known;
  const last = statusCommentOf(cards, card, card.login);
  const generation = (last?.card.generation ?? 0) + 1;
  const claim = run.keep(claimed({ ...card, comment: undefined, generation }, deps.clock.now()));
  if (run.isDry) return { card: claim, known };
  return withThread({ card: claim, known }, run, async (store) => {
    const { written, around } = await withGrace(run, (within) => store.claim(claim, run.beganAtMs, within));
    // Save the claim only after the older claim is deleted. If the run is killed in between, `post` reads the thread again.
    return learnFrom(merged(cards, around), { card: written, known }, store, run, deps.signal);
  });
}

/** Waits for an earlier command that is still starting its job, because this prompt goes to the same job. */
async function waitForEarlier(earlier: PostedCard, { card, known }: Request, run: Run): Promise<Request> {
  const { clock, runner, signal } = run.deps;
  const { waits = 0, cards = [] } = known;
  if (waits === 0)
    runner.info('An earlier command in this thread is still starting its job; waiting for it.');
  await clock.sleep(earlierWaitMs, signal);
  const now = (await run.storeOf(card)?.readAgain(earlier, signal)) ?? [];
  const others = cards.filter((posted) => posted !== earlier);
  return { card, known: { ...known, cards: merged(others, now), waits: waits + 1 } };
}

async function checkJob({ card, known }: Request, run: Run): Promise<Request> {
  const job = await findJob(jobOf(card)?.id ?? '', card.askedAt, run.deps);
  if (job !== undefined) logFollowing(job, run);
  const what = job === undefined ? 'missing' : { job, isLinkFinal: false };
  const after = run.keep(observed(card, what, run.deps.clock.now()));
  return { card: after, known: { ...known, isChecked: true } };
}

/** Looks at the pull request of an ended job. If this token can't see it, collect mode may have a token that can. */
export async function withPull(card: Card, { deps, checks, asides }: Run): Promise<Card> {
  const { github } = deps;
  if (github === undefined) return card;
  const { follow, notes } = openFollower(checks, new Set(), { ...deps, github });
  const after = await follow(card);
  asides.push(...notes());
  return after.answer === 'unseen' ? card : after.card;
}

function logFollowing({ id, status }: Job, { deps }: Run): void {
  deps.runner.info(`Following job ${oneLine(id)} (${oneLine(status)}).`);
}
