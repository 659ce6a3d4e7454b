import type { ActionError } from '../../lib/errors.ts';
import type { ErrorReason } from '../../lib/reasons.ts';
import type { VisitorsRow, VisitorsTotals } from '../../service/schemas.ts';
import type { Window } from './period.ts';

/** One window as the service counted it. */
export interface WindowRead {
  readonly window: Window;
  /** As they came with the first page of rows: the service may count anew before it sends the next. */
  readonly totals: VisitorsTotals;
  /** By path, in the order the service sent them. */
  readonly rows: ReadonlyMap<string, VisitorsRow>;
  /** Why the window was not read whole; `undefined` where it was. */
  readonly cut: Cut | undefined;
  /** Whether the most visited pages came first and all of them, so that those not read cannot have more visitors. */
  readonly descending: boolean;
  readonly oddities: Oddities;
}

/** Why a window was not read to its end. */
export type Cut =
  /** No request was left. */
  | { readonly kind: 'budget' }
  /** The service failed. The message is for the log only, since it may quote the service. */
  | { readonly kind: 'service'; readonly reason: ErrorReason; readonly message: string }
  /** The service said that there were more rows, and sent none, or none that were new. */
  | { readonly kind: 'empty-page' | 'repeated-page' }
  /** It came to the end of the list, but rows may be missing: the list changed meanwhile, its pages were not full, or rows said nothing. */
  | { readonly kind: 'repeated-rows' | 'short-page' | 'changed-totals' | 'unusable-rows' };

/** An error that kept something from being read as what cut it short. */
export function cutOf({ reason, message }: ActionError): Cut {
  return reason === 'budget-spent' ? { kind: 'budget' } : { kind: 'service', reason, message };
}

/** What was odd about a window while it was read. */
export interface Oddities {
  /** How many rows had a path that had come before; the first row of a path counts. */
  readonly repeatedRows: number;
  /** How many rows had no path or no total. */
  readonly unusableRows: number;
  /** How many pages of rows had fewer than were asked for, though the service said that there were more. */
  readonly shortPages: number;
  /** How many pages of rows came with other totals than the first. */
  readonly driftedPages: number;
  /** Whether the last page had no rows, though the service had said that there were more. */
  readonly emptyEnd: boolean;
}

/** Why rows may be missing of a list that was read to its end; `undefined` where none is. */
export function whyNotWhole({
  repeatedRows,
  unusableRows,
  shortPages,
  driftedPages,
}: Oddities): Cut | undefined {
  if (shortPages > 0) return { kind: 'short-page' };
  if (repeatedRows > 0) return { kind: 'repeated-rows' };
  if (driftedPages > 0) return { kind: 'changed-totals' };
  return unusableRows > 0 ? { kind: 'unusable-rows' } : undefined;
}

/** The window of the report and the one before it. */
export interface WindowPair {
  readonly now: WindowRead;
  /** `undefined` where it was not asked for (`compare: none`), or not even its totals could be read. */
  readonly before: WindowRead | undefined;
  /** Why the window before, though asked for, could not be read at all. */
  readonly whyNoBefore: Cut | undefined;
}

/** Whether everything that was asked for was read whole. */
export function isComplete({ now, before, whyNoBefore }: WindowPair): boolean {
  return now.cut === undefined && before?.cut === undefined && whyNoBefore === undefined;
}

/** Whether the service recorded nothing at all. That says that the site was not counted, not that nobody came. */
export function hasNoVisits({ totals, rows }: WindowRead): boolean {
  return isNobody(totals) && [...rows.values()].every(isNobody);
}

function isNobody({ human = 0, ai = 0, total }: VisitorsTotals): boolean {
  return human === 0 && ai === 0 && total === 0;
}

/**
 * Whether the service did not count a total of the site, so that nothing follows from it: it told none, or it told 0 though
 * such visitors were recorded, or 0 of humans and of AI though there were visitors.
 */
export function lacksTotal(read: WindowRead, kind: keyof VisitorsTotals): boolean {
  const { totals, rows } = read;
  const { human = 0, ai = 0, total } = totals;
  if (totals[kind] === undefined) return true;
  if (totals[kind] > 0) return false;
  if (kind === 'total') return !hasNoVisits(read);
  return (human === 0 && ai === 0 && total > 0) || [...rows.values()].some((row) => (row[kind] ?? 0) > 0);
}
