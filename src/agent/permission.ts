/** Repository permissions, least first. */
export const permissions = ['read', 'triage', 'write', 'maintain', 'admin'] as const;
export type Permission = (typeof permissions)[number];

/**
 * The permission of a collaborator, as the `allow` input spells it. GitHub reports the roles
 * `maintain` and `triage` only in `role_name`. A custom role may have any name, so it counts as its
 * `permission` ("Get repository permissions for a user").
 */
export function toPermission(
  collaborator?: Readonly<Record<'permission' | 'roleName', string>>,
): Permission | 'none' {
  const { permission = 'none', roleName } = collaborator ?? {};
  if (permission === 'write' && roleName === 'maintain') return 'maintain';
  if (permission === 'read' && roleName === 'triage') return 'triage';
  return permissions.find((name) => name === permission) ?? 'none';
}

/** Whether a permission is at least as high as the required one. */
export function isSufficient(has: Permission | 'none', needs: Permission): boolean {
  return has !== 'none' && permissions.indexOf(has) >= permissions.indexOf(needs);
}
