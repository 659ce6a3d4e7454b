import { describeError, inOurWords } from '../core/errors.ts';
import { GitHubError } from '../github/errors.ts';
import type { Run } from '../requests/run/run.ts';
import { shortCode } from '../text/markdown.ts';
import { type AgentConfig, type Permission, permissions } from './inputs.ts';

/** Why a person isn't allowed to use the agent, and the reply as Markdown: its bold part, and the rest. */
export type Refusal = {
  readonly reason: 'permission' | 'permission-unknown';
} & Readonly<Record<'headline' | 'more', string>>;

/** Why the actor can't use the agent, or that this can't be checked. `asks`: whether they wrote a command. */
export async function refusalOf(config: AgentConfig, run: Run, asks: boolean): Promise<Refusal | undefined> {
  const { deps } = run;
  const { actor } = deps.event;
  if (actor === undefined)
    return { reason: 'permission', headline: 'GitHub doesn’t say who triggered the event.', more: '' };
  const { login } = actor;
  if (config.allowUsers.includes(login.toLowerCase())) return undefined;
  if (deps.github === undefined)
    return unchecked(login, 'The workflow doesn’t give this step a `github-token`.');
  try {
    const has = permissionHeldBy(await deps.github.permissionOf(login, deps.signal));
    if (suffices(has, config.allow)) return undefined;
    return {
      reason: 'permission',
      headline: `${shortCode(login)} ${asks ? `can’t use \`${config.command}\` here:` : 'triggered this run, but'}`,
      more: `sending requests requires \`${config.allow}\` permission, but they have \`${has}\`.`,
    };
  } catch (error) {
    deps.signal.throwIfAborted();
    run.willReport(error);
    deps.runner.info(describeError(error));
    const known = error instanceof GitHubError ? error : undefined;
    if (known?.status === 404)
      return unchecked(login, 'GitHub has no record of them (404), or the token can’t see this repository.');
    const why = known?.isRefusal && known.hint !== undefined ? inOurWords(known) : undefined;
    return unchecked(login, why ?? 'Try again later; the workflow’s log has details.');
  }
}

function unchecked(login: string, why: string): Refusal {
  return {
    reason: 'permission-unknown',
    headline: `The permission of ${shortCode(login)} couldn’t be checked, so nothing was sent to the agent.`,
    more: why,
  };
}

/**
 * The permission of a collaborator, as the `allow` input spells it. GitHub reports the roles `maintain` and `triage` only in
 * `role_name`. A custom role may have any name, so it counts as its `permission` ("Get repository permissions for a user").
 */
export function permissionHeldBy(
  collaborator: { readonly permission: string; readonly roleName: string } | undefined,
): Permission | 'none' {
  const { permission, roleName } = collaborator ?? { permission: 'none', roleName: '' };
  if (permission === 'write' && roleName === 'maintain') return 'maintain';
  if (permission === 'read' && roleName === 'triage') return 'triage';
  return permissions.find((name) => name === permission) ?? 'none';
}

/** Whether a permission is at least as high as the required one. */
export function suffices(has: Permission | 'none', needs: Permission): boolean {
  return has !== 'none' && permissions.indexOf(has) >= permissions.indexOf(needs);
}
