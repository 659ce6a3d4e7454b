import { expect, jest, test } from '@jest/globals';
import { isLong } from '../../support/long.ts';
import {
  calledOut,
  meanOf,
  playCell,
  sharesCalledOut,
  sitesOf,
  totalSettings,
} from '../../support/usual-weeks/cells.ts';

/*
 * Counts how often the report raises a false alarm about a quiet week, and how often it finds a real change, by the rule’s own
 * bars. `npm run test:long` plays every cell, 200 sites each, and prints what it counts.
 */

jest.setTimeout(isLong ? 1_800_000 : 60_000);

/** Of 100 changed pages, those that the rule before this one found by the second week, in these cells. */
const foundBefore: Readonly<Record<number, readonly number[]>> = {
  100: [44, 56.3, 25, 27.5, 12, 11.1, 5, 4.5, 1, 1.5],
  300: [40.5, 48.1, 17, 14, 3.5, 5.9, 2.5, 2.1, 1, 0.5],
  1000: [28.5, 32.5, 4.5, 9, 1.5, 2.3, 0, 0, 0, 0],
};

test('of 100 quiet weeks, at most 10 name a page, and changed pages are found', () => {
  const sizes = isLong ? [20, 100, 300, 1000] : [20, 100];
  const cells = sitesOf(sizes).map((site) => playCell(site, isLong ? 200 : 12));
  const figures = cells.map(({ setting, ...found }) => ({ ...setting, ...found }));
  if (isLong) console.table(figures);
  const isQuiet = ({ moves, launched }: (typeof figures)[number]) => moves === 0 || launched !== undefined;
  const quiet = figures.filter(isQuiet).map(({ falseWeeks }) => falseWeeks);
  // In a few weeks, chance alone exceeds the bar of a single cell.
  if (isLong) expect(Math.max(...quiet)).toBeLessThanOrEqual(10);
  expect(meanOf(quiet)).toBeLessThanOrEqual(isLong ? 5 : 9);
  const moved = figures.filter(({ moves = 0 }) => moves > 0);
  expect(meanOf(moved.map(({ second }) => second))).toBeGreaterThanOrEqual(35);
  // Over all cells with a change, a viral page included.
  expect(meanOf(figures.map(({ first }) => first))).toBeGreaterThanOrEqual(20);
  for (const { first } of figures.filter(({ isViral }) => isViral)) expect(first).toBeGreaterThanOrEqual(95);
  if (!isLong) return;
  for (const pages of [100, 300, 1000]) {
    const found = moved.filter((cell) => cell.pages === pages).map(({ second = 0 }) => second);
    for (const [cell, least] of (foundBefore[pages] ?? []).entries())
      expect(found[cell]).toBeGreaterThanOrEqual(least);
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
