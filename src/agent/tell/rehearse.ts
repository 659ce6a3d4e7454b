import { accessTo } from '../../core/inputs/projects.ts';
import type { ModeResult } from '../../core/mode-result.ts';
import { ServiceError } from '../../service/errors.ts';
import type { Job } from '../../service/schemas.ts';
import { code, fenced } from '../../text/markdown.ts';
import { shownPrompt } from '../known.ts';
import type { Ask, TriggerToAnswer } from '../request/trigger.ts';
import type { Session } from '../session.ts';
import { needingThread } from '../thread/best-effort.ts';
import { newestJob } from '../thread/memory.ts';
import { findOpenJob } from '../thread/repository.ts';
import { resultOf } from './conclude.ts';

const dayMs = 86_400_000;

/**
 * A dry run: the exact prompt and what would happen, told in the log, and as far as a summary shows it there. Reads at most
 * the thread, what the prompt is about, and one thing of the service, which costs nothing and tells whether key and project
 * are right.
 */
export async function rehearse(trigger: TriggerToAnswer, session: Session): Promise<ModeResult> {
  const { would, prompt } = await planOf(trigger, session);
  const ending = { outcome: 'answered', reason: 'dry-run' } as const;
  // There is nothing left that `post` could tell.
  session.learn({ ending, isOver: true });
  const result = resultOf(ending, session);
  return {
    ...result,
    result: { ...result.result, dryRun: would },
    summary: [
      '### ☑️ Dry run: nothing was asked of the agent',
      `This run ${would}`,
      ...session.known.notes,
      ...(prompt === undefined ? [] : [fenced(shownPrompt(prompt))]),
      '',
    ].join('\n\n'),
    message: { level: 'notice', title: 'Docs Agent', text: `Dry run: this run ${would}` },
  };
}

interface Plan {
  /** What would happen, behind "This run". */
  readonly would: string;
  /** What would be sent; `undefined` for nothing. */
  readonly prompt: string | undefined;
}

async function planOf(trigger: TriggerToAnswer, session: Session): Promise<Plan> {
  if (trigger.kind !== 'ask')
    return { would: `would answer \`${trigger.kind}\` in the thread.`, prompt: undefined };
  const { ask } = trigger;
  const composeFor = await readSubject(ask, session);
  const because = session.known.ending?.because;
  if (because !== undefined)
    return { would: `would ask nothing of the agent: ${because}`, prompt: undefined };
  const show = (job: Job | undefined) => {
    const prompt = composeFor(job);
    if (prompt !== undefined) session.deps.runner.verbatim('The prompt, as it would be sent', prompt);
    return prompt;
  };
  const { would, job } = await destinationOf(ask, session).catch((error: unknown) => {
    // Whatever is wrong with the key or the project, the prompt can be seen.
    show(undefined);
    throw error;
  });
  return { would, prompt: show(job) };
}

/** Reads what a prompt is about; gives the prompt as a job would be sent it, or a new one. */
async function readSubject(
  ask: Ask,
  session: Session,
): Promise<(job: Job | undefined) => string | undefined> {
  const { about } = ask;
  if (about === undefined) return () => ask.prompt;
  const { learnPush, learnAbout, compose } = await import('../context/learn.ts');
  if (about.change?.kind === 'push') await learnPush(about.change.push, session);
  await learnAbout(about, session);
  return (job) => compose(ask, job, session).prompt;
}

/** Where the prompt would go: to a job there is, or to a new one. */
async function destinationOf(
  ask: Ask,
  session: Session,
): Promise<{ readonly would: string; readonly job?: Job }> {
  const { config, deps } = session;
  const wait = ask.wait ? `and follow it for up to ${config.timeoutMinutes} min.` : 'and not wait for it.';
  const { baseUrl, projectId } = accessTo(config);
  const where = `project ${code(projectId)} at ${code(baseUrl)}`;
  const sendTo = ({ id, status }: Job) =>
    `would send the prompt to job ${code(id)} (${code(status)}) of ${where} ${wait}`;
  if (ask.jobId !== undefined) {
    const job = await deps.service.getJob(ask.jobId, { signal: deps.signal });
    return ask.prompt === undefined
      ? { would: `would attach to job ${code(job.id)} (${code(job.status)}) ${wait}` }
      : { would: sendTo(job), job };
  }
  const jobId = await jobToContinue(ask, session);
  if (jobId === undefined) {
    await tryKey(session);
    return { would: `would create a job in ${where} ${wait}` };
  }
  const job = await findJob(jobId, session);
  if (job !== undefined && job.status !== 'archived') return { would: sendTo(job), job };
  const why = `since the thread’s job ${code(jobId)} is ${job?.status ?? 'gone'}`;
  return { would: `would create a job in ${where}, ${why}, ${wait}` };
}

async function jobToContinue({ continues }: Ask, session: Session): Promise<string | undefined> {
  switch (continues) {
    case 'nowhere':
      return undefined;
    case 'repository':
      return (await findOpenJob(session))?.id;
    case 'thread': {
      const { signal } = session.deps;
      const memory = await needingThread(session, (thread) =>
        thread.read((seen) => newestJob(seen) !== undefined, signal),
      );
      session.learn({ memory });
      return newestJob(memory ?? []);
    }
  }
}

async function findJob(jobId: string, { deps }: Session): Promise<Job | undefined> {
  try {
    return await deps.service.getJob(jobId, { signal: deps.signal });
  } catch (error) {
    if (error instanceof ServiceError && error.reason === 'not-found') return undefined;
    throw error;
  }
}

/** Reads one row of yesterday's visitors. @throws ServiceError where the key or the project is not right. */
async function tryKey({ deps: { service, clock, signal } }: Session): Promise<void> {
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  const [dateFrom, dateTo] = [day(clock.now() - dayMs), day(clock.now())];
  await service.getVisitors({ dateFrom, dateTo, limit: 1, offset: 0 }, { signal });
}
