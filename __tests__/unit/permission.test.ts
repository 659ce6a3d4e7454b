import { expect, test } from '@jest/globals';
import { isSufficient, permissions, toPermission } from '../../src/agent/permission.ts';

test.each([
  [{ permission: 'admin', roleName: 'admin' }, 'admin'],
  [{ permission: 'write', roleName: 'maintain' }, 'maintain'],
  [{ permission: 'write', roleName: 'docs-editor' }, 'write'],
  [{ permission: 'write', roleName: 'admin' }, 'write'],
  [{ permission: 'read', roleName: 'triage' }, 'triage'],
  [{ permission: 'read', roleName: 'read' }, 'read'],
  [{ permission: 'read', roleName: 'maintain' }, 'read'],
  [{ permission: 'read', roleName: 'write' }, 'read'],
  [{ permission: 'none', roleName: 'admin' }, 'none'],
  [{ permission: 'none', roleName: 'maintain' }, 'none'],
  [{ permission: 'admin', roleName: 'triage' }, 'admin'],
  [{ permission: 'ADMIN', roleName: 'admin' }, 'none'],
  [{ permission: 'owner', roleName: 'owner' }, 'none'],
  [undefined, 'none'],
] as const)('%j has %s permission, which includes every lower one', (collaborator, has) => {
  const levels: readonly string[] = ['none', ...permissions];
  for (const needs of permissions) {
    const isEnough = levels.indexOf(has) >= levels.indexOf(needs);
    expect(toPermission(collaborator)).toBe(has);
    expect(isSufficient(has, needs)).toBe(isEnough);
  }
});
