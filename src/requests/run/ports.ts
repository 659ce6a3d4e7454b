import { messageOf } from '../../core/errors.ts';
import type { Deps } from '../../deps.ts';
import type { ThreadComment } from '../../github/changes.ts';
import type { CallOptions } from '../../service/client.ts';
import { ServiceError } from '../../service/errors.ts';
import type { Job } from '../../service/schemas.ts';
import { oneLine } from '../../text/markdown.ts';
import { type Card, isTerminal, jobOf, pullRequestOf } from '../card/card.ts';
import { remarks } from '../card/sentences.ts';
import { claimed, noted, placed, sent, stopped, watched, working } from '../card/transitions.ts';
import { againMs, findJob, isNotFound, watch } from '../follow/watch.ts';
import { statusCommentOf } from '../thread/claims.ts';
import { merged, noCards } from '../thread/find.ts';
import { type Candidate, choose } from './choose.ts';
import type { LiveRun } from './live.ts';
import type { Ports } from './work.ts';

const graceMs = 1_500;

export function livePorts(run: LiveRun): Ports {
  return {
    claim: (card) => claim(card, run),
    send: (card, choice) => send(card, choice, run),
    follow: (card) => follow(card, run),
  };
}

/** Posts a claim, and finds out whether another process has claimed the request, too. */
async function claim(begun: Card, run: LiveRun): Promise<Card> {
  const { deps } = run;
  const generation = (statusCommentOf(run.cards, begun, begun.login)?.card.generation ?? 0) + 1;
  const card = run.keep(claimed({ ...begun, comment: undefined, generation }, deps.clock.now()));
  const store = run.storeOf(card);
  if (store === undefined) return card;
  let comment: ThreadComment;
  try {
    comment = await withGrace(deps, (within) => store.write(card, within));
  } catch (error) {
    return run.unrecorded(error, card) ?? run.withoutThread(error, card);
  }
  const written = placed(card, comment);
  try {
    const rivals = await store.readRivals(comment, run.beganAtMs, deps.signal);
    const { ours, ofOtherKeys, newer } = run.found ?? noCards;
    run.found = { ours: merged(ours, rivals.ours), ofOtherKeys, newer: [...newer, ...rivals.newer] };
    // Save the claim only after the older claim is deleted. If the run is killed in between, `post` reads the thread again.
    await run.tidy(written);
    return run.learn(run.found, written);
  } catch (error) {
    // Nothing was sent. At its end, the run edits the claim to say so, even if it can't read the thread.
    run.keep(written);
    throw error;
  }
}

/** Sends the prompt. After a 404, checks the chosen job: if it is gone, a new one gets the prompt; otherwise, tries once more. */
async function send(card: Card, choice: Candidate, run: LiveRun): Promise<Card> {
  try {
    return await sendOnce(card, choice, run);
  } catch (error) {
    const { job, askedAt } = choice;
    if (job === undefined || !isNotFound(error)) throw error;
    const { clock, signal } = run.deps;
    await clock.sleep(againMs, signal);
    const again = choose({ ...choice, job: await findJob(job.id, askedAt, run.deps) });
    const freed = run.keep(claimed(card, clock.now()));
    if (again.job === undefined && again.in === 'inputs') throw error;
    return sendOnce({ ...freed, whyNew: again.why }, again, run);
  }
}

/** Sends the prompt. If the service rejects its size, sends it again without patches. */
async function sendOnce(begun: Card, choice: Candidate, run: LiveRun): Promise<Card> {
  const { prompt, smaller, head, note } = run.promptFor(choice.job);
  const { job, pull } = choice;
  const url = pullRequestOf(job)?.url;
  // By its head, a later look can tell whether the job picked up the follow-up.
  const before = pull && url && { pull: { url, state: pull.state, head: pull.headSha } };
  const card = noted({ ...begun, ...(head && { head }), ...before }, note);
  try {
    return await post(prompt, card, job, run);
  } catch (error) {
    // The service documents no size limit. If a prompt is too long, it probably returns 400 or 413 and creates nothing.
    const mayBeTooLarge = error instanceof ServiceError && (error.status === 400 || error.status === 413);
    if (smaller === undefined || !mayBeTooLarge) throw error;
    return post(smaller, noted(card, remarks.sentWithoutPatches), job, run);
  }
}

