import { ServiceError } from '../../service/errors.ts';
import type { Job } from '../../service/schemas.ts';
import { formatDuration } from '../../text/duration.ts';
import { shortCode } from '../../text/markdown.ts';
import { isTerminal } from '../job/status.ts';
import type { Session } from '../session.ts';
import { bestEffort, needingThread } from '../thread/best-effort.ts';
import { lookAtThread, type ThreadReach } from '../thread/look.ts';
import { writtenBy } from '../thread/marker-facts.ts';
import { newestJob } from '../thread/memory.ts';
import { type Ending, pullRequestOf } from './ending.ts';
import { helpComment } from './render.ts';
import type { Words } from './words.ts';

/** Answers `help`, and whatever the grammar could not read. */
export async function answerHelp(because: string | undefined, session: Session): Promise<Ending> {
  await readThread(session, 'own comment');
  await reply(helpComment(session.config.command, because), session);
  return { outcome: 'answered', reason: 'help' };
}

/**
 * Answers `status`: how the thread's newest job stands; and brings to their end the comments of the thread that nobody is at.
 * Asks nothing of the agent.
 */
export async function answerStatus(session: Session): Promise<Ending> {
  await readThread(session, 'all');
  const jobId = newestJob(session.known.memory ?? []);
  await reply(jobId === undefined ? whyNoJob(session) : await describeJob(jobId, session), session);
  // No other command needs it.
  const { finishThread } = await import('../open/finish-thread.ts');
  await finishThread(session);
  return { outcome: 'answered', reason: 'status' };
}

/** Learns what the thread remembers; what was told of the trigger before is the comment that is edited. */
async function readThread(session: Session, reach: ThreadReach): Promise<void> {
  const within = session.deps.signal;
  await needingThread(session, (thread) => lookAtThread(thread, session, { reach, within }));
}

/** What there is to say of a thread that tells of no job. */
function whyNoJob({ known: { memory }, thread }: Session): string {
  if (memory === undefined)
    return '⚠️ **The thread cannot be read by this run, so its newest job is not known.**';
  if (memory.some(({ marker: { phase } }) => phase === 'claimed' || phase === 'unconfirmed'))
    return '⚠️ **It is not known whether a job was started in this thread:** the comments above say why.';
  if (thread !== undefined && thread.unverifiedKeys.size > 0)
    return '⚠️ **This thread was written with another API key, so its jobs are not known.**';
  return '☑️ **No job of this project was started in this thread yet.**';
}

async function describeJob(jobId: string, session: Session): Promise<string> {
  const { deps, learn } = session;
  const job = await deps.service.getJob(jobId, { signal: deps.signal }).catch((error: unknown) => {
    if (error instanceof ServiceError && error.reason === 'not-found') return undefined;
    throw error;
  });
  if (job === undefined) return `⚠️ **The thread’s newest job is no longer there:** ${shortCode(jobId)}.`;
  learn({ answeredJob: job });
  return describe(job, session);
}

function describe(job: Job, { deps, known }: Session): string {
  const link = pullRequestOf(job);
  const age = job.createdAt == null ? Number.NaN : deps.clock.now() - Date.parse(job.createdAt);
  const none = isTerminal(job.status) ? 'It has no pull request.' : 'It has no pull request yet.';
  const facts = [
    `${signOf(job)} **The thread’s newest job is ${shortCode(job.status)}.**`,
    link === undefined ? none : `Its pull request: <${link.url}>.`,
    Number.isNaN(age) ? '' : `It was created ${formatDuration(age)} ago.`,
    `Its id: ${shortCode(job.id)}.`,
  ];
  const isOver = job.status === 'failed' || job.status === 'archived';
  const how = isOver
    ? `\`${known.command} --new …\` starts a new one.`
    : `Ask for more with \`${known.command} …\`.`;
  const next = isTerminal(job.status) ? `\n\n${how}` : '';
  return `${facts.filter((fact) => fact !== '').join(' ')}${next}`;
}

function signOf({ status, prLink }: Job): Words['sign'] {
  switch (status) {
    case 'completed':
      return prLink === null ? '☑️' : '✅';
    case 'failed':
      return '❌';
    case 'archived':
      return '⚠️';
    default:
      return '⏳';
  }
}

/** One answer a trigger, edited on a re-run. */
async function reply(text: string, session: Session): Promise<void> {
  const { deps, learn, thread } = session;
  learn({ answer: text });
  await bestEffort('Answering in the thread', session, async () => {
    const facts = { ...writtenBy(session.known, deps.context), phase: 'answered' as const };
    await thread?.show(facts, text, deps.signal);
  });
}
