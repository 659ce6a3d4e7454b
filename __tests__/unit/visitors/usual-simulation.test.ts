import { expect, jest, test } from '@jest/globals';
import { isLong } from '../../support/long.ts';
import {
  calledOut,
  meanOf,
  playCell,
  sayingSlow,
  shareOf,
  sharesCalledOut,
  sitesOf,
  totalSettings,
} from '../../support/usual-weeks/cells.ts';
import { countOf, type Random } from '../../support/usual-weeks/random.ts';
import { type namedIn, playEvent, playLarge } from '../../support/usual-weeks/sites.ts';

/*
 * Counts how often the report raises a false alarm about a quiet week, and how often it finds a real change. The figures of the
 * simulation that the rule was chosen by are the bars. `npm run test:long` plays 200 sites a cell, and prints what it counts.
 */

jest.setTimeout(isLong ? 1_800_000 : 120_000);

/** How far a figure may be from the simulation's, which also depends on chance. With few sites, it depends on little else. */
const margin = isLong ? 3 : 12;

test('quiet weeks rarely name a page or section, and changed pages are found', () => {
  const sizes = isLong ? [20, 100, 300, 1000] : [20, 100];
  const cells = sitesOf(sizes).map((site) => playCell(site, isLong ? 200 : 12));
  const figures = cells.map(({ setting, ...found }) => ({ ...setting, ...found }));
  if (isLong) console.table(figures);
  const quiet = figures.filter(({ moves }) => moves === 0).map(({ falseWeeks }) => falseWeeks);
  const secondOf = (moves: number) =>
    meanOf(figures.filter((cell) => cell.moves === moves).map(({ second }) => second));
  const said = { quiet: meanOf(quiet), worst: Math.max(...quiet), one: secondOf(1), six: secondOf(6) };
  console.log(
    `A false name in a quiet week ${said.quiet} (worst ${said.worst}); found by week 2 ${said.one}, ${said.six}`,
  );
  expect(said.quiet).toBeLessThanOrEqual(4 + margin);
  // Small sites are easier.
  if (isLong) expect(said.worst).toBeLessThanOrEqual(11 + margin);
  expect(said.one).toBeGreaterThanOrEqual(31 - margin);
  expect(said.six).toBeGreaterThanOrEqual(40 - margin);
  for (const { first } of figures.filter(({ isViral }) => isViral)) expect(first).toBeGreaterThanOrEqual(95);
});

type Names = ReturnType<typeof namedIn>;
const ten = Array.from({ length: 10 }, (_, index) => 2 + 12 * index);
const calm = Array<number>(8).fill(1);
const isAny = ({ pages, sections }: Names) => pages.length + sections.length > 0;
const has = (page: number) => (week: Names, next: Names) => [
  week.pages.includes(page),
  week.pages.includes(page) || next.pages.includes(page),
];
const page100 = (change: readonly number[]) => (random: Random) =>
  playEvent({ who: [60], size: 100, change }, random);
const section = (size: number, by: number) => (random: Random) =>
  playEvent({ who: ten, size, change: [...calm, by, by] }, random);
const sectionHas = (week: Names, next: Names) => [[week, next].some(({ sections }) => sections.includes(2))];
const isCrawled = (page: number, count: number) => (7 * page) % 120 < count;
const crawl = (count: number) => (random: Random) =>
  playEvent({ who: [...Array(120).keys()].filter((page) => isCrawled(page, count)), added: 40 }, random);

