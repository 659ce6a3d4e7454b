import { messageOf } from '../../core/errors.ts';
import type { CallOptions } from '../../service/client.ts';
import { ServiceError } from '../../service/errors.ts';
import type { Job } from '../../service/schemas.ts';
import { oneLine } from '../../text/markdown.ts';
import { type Card, jobOf } from '../card/card.ts';
import { pullRequestOf } from '../card/job.ts';
import { claimed, noted, sent, working } from '../card/transitions.ts';
import { againMs, findJob, isNotFound } from '../follow/observe.ts';
import type { Known, Recipient, Request } from './next.ts';
import { type Run, withGrace } from './run.ts';

/** Sends the prompt. If the service rejects its size, sends it again without patches; after a 404, checks the job first. */
export async function ask(begun: Card, known: Known, recipient: Job | undefined, run: Run): Promise<Request> {
  const { prompt, smaller, head, note } = composed(known, recipient, run);
  const about = noted(head === undefined ? begun : { ...begun, head }, note);
  const card = recipient === undefined ? about : withHead(about, recipient, known.recipient);
  const asked = (from: Card): Request => ({ card: from, known: { ...known, isChecked: true } });
  try {
    return asked(await send(prompt, card, recipient, run));
  } catch (error) {
    if (recipient !== undefined && isNotFound(error)) {
      const { clock, signal } = run.deps;
      await clock.sleep(againMs, signal);
      const { isRefused = false, ...sought } = known.recipient ?? {};
      const job = await findJob(recipient.id, sought.askedAt, run.deps);
      if (job === undefined ? run.ask.jobId !== undefined : isRefused) throw error;
      const found = { ...sought, jobId: recipient.id, job, isRefused: true };
      return { card: run.keep(claimed(begun, clock.now())), known: { ...known, recipient: found } };
    }
    // The service documents no size limit. If a prompt is too long, it probably returns 400 or 413 and creates nothing.
    const mayBeTooLarge = error instanceof ServiceError && (error.status === 400 || error.status === 413);
    if (smaller === undefined || !mayBeTooLarge) throw error;
    const again = 'The service rejected the prompt, so it was sent again without the patches.';
    return asked(await send(smaller, noted(card, again), recipient, run));
  }
}

/** The prompt with its context. A job that already received this version of the context gets only the new parts. */
export function composed({ context, cards = [] }: Known, recipient: Job | undefined, run: Run) {
  const alone = { prompt: run.ask.prompt ?? '', smaller: undefined, head: undefined, note: undefined };
  if (context == null) return alone;
  const knows = cards.some(
    ({ card }) => jobOf(card)?.id === recipient?.id && card.head === context.head && recipient !== undefined,
  );
  return knows && !context.hasNews ? alone : { ...context.compose(knows), head: context.head };
}

/** Adds the head of the job's pull request to the card before a follow-up. */
function withHead(card: Card, job: Job, { pull }: Recipient = {}): Card {
  const url = pullRequestOf(job)?.url;
  return pull === undefined || url === undefined
    ? card
    : { ...card, pull: { url, state: pull.state, head: pull.headSha } };
}

/** Sends the one request that costs credits. After an error, the card says whether the service may have accepted it. */
async function send(prompt: string, begun: Card, recipient: Job | undefined, run: Run): Promise<Card> {
  const { clock, signal, runner, service } = run.deps;
  const by = recipient === undefined ? 'create' : 'message';
  let card = begun;
  const request = (options: CallOptions) =>
    recipient === undefined
      ? service.createJob(prompt, options)
      : service.sendMessage(recipient.id, prompt, options);
  try {
    const job = await withGrace(run, (within) =>
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
