import type { SkipReason } from '../core/reasons.ts';
import { startsWithMarker } from '../core/sign.ts';
import type { Person } from '../github/changes.ts';
import type { GitHubEvent } from '../github/event.ts';
import { shortCode } from '../text/markdown.ts';
import { whyNoChange } from './about.ts';
import { type Command, parseCommand } from './command.ts';
import type { AgentConfig } from './inputs.ts';

/** What the run responds to: a command, or the prompt or job from the inputs. */
export type Trigger = Command | { readonly kind: 'inputs' };

interface Skip {
  readonly kind: 'skip';
  readonly reason: SkipReason;
  readonly text: string;
}

type EventOf<Kind extends GitHubEvent['kind']> = Extract<GitHubEvent, { kind: Kind }>;

/** Finds out what the run responds to, or why it responds to nothing. */
export function readTrigger(config: AgentConfig, event: GitHubEvent): Trigger | Skip {
  if (event.kind === 'comment') return readComment(config, event);
  if (event.kind === 'other-comment') return readOtherComment(config, event);
  const whyNot = whyNoChange(event, config);
  if (whyNot !== undefined) return skip('wrong-event', whyNot);
  if (event.kind === 'thread' && event.isRejected)
    return skip('not-merged', 'the pull request was closed without being merged.');
  if (event.isTrusted || event.actor === undefined) return { kind: 'inputs' };
  return whyUnlisted(event.actor, config) ?? { kind: 'inputs' };
}

function readComment(config: AgentConfig, comment: EventOf<'comment'>): Trigger | Skip {
  const { action, body } = comment;
  if (action !== 'created' && action !== 'submitted')
    return skip('not-created', `the comment was ${action}, not created.`);
  // A person who only approves, or only comments on a line, submits a review without text.
  if (comment.source.kind === 'review' && body.trim() === '')
    return skip('no-command', 'the review has no text.');
  if (hasRequest(config)) return whyIgnored(comment, config) ?? { kind: 'inputs' };
  const command = parseCommand(body, config.command);
  if (command === undefined)
    return skip('no-command', `the comment does not begin with \`${config.command}\`.`);
  return whyIgnored(comment, config) ?? command;
}

/** A comment in a place where commands aren't supported. */
function readOtherComment(config: AgentConfig, comment: EventOf<'other-comment'>): Trigger | Skip {
  const { name, action } = comment;
  if (!hasRequest(config)) {
    const where = 'commands are read from comments and reviews on issues and pull requests';
    return skip('wrong-event', `${where}, and a \`${name}\` event has neither.`);
  }
  if (action !== 'created')
    return skip('not-created', `the \`${name}\` was ${action}, not created.`);
  return whyIgnored(comment, config) ?? { kind: 'inputs' };
}

/** Whether the inputs contain a request. Then a comment isn't read as a command. */
function hasRequest(config: AgentConfig): boolean {
  const inputs = [config.prompt, config.promptFile, config.jobId];
  return inputs.some((input) => input !== undefined);
}

/** Why a comment is ignored, regardless of what it says. */
function whyIgnored(
  comment: EventOf<'comment' | 'other-comment'>,
  config: AgentConfig,
): Skip | undefined {
  if (startsWithMarker(comment.body))
    return skip('own-comment', 'the comment is one of this action’s own.');
  return whyUnlisted(comment.actor, config);
}

/**
 * Why a bot is ignored. It must be listed even if it has the permission, because two bots could
 * answer each other forever.
 */
function whyUnlisted(person: Person, config: AgentConfig): Skip | undefined {
  const isListed = config.allowUsers.includes(person.login.toLowerCase());
  if (!person.isBot || isListed) return undefined;
  const login = shortCode(person.login);
  return skip('unlisted-bot', `${login} is a bot that \`allow-users\` does not list.`);
}

function skip(reason: SkipReason, why: string): Skip {
  return { kind: 'skip', reason, text: `Skipped: ${why}` };
}
