import { createHash } from 'node:crypto';

/** A short hash that tells texts apart. */
export function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 12);
}