/** Sends the one request that costs credits. After an error, the card says whether the service may have accepted it. */
async function post(prompt: string, begun: Card, recipient: Job | undefined, run: LiveRun): Promise<Card> {
  const { clock, signal, runner, service } = run.deps;
  const by = recipient === undefined ? 'create' : 'message';
  let card = begun;
  const request = (within: AbortSignal) => {
    const options: CallOptions = {
      signal: within,
      beforeSend: () => signal.throwIfAborted(),
      onSend: () => {
        card = run.keep(sent(card, by, clock.now()));
      },
      onWait: (error, waitMs) => {
        card = run.keep(claimed(card, clock.now()));
        runner.info(`${messageOf(error)}. Trying again in ${Math.ceil(waitMs / 1000)} s.`);
      },
    };
    if (recipient === undefined) return service.createJob(prompt, options);
    return service.sendMessage(recipient.id, prompt, options);
  };
  try {
    const job = await withGrace(run.deps, request);
    const model = job.model == null ? job.status : `${job.status}, ${job.model}`;
    const sentKib = Math.ceil(Buffer.byteLength(prompt) / 1024);
    runner.verbatim(`What was sent (${sentKib} KiB)`, prompt);
    const done = recipient === undefined ? 'Created' : 'Sent the follow-up to';
    runner.info(`${done} job ${oneLine(job.id)} (${oneLine(model)}).`);
    return run.keep(working(card, job, recipient));
  } catch (error) {
    if (error instanceof ServiceError && error.reason !== 'unconfirmed') run.keep(claimed(card, clock.now()));
    throw error;
  }
}

/** Watches the job to its end, or leaves it running, and looks at its pull request. */
async function follow(begun: Card, run: LiveRun): Promise<Card> {
  const { deps, plan, takenOver } = run;
  const job = jobOf(begun);
  if (begun.stop !== undefined || job === undefined) return begun;
  let card = begun;
  if (card.state.is === 'working') {
    // Right after a follow-up, the job's status may be from before the follow-up.
    const isOver = isTerminal(job.status) && card.state.before === undefined;
    if (!isOver && !plan.ask.wait)
      return run.keep(stopped(card, { outcome: 'detached', reason: 'not-waited' }));
    const isChecked = takenOver !== undefined || card.ask === 'attach';
    const begunWatch = watched(card, deps.clock.now() + plan.timeoutMs);
    // Re-runs and follow-ups look for the job in the thread. A result stays there, even if a follow-up made the job active again.
    const isNews = !isOver && takenOver?.state.is !== 'ended';
    const { card: shown } = isNews ? await run.show(begunWatch) : { card: begunWatch };
    const { timeoutMs } = plan;
    card = run.keep(await watch(shown, { timeoutMs, isChecked, keep: (now) => run.keep(now) }, deps));
  }
  const isLinked = card.state.is === 'ended' && pullRequestOf(jobOf(card)) !== undefined;
  return isLinked && card.stop === undefined ? run.keep(await run.lookAtPull(card)) : card;
}

/** Lets a call wait a moment for its response after the run is canceled, because the response contains an ID that we need. */
async function withGrace<T>({ clock, signal }: Deps, act: (within: AbortSignal) => Promise<T>): Promise<T> {
  const within = new AbortController();
  const over = new AbortController();
  const end = () => within.abort(signal.reason);
  const cancel = () => clock.sleep(graceMs, over.signal).then(end, () => undefined);
  if (signal.aborted) cancel();
  signal.addEventListener('abort', cancel, { once: true, signal: over.signal });
  try {
    return await act(within.signal);
  } finally {
    over.abort();
  }
}
