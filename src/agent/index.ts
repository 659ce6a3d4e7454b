import { badInput, InputError } from '../core/errors.ts';
import { type ModeResult, skipped } from '../core/mode-result.ts';
import type { Deps } from '../deps.ts';
import { advance } from '../requests/run/advance.ts';
import { next, type Request } from '../requests/run/next.ts';
import { type Run, react } from '../requests/run/run.ts';
import { begin } from './begin.ts';
import { parseCommand } from './command.ts';
import { conclude } from './conclude.ts';
import { refusalOf } from './gate.ts';
import type { AgentConfig } from './inputs.ts';
import { rehearse } from './rehearse.ts';
import { answerHelp, answerStatus, deny } from './reply.ts';
import { type Origin, readTrigger } from './trigger.ts';

/** Runs agent mode. However the run ends, `conclude` updates the thread and returns the result. */
export async function runAgent(config: AgentConfig, deps: Deps): Promise<ModeResult<'agent'>> {
  const trigger = readTrigger(config, deps.event, deps.context);
  if (trigger.kind === 'skip') return skipped(trigger);
  const { run, ...begun } = await begin(trigger, config, deps);
  let request: Request = begun;
  try {
    const refused = await passGate(request, config, run);
    if (refused !== undefined) return conclude(refused, config, run);
    deps.github?.waitAtMost(Number.POSITIVE_INFINITY);
    run.keep(request.card);
    if (config.problems !== undefined) throw await reportProblems(config, trigger, run);
    // Without a token, the thread can't record the request, so a re-run would send the request again.
    if (trigger.thread !== undefined && deps.github === undefined)
      throw badInput(
        'github-token',
        'is missing',
        `The action needs it to write in thread ${trigger.thread}. To write nothing there, set \`thread: none\`.`,
      );
    if (trigger.isCommand && (await isPartOfReview(config, deps)))
      return conclude(setAside('part-of-review', request, run), config, run);
    if (config.dryRun) return await rehearse(trigger, request, config, run);
    const isDeleted = (await react('eyes', request.card, run, deps.signal)) === 'deleted';
    if (isDeleted && trigger.kind !== 'ask') request = setAside('deleted', request, run);
    else if (trigger.kind === 'help') request = await answerHelp(trigger.because, request, run);
    else if (trigger.kind === 'status') request = await answerStatus(request, run);
    else {
      for (let step = next(request, run, deps.clock.now()); step.do !== 'end'; ) {
        // A deleted command starts no job, but a job that an earlier run started is still followed.
        const isTakenBack = isDeleted && step.do === 'claim';
        request = isTakenBack ? setAside('deleted', request, run) : await advance(step, request, run);
        step = next(request, run, deps.clock.now());
      }
    }
    return conclude(request, config, run);
  } catch (error) {
    return conclude({ ...request, card: run.kept ?? request.card }, config, run, error);
  }
}

/** Checks the person who started the run. If they have no permission, returns the denied or skipped request. */
async function passGate(request: Request, config: AgentConfig, run: Run): Promise<Request | undefined> {
  if (run.deps.event.isTrusted) return undefined;
  // Strangers must not keep a runner busy while GitHub limits requests.
  run.deps.github?.waitAtMost(60_000);
  const refusal = await refusalOf(config, run, request.card.isCommand);
  if (refusal === undefined) return undefined;
  if (request.card.asker !== undefined) return deny(refusal, request, run);
  const reason = refusal.reason === 'permission' ? 'not-allowed' : refusal.reason;
  run.deps.runner.info(`Skipped: ${refusal.headline} ${refusal.more}`.trimEnd());
  return { ...request, card: { ...request.card, stop: { outcome: 'skipped', reason } } };
}

/** Whether the comment is part of a review that is itself a command. In that case, the review is sent with all its comments. */
async function isPartOfReview({ command }: AgentConfig, { event, github, signal }: Deps): Promise<boolean> {
  const review = event.kind === 'comment' ? event.review : undefined;
  if (review?.place === undefined || review.id === undefined) return false;
  const body = await github?.readReviewBody(review.number, review.id, signal);
  return body !== undefined && parseCommand(body, command)?.kind === 'ask';
}

function setAside(reason: 'deleted' | 'part-of-review', { card, known }: Request, run: Run): Request {
  const was =
    reason === 'deleted'
      ? 'was deleted before the run got to it'
      : 'is part of a review, and is sent with it';
  run.deps.runner.info(`Skipped: the comment ${was}.`);
  return { card: { ...card, stop: { outcome: 'skipped', reason } }, known };
}

/** The error for bad inputs. Without a key and a project, no comment can be signed, so the commenter gets a plain one. */
async function reportProblems(
  { problems = [], apiKey }: AgentConfig,
  { isCommand, thread }: Origin,
  run: Run,
) {
  const { github, context, signal } = run.deps;
  const error = new InputError(problems);
  const text = `❌ **${error.what}.** Nothing was sent to the agent.\n\n${error.hint}`;
  // A re-run has nothing new to say.
  if (isCommand && apiKey === '' && thread !== undefined && context.runAttempt === 1)
    await run.bestEffort(async () => github?.createComment(thread, text, signal));
  return error;
}
