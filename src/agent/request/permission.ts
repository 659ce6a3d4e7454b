import { type Permission, permissions } from '../inputs.ts';

/** A collaborator as GitHub tells it; `undefined` for somebody who is none. */
export type Collaborator = { readonly permission: string; readonly roleName: string } | undefined;

/**
 * What a collaborator has in the repository, in the words of the `allow` input. `permission` decides, and `role_name` only
 * tells the built-in `maintain` (a write) and `triage` (a read) apart: a custom role of any name counts as its permission
 * (GitHub REST, "Get repository permissions for a user").
 */
export function permissionHeldBy(collaborator: Collaborator): Permission | 'none' {
  const { permission, roleName } = collaborator ?? { permission: 'none', roleName: '' };
  if (permission === 'write' && roleName === 'maintain') return 'maintain';
  if (permission === 'read' && roleName === 'triage') return 'triage';
  return permissions.find((name) => name === permission) ?? 'none';
}

/** Whether what somebody has is at least what is needed. */
export function suffices(has: Permission | 'none', needs: Permission): boolean {
  return has !== 'none' && permissions.indexOf(has) >= permissions.indexOf(needs);
}
