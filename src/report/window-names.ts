import type { Temporal } from 'temporal-polyfill';

/** The windows you can ask for by name, and one by its dates. */
export const periodKinds = ['last-week', 'last-4-weeks', 'last-month', 'custom'] as const;
export type PeriodKind = (typeof periodKinds)[number];

/** What a window is called: by dates for people, by a slug for files. */
export interface WindowNames {
  /** `2–8 March 2026`, `29 December 2025–4 January 2026`, `March 2026`. */
  readonly label: string;
  /** For the head of a column: `2–8 Mar`, `Mar`; with the year if the window is longer than a month. */
  readonly shortLabel: string;
  /** Its first day, for the axis of a chart: `2 Mar`; for a month `Mar`, and `Mar 2026` for anything longer. */
  readonly startLabel: string;
  /** For file names; letters, digits, `-` and `_` only: `2026-W47`, `2026-10`. */
  readonly slug: string;
  /** How long it is: `week`, `four weeks`, `month`, `14 days`. */
  readonly span: string;
  /** One of its kind: `week`, `month`, or `window` if it is longer than one. */
  readonly noun: string;
  /** What its report calls it: `this week`. */
  readonly name: string;
  /** What its report calls the one before it: `the week before`. */
  readonly previousName: string;
}

type Day = Temporal.PlainDate;

/** Longer windows are named with their year, or two of them could have the same name. */
const longestWithoutYear = 31;

/** The names of the window from the first to the last day. */
export function windowNames(kind: PeriodKind, first: Day, last: Day): WindowNames {
  const days = first.until(last).days + 1;
  const isLong = days > longestWithoutYear;
  const spans = { 'last-week': 'week', 'last-4-weeks': 'four weeks', 'last-month': 'month' };
  const span = kind === 'custom' ? (days === 1 ? 'day' : `${days} days`) : spans[kind];
  const isPlural = span.endsWith('s');
  const common = {
    slug: slugOf(kind, first, last),
    span,
    noun: isPlural ? 'window' : span,
    name: `${isPlural ? 'these' : 'this'} ${span}`,
    previousName: `the ${span} before`,
  };
  const [long, short] = [month(first, 'long'), month(first, 'short')];
  if (kind === 'last-month') {
    return { ...common, label: `${long} ${first.year}`, shortLabel: short, startLabel: short };
  }
  return {
    ...common,
    label: range(first, last, 'long', true),
    shortLabel: range(first, last, 'short', isLong),
    startLabel: isLong ? `${short} ${first.year}` : `${first.day} ${short}`,
  };
}

function slugOf(kind: PeriodKind, first: Day, last: Day): string {
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

/** `2–8 March 2026`: what both days have in common appears once. */
function range(first: Day, last: Day, style: 'long' | 'short', withYear: boolean): string {
  const year = (day: Day) => (withYear ? ` ${day.year}` : '');
  const end = `${last.day} ${month(last, style)}${year(last)}`;
  if (first.equals(last)) return end;
  if (first.year !== last.year) return `${first.day} ${month(first, style)}${year(first)}–${end}`;
  return first.month === last.month ? `${first.day}–${end}` : `${first.day} ${month(first, style)}–${end}`;
}

function month(day: Day, style: 'long' | 'short'): string {
  return day.toLocaleString('en', { month: style });
}

/** ISO 8601 week: the year is that of the week's Thursday, so 2026-12-31 and 2027-01-01 share 2026-W53. */
function week(day: Day): string {
  return `${day.yearOfWeek}-W${String(day.weekOfYear).padStart(2, '0')}`;
}
