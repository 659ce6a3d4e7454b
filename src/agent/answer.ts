import { formatDuration } from '../lib/duration.ts';
import { shortCode } from '../lib/markdown.ts';
import { readJobIfThere } from './job.ts';
import { newestJob, type Remembered } from './memory.ts';
import { type Ending, pullRequestOf } from './outcome.ts';
import { commentOf } from './own.ts';
import { helpComment } from './render.ts';
import { bestEffort, type Session, withThread } from './session.ts';

/** Answers `help`, and whatever the grammar could not read. */
export async function answerHelp(
  { because }: { because: string | undefined },
  session: Session,
): Promise<Ending> {
  await remember(session, false);
  await reply(helpComment(session.config.command, because), session);
  return { outcome: 'answered', reason: 'help' };
}

/** Answers `status`: how the thread's newest job stands. Asks nothing of the agent. */
export async function answerStatus(session: Session): Promise<Ending> {
  const remembered = await remember(session, true);
  const jobId = newestJob(remembered ?? []);
  const none =
    remembered === undefined
      ? '**The thread cannot be read by this run, so its newest job is not known.**'
      : '**No job was started in this thread yet.**';
  await reply(jobId === undefined ? none : await describeJob(jobId, session), session);
  return { outcome: 'answered', reason: 'status' };
}

/**
 * What the thread remembers; `undefined` where the run has no thread, or may not read it. An answer that was given before
 * is the one that is edited.
 */
async function remember(session: Session, job: boolean): Promise<Remembered[] | undefined> {
  const { progress } = session;
  const remembered = await withThread<Remembered[] | undefined>(session, undefined, (thread) =>
    thread.remember({ job }),
  );
  const own = commentOf(remembered ?? [], session)?.comment;
  if (own !== undefined) progress.comment = { id: own.id, url: own.url, body: own.body };
  return remembered;
}

async function describeJob(jobId: string, session: Session): Promise<string> {
  const { deps, progress } = session;
  const job = await readJobIfThere(jobId, session);
  if (job === undefined) return `The thread’s newest job, ${shortCode(jobId)}, is no longer there.`;
  progress.job = job;
  const link = pullRequestOf(job);
  const age = job.createdAt == null ? Number.NaN : deps.clock.now() - Date.parse(job.createdAt);
  const facts = [
    `Job ${shortCode(job.id)} is **${shortCode(job.status)}**.`,
    link === undefined ? 'It has no pull request yet.' : `Its pull request: <${link.url}>`,
    Number.isNaN(age) ? '' : `It was created ${formatDuration(age)} ago.`,
  ];
  return facts.filter((fact) => fact !== '').join(' ');
}

/** One answer a trigger, edited on a re-run. */
async function reply(text: string, session: Session): Promise<void> {
  const { deps, progress, thread } = session;
  progress.answer = text;
  await bestEffort('Answering in the thread', session, async () =>
    thread?.show('answered', text, deps.signal),
  );
}
