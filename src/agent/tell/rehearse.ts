import { code, fenced } from '../../lib/markdown.ts';
import type { ModeResult } from '../../lib/outcome.ts';
import { ServiceError } from '../../service/errors.ts';
import { shownPrompt } from '../known.ts';
import type { Ask, TriggerToAnswer } from '../request/trigger.ts';
import type { Session } from '../session.ts';
import { needingThread } from '../thread/best-effort.ts';
import { newestJob } from '../thread/memory.ts';
import { resultOf } from './conclude.ts';

const dayMs = 86_400_000;

/**
 * A dry run: the exact prompt and what would happen, told in the log, and as far as a summary shows it there. Reads at most
 * the thread and one thing of the service, which costs nothing and tells whether key and project are right.
 */
export async function rehearse(trigger: TriggerToAnswer, session: Session): Promise<ModeResult> {
  const { deps } = session;
  const prompt = trigger.kind === 'ask' ? trigger.ask.prompt : undefined;
  if (prompt !== undefined) deps.runner.verbatim('The prompt, as it would be sent', prompt);
  const would =
    trigger.kind === 'ask'
      ? await describeAsk(trigger.ask, session)
      : `would answer \`${trigger.kind}\` in the thread.`;
  const result = resultOf({ outcome: 'answered', reason: 'dry-run' }, session);
  return {
    ...result,
    result: { ...result.result, dryRun: would },
    summary: [
      '### Dry run: nothing was asked of the agent',
      `This run ${would}`,
      ...(prompt === undefined ? [] : [fenced(shownPrompt(prompt))]),
      '',
    ].join('\n\n'),
    message: { level: 'notice', title: 'Docs Agent', text: `Dry run: this run ${would}` },
  };
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
  const remembered = ask.continues
    ? await needingThread(session, (thread) =>
        thread.read((seen) => newestJob(seen) !== undefined, deps.signal),
      )
    : undefined;
  const jobId = newestJob(remembered ?? []);
  if (jobId === undefined) {
    await tryKey(session);
    return `would create a job in ${where} ${wait}`;
  }
  const status = await statusOf(jobId, session);
  return status === 'archived' || status === 'gone'
    ? `would create a job in ${where}, since the thread’s job ${code(jobId)} is ${status}, ${wait}`
    : `would send the prompt to job ${code(jobId)} (${code(status)}) of ${where} ${wait}`;
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
