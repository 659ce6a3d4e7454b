import { expect, jest, test } from '@jest/globals';
import { isLong } from '../../support/long.ts';
import {
  type Cell,
  calledOut,
  leastFound,
  movedSites,
  playCell,
  pooled,
  unchangedSites,
  viralSites,
} from '../../support/usual-weeks/cells.ts';
import type { SiteSetting } from '../../support/usual-weeks/sites.ts';

/*
 * Counts how often the report raises a false alarm about an uneventful week, and how often it finds a real change.
 * `npm run test:long` runs more weeks and larger sites.
 */

jest.setTimeout(isLong ? 900_000 : 30_000);

function playSites(sites: readonly SiteSetting[], weeks: number): Cell[] {
  const played = sites.filter(({ pages }) => isLong || pages <= 300);
  const cells = played.map((setting) => playCell(setting, isLong ? 200 : weeks));
  if (isLong) console.table(cells);
  return cells;
}

const withOneWeek = (sites: readonly SiteSetting[]) => sites.map((setting) => ({ ...setting, weeks: 1 }));

test('the report rarely calls a page, the total, or the AI share of an uneventful week unusual', () => {
  const cells = playSites(unchangedSites, 4);
  expect(pooled(cells, 'falseMovers')).toBeLessThanOrEqual(10);
  expect(pooled(cells, 'headlines')).toBeLessThanOrEqual(6);
  expect(pooled(cells, 'shares')).toBeLessThanOrEqual(6);
  if (!isLong) return;
  for (const { falseMovers, headlines, shares } of cells)
    expect(Math.max(falseMovers, headlines, shares)).toBeLessThanOrEqual(20);
});

test('the report finds a third to a half of the pages that moved, and most of them twice', () => {
  const sites = movedSites.filter(({ spread }) => isLong || spread === 0);
  const cells = playSites(sites, 20);
  for (const { found, pages } of cells.filter(({ spread }) => spread === 0))
    expect(found).toBeGreaterThanOrEqual(leastFound[pages] ?? Number.NaN);
  const calm = cells.filter(({ spread }) => spread <= 0.1);
  expect(pooled(calm, 'second')).toBeGreaterThanOrEqual(60);
  expect(pooled(cells, 'falseSeconds')).toBeLessThanOrEqual(10);
});

test('a page that went viral is named in two reports, and causes no other page to be named', () => {
  const cells = playSites(viralSites, 4);
  expect(pooled(cells, 'found')).toBeGreaterThanOrEqual(90);
  expect(pooled(cells, 'second')).toBeGreaterThanOrEqual(90);
  expect(pooled(cells, 'falseMovers')).toBeLessThanOrEqual(10);
  expect(pooled(cells, 'additional')).toBeLessThanOrEqual(isLong ? 1 : 2.1);
  if (!isLong) return;
  for (const { additional, falseMovers, found } of cells) {
    expect(additional).toBeLessThanOrEqual(1);
    expect(falseMovers).toBeLessThanOrEqual(20);
    expect(found).toBeGreaterThanOrEqual(90);
  }
});

test('compared with only one week, the report names few pages, but finds one that went viral', () => {
  expect(pooled(playSites(withOneWeek(unchangedSites), 2), 'falseMovers')).toBeLessThanOrEqual(1);
  expect(pooled(playSites(withOneWeek(viralSites), 2), 'found')).toBeGreaterThanOrEqual(90);
});

test.each(isLong ? [3000, 10_000, 50_000] : [3000])(
  'a fall by 30%% from %d visitors is called out, even after an odd week or growth',
  (total) => {
    const fall = { total, swing: 0.05, growth: 0, odd: 0, change: -0.3 };
    const weeks = isLong ? 2000 : 300;
    const share = {
      fall: calledOut(fall, weeks),
      fallAfterOddWeek: calledOut({ ...fall, odd: -0.4 }, weeks),
      growing: calledOut({ ...fall, growth: 0.05, change: 0 }, weeks),
      fallAfterGrowth: calledOut({ ...fall, growth: 0.05 }, weeks),
    };
    if (isLong) console.table(share);
    expect(share.fall).toBeGreaterThanOrEqual(95);
    expect(share.fallAfterOddWeek).toBeGreaterThanOrEqual(80);
    expect(share.growing).toBeLessThanOrEqual(isLong ? 6 : 7);
    expect(share.fallAfterGrowth).toBeGreaterThanOrEqual(95);
  },
);
