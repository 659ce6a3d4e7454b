import type { ModeResult } from '../core/mode-result.ts';
import { advance, composed } from '../requests/advance.ts';
import { type Card, endingOf, jobOf, shownPrompt } from '../requests/card.ts';
import { isTerminal } from '../requests/job.ts';
import { next, type Request } from '../requests/next.ts';
import type { Run } from '../requests/run.ts';
import { claimed } from '../requests/transitions.ts';
import type { Job } from '../service/schemas.ts';
import { code, fenced } from '../text/markdown.ts';
import type { AgentConfig } from './inputs.ts';
import { resultOf } from './summary.ts';
import type { TriggerToAnswer } from './trigger.ts';

const dayMs = 86_400_000;

/**
 * A dry run: plays a request up to the first step that costs, and says what that would be, with the exact prompt. It writes
 * nothing; one free read of the service shows whether key and project are right.
 */
export async function rehearse(
  trigger: TriggerToAnswer,
  request: Request,
  config: AgentConfig,
  run: Run,
): Promise<ModeResult> {
  const { would, prompt, card } =
    trigger.kind === 'ask'
      ? await plan(request, config, run)
      : { would: `would answer \`${trigger.kind}\` in the thread.`, prompt: undefined, card: request.card };
  const stop = { outcome: 'answered', reason: 'dry-run' } as const;
  const result = resultOf({ ...request.card, stop }, config, run);
  return {
    ...result,
    result: { ...result.result, dryRun: would },
    summary: [
      '### ☑️ Dry run: nothing was asked of the agent',
      `This run ${would}`,
      ...card.notes,
      ...(prompt === undefined ? [] : [fenced(shownPrompt(prompt))]),
      '',
    ].join('\n\n'),
    message: { level: 'notice', title: 'Docs Agent', text: `Dry run: this run ${would}` },
  };
}

/** Plays the steps that cost nothing, and says what would come next. The claim is won in memory. */
async function plan(
  begun: Request,
  config: AgentConfig,
  run: Run,
): Promise<{ would: string; prompt: string | undefined; card: Card }> {
  const { clock } = run.deps;
  let request = begun;
  for (;;) {
    const { card, seen } = request;
    const step = next(request, run, clock.now());
    switch (step.do) {
      case 'claim':
        request = { card: claimed(card, 1, clock.now()), seen };
        break;
      case 'wait for an earlier command':
        request = { card, seen: { ...seen, looksAtEarlier: Number.POSITIVE_INFINITY } };
        break;
      case 'create': {
        const prompt = show(composed(seen, undefined, run).prompt, run);
        await tryKey(run);
        const why = step.note === undefined ? '' : ` ${step.note}`;
        return { would: `would create a job in ${where(config)} ${waiting(run)}${why}`, prompt, card };
      }
      case 'message': {
        const prompt = show(composed(seen, step.job, run).prompt, run);
        const to = `job ${code(step.job.id)} (${code(step.job.status)}) of ${where(config)}`;
        return { would: `would send the prompt to ${to} ${waiting(run)}`, prompt, card };
      }
      case 'attach':
        return { would: `would attach to ${named(step.job)} ${waiting(run)}`, prompt: undefined, card };
      case 'announce':
      case 'watch':
      case 'leave':
      case 'end':
        return { would: wouldEnd(request, run), prompt: undefined, card };
      case 'look at the target':
        try {
          request = await advance(step, request, run);
        } catch (error) {
          // Whatever is wrong with the key or the project, the prompt can be seen.
          show(composed(seen, undefined, run).prompt, run);
          throw error;
        }
        break;
      default:
        request = await advance(step, request, run);
    }
  }
}

/** What a request comes to of which nothing is asked any more. */
function wouldEnd({ card, seen }: Request, run: Run): string {
  const nothing = 'would ask nothing of the agent';
  if (seen.isElsewhere === true) return `${nothing}: another run is busy with this request.`;
  const ending = endingOf(card);
  const job = jobOf(card);
  if (ending?.because !== undefined) return `${nothing}: ${ending.because}`;
  if (ending?.reason === 'key-changed')
    return `${nothing}: an earlier run of this request used another API key.`;
  if (job === undefined)
    return `${nothing}: an earlier run may have asked already, and we cannot tell whether the service accepted that.`;
  // A completed job without a link is only looked at twice more.
  const isOver = isTerminal(job.status) && !('before' in card.state);
  if (ending !== undefined || isOver)
    return `${nothing}: an earlier run has already asked. It would report ${named(job)} again.`;
  return `${nothing}: an earlier run has already asked. It would attach to ${named(job)} ${waiting(run)}`;
}

function named({ id, status }: Job): string {
  return `job ${code(id)} (${code(status)})`;
}

function where({ baseUrl, projects: [project] }: AgentConfig): string {
  return `project ${code(project.id)} at ${code(baseUrl)}`;
}

function waiting({ ask, timeoutMs }: Run): string {
  return ask.wait ? `and follow it for up to ${timeoutMs / 60_000} min.` : 'and not wait for it.';
}

function show(prompt: string, { deps }: Run): string {
  deps.runner.verbatim('The prompt, as it would be sent', prompt);
  return prompt;
}

/** Reads one row of yesterday's visitors. @throws ServiceError if the key or the project is wrong. */
async function tryKey({ deps: { service, clock, signal } }: Run): Promise<void> {
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  const [dateFrom, dateTo] = [day(clock.now() - dayMs), day(clock.now())];
  await service.getVisitors({ dateFrom, dateTo, limit: 1, offset: 0 }, { signal });
}
