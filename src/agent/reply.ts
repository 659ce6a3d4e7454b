import { howEnded, jobOf } from '../requests/card/card.ts';
import { openText, paragraphs } from '../requests/card/comment.ts';
import { isTerminal, isTooEarly } from '../requests/card/job.ts';
import { observed } from '../requests/card/observed.ts';
import { replied, working } from '../requests/card/transitions.ts';
import { wordsFor } from '../requests/card/words.ts';
import { findJob, type ObserveOptions } from '../requests/follow/observe.ts';
import { settle } from '../requests/follow/settle.ts';
import { withPull } from '../requests/run/advance.ts';
import { findMaker } from '../requests/run/find-job.ts';
import type { Request } from '../requests/run/next.ts';
import { readThread } from '../requests/run/read-thread.ts';
import { type Run, react, show } from '../requests/run/run.ts';
import { newestJob, type PostedCard, statusCommentOf, wasDenied } from '../requests/thread/claims.ts';
import { openCardsOf, requestsIn } from '../requests/thread/repository-cards.ts';
import type { Job } from '../service/schemas.ts';
import { formatDuration } from '../text/duration.ts';
import { fenced, shortCode } from '../text/markdown.ts';
import type { Refusal } from './gate.ts';

/** The most requests to the service for the unfinished jobs of one thread. */
const maxRequests = 40;

/** How many pages of a thread are searched for an earlier reply to the same person. */
const maxPages = 4;

/** Answers `help`, and commands that can't be parsed. `because` says what is wrong with such a command. */
export async function answerHelp(because: string | undefined, request: Request, run: Run): Promise<Request> {
  const read = await readThread(request, run, 'own comment');
  return reply('help', helpText(read.card.command, because), read, run);
}

/** Answers `status` with the state of the thread's newest job. Then finishes the thread's requests that no process watches. */
export async function answerStatus(request: Request, run: Run): Promise<Request> {
  const read = await readThread(request, run, 'all');
  const stop = { outcome: 'failed', reason: 'newer-version' } as const;
  if (run.storeOf(read.card)?.hasUnreadable(read.card.key))
    return reply('status', wordsFor({ ...read.card, stop }).join(' '), read, run);
  const { jobId, askedAt } = newestJob(read.known.cards ?? []) ?? (await findMaker(run));
  if (jobId === undefined) return settleThread(await reply('status', whyNoJob(read, run), read, run), run);
  // Without the time of the request, no one waits minutes for a new job to appear.
  const job = await findJob(jobId, undefined, run.deps, { awaitsLink: true });
  const isNew = isTooEarly(askedAt, run.deps.clock.now());
  const { text, pull } = job === undefined ? missing(jobId, isNew) : await describe(job, read, run);
  const answered = await reply('status', text, { ...read, card: { ...read.card, pull } }, run, job);
  const what = job === undefined ? 'missing' : { job, isLinkFinal: true };
  return settleThread(answered, run, { jobId, what });
}

/** Updates the status comments of unfinished requests in the thread, as collect mode does. */
async function settleThread(request: Request, run: Run, known?: ObserveOptions['known']): Promise<Request> {
  const { deps, owner } = run;
  const { card } = request;
  const { github, clock } = deps;
  if (github === undefined || card.thread === undefined) return request;
  const open = openCardsOf(requestsIn(request.known.cards ?? []), owner, clock.now());
  const act = () => settle(open, { requests: maxRequests, known, checks: run.checks }, { ...deps, github });
  await run.bestEffort(act, { meaning: 'A later run tries again.' });
  return request;
}