/** What happens, and of 100 such weeks how often it is said: at least, or at most, as often as in the simulation. */
const events: readonly (readonly [
  string,
  (random: Random) => number[][],
  (week: Names, next: Names) => readonly boolean[],
  readonly [is: '≤' | '≥', share: number][],
  { readonly rows?: number; readonly times?: number }?,
])[] = [
  ['a quiet week names something', (random) => playEvent({}, random), (week) => [isAny(week)], [['≤', 3]]],
  ...[
    [20, 23, 7],
    [40, 26, 10],
    [70, 11, 6],
    [90, 6, 8],
  ].map(
    ([count = 0, other = 0, after = 0]) =>
      [
        `a crawl of ${count} pages: an unchanged page is named, and something in the week after`,
        crawl(count),
        (week: Names, next: Names) => [week.pages.some((page) => !isCrawled(page, count)), isAny(next)],
        [
          ['≤', other],
          ['≤', after],
        ] as ['≤', number][],
      ] as const,
  ),
  [
    'a week ×5 of a page of 100 is named, and named again',
    page100([...calm, 5, 1]),
    (week, next) => [week.pages.includes(60), next.pages.includes(60)],
    [
      ['≥', 100],
      ['≤', 0],
    ],
  ],
  [
    'a page of 100 halves',
    page100([...calm, 0.5, 0.5]),
    has(60),
    [
      ['≥', 4],
      ['≥', 46],
    ],
  ],
  [
    'a page of 100 halves four weeks after a week ×5',
    page100([1, 1, 1, 1, 5, 1, 1, 1, 0.5, 0.5]),
    has(60),
    [
      ['≥', 16],
      ['≥', 56],
    ],
  ],
  ['a section falls by 25%, by week 2', section(40, 0.75), sectionHas, [['≥', 70]]],
  ['a section falls by 40%, by week 2', section(40, 0.6), sectionHas, [['≥', 100]]],
  ['a section grows by 30%, by week 2', section(40, 1.3), sectionHas, [['≥', 76]]],
  ['a section of small pages falls by 40%, by week 2', section(12, 0.6), sectionHas, [['≥', 92]]],
  [
    '12,000 pages in a quiet week name one',
    (random) => playLarge(undefined, 1, random),
    (week) => [week.pages.length > 0],
    [['≤', 11]],
    { rows: 250, times: isLong ? 100 : 2 },
  ],
  [
    'of 12,000 pages, one of 100 doubles, by week 2',
    (random) => playLarge(100, 2, random),
    (...names) => [has(900)(...names)[1] === true],
    [['≥', 74]],
    { rows: 250, times: isLong ? 100 : 2 },
  ],
  [
    'a launch with 6 visitors, then 400 a week, is told, and told twice',
    (random) =>
      [...Array.from({ length: 7 }, () => [0]), [6], [countOf(400, random)], [countOf(400, random)]].map(
        ([few = 0]) => [few, ...Array<number>(20).fill(100)],
      ),
    (week, next) => [week.appeared.length === 1, next.appeared.length > 0],
    [
      ['≥', 100],
      ['≤', 0],
    ],
  ],
];

test.each(events)('%s', (what, play, look, bars, { rows, times = isLong ? 200 : 24 } = {}) => {
  const shares = shareOf(play, { sections: rows === undefined ? 12 : 1, rows }, look, times);
  if (isLong) console.log(`${what}: ${shares.join(' / ')} (simulation: ${bars.flat().join(' ')})`);
  for (const [index, [is, bar]] of bars.entries()) {
    const away = is === '≤' ? (shares[index] ?? 0) - bar : bar - (shares[index] ?? 0);
    if (times > 2) expect(away).toBeLessThanOrEqual(isLong ? margin : 2 * margin);
  }
});

test('40 pages launched at once name at most one old page in ten such weeks', () => {
  const sites = sitesOf(isLong ? [20, 100, 300, 1000] : [100]).filter(
    ({ launched }) => launched !== undefined,
  );
  for (const site of sites) expect(playCell(site, isLong ? 200 : 30).falseNames).toBeLessThanOrEqual(0.1);
});

test('of 100 quiet weeks, at most 7 have an unusual total or AI share, and a fall by 30% is called out', () => {
  const weeks = isLong ? 1000 : 150;
  const settings = isLong ? totalSettings : totalSettings.filter(({ total }) => total === 3000);
  const figures = settings.map((setting) => ({
    ...setting,
    quiet: calledOut(setting, 1, weeks),
    share: setting.odd ? undefined : sharesCalledOut(setting, weeks),
    fall: calledOut(setting, 0.7, weeks),
  }));
  if (isLong) console.table(figures);
  for (const { total, swing, quiet, share = 0, fall } of figures) {
    expect(Math.max(quiet, share)).toBeLessThanOrEqual(isLong ? 7 : 9);
    // Even after one odd week, or two holiday weeks.
    if (total >= 3000 && swing <= 0.05) expect(fall).toBeGreaterThanOrEqual(isLong ? 90 : 87);
  }
});

test('a total that falls by 5% a week for eight weeks is said over four weeks, and a quiet one isn’t', () => {
  const weeks = isLong ? 1000 : 200;
  const calm = { total: 3000, swing: 0.05 };
  const figures = { quiet: sayingSlow(calm, weeks), falling: sayingSlow({ ...calm, growth: -0.05 }, weeks) };
  if (isLong) console.table(figures);
  expect(figures.quiet).toBeLessThanOrEqual(1);
  expect(figures.falling).toBeGreaterThanOrEqual(72 - margin);
});
