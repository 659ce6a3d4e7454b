import { badInput, describeBriefly, describeError, type InputError } from '../core/errors.ts';
import type { AgentReason } from '../core/reasons.ts';
import { GitHubError } from '../github/errors.ts';
import { endWithReply, stopRun } from '../requests/card/transitions.ts';
import { againMs } from '../requests/follow/observed-job.ts';
import type { Run } from '../requests/run/run.ts';
import { say, toMarkdown, toPlain } from '../text/phrase.ts';
import { isAllowed } from './allowed.ts';
import { parseCommand } from './command.ts';
import type { AgentConfig } from './inputs.ts';
import { isSufficient, toPermission } from './permission.ts';
import { explainDenial, explainUnchecked } from './texts.ts';

/** Strangers must not keep a runner busy while GitHub limits requests. */
const maxWaitMs = 60_000;

type Refusal = NonNullable<Awaited<ReturnType<typeof findRefusal>>>;

/**
 * Lets in the person whose act started the run, or stops the run. The card of a person who is let in
 * is saved from now on. @throws InputError if the inputs are bad, which only they may see
 */
export async function letIn(
  inputError: InputError | undefined,
  config: AgentConfig,
  run: Run,
): Promise<void> {
  const refusal = await findRefusal(config, run);
  if (refusal !== undefined) return denyRequest(refusal, run);
  run.deps.github?.waitAtMost(Number.POSITIVE_INFINITY);
  run.isAdmitted = true;
  run.become(run.card);
  requireInputs(inputError, run);
  if (await isPartOfReview(config, run)) skipRequest('part-of-review', run);
}

/** Why a person isn't let in, if they aren't. */
async function findRefusal(config: AgentConfig, run: Run) {
  const { event, github } = run.deps;
  if (event.isTrusted) return undefined;
  github?.waitAtMost(maxWaitMs);
  const login = event.actor?.login;
  if (login === undefined)
    return {
      reason: 'permission',
      says: say`GitHub doesn’t say who triggered the event.`,
    } as const;
  if (isAllowed(event, config)) return undefined;
  if (github === undefined)
    return explainUnchecked(login, 'The workflow doesn’t give this step a `github-token`.');
  try {
    const permission = toPermission(await github.permissionOf(login));
    if (isSufficient(permission, config.allow)) return undefined;
    return explainDenial(login, run.card, config.allow, permission);
  } catch (error) {
    run.deps.signal.throwIfAborted();
    run.keepFromWarning(error);
    run.deps.runner.info(describeError(error));
    return explainUnchecked(login, whyUnchecked(error));
  }
}

/** Doesn't let a person in. Only a person who wrote a comment expects a reply. */
function denyRequest({ reason, says }: Refusal, run: Run): void {
  const { card } = run;
  if (card.requester !== undefined) {
    run.answer = say`🚫 ${says}`;
    run.become(endWithReply(card, { outcome: 'denied', reason }, toMarkdown(run.answer)));
    return;
  }
  run.deps.runner.info(`Skipped: ${toPlain(says)}`);
  skipRequest(reason === 'permission' ? 'not-allowed' : reason, run);
}

export function skipRequest(reason: AgentReason, run: Run): void {
  run.become(stopRun(run.card, { outcome: 'skipped', reason }));
}

function requireInputs(inputError: InputError | undefined, { card, deps }: Run): void {
  if (inputError !== undefined) throw inputError;
  // Without a token, the thread can't record the request, so a re-run would send the request again.
  if (card.thread === undefined || deps.github !== undefined) return;
  const hint = `The action needs it to write in thread ${card.thread}. To write nothing there, set \`thread: none\`.`;
  throw badInput('github-token', 'is missing', hint);
}

/** Why a permission couldn't be checked, or what to do, for the person who asks. */
function whyUnchecked(error: unknown) {
  if (error instanceof GitHubError) {
    if (error.status === 404)
      return 'GitHub has no record of them, or the token can’t see this repository.';
    if (error.isRefusal && error.hint !== undefined) return describeBriefly(error);
  }
  return 'Try again later; the workflow’s log has details.';
}

/**
 * Whether the command is a comment of a review whose own text is a command: that review is sent
 * with all its comments.
 */
async function isPartOfReview({ command }: AgentConfig, run: Run) {
  const { clock, event, github } = run.deps;
  if (!run.card.isCommand) return false;
  if (event.kind !== 'comment' || event.review?.place === undefined) return false;
  const { number, id } = event.review;
  if (id === undefined) return false;
  let body = await github?.readReviewBody(number, id);
  // GitHub may return a single 404 from an outdated replica.
  if (body === undefined) {
    await clock.sleep(againMs);
    body = await github?.readReviewBody(number, id);
  }
  return body !== undefined && parseCommand(body, command)?.kind === 'ask';
}
