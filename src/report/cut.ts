import type { ActionError } from '../core/errors.ts';
import type { ErrorReason } from '../core/reasons.ts';

/** Why a window was not read whole. */
export type Cut =
  /** No request was left. */
  | { readonly kind: 'budget' }
  /** The list ended, but it has gaps. */
  | { readonly kind: 'changed' }
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
  if (cut.kind === 'changed') {
    return 'The list of pages changed while it was read, so some may be missing: try again later.';
  }
  const hint = cut.hint === undefined ? '' : `${cut.hint} `;
  const what = refusals.has(cut.reason) ? 'refused' : 'gave no answer that could be used';
  return `The service ${what} (\`${cut.reason}\`). ${hint}What it said is in the log.`;
}
