import { Temporal } from 'temporal-polyfill';
import { dateIn } from '../../core/days.ts';
import { dayMs } from '../../text/duration.ts';

export type PeriodKind = 'last-week' | 'last-4-weeks' | 'last-month' | 'custom';

/**
 * `timeZone` is an IANA name. Only a custom window has dates, as `YYYY-MM-DD`; `dateTo` is
 * exclusive, as in the service.
 */
export type PeriodChoice = Readonly<{
  period: PeriodKind;
  timeZone: string;
  dateFrom?: string | undefined;
  dateTo?: string | undefined;
}>;

/** A range of whole days, and its names. People see dates, and file names contain a slug. */
export type Window = Readonly<ReturnType<typeof toWindow>>;

type Day = Temporal.PlainDate;
const dayOf = (date: string) => Temporal.PlainDate.from(date);

const dates = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' });

/**
 * The name of a longer window includes the year. Otherwise, two windows could have the same name.
 */
const maxWithoutYear = 31;

/**
 * The last complete week, four weeks, or month before a run was created. A late run and a re-run
 * have the same window.
 */
export function chooseWindow(choice: PeriodChoice, createdAtMs: number): Window {
  const { period } = choice;
  if (choice.dateFrom !== undefined && choice.dateTo !== undefined)
    return toWindow(period, dayOf(choice.dateFrom), dayOf(choice.dateTo));
  const today = dayOf(dateIn(createdAtMs, choice.timeZone));
  if (period === 'last-month') {
    const end = today.with({ day: 1 });
    return toWindow(period, end.subtract({ months: 1 }), end);
  }
  const monday = today.subtract({ days: today.dayOfWeek - 1 });
  const days = period === 'last-week' ? 7 : 28;
  return toWindow(period, monday.subtract({ days }), monday);
}

/**
 * The window that was in its last day when a run was created, which was probably meant to report on
 * it: Monday in UTC is still Sunday in America. `undefined` if there is none.
 */
export function findEndingWindow(choice: PeriodChoice, createdAtMs: number): Window | undefined {
  const chosen = chooseWindow(choice, createdAtMs);
  const chosenLater = chooseWindow(choice, createdAtMs + dayMs);
  if (chosenLater.end === chosen.end) return undefined;
  return chosenLater;
}

/** The window that many windows later, or earlier if `count` is negative. */
export function shiftWindow(window: Window, count: number): Window {
  if (window.kind === 'last-month') return moveWindow(window, { months: count });
  return moveWindow(window, { days: count * window.days });
}

/** The window a year earlier; of weeks, with the same days of the week. */
export function shiftWindowByYear(window: Window): Window {
  if (window.kind === 'last-month') return moveWindow(window, { years: -1 });
  return moveWindow(window, { days: -52 * 7 });
}

function moveWindow(window: Window, by: Temporal.DurationLike): Window {
  return toWindow(window.kind, dayOf(window.start).add(by), dayOf(window.end).add(by));
}

function toWindow(kind: PeriodKind, first: Day, end: Day) {
  const { days } = first.until(end);
  const last = end.subtract({ days: 1 });
  const { span, slug } = nameWindow(kind, first, last);
  // A month or year that both days share appears only once.
  const range = dates.formatRange(Date.parse(`${first}`), Date.parse(`${last}`));
  const label = range.replace(/\s–\s/, '–');
  const [month = ''] = label.split(' ');
  const isLong = days > maxWithoutYear;
  const window = {
    kind,
    /** `YYYY-MM-DD`, inclusive. */
    start: `${first}`,
    /** `YYYY-MM-DD`, exclusive. */
    end: `${end}`,
    days,
    /** `Mar 2–8, 2026`, `Dec 29, 2025–Jan 4, 2026`, `Mar 2026`. */
    label,
    /** `Mar 2–8`, `Mar`; with the year if the window is longer than a month. */
    shortLabel: isLong ? label : label.replaceAll(/, \d+/g, ''),
    /** Its start, for a chart’s axis: `Mar 2`; `Mar` for a month; `Mar 2026` for longer windows. */
    startLabel: `${month} ${isLong ? first.year : first.day}`,
    /** For file names: `2026-W47`, `2026-10`. */
    slug,
    /** `week`, `month`, or for a longer one, `period`. */
    noun: span.endsWith('s') ? 'period' : span,
    previousName: `the ${span} before`,
  };
  if (kind !== 'last-month') return window;
  return { ...window, label: `${month} ${first.year}`, shortLabel: month, startLabel: month };
}

/** What people call the length of a window, and what files call the window. */
function nameWindow(kind: PeriodKind, first: Day, last: Day) {
  switch (kind) {
    case 'last-week':
      return { span: 'week', slug: nameWeek(first) };
    case 'last-4-weeks':
      return { span: 'four weeks', slug: `${nameWeek(first)}_${nameWeek(last)}` };
    case 'last-month':
      return { span: 'month', slug: `${first.toPlainYearMonth()}` };
    case 'custom':
      if (first.equals(last)) return { span: 'day', slug: `${first}` };
      return { span: `${first.until(last).days + 1} days`, slug: `${first}_${last}` };
  }
}

/** The ISO 8601 week. It belongs to the year of its Thursday, so 2027-01-01 is in 2026-W53. */
function nameWeek(day: Day): string {
  return `${day.yearOfWeek}-W${String(day.weekOfYear).padStart(2, '0')}`;
}
