import { Temporal } from 'temporal-polyfill';
import { dateIn } from '../../core/days.ts';

export type PeriodKind = 'last-week' | 'last-4-weeks' | 'last-month' | 'custom';

/** `timeZone` is an IANA name. Only a custom window has dates, as `YYYY-MM-DD`; `dateTo` is exclusive, as in the service. */
export interface PeriodChoice {
  readonly period: PeriodKind;
  readonly timeZone: string;
  readonly dateFrom?: string | undefined;
  readonly dateTo?: string | undefined;
}

/** A range of whole days, and its names. People see dates, and file names contain a slug. */
export type Window = Readonly<ReturnType<typeof toWindow>>;

type Day = Temporal.PlainDate;

const dates = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' });

/** The name of a longer window includes the year. Otherwise, two windows could have the same name. */
const maxWithoutYear = 31;

/** The last complete week, four weeks, or month before a run was created. A late run and a re-run have the same window. */
export function chooseWindow(choice: PeriodChoice, createdAtMs: number): Window {
  const { period: kind, timeZone, dateFrom = '', dateTo = '' } = choice;
  if (kind === 'custom')
    return toWindow(kind, Temporal.PlainDate.from(dateFrom), Temporal.PlainDate.from(dateTo));
  const day = Temporal.PlainDate.from(dateIn(createdAtMs, timeZone));
  const end =
    kind === 'last-month' ? day.with({ day: 1 }) : day.subtract({ days: day.dayOfWeek - 1 });
  return windowUntil(end, kind, kind === 'last-week' ? 7 : 28);
}

/** The window that many windows later, or earlier if `count` is negative. */
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

function toWindow(kind: PeriodKind, first: Day, end: Day) {
  const { days } = first.until(end);
  const last = end.subtract({ days: 1 });
  const [isMonth, isLong] = [kind === 'last-month', days > maxWithoutYear];
  const names: Readonly<Record<PeriodKind, readonly [span: string, slug: string]>> = {
    'last-week': ['week', week(first)],
    'last-4-weeks': ['four weeks', `${week(first)}_${week(last)}`],
    'last-month': ['month', `${first.toPlainYearMonth()}`],
    custom: days === 1 ? ['day', `${first}`] : [`${days} days`, `${first}_${last}`],
  };
  const [span, slug] = names[kind];
  // `Mar 2–8, 2026`: a month or year that both days share appears only once.
  const range = dates
    .formatRange(Date.parse(`${first}`), Date.parse(`${last}`))
    .replace(/\s–\s/, '–');
  const [month = ''] = range.split(' ');
  return {
    kind,
    /** `YYYY-MM-DD`, inclusive. */
    start: `${first}`,
    /** `YYYY-MM-DD`, exclusive. */
    end: `${end}`,
    days,
    /** `Mar 2–8, 2026`, `Dec 29, 2025–Jan 4, 2026`, `Mar 2026`. */
    label: isMonth ? `${month} ${first.year}` : range,
    /** `Mar 2–8`, `Mar`; with the year if the window is longer than a month. */
    shortLabel: isMonth ? month : isLong ? range : range.replaceAll(/, \d+/g, ''),
    /** Its start, for a chart’s axis: `Mar 2`; `Mar` for a month; `Mar 2026` for a longer window. */
    startLabel: isMonth ? month : `${month} ${isLong ? first.year : first.day}`,
    /** For file names: `2026-W47`, `2026-10`. */
    slug,
    /** `week`, `month`, or for a longer one, `period`. */
    noun: span.endsWith('s') ? 'period' : span,
    previousName: `the ${span} before`,
  };
}

/** The ISO 8601 week. It belongs to the year of its Thursday, so 2027-01-01 is in 2026-W53. */
function week(day: Day): string {
  return `${day.yearOfWeek}-W${String(day.weekOfYear).padStart(2, '0')}`;
}
