import { messageOf } from '../core/errors.ts';
import type { Deps } from '../deps.ts';
import { GitHubError } from '../github/errors.ts';
import type { Author } from '../github/event.ts';
import { shortCode } from '../text/markdown.ts';
import { type AgentConfig, type Permission, permissions } from './inputs.ts';

/** Why someone may not ask: a reason code, and the words for them. */
export interface Refusal {
  readonly reason: 'permission' | 'permission-unknown';
  /** The most important words, as Markdown. */
  readonly headline: string;
  /** What follows them on the same line, as Markdown. */
  readonly more: string;
}

/** Also what follows a fork's run. */
const ofNoOne = 'GitHub names no one of this repository who caused the event.';

/** Why the author of an act may not ask; `undefined` if they may. If it can't be checked, they may not. */
export async function refusalOf(
  author: Author | undefined,
  config: AgentConfig,
  deps: Deps,
): Promise<Refusal | undefined> {
  if (author === undefined) return { reason: 'permission', headline: ofNoOne, more: '' };
  const { login } = author;
  if (config.allowUsers.includes(login.toLowerCase())) return undefined;
  if (deps.github === undefined) return unchecked(login, 'The workflow gives this step no `github-token`.');
  try {
    const has = permissionHeldBy(await deps.github.permissionOf(login, deps.signal));
    if (suffices(has, config.allow)) return undefined;
    return {
      reason: 'permission',
      headline: `${shortCode(login)} can’t use \`${config.command}\` here:`,
      more: `it takes \`${config.allow}\` permission, and they have \`${has}\`.`,
    };
  } catch (error) {
    deps.signal.throwIfAborted();
    const isForbidden = error instanceof GitHubError && error.forbidden;
    const needs = isForbidden
      ? 'The token may not look up permissions: it needs `metadata: read` on this repository, which the workflow’s own token always has. '
      : '';
    deps.runner.warning(`${needs}${messageOf(error)}`);
    return unchecked(login, 'Try again in a while; the workflow’s log says more.');
  }
}

function unchecked(login: string, why: string): Refusal {
  return {
    reason: 'permission-unknown',
    headline: `The permission of ${shortCode(login)} could not be checked, so nothing was asked of the agent.`,
    more: why,
  };
}

/**
 * A collaborator's permission, in the words of the `allow` input. `permission` decides; `role_name` only separates the built-in
 * `maintain` (a write) and `triage` (a read), so a custom role of any name counts as its permission (GitHub REST, "Get
 * repository permissions for a user").
 */
export function permissionHeldBy(
  collaborator: { readonly permission: string; readonly roleName: string } | undefined,
): Permission | 'none' {
  const { permission, roleName } = collaborator ?? { permission: 'none', roleName: '' };
  if (permission === 'write' && roleName === 'maintain') return 'maintain';
  if (permission === 'read' && roleName === 'triage') return 'triage';
  return permissions.find((name) => name === permission) ?? 'none';
}

/** Whether a permission is at least the one needed. */
export function suffices(has: Permission | 'none', needs: Permission): boolean {
  return has !== 'none' && permissions.indexOf(has) >= permissions.indexOf(needs);
}
