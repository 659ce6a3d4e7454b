import { code, fenced } from '../lib/markdown.ts';
import type { ModeResult } from '../lib/outcome.ts';
import { newestJob } from './memory.ts';
import { shownPrompt } from './progress.ts';
import { resultOf } from './result.ts';
import { type Session, withThread } from './session.ts';
import type { Trigger } from './trigger.ts';

/** A dry run: the exact prompt and what would happen, told in the log, and as far as a summary shows it there. Reads at most the thread. */
export async function rehearse(
  trigger: Exclude<Trigger, { kind: 'skip' }>,
  session: Session,
): Promise<ModeResult> {
  const { deps } = session;
  const would =
    trigger.kind === 'ask'
      ? await describeAsk(trigger.ask, session)
      : `would answer \`${trigger.kind}\` in the thread.`;
  const prompt = trigger.kind === 'ask' ? trigger.ask.prompt : undefined;
  if (prompt !== undefined) deps.runner.verbatim('The prompt, as it would be sent', prompt);
  const ending = { outcome: 'answered', reason: 'dry-run' } as const;
  const text = `Dry run: this run ${would}`;
  return {
    ...resultOf(ending, session),
    result: { dryRun: would },
    summary: [
      '### Dry run: nothing was asked of the agent',
      `This run ${would}`,
      ...(prompt === undefined ? [] : [fenced(shownPrompt(prompt))]),
      '',
    ].join('\n\n'),
    message: { level: 'notice', title: 'Docs Agent', text },
  };
}

async function describeAsk(ask: Extract<Trigger, { kind: 'ask' }>['ask'], session: Session): Promise<string> {
  const { config } = session;
  const wait = ask.wait
    ? `and follow it for up to ${config.timeoutMs / 60_000} min.`
    : 'and not wait for it.';
  const { baseUrl, projectId } = config.service;
  if (ask.prompt === undefined) return `would attach to job ${code(ask.jobId ?? '')} ${wait}`;
  const inThread = ask.continues
    ? newestJob(await withThread(session, [], (thread) => thread.remember({ job: true })))
    : undefined;
  const jobId = ask.jobId ?? inThread;
  const where = `project ${code(projectId)} at ${code(baseUrl)}`;
  return jobId === undefined
    ? `would create a job in ${where} ${wait}`
    : `would send the prompt to job ${code(jobId)} of ${where} ${wait}`;
}
