import { expect, test } from '@jest/globals';
import {
  calledOut,
  movedSites,
  playCell,
  pooled,
  unchangedSites,
  viralSites,
} from '../../support/usual-weeks/cells.ts';
import type { SiteSetting } from '../../support/usual-weeks/sites.ts';

/* A few weeks of the smaller sites that `long/usual-simulation` plays. */

const weeks = 4;

const isSmall = ({ pages }: SiteSetting) => pages <= 300;

test('few unchanged weeks name a page, make a headline, or a word on the AI share', () => {
  const cells = unchangedSites.filter(isSmall).map((setting) => playCell(setting, weeks));
  expect(pooled(cells, 'falseMovers')).toBeLessThanOrEqual(10);
  expect(pooled(cells, 'headlines')).toBeLessThanOrEqual(6);
  expect(pooled(cells, 'shares')).toBeLessThanOrEqual(6);
});

test('where pages vary by counting noise alone, more moves are found than by a gate that knows nothing else', () => {
  const calm = movedSites.filter((site) => isSmall(site) && site.spread === 0);
  const cells = calm.map((setting) => playCell(setting, 5 * weeks));
  for (const { found, foundByNoiseAlone } of cells) expect(found).toBeGreaterThanOrEqual(foundByNoiseAlone);
});

test('a page that went viral is named in two reports, and lets no other page through', () => {
  const cells = viralSites.filter(isSmall).map((setting) => playCell(setting, weeks));
  // Of 48 weeks, one: that its two other pages are named has other reasons.
  expect(pooled(cells, 'additional')).toBeLessThanOrEqual(2.1);
  expect(pooled(cells, 'found')).toBe(100);
  expect(pooled(cells, 'second')).toBe(100);
});

test('against one week only, what swings is not named, and a page that went viral is', () => {
  const cells = unchangedSites.filter(isSmall).map((setting) => playCell({ ...setting, weeks: 1 }, 2));
  const viral = viralSites.filter(isSmall).map((setting) => playCell({ ...setting, weeks: 1 }, 2));
  expect(pooled(cells, 'falseMovers')).toBeLessThanOrEqual(1);
  expect(pooled(viral, 'found')).toBeGreaterThanOrEqual(90);
});

test('a fall of 30% is called out after steady weeks, growth, or an odd week; growth is not', () => {
  const fall = { total: 3000, swing: 0.05, growth: 0, odd: 0, change: -0.3 };
  expect(calledOut(fall, 300)).toBeGreaterThanOrEqual(95);
  expect(calledOut({ ...fall, odd: -0.4 }, 300)).toBeGreaterThanOrEqual(80);
  expect(calledOut({ ...fall, growth: 0.05 }, 300)).toBeGreaterThanOrEqual(95);
  expect(calledOut({ ...fall, growth: 0.05, change: 0 }, 300)).toBeLessThanOrEqual(7);
});
