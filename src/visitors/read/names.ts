import type { Temporal } from 'temporal-polyfill';
import type { PeriodKind } from './period-kinds.ts';

/** What a window is called: by dates for people, by a slug for files. */
export interface WindowNames {
  /** `2–8 March 2026`, `29 December 2025–4 January 2026`, `March 2026`. */
  readonly label: string;
  /** For the head of a column: `2–8 Mar`, `Mar`; with the year where the window is longer than a month. */
  readonly shortLabel: string;
  /** Its first day, for the axis of a chart: `2 Mar`; a month’s name instead, and `Mar 2026` where it is longer than that. */
  readonly startLabel: string;
  /** For file names; letters, digits, `-` and `_` only: `2026-W47`, `2026-10`. */
  readonly slug: string;
  /** How long it is: `week`, `four weeks`, `month`, `14 days`. */
  readonly span: string;
  /** What its report calls it: `this week`. */
  readonly name: string;
  /** What its report calls the one before it: `the week before`. */
  readonly previousName: string;
}

/** Windows of more days are named with their year: without it, two of them could have one name. */
const longestWithoutYear = 31;

/** The names of the window between two days, both of them in it. */
export function namesOf(kind: PeriodKind, first: Temporal.PlainDate, last: Temporal.PlainDate): WindowNames {
  const days = first.until(last).days + 1;
  const [isMonth, isLong] = [kind === 'last-month', days > longestWithoutYear];
  const span = spanOf(kind, days);
  return {
    label: isMonth ? `${month(first, 'long')} ${first.year}` : range(first, last, 'long', true),
    shortLabel: isMonth ? month(first, 'short') : range(first, last, 'short', isLong),
    startLabel: isLong ? `${month(first, 'short')} ${first.year}` : startOf(kind, first),
    slug: slugOf(kind, first, last),
    span,
    name: `${span.endsWith('s') ? 'these' : 'this'} ${span}`,
    previousName: `the ${span} before`,
  };
}

function spanOf(kind: PeriodKind, days: number): string {
  switch (kind) {
    case 'last-week':
      return 'week';
    case 'last-4-weeks':
      return 'four weeks';
    case 'last-month':
      return 'month';
    case 'custom':
      return days === 1 ? 'day' : `${days} days`;
  }
}

function slugOf(kind: PeriodKind, first: Temporal.PlainDate, last: Temporal.PlainDate): string {
  switch (kind) {
    case 'last-week':
      return week(first);
    case 'last-4-weeks':
      return `${week(first)}_${week(last)}`;
    case 'last-month':
      return first.toPlainYearMonth().toString();
    case 'custom':
      return first.equals(last) ? `${first}` : `${first}_${last}`;
  }
}

function startOf(kind: PeriodKind, first: Temporal.PlainDate): string {
  return kind === 'last-month' ? month(first, 'short') : `${first.day} ${month(first, 'short')}`;
}

/** `2–8 March 2026`: what both days have in common is said once. */
function range(
  first: Temporal.PlainDate,
  last: Temporal.PlainDate,
  style: 'long' | 'short',
  withYear: boolean,
): string {
  const year = (day: Temporal.PlainDate) => (withYear ? ` ${day.year}` : '');
  const end = `${last.day} ${month(last, style)}${year(last)}`;
  if (first.equals(last)) return end;
  if (first.year !== last.year) return `${first.day} ${month(first, style)}${year(first)}–${end}`;
  return first.month === last.month ? `${first.day}–${end}` : `${first.day} ${month(first, style)}–${end}`;
}

function month(day: Temporal.PlainDate, style: 'long' | 'short'): string {
  return day.toLocaleString('en', { month: style });
}

/** ISO 8601 week: the year is that of the week's Thursday, so 2026-12-31 and 2027-01-01 share 2026-W53. */
function week(day: Temporal.PlainDate): string {
  return `${day.yearOfWeek}-W${String(day.weekOfYear).padStart(2, '0')}`;
}
