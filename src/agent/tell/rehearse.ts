import { code, fenced } from '../../lib/markdown.ts';
import type { ModeResult } from '../../lib/outcome.ts';
import { shownPrompt } from '../known.ts';
import type { Ask, TriggerToAnswer } from '../request/trigger.ts';
import type { Session } from '../session.ts';
import { needingThread } from '../thread/best-effort.ts';
import { newestJob } from '../thread/memory.ts';
import { resultOf } from './conclude.ts';

/** A dry run: the exact prompt and what would happen, told in the log, and as far as a summary shows it there. Reads at most the thread. */
export async function rehearse(trigger: TriggerToAnswer, session: Session): Promise<ModeResult> {
  const { deps } = session;
  const would =
    trigger.kind === 'ask'
      ? await describeAsk(trigger.ask, session)
      : `would answer \`${trigger.kind}\` in the thread.`;
  const prompt = trigger.kind === 'ask' ? trigger.ask.prompt : undefined;
  if (prompt !== undefined) deps.runner.verbatim('The prompt, as it would be sent', prompt);
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
  if (ask.prompt === undefined) return `would attach to job ${code(ask.jobId ?? '')} ${wait}`;
  const remembered = ask.continues
    ? await needingThread(session, (thread) =>
        thread.read((seen) => newestJob(seen) !== undefined, deps.signal),
      )
    : undefined;
  const jobId = ask.jobId ?? newestJob(remembered ?? []);
  const where = `project ${code(projectId)} at ${code(baseUrl)}`;
  return jobId === undefined
    ? `would create a job in ${where} ${wait}`
    : `would send the prompt to job ${code(jobId)} of ${where} ${wait}`;
}
