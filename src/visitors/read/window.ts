import { Temporal } from 'temporal-polyfill';

export type PeriodKind = 'last-week' | 'last-4-weeks' | 'last-month' | 'custom';

export interface PeriodChoice {
  readonly period: PeriodKind;
  /** IANA name. */
  readonly timeZone: string;
  /** Only for a custom window, as `YYYY-MM-DD`. `dateTo` is exclusive, as in the service. */
  readonly dateFrom?: string | undefined;
  readonly dateTo?: string | undefined;
}

/** A range of whole days, and its names. People see dates, and file names contain a slug. */
export interface Window {
  readonly kind: PeriodKind;
  /** `YYYY-MM-DD`, inclusive. */
  readonly start: string;
  /** `YYYY-MM-DD`, exclusive. */
  readonly end: string;
  readonly days: number;
  /** `Mar 2–8, 2026`, `Dec 29, 2025–Jan 4, 2026`, `Mar 2026`. */
  readonly label: string;
  /** For a column header: `Mar 2–8`, `Mar`; with the year if the window is longer than a month. */
  readonly shortLabel: string;
  /** Its start, for a chart's axis: `Mar 2`; `Mar` for a month; `Mar 2026` for a longer window. */
  readonly startLabel: string;
  /** For file names: `2026-W47`, `2026-10`. It has only letters, digits, `-`, and `_`. */
  readonly slug: string;
  /** The noun for such a window: `week`, `month`, or for a longer one, `period`. */
  readonly noun: string;
  /** The report's name for the window before it: `the week before`. */
  readonly previousName: string;
}

type Day = Temporal.PlainDate;

const dates = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' });

/** The name of a longer window includes the year. Otherwise, two windows could have the same name. */
const maxWithoutYear = 31;

/**
 * The window that a run reports on: the last complete week, four weeks, or month before the run was created. A late run and a
 * re-run therefore report on the same window.
 */
export function chooseWindow(choice: PeriodChoice, createdAtMs: number): Window {
  const { period: kind, timeZone, dateFrom = '', dateTo = '' } = choice;
  if (kind === 'custom')
    return toWindow(kind, Temporal.PlainDate.from(dateFrom), Temporal.PlainDate.from(dateTo));
  const day = dayOf(createdAtMs, timeZone);
  const end = kind === 'last-month' ? day.with({ day: 1 }) : day.subtract({ days: day.dayOfWeek - 1 });
  return windowUntil(end, kind, kind === 'last-week' ? 7 : 28);
}

/** The window right before this one. For a month, it is a month; otherwise, it has the same number of days. */
export function previousWindow({ kind, start, days }: Window): Window {
  return windowUntil(Temporal.PlainDate.from(start), kind, days);
}

/** The window that many windows later. */
export function laterWindow({ kind, end, days }: Window, count: number): Window {
  const by = kind === 'last-month' ? { months: count } : { days: days * count };
  return windowUntil(Temporal.PlainDate.from(end).add(by), kind, days);
}

/** The window a year earlier; of weeks, with the same days of the week. */
export function windowLastYear({ kind, end, days }: Window): Window {
  const by = kind === 'last-month' ? { years: 1 } : { days: 364 };
  return windowUntil(Temporal.PlainDate.from(end).subtract(by), kind, days);
}

function windowUntil(end: Day, kind: PeriodKind, days: number): Window {
  return toWindow(kind, end.subtract(kind === 'last-month' ? { months: 1 } : { days }), end);
}

/** The date in the time zone, `YYYY-MM-DD`. */
export function dateIn(epochMs: number, timeZone: string): string {
  return dayOf(epochMs, timeZone).toString();
}

/** Whether the text is an IANA time zone that this Node knows. */
export function isTimeZone(text: string): boolean {
  try {
    dayOf(0, text);
    return /^[A-Za-z]/.test(text);
  } catch {
    return false;
  }
}

function dayOf(epochMs: number, timeZone: string): Day {
  return Temporal.Instant.fromEpochMilliseconds(epochMs).toZonedDateTimeISO(timeZone).toPlainDate();
}

function toWindow(kind: PeriodKind, first: Day, end: Day): Window {
  const { days } = first.until(end);
  const last = end.subtract({ days: 1 });
  const isLong = days > maxWithoutYear;
  const names: Readonly<Record<PeriodKind, readonly [span: string, slug: string]>> = {
    'last-week': ['week', week(first)],
    'last-4-weeks': ['four weeks', `${week(first)}_${week(last)}`],
    'last-month': ['month', `${first.toPlainYearMonth()}`],
    custom: days === 1 ? ['day', `${first}`] : [`${days} days`, `${first}_${last}`],
  };
  const [span, slug] = names[kind];
  const [month = ''] = rangeOf(first, first).split(' ');
  const isMonth = kind === 'last-month';
  const range = rangeOf(first, last);
  return {
    kind,
    start: `${first}`,
    end: `${end}`,
    days,
    label: isMonth ? `${month} ${first.year}` : range,
    shortLabel: isMonth ? month : isLong ? range : range.replaceAll(/, \d+/g, ''),
    startLabel: isMonth ? month : isLong ? `${month} ${first.year}` : `${month} ${first.day}`,
    slug,
    noun: span.endsWith('s') ? 'period' : span,
    previousName: `the ${span} before`,
  };
}

/** `Mar 2–8, 2026`: a month or year that both days share appears only once. */
function rangeOf(first: Day, last: Day): string {
  return dates.formatRange(Date.parse(`${first}`), Date.parse(`${last}`)).replace(/\s–\s/, '–');
}

/** The ISO 8601 week. It belongs to the year of its Thursday, so 2027-01-01 is in 2026-W53. */
function week(day: Day): string {
  return `${day.yearOfWeek}-W${String(day.weekOfYear).padStart(2, '0')}`;
}
