import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { VisitorsRow, VisitorsTotals } from '../../../src/service/schemas.ts';
import { withoutInvisible } from '../../../src/text/invisible.ts';
import { chooseWindow, shiftWindow } from '../../../src/visitors/read/window.ts';
import type { Cut, WindowRead } from '../../../src/visitors/read/window-read.ts';
import { digestOf } from '../../../src/visitors/write/digest.ts';
import { plain } from '../../support/plain.ts';
import { asRead, render as rendered, reportOf, type Settings } from './rendered.ts';
import {
  anyPath,
  createdAt,
  hostilePaths,
  noVisitors,
  readOf,
  row,
  runUrl,
  window,
} from './site.ts';
import { wrongSums } from './sums.ts';

/* Whole reports, as readers see them. */

type Pages = Readonly<Record<string, number>>;

interface Scene {
  /** The people of each week, oldest first. The last one is this week. */
  readonly people: readonly (number | VisitorsTotals)[];
  /** The people of each page in a week. This week is week 0, the one before it is −1, and so on. */
  readonly pages?: (week: number) => Pages | undefined;
  /** Changes what was read of a week. */
  readonly edit?: (week: WindowRead, age: number) => WindowRead;
  readonly now?: WindowRead['window'];
  readonly more?: Settings;
}

/** AI visitors are a third of the people, and a tenth of them counts as both. */
function totalsOf(people: number | VisitorsTotals): VisitorsTotals {
  if (typeof people !== 'number') return people;
  const ai = Math.round(people / 3);
  return { human: people, ai, total: people + ai - Math.round(ai / 10) };
}

function windowsOf({ people, pages = () => steady, edit = (week) => week, now = window }: Scene) {
  const windows = people.map((count, index) => {
    const age = people.length - 1 - index;
    const counts = Object.entries(pages(-age) ?? {}).filter(([, human]) => human > 0);
    const rows = counts.map(([path, human]) => row(path, human, Math.round(human / 3)));
    rows.sort((a, b) => b.total - a.total);
    const totals = totalsOf(count);
    const read = readOf(rows, { window: shiftWindow(now, -age), totals });
    return edit(totals.total === 0 ? { ...read, rows: new Map() } : read, age);
  });
  const earlier = windows.slice(0, -1);
  return { now: windows.at(-1) ?? readOf([]), before: earlier.at(-1), earlier };
}

const reported = (scene: Scene) => {
  const { now, before, earlier } = windowsOf(scene);
  return [now, before, { charts: 'mermaid', top: 4, earlier, ...scene.more }] as const;
};
const render = (scene: Scene) => asRead(rendered(...reported(scene)));
const digest = (scene: Scene) => digestOf(reportOf(...reported(scene)), runUrl);

/** Twelve weeks that hardly differ. */
const calm = [980, 1010, 1000, 990, 1005, 995, 1000, 1010, 985, 1005, 990, 1000];
const steady: Pages = Object.fromEntries(
  Array.from({ length: 40 }, (_, page) => [`/guides/p${page + 1}`, 160 - 3 * page]),
);
const before = (week: number) => week < -1;
const last = (week: number) => week === 0;

/** What happened to a site's pages in an eventful fortnight. */
const eventful = (week: number): Pages => ({
  ...steady,
  '/sdk/go': before(week) ? 110 + (week % 3) : 50 + week,
  '/guides/agents': before(week) ? 90 + (week % 4) : 240 - 20 * week,
  '/changelog/llms': last(week) ? 412 : 41,
  '/': last(week) ? 702 : 606,
  '/concepts/billing': last(week) ? 0 : 31,
  ...(last(week) ? { '/api/keys': 34 } : {}),
});

const moving = (paths: readonly string[], to: (path: string) => string) => (week: number) => ({
  ...steady,
  ...Object.fromEntries(
    paths.map((path, page) => [last(week) ? to(path) : path, 40 + page + (week % 2)]),
  ),
});
const ten = Array.from({ length: 10 }, (_, page) => `/old/page-${page}`);

