import type { ModeResult } from '../core/mode-result.ts';
import { howEnded, jobOf, shownPrompt } from '../requests/card/card.ts';
import { isTerminal } from '../requests/card/job.ts';
import { endingOf } from '../requests/card/situation.ts';
import { withoutBold, wordsFor } from '../requests/card/words.ts';
import { advance } from '../requests/run/advance.ts';
import { composed } from '../requests/run/ask.ts';
import { effects, next, type Request, type Step } from '../requests/run/next.ts';
import type { Run } from '../requests/run/run.ts';
import type { Job } from '../service/schemas.ts';
import { counted } from '../text/counts.ts';
import { dayMs } from '../text/duration.ts';
import { code, fenced, joined } from '../text/markdown.ts';
import type { AgentConfig } from './inputs.ts';
import { resultOf } from './summary.ts';
import type { TriggerToAnswer } from './trigger.ts';

/**
 * A dry run: performs the steps of a request up to the first one that costs credits, and reports that step and the exact prompt.
 * It writes nothing. One free request to the service checks the key and the project.
 */
export async function rehearse(
  trigger: TriggerToAnswer,
  begun: Request,
  config: AgentConfig,
  run: Run,
): Promise<ModeResult<'agent'>> {
  const [request, step] = trigger.kind === 'ask' ? await performFree(begun, run) : [begun, undefined];
  const would =
    step === undefined
      ? `would answer \`${trigger.kind}\` in the thread.`
      : wouldDo(step, request, `project ${code(config.projects[0].id)} at ${code(config.baseUrl)}`, run);
  const prompt = step?.do === 'ask' ? show(step.job, request, run) : undefined;
  const stop = { outcome: 'answered', reason: 'dry-run' } as const;
  const result = resultOf({ ...begun.card, stop }, config, run);
  return {
    ...result,
    result: { ...result.result, dryRun: would },
    summary: [
      '### ☑️ Dry run: nothing was sent to the agent',
      `This run ${would}`,
      ...request.card.notes,
      ...(prompt === undefined ? [] : [fenced(shownPrompt(prompt))]),
      '',
    ].join('\n\n'),
    message: { level: 'notice', title: 'Docs Agent', text: `Dry run: this run ${would}` },
  };
}

/** Performs the steps that cost nothing, and returns the step after them. The claim is made only in memory. */
async function performFree(begun: Request, run: Run): Promise<[Request, Step]> {
  let request = begun;
  try {
    for (;;) {
      const step = next(request, run, run.deps.clock.now());
      // If a job was read, the key is already known to be valid.
      if (step.do === 'ask' && step.job === undefined) await checkKey(run);
      const isFree = effects[step.do] === 'reads' || step.do === 'claim';
      if (step.do === 'end' || !isFree) return [request, step];
      request = await advance(step, request, run);
    }
  } catch (error) {
    // The log shows the prompt even if the key or the project is wrong.
    if (run.ask.prompt !== undefined) show(undefined, request, run);
    throw error;
  }
}

function wouldDo(step: Step, request: Request, project: string, run: Run): string {
  const waiting = run.ask.wait
    ? `and follow it for up to ${run.timeoutMs / 60_000} min.`
    : 'and not wait for it.';
  switch (step.do) {
    case 'ask': {
      const what = step.job === undefined ? 'create a job in' : `send the prompt to ${named(step.job)} of`;
      const note = joined([
        step.whyNew,
        leftOf(request, run),
        'A dry run can’t check whether the key has `write` scope.',
      ]);
      return `would ${what} ${project} ${waiting} ${note}`;
    }
    case 'attach':
      return `would attach to ${named(step.job)} ${waiting}`;
    default:
      return `would send nothing to the agent: ${whyNothing(request, waiting)}`;
  }
}

/** How many requests are left, as a sentence; `undefined` without a cap. */
function leftOf({ known: { left } }: Request, { cap }: Run): string | undefined {
  if (cap === undefined || left === undefined) return undefined;
  return `\`max-jobs\`: ${left} of ${counted(cap.most, 'request')} a ${cap.per} left.`;
}

function whyNothing({ card }: Request, waiting: string): string {
  const ending = endingOf(card);
  const job = jobOf(card);
  if (ending?.reason === 'another-run') return 'another run is already working on this request.';
  if (ending?.because !== undefined) return ending.because;
  if (ending?.error !== undefined) return `${ending.error.title}. ${ending.error.text}`;
  if (job === undefined || howEnded(card) === 'gone') return withoutBold(wordsFor(card)[0]);
  // A completed job without a link is checked only two more times.
  const isOver = ending !== undefined || (isTerminal(job.status) && !('before' in card.state));
  const what = isOver ? `report ${named(job)} again.` : `attach to ${named(job)} ${waiting}`;
  return `an earlier run has already sent it. This run would ${what}`;
}

function named({ id, status }: Job): string {
  return `job ${code(id)} (${code(status)})`;
}

/** Prints and returns the prompt exactly as the existing or new job would get it. */
function show(recipient: Job | undefined, { known }: Request, run: Run): string {
  const { prompt } = composed(known, recipient, run);
  run.deps.runner.verbatim('The prompt, as it would be sent', prompt);
  return prompt;
}

/** Reads one row of yesterday's visitors. @throws ServiceError if the key or the project is wrong. */
async function checkKey({ deps: { service, clock, signal } }: Run): Promise<void> {
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  const [dateFrom, dateTo] = [day(clock.now() - dayMs), day(clock.now())];
  await service.getVisitors({ dateFrom, dateTo, limit: 1, offset: 0 }, { signal });
}
