import fc from 'fast-check';
import type { SimulatorCore } from '../../../simulator/core.ts';
import { BOT_LOGIN } from '../../../simulator/github/store.ts';
import type { Comment } from '../../../simulator/github/types.ts';

/* People who touch status comments. */

const hows = ['hidden', 'line above', 'line below', 'other words', 'deleted'] as const;
export type How = (typeof hows)[number];

export const how = fc.constantFrom(...hows);

/** Nobody finds a comment and changes it faster. GitHub’s times have only whole seconds. */
const reactMs = 5_000;

/** Lets a person hide, edit, or delete a comment. */
export function touch({ github, clock }: SimulatorCore, { id, body }: Comment, how: How): void {
  clock.advance(reactMs);
  switch (how) {
    case 'hidden':
      github.hide(id);
      return;
    case 'deleted':
      github.delete(id);
      return;
    case 'line above':
      github.edit(id, `@maintainer, please look.\n\n${body}`);
      return;
    case 'line below':
      github.edit(id, `${body}\n\nI asked for this.`);
      return;
    case 'other words':
      github.edit(id, body.replace(/\*\*.+?\*\*/, '**Wait for the docs.**'));
  }
}

/** Whether a person has changed a comment since the action wrote it last. */
export function isTouched({ history, createdAt, updatedAt }: Comment): boolean {
  const isHidden = history.length === 1 && updatedAt > createdAt;
  return isHidden || history.at(-1)?.login !== BOT_LOGIN;
}

/**
 * Whether a person changed a claim before its run named its comment in it. Then it can't be told from
 * a copy, so if that run is lost, the comment stays as it is (CONTRIBUTING.md).
 */
export function isTouchedClaim(comment: Comment): boolean {
  const writes = comment.history.filter(({ login }) => login === BOT_LOGIN);
  return writes.length === 1 && isTouched(comment);
}

/** A comment as the action last wrote it, whatever people did to it since. */
export function asWritten({ history, body }: Comment): { readonly body: string } {
  return history.findLast(({ login }) => login === BOT_LOGIN) ?? { body };
}
