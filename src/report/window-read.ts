import type { ActionError } from '../core/errors.ts';
import type { ErrorReason } from '../core/reasons.ts';
import type { VisitorsRow, VisitorsTotals } from '../service/schemas.ts';
import type { Window } from './window.ts';

/** Why a window was not read whole. */
export type Cut =
  /** No request was left. */
  | { readonly kind: 'budget' }
  /** The list ended, but it has gaps. */
  | { readonly kind: 'changed' }
  /** The service failed. The message may quote the service, so it is for the log only; the hint is our own words. */
  | ({ readonly kind: 'service' } & Pick<ActionError, 'reason' | 'message' | 'hint'>);

/** One window as the service counted it. */
export interface WindowRead {
  readonly window: Window;
  /** From the first page of rows: the service may count again before it sends the next. */
  readonly totals: VisitorsTotals;
  /** By path, in the order the service sent them. */
  readonly rows: ReadonlyMap<string, VisitorsRow>;
  readonly cut: Cut | undefined;
  /** Whether rows may be missing between those that came: rows came again or say nothing, totals changed, a page was not full. */
  readonly hasGaps: boolean;
}

/** The window of the report and the one before it. */
export interface Windows {
  readonly now: WindowRead;
  /** `undefined` with `compare: none`, or if not even its totals could be read. */
  readonly before: WindowRead | undefined;
  /** Why nothing could be read of the window before. */
  readonly whyNoBefore: Cut | undefined;
}

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

/** Why something that was asked for is missing, in the order of the windows. */
export function cutsOf({ now, before, whyNoBefore }: Windows): Cut[] {
  return [now.cut, before?.cut, whyNoBefore].filter((cut) => cut !== undefined);
}

/** Whether the rows came most visited first, so that those that were not read have no more visitors than the last. */
export function isRanked({ rows, hasGaps }: WindowRead): boolean {
  const totals = Array.from(rows.values(), ({ total }) => total);
  const [most = 0, least = 0] = [totals[0], totals.at(-1)];
  const neverRises = totals.every((total, index) => total <= (totals[index - 1] ?? total));
  return neverRises && most > least && !hasGaps;
}

/** Whether the service recorded nothing at all: the site was not counted, or no one came. */
export function hasNoVisits({ totals, rows }: WindowRead): boolean {
  return [totals, ...rows.values()].every(
    ({ human = 0, ai = 0, total }) => human === 0 && ai === 0 && total === 0,
  );
}

/**
 * A total of the whole site; `undefined` if the service did not count it. That is so if it gave none, or if it gave 0 although
 * such visitors were recorded, or 0 humans and 0 AI although there were visitors.
 */
export function totalOf(read: WindowRead, kind: keyof VisitorsTotals): number | undefined {
  const { totals, rows } = read;
  const { human = 0, ai = 0, total } = totals;
  const count = totals[kind];
  if (count === undefined || count > 0) return count;
  const isCounted =
    kind === 'total'
      ? hasNoVisits(read)
      : (human > 0 || ai > 0 || total === 0) && [...rows.values()].every((row) => (row[kind] ?? 0) === 0);
  return isCounted ? count : undefined;
}
