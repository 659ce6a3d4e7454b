import { messageOf } from '../../core/errors.ts';
import type { CallOptions } from '../../service/client.ts';
import { ServiceError } from '../../service/errors.ts';
import type { Job } from '../../service/schemas.ts';
import { oneLine } from '../../text/markdown.ts';
import { type Card, jobOf } from '../card/card.ts';
import { pullRequestOf } from '../card/job.ts';
import { sentWithoutPatches, whyNew } from '../card/sentences.ts';
import { claimed, noted, sent, working } from '../card/transitions.ts';
import { againMs, findJob, isNotFound } from '../follow/observe.ts';
import type { Choice } from './choose.ts';
import type { LiveRun, Run } from './run.ts';
import { withGrace } from './show.ts';

/** Sends the prompt. After a 404, checks the chosen job: if it is gone, a new one gets the prompt; otherwise, tries once more. */
export async function sendPrompt(card: Card, choice: Choice, run: LiveRun): Promise<Card> {
  try {
    return await sendOnce(card, choice, run);
  } catch (error) {
    const { job, askedAt, of } = choice;
    if (job === undefined || !isNotFound(error)) throw error;
    const { clock, signal } = run.deps;
    await clock.sleep(againMs, signal);
    const again = await findJob(job.id, askedAt, run.deps);
    const freed = run.keep(claimed(card, clock.now()));
    if (again !== undefined) return sendOnce(freed, { ...choice, job: again }, run);
    if (run.plan.ask.jobId !== undefined) throw error;
    const why = of && whyNew.ended(of, job.id, 'no longer exists');
    return sendOnce({ ...freed, whyNew: why }, {}, run);
  }
}

/** Sends the prompt. If the service rejects its size, sends it again without patches. */
async function sendOnce(begun: Card, choice: Choice, run: LiveRun): Promise<Card> {
  const { prompt, smaller, head, note } = composed(choice.job, run);
  const about = noted(head === undefined ? begun : { ...begun, head }, note);
  const card = withHead(about, choice);
  try {
    return await post(prompt, card, choice.job, run);
  } catch (error) {
    // The service documents no size limit. If a prompt is too long, it probably returns 400 or 413 and creates nothing.
    const mayBeTooLarge = error instanceof ServiceError && (error.status === 400 || error.status === 413);
    if (smaller === undefined || !mayBeTooLarge) throw error;
    return post(smaller, noted(card, sentWithoutPatches), choice.job, run);
  }
}

/** The prompt with its context. A job that already received this version of the context gets only the new parts. */
export function composed(job: Job | undefined, { context, cards, plan }: Run) {
  const alone = { prompt: plan.ask.prompt ?? '', smaller: undefined, head: undefined, note: undefined };
  if (context === undefined) return alone;
  const knows =
    job !== undefined && cards.some(({ card }) => jobOf(card)?.id === job.id && card.head === context.head);
  return knows && !context.hasNews ? alone : { ...context.compose(knows), head: context.head };
}

/** Adds the head of the job's pull request to the card before a follow-up. */
function withHead(card: Card, { job, pull }: Choice): Card {
  const url = pullRequestOf(job)?.url;
  return pull === undefined || url === undefined
    ? card
    : { ...card, pull: { url, state: pull.state, head: pull.headSha } };
}

/** Sends the one request that costs credits. After an error, the card says whether the service may have accepted it. */
async function post(prompt: string, begun: Card, recipient: Job | undefined, run: LiveRun): Promise<Card> {
  const { clock, signal, runner, service } = run.deps;
  const by = recipient === undefined ? 'create' : 'message';
  let card = begun;
  const request = (options: CallOptions) =>
    recipient === undefined
      ? service.createJob(prompt, options)
      : service.sendMessage(recipient.id, prompt, options);
  try {
    const job = await withGrace(run.deps, (within) =>
      request({
        signal: within,
        beforeSend: () => signal.throwIfAborted(),
        onSend: () => {
          card = run.keep(sent(card, by, clock.now()));
        },
        onWait: (error, waitMs) => {
          card = run.keep(claimed(card, clock.now()));
          runner.info(`${messageOf(error)}. Trying again in ${Math.ceil(waitMs / 1000)} s.`);
        },
      }),
    );
    const model = job.model == null ? job.status : `${job.status}, ${job.model}`;
    const sentKib = Math.ceil(Buffer.byteLength(prompt) / 1024);
    runner.verbatim(`What was sent (${sentKib} KiB)`, prompt);
    const done = recipient === undefined ? 'Created' : 'Sent the message to';
    runner.info(`${done} job ${oneLine(job.id)} (${oneLine(model)}).`);
    return run.keep(working(card, job, recipient));
  } catch (error) {
    if (error instanceof ServiceError && error.reason !== 'unconfirmed') run.keep(claimed(card, clock.now()));
    throw error;
  }
}
