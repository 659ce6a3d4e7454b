import type { SkipReason } from '../core/reasons.ts';
import { startsWithMarker } from '../core/sign.ts';
import type { Person } from '../github/changes.ts';
import type { GitHubEvent } from '../github/event.ts';
import { code } from '../text/markdown.ts';
import { whyNoChange } from './about.ts';
import { isAllowed } from './allowed.ts';
import { type Command, parseCommand } from './command.ts';
import type { AgentConfig } from './inputs.ts';

/** What the run responds to: a command, or the prompt or job from the inputs. */
export type Trigger = Command | { readonly kind: 'inputs' };
const fromInputs: Trigger = { kind: 'inputs' };

/** What GitHub calls the creation of a comment, a review, and an issue. */
const newActions = ['created', 'submitted', 'opened'];

type EventOf<Kind> = Extract<GitHubEvent, { kind: Kind }>;

/** Finds out what the run responds to, or why it responds to nothing. */
export function readTrigger(
  config: AgentConfig,
  event: GitHubEvent,
): Trigger | ReturnType<typeof skip> {
  if (event.kind === 'comment') return readComment(config, event);
  if (event.kind === 'other-comment') return readOtherComment(config, event);
  const whyNot = whyNoChange(event, config);
  if (whyNot !== undefined) return skip('wrong-event', whyNot);
  if (event.kind === 'thread' && event.isRejected)
    return skip('not-merged', 'the pull request was closed without being merged.');
  if (event.isTrusted || !event.actor) return fromInputs;
  return skipBot(event, event.actor, config) ?? fromInputs;
}

function readComment(config: AgentConfig, event: EventOf<'comment'>) {
  const { action, body } = event;
  const what = event.source.kind === 'issue' ? 'issue' : 'comment';
  if (!newActions.includes(action))
    return skip('not-created', `the ${what} was ${action}, not created.`);
  // A person who only approves, or only comments on a line, submits a review without text.
  if (event.source.kind === 'review' && body.trim() === '')
    return skip('no-command', 'the review has no text.');
  const trigger = hasRequest(config) ? fromInputs : parseCommand(body, config.command);
  if (!trigger) return skip('no-command', `the ${what} does not begin with \`${config.command}\`.`);
  return skipAuthor(event, config) ?? trigger;
}

/** Reads a comment in a place where commands aren't supported. */
function readOtherComment(config: AgentConfig, event: EventOf<'other-comment'>) {
  const { name, action } = event;
  if (!hasRequest(config)) {
    const where = 'commands are read from comments and reviews on issues and pull requests';
    return skip('wrong-event', `${where}, and a \`${name}\` event has neither.`);
  }
  if (action !== 'created')
    return skip('not-created', `the \`${name}\` was ${action}, not created.`);
  return skipAuthor(event, config) ?? fromInputs;
}

/** Whether the inputs contain a request. Then a comment isn't read as a command. */
function hasRequest(config: AgentConfig) {
  const inputs = [config.prompt, config.promptFile, config.jobId];
  return inputs.some((input) => input !== undefined);
}

/** Skips our own comments and those of unlisted bots, regardless of what they say. */
function skipAuthor(event: EventOf<'comment' | 'other-comment'>, config: AgentConfig) {
  if (startsWithMarker(event.body))
    return skip('own-comment', 'the comment is one of this action’s own.');
  return skipBot(event, event.actor, config);
}

/**
 * Skips an unlisted bot. It must be listed even if it has the permission, because two bots could
 * answer each other forever.
 */
function skipBot(event: GitHubEvent, { login, isBot }: Person, config: AgentConfig) {
  if (!isBot || isAllowed(event, config)) return undefined;
  return skip('unlisted-bot', `${code(login)} is a bot that \`allow-users\` does not list.`);
}

function skip(reason: SkipReason, why: string) {
  return { kind: 'skip', reason, text: `Skipped: ${why}` } as const;
}