const budget = { kind: 'budget' } as const;
const unread =
  (from: number, cut: Cut = budget) =>
  (week: WindowRead, age: number) =>
    age >= from ? { ...week, totals: {}, rows: new Map<string, VisitorsRow>(), cut } : week;
const withoutLists = (from: number) => (week: WindowRead, age: number) =>
  age >= from ? { ...week, rows: new Map<string, VisitorsRow>(), cut: budget } : week;
/** Only the most-read pages of a window were read. */
const firstRows = (count: number) => (week: WindowRead) => ({
  ...week,
  rows: new Map([...week.rows].slice(0, count)),
  cut: budget,
});
/** The least-read pages of some windows were read. */
const unsorted = (ages: readonly number[]) => (week: WindowRead, age: number) => {
  if (!ages.includes(age)) return week;
  return { ...week, rows: new Map([...week.rows].reverse().slice(0, 8)), cut: budget };
};
const young = (weeks: number) => [...Array(13 - weeks).fill(noVisitors), ...calm.slice(0, weeks)];
const months = chooseWindow({ period: 'last-month', timeZone: 'UTC' }, createdAt);

const scenes: Readonly<Record<string, Scene>> = {
  'a quiet week': { people: [...calm, 1003] },
  'an eventful week': { people: [...calm, 1310], pages: eventful },
  'fewer people than usual': { people: [...calm, 500] },
  'people who halve while AI doubles': {
    people: [
      ...Array(12).fill({ human: 2100, ai: 900, total: 3000 }),
      { human: 1050, ai: 1930, total: 2980 },
    ],
  },
  'as many people as the week before': { people: [...calm, 1000] },
  'people whose number varies': {
    people: [300, 2400, 150, 900, 3000, 400, 1800, 90, 700, 2600, 500, 1100, 600],
  },
  'people whose number varies, and none of the usual': {
    people: [300, 2400, 150, 900, 3000, 400, 1800, 90, 700, 2600, 500, 1100, 250_000],
  },
  'a site with few people': {
    people: [12, 15, 14, 16, 13, 15, 14, 17, 14, 15, 16, 14, 16],
    pages: (week) => ({ '/': 6 + (week % 2), '/install': 5, '/api/auth': 4 }),
  },
  'one person, after none': { people: [...Array(12).fill(3), 0, 1], pages: () => ({ '/': 1 }) },
  'no people, but AI': {
    people: [...calm, { human: 0, ai: 300, total: 300 }],
    pages: () => undefined,
  },
  'a site’s first week': { people: young(1) },
  'a site’s second week': { people: young(2) },
  'a site’s fifth week': { people: young(5) },
  'a site’s first custom period': {
    people: young(1),
    now: chooseWindow(
      { period: 'custom', timeZone: 'UTC', dateFrom: '2026-11-01', dateTo: '2026-11-11' },
      createdAt,
    ),
  },
  'a page that moved': {
    people: [...calm, 1003],
    pages: moving(['/old/auth'], (path) => path.replace('old', 'new')),
  },
  'ten pages that moved': {
    people: [...calm, 1003],
    pages: moving(ten, (path) => path.replace('old', 'new')),
  },
  'pages that moved to two folders': {
    people: [...calm, 1003],
    pages: moving(ten, (path) => path.replace('/old', /[0-3]$/.test(path) ? '/api/v2' : '/learn')),
  },
  'pages that moved to many folders': {
    people: [...calm, 1003],
    pages: moving(ten, (path) => path.replace('/old/page-', '/v') + path),
  },
  'several pages that no one reads anymore': {
    people: [...calm, 1003],
    pages: (week) => ({ ...steady, ...(last(week) ? {} : { '/a': 30, '/b': 50, '/c': 12 }) }),
  },
  'a section that falls': {
    people: [...calm, 995],
    pages: (week) => ({
      ...steady,
      ...Object.fromEntries(
        Array.from({ length: 6 }, (_, page) => [
          `/api/p${page}`,
          before(week) ? 100 + (week % 3) : 55 + page,
        ]),
      ),
    }),
  },
  'a section that falls without a page that stands out': {
    people: [...calm, 995],
    pages: (week) => ({
      ...steady,
      ...Object.fromEntries(
        Array.from({ length: 30 }, (_, page) => [
          `/api/p${page}`,
          (before(week) ? 14 : 8) + ((week + page + 40) % 3),
        ]),
      ),
    }),
  },
  'a site whose people grow by half': {
    people: [...calm.slice(0, -1), 1500, 1480],
    pages: (week) =>
      Object.fromEntries(
        Object.entries({ ...steady, '/sdk': before(week) ? 100 + (week % 3) : 40 }).map(
          ([path, people]) => [
            path,
            Math.round(path === '/sdk' || before(week) ? people : 1.5 * people),
          ],
        ),
      ),
  },
  'months of different lengths': {
    people: [...calm.map((people) => 4 * people), 4100],
    pages: (week) =>
      Object.fromEntries(Object.entries(eventful(week)).map(([path, n]) => [path, 4 * n])),
    now: months,
  },
  'a week without any before it': { people: [1000] },
  'a `baseline` of 2': { people: calm.slice(0, 4) },
  'a `baseline` of 3': { people: calm.slice(0, 5) },
  'a week after too few others were read': { people: [...calm, 1003], edit: unread(2) },
  'a week after more than a run may read': {
    people: [...calm, 1003],
    edit: unread(2),
    more: { enough: { requests: 91, isLeast: false } },
  },
  'a week after the pages of too few others were read': {
    people: [...calm, 1003],
    edit: withoutLists(2),
  },
  'a week after most others were read': { people: [...calm, 1003], edit: unread(9) },
  'a site of which only the most-read pages were read': {
    people: [...calm, 1310],
    pages: eventful,
    edit: firstRows(11),
  },
  'lists that were read partly, and are unsorted': {
    people: [...calm, 1003],
    edit: unsorted([0]),
  },
  'a week after one whose list was read partly, and is unsorted': {
    people: [...calm, 1003],
    edit: unsorted([1]),
  },
  'a week after many whose lists were read partly, and are unsorted': {
    people: [...calm, 1003],
    edit: unsorted([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]),
  },
  'lists that weren’t read': { people: [...calm, 1003], edit: withoutLists(0) },
  'a site with more pages than were read': {
    people: [1003],
    edit: firstRows(8),
    more: { enough: { requests: 84, isLeast: true } },
  },
  'people without a total': { people: [...calm, { human: 900, ai: 100 }] },
  'a total without people': { people: [...calm, { total: 1300 }] },
  'no visitors after a busy week': {
    people: [...calm, noVisitors],
    more: { rules: 'total < -30%' },
  },
  'no visitors for the second week': { people: [...calm, noVisitors, noVisitors] },
  'no visitors ever': { people: Array(13).fill(noVisitors) },
  'figures that contradict each other': {
    people: [...calm, { human: 1003, ai: 1500, total: 1400 }],
  },
  'a high week after four low ones': {
    people: [...calm.slice(0, 9), 400, 400, 1000, 1100],
  },
  'a usual week after low ones': { people: [...calm.slice(0, 9), 400, 400, 1000, 1000] },
  'a site that had people a year ago': {
    people: [...calm, 1003],
    more: { lastYear: readOf([], { totals: { human: 829, ai: 900, total: 1700 } }) },
  },
  'a site that had few people a year ago': {
    people: [...calm, 1003],
    more: { lastYear: readOf([], { totals: { human: 19, ai: 900, total: 919 } }) },
  },
  'some pages, none of which has enough people': {
    people: [...calm, 1003],
    pages: (week) => ({ ...steady, '/blog/a': 9, '/blog/b': last(week) ? 40 : 8 }),
    more: { pages: [plain('/blog/**')] },
  },
  'some pages, none of which stands out': {
    people: [...calm, 1310],
    pages: eventful,
    more: { pages: [plain('/guides/p*')] },
  },
};

