import { type Ending, howEnded } from '../requests/card.ts';
import { type Found, newestJob, statusCommentOf, wasDenied } from '../requests/claims.ts';
import { paragraphs } from '../requests/comment.ts';
import { isTerminal, lacksLink, pullRequestOf } from '../requests/job.ts';
import { leftIn } from '../requests/left.ts';
import { findJob } from '../requests/looks.ts';
import type { Request } from '../requests/next.ts';
import { react } from '../requests/reactions.ts';
import { findMaker } from '../requests/repository.ts';
import type { Run } from '../requests/run.ts';
import { settle } from '../requests/settle.ts';
import { readThread, show } from '../requests/thread.ts';
import { replied } from '../requests/transitions.ts';
import type { Job } from '../service/schemas.ts';
import { formatDuration } from '../text/duration.ts';
import { fenced, shortCode } from '../text/markdown.ts';
import type { Refusal } from './gate.ts';
import type { Source } from './trigger.ts';

/** Requests to the service for one thread: it seldom has more than a few jobs that no process follows. */
const mostRequests = 40;

/** How much of a thread is read to see whether somebody was refused before. */
const mostPages = 4;

/** Answers `help`, and whatever the grammar could not read. */
export async function answerHelp(because: string | undefined, request: Request, run: Run): Promise<Request> {
  const known = await readThread(request, run, 'own comment');
  return reply({ outcome: 'answered', reason: 'help' }, helpText(known.card.command, because), known, run);
}

/**
 * Answers `status`: how the thread's newest job is; and brings the thread's cards that no process follows to their end. Asks
 * nothing of the agent.
 */
export async function answerStatus(request: Request, run: Run): Promise<Request> {
  const known = await readThread(request, run, 'all');
  const { cards = [] } = known.seen;
  const { deps } = run;
  const newest = newestJob(cards);
  const look = async (jobId: string) => ({ jobId, job: await findJob(jobId, deps, { signal: deps.signal }) });
  const { jobId, job } = await (newest === undefined ? findMaker(run) : look(newest));
  const text = jobId === undefined ? whyNoJob(known, run) : describe(jobId, job, known, run);
  const answered = await reply({ outcome: 'answered', reason: 'status' }, text, known, run, job);
  await settleThread(known, job, run);
  return answered;
}

/** Brings a thread's open comments to their end, as collecting does, as far as possible. */
async function settleThread({ card, seen }: Request, known: Job | undefined, run: Run): Promise<void> {
  const { deps, signerOf, service } = run;
  const { github, clock } = deps;
  if (github === undefined || card.thread === undefined) return;
  const comments = seen.cards?.map(({ comment }) => comment) ?? [];
  const project = { id: service.projectId, name: service.projectId };
  const left = leftIn(new Map([[card.thread, comments]]), { project, signerOf }, clock.now());
  await run.bestEffort('Finishing what was left open in the thread', () =>
    settle(left, { requests: mostRequests, known }, { ...deps, github }),
  );
}

/** Tells somebody who gave a command why they may not, once in a thread. */
export async function deny(
  refusal: Refusal,
  { isCommand }: Source,
  { card, seen }: Request,
  run: Run,
): Promise<Request> {
  const { signal, runner } = run.deps;
  const { headline, more, reason } = refusal;
  runner.notice(`${headline} ${more}`);
  const denied = replied(card, { outcome: 'denied', reason }, `🚫 **${headline}** ${more}`);
  // Somebody who gave no command has not spoken to us.
  if (run.isDry || !isCommand) return { card: denied, seen };
  await react('confused', card, run, signal);
  let final = denied;
  await run.bestEffort('Telling the commenter', async () => {
    const store = run.storeOf(card);
    const login = card.asker ?? '';
    let pages = 0;
    // Turning a stranger away stays cheap however long the thread is, at the price of a second reply in a long one.
    const isEnough = (found: readonly Found[]) => {
      pages += 1;
      return pages === mostPages || wasDenied(found, login);
    };
    const cards = (await store?.read(isEnough, signal)) ?? [];
    // What an earlier attempt wrote stays: this one knows nothing more.
    if (statusCommentOf(cards, card.key) !== undefined || wasDenied(cards, login)) return;
    final = (await store?.save(denied, signal)) ?? denied;
  });
  return { card: final, seen };
}

/** One answer for a trigger, edited on a re-run. */
async function reply(
  ending: Ending & { readonly outcome: 'answered' },
  text: string,
  { card, seen }: Request,
  run: Run,
  job?: Job,
): Promise<Request> {
  const [answered] = await show('Answering in the thread', replied(card, ending, text, job), run);
  return { card: answered, seen };
}

/** What to say of a thread in which no job is known. */
function whyNoJob({ card, seen: { cards } }: Request, run: Run): string {
  if (cards === undefined || card.thread === undefined)
    return '⚠️ **The thread cannot be read by this run, so its newest job is not known.**';
  if (cards.some((one) => one.card.state.is === 'claimed' || howEnded(one.card) === 'unconfirmed'))
    return '⚠️ **It is not known whether a job was started in this thread:** the comments above say why.';
  if ((run.storeOf(card)?.unverifiedKeys.size ?? 0) > 0)
    return '⚠️ **This thread was written with another API key, so its jobs are not known.**';
  return '☑️ **No job of this project was started in this thread yet.**';
}

function describe(jobId: string, job: Job | undefined, { card }: Request, { deps }: Run): string {
  if (job === undefined) return `⚠️ **The thread’s newest job is no longer there:** ${shortCode(jobId)}.`;
  const isOver = isTerminal(job.status);
  const signs = new Map([
    ['completed', lacksLink(job) ? '☑️' : '✅'],
    ['failed', '❌'],
    ['archived', '⚠️'],
  ]);
  const link = pullRequestOf(job);
  const none = `It has no pull request${isOver ? '' : ' yet'}.`;
  const age = job.createdAt == null ? Number.NaN : deps.clock.now() - Date.parse(job.createdAt);
  const facts = [
    `${signs.get(job.status) ?? '⏳'} **The thread’s newest job is ${shortCode(job.status)}.**`,
    link === undefined ? none : `Its pull request: <${link.url}>.`,
    ...(Number.isNaN(age) ? [] : [`It was created ${formatDuration(age)} ago.`]),
    `Its id: ${shortCode(job.id)}.`,
  ];
  const isReady = job.status === 'completed';
  const next = isReady
    ? `Ask for more with \`${card.command} …\`.`
    : `\`${card.command} --new …\` starts a new one.`;
  return paragraphs([facts.join(' '), isOver ? next : '']);
}

/** The command as it is configured and how it works; before that, as Markdown, why it was not understood. */
function helpText(command: string, because: string | undefined): string {
  return paragraphs([
    because === undefined ? '' : `⚠️ **${because}**`,
    `${because === undefined ? 'ℹ️ ' : ''}**\`${command} …\` asks the documentation service’s writing agent for a change and brings back a pull request.**`,
    fenced(
      [
        `${command} add a quickstart for the Python SDK`,
        `${command} fix the broken links on the installation page`,
        `${command} --new explain rate limits, with an example in curl`,
      ].join('\n'),
    ),
    [
      `- In a thread that has a job, \`${command} …\` continues that job; \`${command} --new …\` starts another.`,
      `- \`${command} --no-wait …\` starts it without waiting.`,
      `- \`${command} status\` shows the progress of the thread’s newest job.`,
      '- The command comes first in the comment; everything after it, on any line, is the prompt.',
    ].join('\n'),
  ]);
}
