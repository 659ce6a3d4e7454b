import type { Temporal } from 'temporal-polyfill';

export const periodKinds = ['last-week', 'last-4-weeks', 'last-month', 'custom'] as const;
export type PeriodKind = (typeof periodKinds)[number];

/** The names of a window. People see dates, and file names contain a slug. */
export interface WindowNames {
  /** `2–8 March 2026`, `29 December 2025–4 January 2026`, `March 2026`. */
  readonly label: string;
  /** For a column header: `2–8 Mar`, `Mar`; with the year if the window is longer than a month. */
  readonly shortLabel: string;
  /** Its start, for a chart's axis: `2 Mar`; `Mar` for a month; `Mar 2026` for a longer window. */
  readonly startLabel: string;
  /** For file names: `2026-W47`, `2026-10`. It has only letters, digits, `-`, and `_`. */
  readonly slug: string;
  /** The noun for such a window: `week`, `month`, or for a longer one, `period`. */
  readonly noun: string;
  /** The report's name for it: `this week`. */
  readonly name: string;
  /** The report's name for the window before it: `the week before`. */
  readonly previousName: string;
}

type Day = Temporal.PlainDate;

/** A constant, because `Intl` is slow to load and a report names many windows. */
const months = 'January February March April May June July August September October November December';

/** The name of a longer window includes the year. Otherwise, two windows could have the same name. */
const longestWithoutYear = 31;

export function windowNames(kind: PeriodKind, first: Day, last: Day): WindowNames {
  const days = first.until(last).days + 1;
  const isLong = days > longestWithoutYear;
  const names: Readonly<Record<PeriodKind, readonly [span: string, slug: string]>> = {
    'last-week': ['week', week(first)],
    'last-4-weeks': ['four weeks', `${week(first)}_${week(last)}`],
    'last-month': ['month', `${first.toPlainYearMonth()}`],
    custom: days === 1 ? ['day', `${first}`] : [`${days} days`, `${first}_${last}`],
  };
  const [span, slug] = names[kind];
  const isPlural = span.endsWith('s');
  const common = {
    slug,
    noun: isPlural ? 'period' : span,
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

/** `2–8 March 2026`: a month or year that both days share appears only once. */
function range(first: Day, last: Day, style: 'long' | 'short', withYear: boolean): string {
  const year = (day: Day) => (withYear ? ` ${day.year}` : '');
  const end = `${last.day} ${month(last, style)}${year(last)}`;
  if (first.equals(last)) return end;
  if (first.year !== last.year) return `${first.day} ${month(first, style)}${year(first)}–${end}`;
  return first.month === last.month ? `${first.day}–${end}` : `${first.day} ${month(first, style)}–${end}`;
}

function month(day: Day, style: 'long' | 'short'): string {
  const name = months.split(' ')[day.month - 1] ?? '';
  return style === 'long' ? name : name.slice(0, 3);
}

/** The ISO 8601 week. It belongs to the year of its Thursday, so 2027-01-01 is in 2026-W53. */
function week(day: Day): string {
  return `${day.yearOfWeek}-W${String(day.weekOfYear).padStart(2, '0')}`;
}
