import { expect, test } from '@jest/globals';
import {
  calledOut,
  movedSites,
  playCell,
  pooled,
  tableOf,
  unchangedSites,
  viralSites,
} from '../support/usual-weeks/cells.ts';

/*
 * How often the report raises a false alarm about an uneventful week, and what it finds. `unit/visitors/usual-simulation` plays
 * fewer weeks.
 */

const weeks = 200;
const timeoutMs = 900_000;

test(
  'few unchanged weeks name a page, make a headline, or a word on the AI share',
  () => {
    const cells = unchangedSites.map((setting) => playCell(setting, weeks));
    console.log(tableOf(cells));
    expect(pooled(cells, 'falseMovers')).toBeLessThanOrEqual(10);
    expect(pooled(cells, 'headlines')).toBeLessThanOrEqual(6);
    expect(pooled(cells, 'shares')).toBeLessThanOrEqual(6);
    for (const { falseMovers, headlines, shares } of cells) {
      expect(Math.max(falseMovers, headlines, shares)).toBeLessThanOrEqual(20);
    }
  },
  timeoutMs,
);

test(
  'where pages vary by counting noise alone, more moves are found than by a gate that knows nothing else; most are found twice',
  () => {
    const cells = movedSites.map((setting) => playCell(setting, weeks));
    console.log(tableOf(cells));
    for (const { found, foundByNoiseAlone } of cells.filter(({ setting }) => setting.spread === 0)) {
      expect(found).toBeGreaterThanOrEqual(foundByNoiseAlone);
    }
    const calm = cells.filter(({ setting }) => setting.spread <= 0.1);
    expect(pooled(calm, 'second')).toBeGreaterThanOrEqual(60);
    expect(pooled(cells, 'falseSeconds')).toBeLessThanOrEqual(10);
  },
  timeoutMs,
);

test(
  'beside a page that went viral no page is named that would not be named without it',
  () => {
    const cells = viralSites.map((setting) => playCell(setting, weeks));
    console.log(tableOf(cells));
    expect(pooled(cells, 'falseMovers')).toBeLessThanOrEqual(10);
    for (const { additional, falseMovers, found } of cells) {
      expect(additional).toBeLessThanOrEqual(1);
      expect(falseMovers).toBeLessThanOrEqual(20);
      expect(found).toBeGreaterThanOrEqual(90);
    }
  },
  timeoutMs,
);

test(
  'a site with one week before it names few pages, and one that went viral',
  () => {
    const cells = unchangedSites.map((setting) => playCell({ ...setting, weeks: 1 }, weeks));
    const viral = viralSites.map((setting) => playCell({ ...setting, weeks: 1 }, weeks));
    console.log(tableOf([...cells, ...viral]));
    expect(pooled(cells, 'falseMovers')).toBeLessThanOrEqual(1);
    expect(pooled(viral, 'found')).toBeGreaterThanOrEqual(90);
  },
  timeoutMs,
);

test(
  'a total that falls by 30% is called out, whatever one of the weeks before it was',
  () => {
    const settings = [3000, 10_000, 50_000].map((total) => ({
      total,
      swing: 0.05,
      growth: 0,
      odd: 0,
      change: -0.3,
    }));
    const shares = settings.map((setting) => ({
      total: setting.total,
      fall: calledOut(setting, 2000),
      fallAfterOddWeek: calledOut({ ...setting, odd: -0.4 }, 2000),
      growing: calledOut({ ...setting, growth: 0.05, change: 0 }, 2000),
      fallAfterGrowth: calledOut({ ...setting, growth: 0.05 }, 2000),
    }));
    console.table(shares);
    for (const share of shares) {
      expect(share.fall).toBeGreaterThanOrEqual(95);
      expect(share.fallAfterOddWeek).toBeGreaterThanOrEqual(80);
      expect(share.growing).toBeLessThanOrEqual(6);
      expect(share.fallAfterGrowth).toBeGreaterThanOrEqual(95);
    }
  },
  timeoutMs,
);