describe('a report', () => {
  test.each(Object.entries(scenes))('on %s', (_, scene) => {
    const markdown = render(scene);
    const text = digest(scene);
    const looks = /^%%\{init: .*$/m;
    expect(`${markdown.replace(looks, '%%')}\n=== Digest\n${text}`).toMatchSnapshot();
    expect(markdown + text).not.toMatch(
      /\b1 (pages|rows|requests|visitors|people)\b|NaN|undefined|Infinity/,
    );
    if (!/contradict|total is missing/.test(markdown)) expect(wrongSums(markdown)).toEqual([]);
    expect(text).not.toMatch(/[<>&\u2060]|\*\*/);
    // The digest is for chats, and must not contradict the report.
    const [verdict = ''] = text.split('\n');
    const lead = /\*\*(?:[▲▼] )?([^*]+?)\.?\*\*( \([\d,–]+\))?/.exec(markdown) ?? [];
    expect(verdict).toContain(`Docs: ${lead[1]}${lead[2] ?? ''}`);
    expect(verdict).toMatch(/^(🔴|🟠|🟢) /u);
    const needsLook = /[▲▼] [\d`]|WARNING|CAUTION|Check `|No visitors/.test(markdown);
    expect(verdict.startsWith('🟢')).toBe(!needsLook);
    const check = /Check [^.]*\./.exec(markdown)?.[0].replaceAll('`', '') ?? '';
    expect(text).toContain(check);
    const judged =
      /^.*?((No|None|Pages)\b[^.]*(?:stands out|are judged|aren’t judged)[^.]*\.)/m.exec(markdown);
    expect(text).toContain((judged?.[1] ?? '').replaceAll('`', ''));
  });

  test('of which only the most-read pages were read says how many people the others can have', () => {
    const scene: Scene = {
      people: [...calm, 1003],
      edit: (week, age) => (age === 0 ? firstRows(20)(week) : week),
    };
    // The last page that was read has 103 people, and with AI, 137 visitors.
    expect(render(scene)).toContain(
      'The service sends the most visited first, so no page that wasn’t read had more than 137 people.',
    );
  });

  test('of which only the most-read pages were read says that a page lost at least as many people', () => {
    const fallen = (week: number): Pages => ({ ...steady, '/sdk/go': before(week) ? 600 : 40 });
    const scene: Scene = { people: [...calm, 1003], pages: fallen, edit: firstRows(20) };
    for (const text of [render(scene), digest(scene)])
      expect(text.replaceAll('`', '')).toMatch(
        /Check \/sdk\/go first: at least 4\d\d fewer people a week than before\./,
      );
    const whole = digest({ ...scene, edit: (week) => week });
    expect(whole).toContain('Check /sdk/go first: 5');
  });

  test('shows no percentage of fewer than twenty', () => {
    // With AI, that makes at most 19 visitors.
    const count = fc.integer({ min: 0, max: 14 });
    const few = fc.array(count, { minLength: 6, maxLength: 13 });
    fc.assert(
      fc.property(few, fc.integer({ min: 0, max: 60 }), (people, now) => {
        const markdown = render({
          people: [...people, now],
          pages: (week) => ({ '/': 9 + (week % 3) }),
        });
        expect(markdown.replace(/^.*% AI\*\* .*$|^\| AI share .*$/gm, '')).not.toMatch(/\d%/);
      }),
      { numRuns: 40 },
    );
  });

  test.each([
    [budget, 'Raise `max-requests` to 84 (currently 60).'],
    [
      { kind: 'changed' } as const,
      'The list of pages changed while it was being read, so some may be missing. Re-run the workflow later.',
    ],
    [
      {
        kind: 'service',
        reason: 'rate-limited',
        what: 'No more',
        message: '@all',
        hint: 'Try again at six.',
      } as const,
      'No more. Try again at six.',
    ],
  ])('that is incomplete says why: %j', (cut, words) => {
    const scene: Scene = { people: [...calm, 1003], edit: unread(1, cut) };
    const more = { rules: 'total > 1%' };
    const markdown = render({ ...scene, more });
    expect(markdown).toContain('- `total > 1%`: it could not be read for Nov 2–8, 2026.');
    expect(markdown).toContain('> **The comparison with the week before is incomplete.** ');
    expect(markdown).toContain(` ${words}\n`);
    const text = digest({ people: [1003], edit: (week) => ({ ...week, cut }) });
    expect(text).toContain(words.replaceAll('`', ''));
    expect(markdown + text).not.toContain('@all');
  });

  test.each([
    ['**1,003 people', '**1,004 people'],
    ['🟧', '🟦'],
    ['**26% AI', '**27% AI'],
    ['| All | 1,304', '| All | 1,305'],
    [', 1003]', ', 1002]'],
    ['(1,304 visitors', '(1,305 visitors'],
    ['| AI | 334', '| AI | 344'],
    [' (939–', ' (938–'],
  ])('with a wrong number doesn’t add up: %s, %s', (right, wrong) => {
    const markdown = render({ people: [...calm, 1003] });
    expect(markdown).toContain(right);
    expect(wrongSums(markdown)).toEqual([]);
    expect(wrongSums(markdown.replace(right, wrong))).not.toEqual([]);
  });
});

describe('the digest', () => {
  test('escapes paths so that they can’t become mentions, links, or markup', () => {
    const shown = (paths: readonly string[]) => {
      const pages = (week: number): Pages => ({
        ...steady,
        ...Object.fromEntries(paths.map((path) => [path, before(week) ? 100 : 1000])),
      });
      const text = digest({ people: [...calm, 1003], pages, more: { rules: 'total > 1%' } });
      expect(text.length).toBeLessThanOrEqual(3_000);
      expect(text.endsWith(`\n\n${runUrl}`)).toBe(true);
      return text.split('\n\n')[1]?.split('\n') ?? [];
    };
    const decoded = (path: string) => path.replace(/(?:%[\dA-F]{2})+/g, decodeURIComponent);
    const check = (path: string) => {
      const [, line = ''] = shown([path]);
      const written =
        /^(\(empty path\)|[\p{L}\p{M}\p{N}\p{Join_Control}/%_-]{1,160}…?): ▲ 1,000, then ▲ 1,000 \(before: 100\)$/u.exec(
          line,
        )?.[1] ?? '';
      const meant = path === '' ? '(empty path)' : decoded(Buffer.from(path).toString());
      expect(withoutInvisible(written)).toBe(written);
      if (path === '') expect(written).toBe(meant);
      else if (!written.endsWith('…')) expect(decodeURIComponent(written)).toBe(meant);
      else
        expect(meant.startsWith(decodeURIComponent(written.replace(/(?:%..)*%?.?…$/, '')))).toBe(
          true,
        );
    };
    fc.assert(fc.property(anyPath, check), {
      numRuns: 60,
      examples: hostilePaths.map((path) => [path]),
    });
    for (const path of ['/get_started-2', '/llms.txt', `/${'é'.repeat(40)}`, '/<!channel>*~'])
      check(path);
    for (const [path, seen] of [
      ['/日本/दस्तावेज़', '/日本/दस्तावेज़'],
      ['/%E6%97%A5%E6%9C%AC', '/日本'],
      ['/a%20b/c d', '/a%20b/c%20d'],
      ['/فارسی/می\u200cخواهم', '/فارسی/می\u200cخواهم'],
      ['/中。文', '/中%E3%80%82文'],
      ['/a\u3164b\u034f\u200d', '/a%E3%85%A4b%CD%8F%E2%80%8D'],
    ] as const)
      expect(shown([path])[1]).toContain(`${seen}: ▲`);
    const several = ['/a', '/b', '/c', '/d'];
    expect(shown(several)).toEqual([
      '1 section and 4 pages stand out:',
      ...['/ (4 pages)', '/a', '/b'].map((name) => expect.stringContaining(`${name}: ▲`)),
      'and 2 more',
    ]);
  });
});
