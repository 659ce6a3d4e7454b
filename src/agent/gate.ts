import { badInput, describeError, inOurWords } from '../core/errors.ts';
import type { DepsToRead } from '../deps.ts';
import { GitHubError } from '../github/errors.ts';
import type { Card } from '../requests/card/card.ts';
import { replied } from '../requests/card/transitions.ts';
import type { Run } from '../requests/run/run.ts';
import { type Phrase, say, toMarkdown, toPlain } from '../text/phrase.ts';
import type { Begun } from './begin.ts';
import { parseCommand } from './command.ts';
import type { AgentConfig } from './inputs.ts';
import { permissionHeldBy, suffices } from './permission.ts';
import { denied, unchecked } from './texts.ts';

/** Strangers must not keep a runner busy while GitHub limits requests. */
const maxWaitMs = 60_000;

/** Lets a request in, or denies or skips it. @throws InputError, which only people with permission see */
export async function admit({ card, inputError }: Begun, config: AgentConfig, run: Run): Promise<Card> {
  const refusal = run.deps.event.isTrusted ? undefined : await refusalOf(card, config, run);
  if (refusal !== undefined) return refused(refusal, card, run);
  run.deps.github?.waitAtMost(Number.POSITIVE_INFINITY);
  run.keep(card);
  if (inputError !== undefined) throw inputError;
  const hint = `The action needs it to write in thread ${card.thread}. To write nothing there, set \`thread: none\`.`;
  // Without a token, the thread can't record the request, so a re-run would send the request again.
  if (card.thread !== undefined && run.deps.github === undefined)
    throw badInput('github-token', 'is missing', hint);
  const isPart = card.isCommand && (await isPartOfReview(config, run.deps));
  return isPart ? { ...card, stop: { outcome: 'skipped', reason: 'part-of-review' } } : card;
}

/** The card of a person who isn't let in. Only a person who wrote a comment expects a reply. */
function refused({ reason, says }: Refusal, card: Card, run: Run): Card {
  if (card.requester === undefined) {
    run.deps.runner.info(`Skipped: ${toPlain(says)}`);
    const skip = reason === 'permission' ? 'not-allowed' : reason;
    return { ...card, stop: { outcome: 'skipped', reason: skip } };
  }
  run.answer = say`🚫 ${says}`;
  return replied(card, { outcome: 'denied', reason }, toMarkdown(run.answer));
}

type Refusal = { readonly reason: 'permission' | 'permission-unknown'; readonly says: Phrase };

async function refusalOf(card: Card, config: AgentConfig, run: Run): Promise<Refusal | undefined> {
  const { event, github, runner, signal } = run.deps;
  github?.waitAtMost(maxWaitMs);
  const { login } = event.actor ?? {};
  if (login === undefined)
    return { reason: 'permission', says: say`GitHub doesn’t say who triggered the event.` };
  if (config.allowUsers.includes(login.toLowerCase())) return undefined;
  if (github === undefined) return unchecked(login, 'The workflow doesn’t give this step a `github-token`.');
  try {
    const has = permissionHeldBy(await github.permissionOf(login, signal));
    const command = card.isCommand ? config.command : undefined;
    return suffices(has, config.allow) ? undefined : denied(login, command, config.allow, has);
  } catch (error) {
    signal.throwIfAborted();
    run.willReport(error);
    runner.info(describeError(error));
    const known = error instanceof GitHubError ? error : undefined;
    const unknown = 'GitHub has no record of them, or the token can’t see this repository.';
    const later = 'Try again later; the workflow’s log has details.';
    if (known?.status === 404) return unchecked(login, unknown);
    return unchecked(login, known?.isRefusal && known.hint !== undefined ? inOurWords(known) : later);
  }
}

/** Whether the command is a comment of a review whose own text is a command: that review is sent with all its comments. */
async function isPartOfReview({ command }: AgentConfig, { event, github, signal }: DepsToRead) {
  const review = event.kind === 'comment' ? event.review : undefined;
  if (review?.place === undefined || review.id === undefined) return false;
  const body = await github?.readReviewBody(review.number, review.id, signal);
  return body !== undefined && parseCommand(body, command)?.kind === 'ask';
}
