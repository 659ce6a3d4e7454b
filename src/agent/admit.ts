import { GitHubError } from '../github/errors.ts';
import { messageOf } from '../lib/errors.ts';
import { shortCode } from '../lib/markdown.ts';
import { judge } from './gate.ts';
import { ofTrigger, wasDenied } from './memory.ts';
import type { Ending } from './outcome.ts';
import { deniedComment } from './render.ts';
import { bestEffort, type Session } from './session.ts';
import type { Source } from './trigger.ts';

/** Lets a commenter in, or tells them once why not. Gives the ending of a run that is denied. */
export async function admit(source: Source, session: Session): Promise<Ending | undefined> {
  const { config, deps, thread } = session;
  const { login } = source.author;
  if (config.allowUsers.includes(login.toLowerCase())) return undefined;
  const refusal = await refusalOf(login, session);
  if (refusal === undefined) return undefined;

  deps.runner.notice(refusal.text);
  session.progress.answer = refusal.text;
  if (config.dryRun) return { outcome: 'denied', reason: refusal.reason };
  const { commentId } = source;
  if (commentId !== undefined) {
    await bestEffort('Reacting to the comment', session, async () => {
      await deps.github?.react(commentId, 'confused', deps.signal);
    });
  }
  if (thread !== undefined) {
    await bestEffort('Telling the commenter', session, async () => {
      const remembered = await thread.remember({ job: false, denied: login });
      // What an earlier attempt told of this trigger stays: this one knows nothing more of it.
      const isToldOf = ofTrigger(remembered, session.progress.key) !== undefined;
      if (isToldOf || wasDenied(remembered, login)) return;
      await thread.show('denied', deniedComment(refusal.text), deps.signal, { denied: login });
    });
  }
  return { outcome: 'denied', reason: refusal.reason };
}

interface Refusal {
  readonly reason: string;
  readonly text: string;
}

/** Why a login is not let in; `undefined` when it is. What cannot be checked is closed. */
async function refusalOf(login: string, { config, deps }: Session): Promise<Refusal | undefined> {
  const unchecked = (why: string): Refusal => ({
    reason: 'permission-unknown',
    text: `The permission of ${shortCode(login)} could not be checked, so nothing was asked of the agent. ${why}`,
  });
  if (deps.github === undefined) return unchecked('The workflow gives this step no `github-token`.');
  try {
    const verdict = judge(await deps.github.permissionOf(login, deps.signal), config.allow);
    if (verdict.allowed) return undefined;
    return {
      reason: 'permission',
      text: `${shortCode(login)} may not command the agent here: that needs \`${verdict.needs}\` permission, and they have \`${verdict.has}\`.`,
    };
  } catch (error) {
    deps.signal.throwIfAborted();
    deps.runner.warning(missingToCheck(error) ?? messageOf(error));
    return unchecked('Try again in a while; the workflow’s log says more.');
  }
}

function missingToCheck(error: unknown): string | undefined {
  if (!(error instanceof GitHubError) || !error.forbidden) return undefined;
  return `The token may not look up permissions: it needs \`metadata: read\` on this repository, which the workflow’s own token always has. ${error.message}`;
}
