import { aiShare } from '../../../src/visitors/judge/findings.ts';
import { usualShare, usualTotal } from '../../../src/visitors/judge/usual.ts';
import { type PageWeeks, usualPages } from '../../../src/visitors/judge/usual-pages.ts';
import { countOf, randomOf, swingOf } from './random.ts';
import { nextPageWeeksOf, pageWeeksOf, playSite, type SiteSetting, withoutViral } from './sites.ts';

/** Results for many simulated weeks of one site, as percentages. */
export interface Cell extends SiteSetting {
  /** Weeks in which the report listed a page that hadn't changed. */
  readonly falseMovers: number;
  readonly found: number;
  /** Of the pages found, those that the next report also lists, because their traffic stays at the new level. */
  readonly second: number;
  /** Of the weeks after a change, those in which the report listed a page that hadn't changed. */
  readonly falseSeconds: number;
  /** Weeks in which the report listed a page only because another page went viral. */
  readonly additional: number;
  /** Weeks in which the total or the AI share was reported as unusual. */
  readonly headlines: number;
  readonly shares: number;
}

const sizes = [20, 100, 300, 1000];
const spreads = [0, 0.1, 0.2, 0.3];
const calm = { swing: 0, tide: 0, growth: 0, moves: 'none' } as const;

function sitesWith(rest: Partial<SiteSetting>): SiteSetting[] {
  return sizes.flatMap((pages) => spreads.map((spread) => ({ ...calm, pages, spread, ...rest })));
}

/** Sites in which no single page changes: traffic varies only by chance, across the site, or through growth. */
export const unchangedSites = [
  ...sitesWith({}),
  ...sitesWith({ swing: 0.05 }),
  ...sitesWith({ swing: 0.05, tide: 0.3 }),
  ...sitesWith({ swing: 0.03, growth: 0.05 }),
];
export const movedSites = sitesWith({ moves: 'six' });
export const viralSites = sitesWith({ swing: 0.03, moves: 'viral' });

/** Simulates that many weeks of a site, each with its own earlier weeks. */
export function playCell(setting: SiteSetting, weeks: number): Cell {
  const random = randomOf(seedOf(setting));
  const sums = { falseMovers: 0, found: 0, headlines: 0, shares: 0, moved: 0 };
  const after = { second: 0, falseSeconds: 0, additional: 0 };
  for (let week = 0; week < weeks; week += 1) {
    const site = playSite(setting, random);
    const named = namedIn(pageWeeksOf(site));
    const found = named.filter((path) => site.moved.has(path));
    sums.falseMovers += Number(named.length > found.length);
    sums.found += found.length;
    sums.moved += site.moved.size;
    if (setting.moves !== 'none') {
      const next = namedIn(nextPageWeeksOf(site, new Set(named)));
      after.second += found.filter((path) => next.includes(path)).length;
      after.falseSeconds += Number(next.some((path) => !site.moved.has(path)));
    }
    if (setting.moves === 'viral') {
      const otherwise = new Set(namedIn(withoutViral(site)));
      after.additional += Number(named.some((path) => !site.moved.has(path) && !otherwise.has(path)));
    }
    const totals = site.weeks.map(({ total }) => total);
    sums.headlines += Number(isCalledOut(usualTotal(totals, site.now.total)));
    const share = aiShare(site.now);
    sums.shares += Number(isCalledOut(share && usualShare(site.weeks.map(aiShare), share)));
  }
  const percent = (count: number, of: number) => (of === 0 ? 0 : (100 * count) / of);
  return {
    ...setting,
    falseMovers: percent(sums.falseMovers, weeks),
    found: percent(sums.found, sums.moved),
    second: percent(after.second, sums.found),
    falseSeconds: percent(after.falseSeconds, weeks),
    additional: percent(after.additional, weeks),
    headlines: percent(sums.headlines, weeks),
    shares: percent(sums.shares, weeks),
  };
}

/** The settings of a site whose totals are drawn at random. */
export interface TotalSetting {
  readonly total: number;
  readonly swing: number;
  readonly growth: number;
  /** The relative deviation of one earlier week. */
  readonly odd: number;
  /** The relative deviation of the current week. */
  readonly change: number;
}

/** The percentage of weeks in which the total is reported as more or fewer than usual. */
export function calledOut({ total, swing, growth, odd, change }: TotalSetting, weeks: number): number {
  const random = randomOf(seedOf({ total, swing, growth, odd, change }));
  let called = 0;
  for (let week = 0; week < weeks; week += 1) {
    const oddWeek = Math.floor(8 * random());
    const draw = (index: number, factor: number) =>
      countOf(total * (1 + growth) ** index * factor * swingOf(swing ** 2, random), random);
    const before = Array.from({ length: 8 }, (_, index) => draw(index, index === oddWeek ? 1 + odd : 1));
    called += Number(isCalledOut(usualTotal(before, draw(8, 1 + change))));
  }
  return (100 * called) / weeks;
}

/** The mean of one value across several cells. */
export function pooled(cells: readonly Cell[], figure: Exclude<keyof Cell, keyof SiteSetting>): number {
  return cells.reduce((sum, cell) => sum + cell[figure], 0) / cells.length;
}

/** The percentage of real changes that a test against counting noise alone finds in 200 weeks of these sites, by pages. */
export const leastFound: Readonly<Record<number, number>> = { 20: 48.5, 100: 46, 300: 38.8, 1000: 30.1 };

function namedIn(weeks: PageWeeks): string[] {
  return usualPages(weeks).unusual.map(({ path }) => path);
}

/** An FNV-1a hash, so that each setting gets different random numbers. */
function seedOf(setting: object): number {
  return Array.from(JSON.stringify(setting)).reduce(
    (hash, letter) => Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 16_777_619),
    2026,
  );
}

function isCalledOut(usual: { readonly side: string } | undefined): boolean {
  return usual !== undefined && usual.side !== 'usual';
}
