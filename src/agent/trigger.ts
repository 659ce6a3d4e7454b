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
type Skip = ReturnType<typeof skip>;

export function readTrigger(config: AgentConfig, event: GitHubEvent): Trigger | Skip {
  const isExplicit = [config.prompt, config.promptFile, config.jobId].some(
    (input) => input !== undefined,
  );
  if (event.kind === 'comment') {
    const { action, actor, source, body } = event;
    if (action !== 'created' && action !== 'submitted')
      return skip('not-created', `the comment was ${action}, not created.`);
    // A person who only approves, or only comments on a line, submits a review without text.
    if (source.kind === 'review' && body.trim() === '')
      return skip('no-command', 'the review has no text.');
    const trigger = isExplicit ? ({ kind: 'inputs' } as const) : parseCommand(body, config.command);
    const noCommand = `the comment does not begin with \`${config.command}\`.`;
    return trigger ? (whyIgnored(actor, body, config) ?? trigger) : skip('no-command', noCommand);
  }
  if (event.kind === 'other-comment') {
    const { name, action, actor, body } = event;
    const where = `commands are read from comments and reviews on issues and pull requests, and a \`${name}\` event has neither.`;
    if (!isExplicit) return skip('wrong-event', where);
    if (action !== 'created')
      return skip('not-created', `the \`${name}\` was ${action}, not created.`);
    return whyIgnored(actor, body, config) ?? { kind: 'inputs' };
  }
  const noChange = whyNoChange(event, config);
  if (noChange !== undefined) return skip('wrong-event', noChange);
  if (event.kind === 'thread' && event.isRejected)
    return skip('not-merged', 'the pull request was closed without being merged.');
  const person = event.isTrusted ? undefined : event.actor;
  return (person && whyUnlisted(person, config)) ?? { kind: 'inputs' };
}

/** Why a comment is ignored, regardless of what it says. */
function whyIgnored(author: Person, body: string, config: AgentConfig): Skip | undefined {
  if (startsWithMarker(body))
    return skip('own-comment', 'the comment is one of this action’s own.');
  return whyUnlisted(author, config);
}

/** A bot must be listed even if it has the permission, because two bots could answer each other forever. */
function whyUnlisted({ login, isBot }: Person, { allowUsers }: AgentConfig): Skip | undefined {
  if (!isBot || allowUsers.includes(login.toLowerCase())) return undefined;
  return skip('unlisted-bot', `${shortCode(login)} is a bot that \`allow-users\` does not list.`);
}

function skip(reason: SkipReason, why: string) {
  return { kind: 'skip', reason, text: `Skipped: ${why}` } as const;
}
