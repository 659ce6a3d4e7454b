import * as z from 'zod/mini';
import { input, text } from './inputs.ts';

/** Where comments go. */
export type ThreadChoice =
  | { readonly kind: 'auto' }
  | { readonly kind: 'none' }
  | { readonly kind: 'number'; readonly number: number };

/** The input of every mode that can write a comment. */
export const threadInput = input(
  z.pipe(
    text.check(
      z.regex(/^(auto|none|[1-9]\d{0,14})$/, 'auto, none, or the number of an issue or pull request'),
    ),
    z.transform(
      (value): ThreadChoice =>
        value === 'auto' || value === 'none' ? { kind: value } : { kind: 'number', number: Number(value) },
    ),
  ),
  {
    default: 'auto',
    description:
      'Where the status comment, or the visitors report, goes: `auto` (the issue or pull request of the event, or the one whose merge was pushed where `context` asks for it; nowhere on a schedule), `none`, or an issue number.',
  },
);

interface Thread {
  readonly number: number;
  readonly comments: number | undefined;
}

/** The thread that was chosen; `undefined` for nowhere. `ofEvent` is the issue or pull request of the event, if it has one. */
export function chooseThread(choice: ThreadChoice, ofEvent: Thread | undefined): Thread | undefined {
  const number = choice.kind === 'number' ? choice.number : ofEvent?.number;
  if (choice.kind === 'none' || number === undefined) return undefined;
  return { number, comments: number === ofEvent?.number ? ofEvent.comments : undefined };
}
