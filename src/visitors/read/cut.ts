import type { ActionError } from '../../core/errors.ts';
import type { ErrorReason } from '../../core/reasons.ts';

/** Why a window was not read to its end. */
export type Cut =
  /** No request was left. */
  | { readonly kind: 'budget' }
  /** The service failed. */
  | {
      readonly kind: 'service';
      readonly reason: ErrorReason;
      /** For the log only, since it may quote the service. */
      readonly message: string;
      /** What to do, in our own words. */
      readonly hint: string | undefined;
    }
  /** The service said that there were more rows, and sent none, or none that were new. */
  | { readonly kind: 'empty-page' | 'repeated-page' }
  /** It came to the end of the list, but rows may be missing: the list changed meanwhile, its pages were not full, or rows said nothing. */
  | { readonly kind: 'repeated-rows' | 'short-page' | 'changed-totals' | 'unusable-rows' };

/** Answers that say no, and can be used as that. */
const refusals: ReadonlySet<ErrorReason> = new Set([
  'unauthorized',
  'forbidden',
  'not-found',
  'rate-limited',
  'bad-request',
]);

/** An error that kept something from being read as what cut it short. */
export function cutOf({ reason, message, hint }: ActionError): Cut {
  return reason === 'budget-spent' ? { kind: 'budget' } : { kind: 'service', reason, message, hint };
}

/**
 * Why a window is not whole, and what to do about it, in our own words. Where the service names a time to come back, that is in
 * them: such a report may differ from the next of the same data, as what could be read does.
 */
export function remedyFor(cut: Cut, maxRequests: number): string {
  switch (cut.kind) {
    case 'budget':
      return `Raise \`max-requests\` (now ${maxRequests}).`;
    case 'empty-page':
      return 'The service said that there was more, and sent an empty page: try again later.';
    case 'repeated-page':
      return 'The service said that there was more, and sent only rows that it had sent before: try again later.';
    case 'repeated-rows':
      return 'Rows came again while the list was read, so that others may never have come: try again later.';
    case 'changed-totals':
      return 'The totals changed while the list was read, so that the list may have changed too: try again later.';
    case 'unusable-rows':
      return 'The service sent rows without a path or without a total: try again later.';
    case 'short-page':
      return 'The service said that there was more after a page that was not full, so that rows may have been passed over: try again later.';
    case 'service': {
      const hint = cut.hint === undefined ? '' : `${cut.hint} `;
      const what = refusals.has(cut.reason) ? 'refused' : 'gave no answer that could be used';
      return `The service ${what} (\`${cut.reason}\`). ${hint}What it said is in the log.`;
    }
  }
}
