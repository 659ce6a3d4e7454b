import type { ActionError } from '../core/errors.ts';
import type { ErrorReason } from '../core/reasons.ts';

/** Why a list has no end, or may lack rows although it has one. */
const oddEnds = {
  'empty-page': 'The service said that there was more, and sent an empty page: try again later.',
  'repeated-page':
    'The service said that there was more, and sent only rows that it had sent before: try again later.',
  'repeated-rows':
    'Rows came again while the list was read, so that others may never have come: try again later.',
  'changed-totals':
    'The totals changed while the list was read, so that the list may have changed too: try again later.',
  'unusable-rows': 'The service sent rows without a path or without a total: try again later.',
  'short-page':
    'The service said that there was more after a page that was not full, so that rows may have been passed over: try again later.',
};

/** Why a window was not read whole. */
export type Cut =
  /** No request was left. */
  | { readonly kind: 'budget' }
  | { readonly kind: keyof typeof oddEnds }
  | {
      /** The service failed. */
      readonly kind: 'service';
      readonly reason: ErrorReason;
      /** For the log only, since it may quote the service. */
      readonly message: string;
      /** What to do, in our own words. */
      readonly hint: string | undefined;
    };

/** Answers that say no. Any other error means that there was no usable answer. */
const refusals: ReadonlySet<ErrorReason> = new Set([
  'unauthorized',
  'forbidden',
  'not-found',
  'rate-limited',
  'bad-request',
]);

/** What the error that ended the reading means for the window. */
export function cutOf({ reason, message, hint }: ActionError): Cut {
  return reason === 'budget-spent' ? { kind: 'budget' } : { kind: 'service', reason, message, hint };
}

/** Why a window is not whole, and what to do about it, in our own words. */
export function remedyFor(cut: Cut, maxRequests: number): string {
  if (cut.kind === 'budget') return `Raise \`max-requests\` (now ${maxRequests}).`;
  if (cut.kind !== 'service') return oddEnds[cut.kind];
  const hint = cut.hint === undefined ? '' : `${cut.hint} `;
  const what = refusals.has(cut.reason) ? 'refused' : 'gave no answer that could be used';
  return `The service ${what} (\`${cut.reason}\`). ${hint}What it said is in the log.`;
}
