import { howEnded } from '../requests/card.ts';
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

/** The most requests to the service for the unfinished jobs of one thread. */
const mostRequests = 40;

/** How many pages of a thread are searched for an earlier reply to the same person. */
const mostPages = 4;

/** Answers `help`, and commands that can't be parsed. `because` says what is wrong with such a command. */
export async function answerHelp(because: string | undefined, request: Request, run: Run): Promise<Request> {
  const known = await readThread(request, run, 'own comment');
  return reply('help', helpText(known.card.command, because), known, run);
}

/** Answers `status` with the state of the thread's newest job. Then finishes the thread's requests that no process watches. */
export async function answerStatus(request: Request, run: Run): Promise<Request> {
  const known = await readThread(request, run, 'all');
  const { cards = [] } = known.seen;
  const { deps } = run;
  const newest = newestJob(cards);
  const look = async (jobId: string) => ({ jobId, job: await findJob(jobId, deps) });
  const { jobId, job } = await (newest === undefined ? findMaker(run) : look(newest));
  const text = jobId === undefined ? whyNoJob(known, run) : describe(jobId, job, known, run);
  const answered = await reply('status', text, known, run, job);
  await settleThread(known, job, run);
  return answered;
}

/** Updates the status comments of unfinished requests in the thread, as collect mode does. */
async function settleThread({ card, seen }: Request, known: Job | undefined, run: Run): Promise<void> {
  const { deps, owner } = run;
  const { github, clock } = deps;
  if (github === undefined || card.thread === undefined) return;
  const comments = seen.cards?.map(({ comment }) => comment) ?? [];
  const left = leftIn(comments, owner, clock.now());
  await run.bestEffort('Finishing open requests in the thread', () =>
    settle(left, { requests: mostRequests, known }, { ...deps, github }),
  );
}

/** Replies to a person who isn't allowed to use commands, once in a thread. */
export async function deny(
  { headline, more, reason }: Refusal,
  { card, seen }: Request,
  run: Run,
): Promise<Request> {
  const { signal, runner } = run.deps;
  runner.notice(`${headline} ${more}`);
  const denied = replied(card, { outcome: 'denied', reason }, `🚫 **${headline}** ${more}`);
  // A person who didn't write a command expects no reply.
  if (run.isDry || !card.isCommand) return { card: denied, seen };
  await react('confused', card, run, signal);
  let final = denied;
  await run.bestEffort('Telling the commenter', async () => {
    const store = run.storeOf(card);
    const login = card.asker ?? '';
    let pages = 0;
    // Only a few pages are read, so that a stranger can't cause many requests. In a long thread, they may get a second reply.
    const isEnough = (found: readonly Found[]) => {
      pages += 1;
      return pages === mostPages || wasDenied(found, login);
    };
    const cards = (await store?.read(isEnough, signal)) ?? [];
    // An earlier run has already replied to this person.
    if (statusCommentOf(cards, card.key) !== undefined || wasDenied(cards, login)) return;
    final = (await store?.save(denied, signal)) ?? denied;
  });
  return { card: final, seen };
}

/** Posts the answer to a command. A re-run edits the same comment. */
async function reply(
  reason: 'help' | 'status',
  text: string,
  { card, seen }: Request,
  run: Run,
  job?: Job,
): Promise<Request> {
  const answered = replied(card, { outcome: 'answered', reason }, text, job);
  const [shown] = await show('Answering in the thread', answered, run);
  return { card: shown, seen };
}

function whyNoJob({ card, seen: { cards } }: Request, run: Run): string {
  if (cards === undefined || card.thread === undefined)
    return '⚠️ **This run can’t read the thread, so we can’t tell which of its jobs is the newest.**';
  if (cards.some((one) => one.card.state.is === 'claimed' || howEnded(one.card) === 'unconfirmed'))
    return '⚠️ **We can’t tell whether a job was started in this thread:** the comments above say why.';
  if ((run.storeOf(card)?.unverifiedKeys.size ?? 0) > 0)
    return '⚠️ **Earlier runs in this thread used a different API key, so we can’t tell which jobs they started.**';
  return '☑️ **No job for this project has been started in this thread yet.**';
}

function describe(jobId: string, job: Job | undefined, { card }: Request, { deps }: Run): string {
  if (job === undefined) return `⚠️ **The thread’s newest job no longer exists:** ${shortCode(jobId)}.`;
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

function helpText(command: string, because: string | undefined): string {
  return paragraphs([
    because === undefined ? '' : `⚠️ **${because}**`,
    `${because === undefined ? 'ℹ️ ' : ''}**\`${command} …\` asks the documentation service’s writing agent for a change and posts a link to the pull request here.**`,
    fenced(
      [
        `${command} add a quickstart for the Python SDK`,
        `${command} fix the broken links on the installation page`,
        `${command} --new explain rate limits, with a curl example`,
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
