import type { ActionError } from '../core/errors.ts';
import type { VisitorsRow, VisitorsTotals } from '../service/schemas.ts';
import type { Window } from './window.ts';

/** Why a window or its list of pages was not read completely. There is no fourth reason. */
export type Cut =
  /** No requests were left. */
  | { readonly kind: 'budget' }
  /** The list changed while it was read. It ended, but rows may be missing. */
  | { readonly kind: 'changed' }
  /** The service failed. The message may quote the service, so it is only for the log; the hint is in our own words. */
  | ({ readonly kind: 'service' } & Pick<ActionError, 'reason' | 'message' | 'hint'>);

/** One window, as the service counted it. */
export interface WindowRead {
  readonly window: Window;
  /** From the first page of rows, because the service may update them before the next page. */
  readonly totals: VisitorsTotals;
  /** By path, in the service's order. */
  readonly rows: ReadonlyMap<string, VisitorsRow>;
  /** Why pages may be missing. */
  readonly cut: Cut | undefined;
  /** Whether rows may be missing in between. */
  readonly hasGaps: boolean;
}

/** The report's window, and the one before it. */
export interface Windows {
  readonly now: WindowRead;
  /** `undefined` with `compare: none`, or if not even its totals could be read. */
  readonly before: WindowRead | undefined;
  /** Why nothing of the previous window could be read. */
  readonly whyNoBefore: Cut | undefined;
}

/** An earlier window, as far as there is data for it. */
export interface EarlierWindow {
  readonly window: Window;
  /** Empty if unknown. */
  readonly totals: VisitorsTotals;
  /** The visitors of every page, if the window was read completely and had any. */
  readonly pages: ReadonlyMap<string, number> | undefined;
}

/** What the error that ended reading means for the window. */
export function cutOf({ reason, message, hint }: ActionError): Cut {
  return reason === 'budget-spent' ? { kind: 'budget' } : { kind: 'service', reason, message, hint };
}

export const kindsOfTotals = ['human', 'ai', 'total'] as const;

/** What a window lacks: pages, or if it has all pages, a total. */
export function lackOf({ totals, cut }: Pick<WindowRead, 'totals' | 'cut'>): Cut | undefined {
  const uncounted = kindsOfTotals.filter((kind) => totals[kind] === undefined);
  if (cut !== undefined || uncounted.length === 0) return cut;
  const message = `The service gave no usable total (${uncounted.join(', ')})`;
  return { kind: 'service', reason: 'invalid-response', message, hint: 'Run it again later.' };
}

/** Whether the service counted no visitors at all: no one came, or it didn't count the site. */
export function isSilent({ totals }: Pick<WindowRead, 'totals'>): boolean {
  return totals.total === 0;
}

/** Converts a window to the form of an earlier one. A window without visitors says nothing about its pages. */
export function asEarlier({ window, totals, rows, cut }: WindowRead): EarlierWindow {
  const visitors = rows.values().map(({ path, total }) => [path, total] as const);
  return { window, totals, pages: cut || isSilent({ totals }) ? undefined : new Map(visitors) };
}
