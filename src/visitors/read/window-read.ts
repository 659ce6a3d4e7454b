import type { ErrorReason } from '../../lib/errors.ts';
import type { VisitorsRow, VisitorsTotals } from '../../service/schemas.ts';
import type { Window } from './period.ts';

/** One window as the service told it. */
export interface WindowRead {
  readonly window: Window;
  /** Of the first page: pages read later may count anew. */
  readonly totals: VisitorsTotals;
  /** By path, each path once, in the order they came. */
  readonly rows: ReadonlyMap<string, VisitorsRow>;
  /** `undefined` for a window that was read whole. */
  readonly cut: Cut | undefined;
  /** The rows came with the most visited first, so that those not read cannot outrank those read. */
  readonly descending: boolean;
  readonly oddities: Oddities;
}

/** What ended the reading of a window before its end. */
export type Cut =
  | { readonly kind: 'budget' }
  /** The service stopped answering; the message is for the log, since it may quote the service. */
  | { readonly kind: 'service'; readonly reason: ErrorReason; readonly message: string }
  /** The service said there were more rows, and gave none, or none that were new. */
  | { readonly kind: 'empty-page' | 'repeated-page' };

/** What was strange about a window, though it was read. */
export interface Oddities {
  /** Rows whose path had come before; the first one counts. */
  readonly repeatedRows: number;
  /** Pages of rows with other totals than the first. */
  readonly driftedPages: number;
}

/** The window of the report and the one before it, as far as they could be read. */
export interface Windows {
  readonly now: WindowRead;
  /** `undefined` where nobody asked for it, and where not even its totals could be read. */
  readonly before: WindowRead | undefined;
  /** Why the window before is missing although it was asked for. */
  readonly whyNoBefore: Cut | undefined;
}

/** Whether everything that was asked for was read whole. */
export function isComplete({ now, before, whyNoBefore }: Windows): boolean {
  return now.cut === undefined && before?.cut === undefined && whyNoBefore === undefined;
}

/** Whether nothing was recorded: the site was not counted, which is not the same as nobody came. */
export function hasNoVisits({ totals, rows }: WindowRead): boolean {
  return totals.total === 0 && totals.human === 0 && totals.ai === 0 && rows.size === 0;
}