/** Replies to a person who isn't allowed to use commands, once in a thread. */
export async function deny({ headline, more, reason }: Refusal, { card, known }: Request, run: Run) {
  const { signal } = run.deps;
  const denied = replied(card, { outcome: 'denied', reason }, `🚫 **${headline}** ${more}`);
  // A person who didn't write a command expects no reply.
  if (run.isDry || !card.isCommand) return { card: denied, known };
  let final = denied;
  await run.bestEffort(async () => {
    const store = run.storeOf(card);
    const login = card.asker ?? '';
    let pages = 0;
    // Only a few pages are read, so that a stranger can't cause many requests. In a long thread, they may get a second reply.
    const isEnough = (found: readonly PostedCard[]) => {
      pages += 1;
      return pages === maxPages || wasDenied(found, login);
    };
    const cards = (await store?.read(isEnough, signal)) ?? [];
    // An earlier run has already replied to this person.
    if (statusCommentOf(cards, card) !== undefined || wasDenied(cards, login)) return;
    final = (await store?.save(denied, signal)) ?? denied;
  });
  await react('confused', card, run, signal);
  return { card: final, known };
}

/** Posts the answer to a command. A re-run edits the same comment. */
async function reply(reason: 'help' | 'status', text: string, { card, known }: Request, run: Run, job?: Job) {
  const answered = replied(card, { outcome: 'answered', reason }, text, job);
  const { card: shown } = await show(answered, run);
  return { card: shown, known };
}

function whyNoJob({ card, known: { cards } }: Request, run: Run): string {
  if (cards === undefined || card.thread === undefined)
    return '⚠️ **This run can’t read the thread to find its newest job.**';
  if (cards.some((posted) => posted.card.state.is === 'claimed' || howEnded(posted.card) === 'unconfirmed'))
    return '⚠️ **We can’t tell whether a job was started in this thread:** the request’s status comment says why.';
  if ((run.storeOf(card)?.unverifiedKeys.size ?? 0) > 0)
    return '⚠️ **Earlier runs in this thread used a different API key, so we can’t tell which jobs they started.**';
  return '☑️ **No job for this project has been started in this thread yet.**';
}

function missing(jobId: string, isNew: boolean) {
  const yet = `⏳ **The service doesn’t have job ${shortCode(jobId)} yet.** Try again in a few minutes.`;
  const gone = `⚠️ **The thread’s newest job no longer exists:** ${shortCode(jobId)}.`;
  return { text: isNew ? yet : gone, pull: undefined };
}

/** Describes the thread's newest job in the words of its status comment. */
async function describe(job: Job, { card, known }: Request, run: Run) {
  const now = run.deps.clock.now();
  const age = job.createdAt == null ? Number.NaN : now - Date.parse(job.createdAt);
  const started = Number.isNaN(age) ? '' : ` (started ${formatDuration(age)} ago)`;
  const last = known.cards?.findLast((posted) => jobOf(posted.card)?.id === job.id);
  const asked = working({ ...card, ask: 'attach', pull: last?.card.pull }, job);
  const after = await withPull(observed(asked, { job, isLinkFinal: true }, now), run);
  const still = job.status === 'active' ? 'Still working' : `The job’s status is ${shortCode(job.status)}`;
  const words = isTerminal(job.status) ? openText(after) : `⏳ **${still}**${started}.`;
  return { text: paragraphs([words, `Job: ${shortCode(job.id)}`]), pull: after.pull };
}

function helpText(command: string, because: string | undefined): string {
  return paragraphs([
    because === undefined ? '' : `⚠️ **${because}**`,
    `${because === undefined ? 'ℹ️ ' : ''}**\`${command} …\` asks the documentation service’s writing agent for a change and posts a link to its pull request.**`,
    fenced(
      [
        `${command} add a quickstart for the Python SDK`,
        `${command} fix the broken links on /install`,
        `${command} --new explain rate limits`,
      ].join('\n'),
    ),
    [
      `- In a thread that has a job, \`${command} …\` continues that job; \`${command} --new …\` starts a new one.`,
      `- \`${command} --no-wait …\` starts the job without waiting for the result.`,
      `- \`${command} status\` shows the progress of the thread’s newest job.`,
      '- The command comes first in the comment; everything after it, on any line, is the prompt.',
    ].join('\n'),
  ]);
}
