import type { ActionError } from '../../core/errors.ts';
import type { VisitorsRow, VisitorsTotals } from '../../service/schemas.ts';
import type { Window } from './window.ts';

/**
 * Why a window was not read completely: no requests were left, its list changed meanwhile, or the
 * service failed.
 */
export type Cut =
  | { readonly kind: 'budget' | 'changed' }
  // The message may quote the service, so it appears only in the log.
  | ({ readonly kind: 'service' } & Pick<ActionError, 'reason' | 'what' | 'message' | 'hint'>);

/** A window, as far as it is known. */
export type WindowRead = Readonly<{
  window: Window;
  /** Those of the first response, because later ones may have newer totals. Empty if unknown. */
  totals: VisitorsTotals;
  /** By path, in the order of the service. */
  rows: ReadonlyMap<string, VisitorsRow>;
  /** Why rows are missing; `undefined` once all have been read. */
  cut: Cut | undefined;
  /** Why rows may be missing before the last one; `undefined` if none can be. */
  flaw?: Cut | undefined;
}>;

/** With fewer earlier windows, there is no usual range. */
export const minWeeks = 4;

export const kindsOfTotals = ['human', 'ai', 'total'] as const;

export function cutOf(error: ActionError): Cut {
  const { reason, what } = error;
  if (reason === 'budget-spent') return { kind: 'budget' };
  return { kind: 'service', reason, what, message: error.message, hint: error.hint };
}

/** Whether it is the organization's hourly limit, so that no other list can be read, either. */
export function isLimit(cut: Cut | undefined): boolean {
  return cut?.kind === 'service' && cut.reason === 'rate-limited';
}

/** Why a window is incomplete: pages or totals are missing. */
export function lackOf({ totals, cut }: Pick<WindowRead, 'totals' | 'cut'>): Cut | undefined {
  const uncounted = kindsOfTotals.filter((kind) => totals[kind] === undefined);
  if (cut !== undefined || uncounted.length === 0) return cut;
  const what = `The service didn’t return a usable total (${uncounted.join(', ')})`;
  return makeServiceCut(what, 'Re-run the workflow later.');
}

/** A failure of the service that only shows in what it sent. */
export function makeServiceCut(what: string, hint: string): Cut {
  return { kind: 'service', reason: 'invalid-response', what, message: what, hint };
}

/**
 * Whether the service counted no visitors at all. Either no one came, or it didn't count the site.
 */
export const isSilent = ({ totals }: WindowRead) => totals.total === 0;

/** Whether the service counted visitors. Only then does an earlier window show what is usual. */
export const hasVisitors = ({ totals }: WindowRead) => Boolean(totals.total);

/**
 * Whether no page that wasn't read can have more visitors than one that was. Equal counts show no
 * order.
 */
export function isRanked(read: WindowRead): boolean {
  if (read.flaw !== undefined || isSilent(read) || read.rows.size === 0) return false;
  if (read.cut === undefined) return true;
  const totals = [...read.rows.values()].map(({ total }) => total);
  const [first = 0] = totals;
  const last = totals.at(-1) ?? 0;
  return first > last && totals.every((total, row) => row === 0 || total <= (totals[row - 1] ?? 0));
}
