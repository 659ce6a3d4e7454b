import { code, fenced } from '../../lib/markdown.ts';
import type { ModeResult } from '../../lib/outcome.ts';
import { ServiceError } from '../../service/errors.ts';
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
  const { deps } = session;
  const prompt = trigger.kind === 'ask' ? await promptOf(trigger.ask, session) : undefined;
  if (prompt !== undefined) deps.runner.verbatim('The prompt, as it would be sent', prompt);
  const would = await describe(trigger, session);
  const result = resultOf({ outcome: 'answered', reason: 'dry-run' }, session);
  return {
    ...result,
    result: { ...result.result, dryRun: would },
    summary: [
      '### Dry run: nothing was asked of the agent',
      `This run ${would}`,
      ...session.known.notes,
      ...(prompt === undefined ? [] : [fenced(shownPrompt(prompt))]),
      '',
    ].join('\n\n'),
    message: { level: 'notice', title: 'Docs Agent', text: `Dry run: this run ${would}` },
  };
}

/** The prompt with what it is about; `undefined` where there is none, or where the change would be skipped. */
async function promptOf(ask: Ask, session: Session): Promise<string | undefined> {
  const { about } = ask;
  if (about === undefined) return ask.prompt;
  const { learnPush, learnAbout, compose } = await import('../context/learn.ts');
  if (about.change?.kind === 'push') await learnPush(about.change.push, session);
  await learnAbout(about, session);
  return session.known.ending === undefined ? compose(ask, undefined, session).prompt : undefined;
}

async function describe(trigger: TriggerToAnswer, session: Session): Promise<string> {
  const because = session.known.ending?.because;
  if (because !== undefined) return `would ask nothing of the agent: ${because}`;
  if (trigger.kind !== 'ask') return `would answer \`${trigger.kind}\` in the thread.`;
  return describeAsk(trigger.ask, session);
}

async function describeAsk(ask: Ask, session: Session): Promise<string> {
  const { config, deps } = session;
  const wait = ask.wait
    ? `and follow it for up to ${config.timeoutMs / 60_000} min.`
    : 'and not wait for it.';
  const { baseUrl, projectId } = config.service;
  const where = `project ${code(projectId)} at ${code(baseUrl)}`;
  if (ask.jobId !== undefined) {
    const { status } = await deps.service.getJob(ask.jobId, { signal: deps.signal });
    return ask.prompt === undefined
      ? `would attach to job ${code(ask.jobId)} (${code(status)}) ${wait}`
      : `would send the prompt to job ${code(ask.jobId)} (${code(status)}) of ${where} ${wait}`;
  }
  const jobId = await jobToContinue(ask, session);
  if (jobId === undefined) {
    await tryKey(session);
    return `would create a job in ${where} ${wait}`;
  }
  const status = await statusOf(jobId, session);
  return status === 'archived' || status === 'gone'
    ? `would create a job in ${where}, since the thread’s job ${code(jobId)} is ${status}, ${wait}`
    : `would send the prompt to job ${code(jobId)} (${code(status)}) of ${where} ${wait}`;
}

async function jobToContinue({ continues }: Ask, session: Session): Promise<string | undefined> {
  switch (continues) {
    case 'nowhere':
      return undefined;
    case 'repository':
      return (await findOpenJob(session))?.id;
    case 'thread': {
      const { signal } = session.deps;
      const remembered = await needingThread(session, (thread) =>
        thread.read((seen) => newestJob(seen) !== undefined, signal),
      );
      return newestJob(remembered ?? []);
    }
  }
}

async function statusOf(jobId: string, { deps }: Session): Promise<string> {
  try {
    return (await deps.service.getJob(jobId, { signal: deps.signal })).status;
  } catch (error) {
    if (error instanceof ServiceError && error.reason === 'not-found') return 'gone';
    throw error;
  }
}

/** Reads one row of yesterday's visitors. @throws ServiceError where the key or the project is not right. */
async function tryKey({ deps: { service, clock, signal } }: Session): Promise<void> {
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  const [dateFrom, dateTo] = [day(clock.now() - dayMs), day(clock.now())];
  await service.getVisitors({ dateFrom, dateTo, limit: 1, offset: 0 }, { signal });
}
