import { Temporal } from 'temporal-polyfill';
import { type PeriodKind, type WindowNames, windowNames } from './window-names.ts';

export interface PeriodChoice {
  readonly period: PeriodKind;
  /** IANA name. */
  readonly timeZone: string;
  /** Only for a custom window, as `YYYY-MM-DD`. `dateTo` is exclusive, as in the service. */
  readonly dateFrom?: string | undefined;
  readonly dateTo?: string | undefined;
}

/** A range of whole days. `end` is the day after the last day. */
export interface Window extends WindowNames {
  readonly kind: PeriodKind;
  /** `YYYY-MM-DD`, inclusive. */
  readonly start: string;
  /** `YYYY-MM-DD`, exclusive. */
  readonly end: string;
  readonly days: number;
}

/**
 * The window that a run reports on: the last complete week, four weeks, or month before the run was created. A late run and a
 * re-run therefore report on the same window.
 */
export function chooseWindow(choice: PeriodChoice, createdAtMs: number): Window {
  const { period: kind, timeZone, dateFrom = '', dateTo = '' } = choice;
  const today = dayOf(createdAtMs, timeZone);
  const monday = today.subtract({ days: today.dayOfWeek - 1 });
  const first = today.with({ day: 1 });
  switch (kind) {
    case 'last-week':
      return toWindow(kind, monday.subtract({ weeks: 1 }), monday);
    case 'last-4-weeks':
      return toWindow(kind, monday.subtract({ weeks: 4 }), monday);
    case 'last-month':
      return toWindow(kind, first.subtract({ months: 1 }), first);
    case 'custom':
      return toWindow(kind, Temporal.PlainDate.from(dateFrom), Temporal.PlainDate.from(dateTo));
  }
}

/** The window right before this one. For a month, it is a month; otherwise, it has the same number of days. */
export function previousWindow({ kind, start, days }: Window): Window {
  const from = Temporal.PlainDate.from(start);
  return toWindow(kind, from.subtract(kind === 'last-month' ? { months: 1 } : { days }), from);
}

/** Today's date in the time zone, `YYYY-MM-DD`. */
export function today(nowMs: number, timeZone: string): string {
  return dayOf(nowMs, timeZone).toString();
}

/** Whether the text is a date that exists, `YYYY-MM-DD`. */
export function isDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && succeeds(() => Temporal.PlainDate.from(text));
}

/** Whether the text is an IANA time zone that this Node knows. */
export function isTimeZone(text: string): boolean {
  return /^[A-Za-z]/.test(text) && succeeds(() => dayOf(0, text));
}

function dayOf(epochMs: number, timeZone: string): Temporal.PlainDate {
  return Temporal.Instant.fromEpochMilliseconds(epochMs).toZonedDateTimeISO(timeZone).toPlainDate();
}

function toWindow(kind: PeriodKind, from: Temporal.PlainDate, to: Temporal.PlainDate): Window {
  const last = to.subtract({ days: 1 });
  const { days } = from.until(to);
  return { kind, start: from.toString(), end: to.toString(), days, ...windowNames(kind, from, last) };
}

function succeeds(attempt: () => unknown): boolean {
  try {
    attempt();
    return true;
  } catch {
    return false;
  }
}
