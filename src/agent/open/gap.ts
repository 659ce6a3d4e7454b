import type { ActionError } from '../../lib/errors.ts';

/** Why an open comment is left, and what to do about it, as Markdown in our own words: what others said of it is in the log. */
export function gapBy({ what, hint = '' }: Pick<ActionError, 'what' | 'hint'>): string {
  return `${what}. ${hint}`.trimEnd();
}
