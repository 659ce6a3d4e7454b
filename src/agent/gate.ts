import { type Permission, permissions } from '../config/permissions.ts';

/** What a commenter has in the repository, in the words of the `allow` input. */
export type Standing = Permission | 'none';

export type Verdict =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly needs: Permission; readonly has: Standing };

/** A collaborator as GitHub tells it; `undefined` for somebody who is none. */
export type Collaborator = { readonly permission: string; readonly roleName: string } | undefined;

/** Whether a collaborator has at least the permission the workflow asks for. */
export function judge(collaborator: Collaborator, needs: Permission): Verdict {
  const has = standingOf(collaborator);
  return rank(has) >= rank(needs) ? { allowed: true } : { allowed: false, needs, has };
}

/**
 * `permission` decides, and `role_name` only tells the built-in `maintain` (a write) and `triage` (a read) apart: a custom
 * role of any name counts as its permission (GitHub REST, "Get repository permissions for a user").
 */
function standingOf(collaborator: Collaborator): Standing {
  const { permission, roleName } = collaborator ?? { permission: 'none', roleName: '' };
  if (permission === 'write' && roleName === 'maintain') return 'maintain';
  if (permission === 'read' && roleName === 'triage') return 'triage';
  return permissions.find((name) => name === permission) ?? 'none';
}

function rank(standing: Standing): number {
  return standing === 'none' ? -1 : permissions.indexOf(standing);
}
