import { createHash } from 'node:crypto';

/** A short hash that tells texts apart. */
export function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 12);
}

/** A hash of a list. It fits in the name of any file, because it has no uppercase letters. */
export function hashList(list: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(list)).digest('hex');
}
