import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { chooseWindow, type PeriodChoice, shiftWindow } from '../../../src/visitors/read/window.ts';

const at = (period: PeriodChoice['period'], iso: string) =>
  chooseWindow({ period, timeZone: 'UTC' }, Date.parse(iso));
/** The date in a time zone, calculated by the platform. */
const dayIn = (timeZone: string, ms: number) =>
  new Intl.DateTimeFormat('sv-SE', { timeZone }).format(ms);
const custom = (dateFrom: string, dateTo: string) =>
  chooseWindow({ period: 'custom', timeZone: 'UTC', dateFrom, dateTo }, 0);

test.each([
  ['last-week', '2026-11-16', '2026-11-09', '2026-11-16', '2026-W46', 'Nov 9–15, 2026'],
  ['last-week', '2027-01-04', '2026-12-28', '2027-01-04', '2026-W53', 'Dec 28, 2026–Jan 3, 2027'],
  ['last-week', '2027-01-11', '2027-01-04', '2027-01-11', '2027-W01', 'Jan 4–10, 2027'],
  ['last-week', '2026-03-02', '2026-02-23', '2026-03-02', '2026-W09', 'Feb 23–Mar 1, 2026'],
  [
    'last-4-weeks',
    '2026-03-03',
    '2026-02-02',
    '2026-03-02',
    '2026-W06_2026-W09',
    'Feb 2–Mar 1, 2026',
  ],
  ['last-month', '2026-03-31', '2026-02-01', '2026-03-01', '2026-02', 'Feb 2026'],
  ['last-month', '2026-01-01', '2025-12-01', '2026-01-01', '2025-12', 'Dec 2025'],
] as const)(
  'the %s of a run created on %s is from %s to %s, %s, %s',
  (period, created, ...expected) => {
    const { start, end, slug, label } = at(period, created);
    expect([start, end, slug, label]).toEqual(expected);
  },
);

test.each([
  ['four weeks', at('last-4-weeks', '2026-02-03'), '2025-12-08', '2026-01-05'],
  ['a month', at('last-month', '2026-03-31'), '2026-01-01', '2026-02-01'],
  ['fourteen days', custom('2026-03-01', '2026-03-15'), '2026-02-15', '2026-03-01'],
  ['a day', custom('2026-03-01', '2026-03-02'), '2026-02-28', '2026-03-01'],
])('the window before %s has the same length', (_, window, start, end) => {
  expect(shiftWindow(window, -1)).toMatchObject({ start, end });
});

test('the last week is the latest complete week from Monday to Sunday, in any time zone', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: Date.parse('1990-01-01'), max: Date.parse('2100-01-01') }),
      fc.constantFrom(
        'UTC',
        'Europe/Berlin',
        'Pacific/Apia',
        'America/Sao_Paulo',
        'Asia/Kathmandu',
      ),
      (created, zone) => {
        const window = chooseWindow({ period: 'last-week', timeZone: zone }, created);
        expect(new Date(window.start).getUTCDay()).toBe(1);
        expect(Date.parse(window.end) - Date.parse(window.start)).toBe(7 * 86_400_000);
        const now = dayIn(zone, created);
        expect(window.end <= now).toBe(true);
        expect(Date.parse(now) - Date.parse(window.end)).toBeLessThan(7 * 86_400_000);
        expect(shiftWindow(window, -1).end).toBe(window.start);
      },
    ),
    {
      numRuns: 300,
      // Just before and after midnight on the Mondays after each clock change.
      examples: [
        '2026-10-25T22:30Z',
        '2026-10-25T23:00Z',
        '2027-03-28T21:59Z',
        '2027-03-28T22:00Z',
      ].map((iso): [number, string] => [Date.parse(iso), 'Europe/Berlin']),
    },
  );
});

test.each([
  ['2026-03-01', '2026-03-15', 'Mar 1–14, 2026', 'the 14 days before'],
  ['2026-02-28', '2026-03-01', 'Feb 28, 2026', 'the day before'],
])('a custom window from %s to %s is %s, after “%s”', (start, end, label, previousName) => {
  expect(custom(start, end)).toMatchObject({ start, end, label, previousName });
});

describe('a window’s short names', () => {
  test.each([
    [at('last-week', '2026-03-02T06:00:00Z'), 'Feb 23–Mar 1', 'Feb 23'],
    [at('last-week', '2026-01-05T06:00:00Z'), 'Dec 29–Jan 4', 'Dec 29'],
    [at('last-month', '2026-03-09T06:00:00Z'), 'Feb', 'Feb'],
    [custom('2026-03-01', '2026-03-02'), 'Mar 1', 'Mar 1'],
    [custom('2026-03-01', '2026-04-01'), 'Mar 1–31', 'Mar 1'],
    [custom('2026-03-01', '2026-04-02'), 'Mar 1–Apr 1, 2026', 'Mar 2026'],
    [custom('2025-12-01', '2026-03-01'), 'Dec 1, 2025–Feb 28, 2026', 'Dec 2025'],
  ])('are for columns and charts (%#)', (window, shortLabel, startLabel) => {
    expect(window).toMatchObject({ shortLabel, startLabel });
  });

  test('are different for each window in a chart', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 800 }),
        fc.integer({ min: 0, max: 3000 }),
        (days, first) => {
          const date = (day: number) =>
            new Date(Date.UTC(2015, 0, 1 + day)).toISOString().slice(0, 10);
          const windows = [custom(date(first), date(first + days))];
          while (windows.length < 8)
            windows.push(shiftWindow(windows.at(-1) ?? custom('', ''), -1));
          expect(new Set(windows.map(({ startLabel }) => startLabel)).size).toBe(8);
          expect(new Set(windows.map(({ shortLabel }) => shortLabel)).size).toBe(8);
        },
      ),
      { numRuns: 200 },
    );
  });
});
