/** The visitors of one page in one window. */
export interface VisitorRow {
  readonly path: string;
  readonly human: number;
  readonly ai: number;
  readonly total: number;
}
export type VisitorTotals = Omit<VisitorRow, 'path'>;

/** A time span; the end is exclusive. */
export interface SiteWindow {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Describes a simulated site. */
export interface SiteScript {
  readonly seed: number;
  readonly rows: number | ((window: SiteWindow) => number);
  /** Weekly visitors of the most visited page. */
  readonly topWeekly: number;
  readonly growthPerWeek: number;
  /** Random variation in a window's visitors: 0.1 means up to 10% more or fewer. */
  readonly wobble: number;
  /** The share of pages that have a different path in every window. */
  readonly churn: number;
  /** The order of rows, which the service doesn't document. */
  readonly order: 'descending' | 'shuffled';
  /** Pages whose visitors change by a factor from a certain day on. Their rank doesn't change. */
  readonly moves: readonly {
    readonly page: number;
    readonly fromMs: number;
    readonly factor: number;
  }[];
}

export const USUAL_SITE: SiteScript = {
  seed: 1,
  rows: 120,
  topWeekly: 4_000,
  growthPerWeek: 1.03,
  wobble: 0,
  churn: 0.03,
  order: 'descending',
  moves: [],
};

const CHANGED_MS = Date.UTC(2026, 1, 23);

/** The demo site, with about 1,200 pages and 2,000 visitors a week. Two pages change in the week before the one shown. */
export const SHOWN_SITE: Partial<SiteScript> = {
  seed: 80,
  rows: 1_200,
  topWeekly: 700,
  wobble: 0.15,
  churn: 0,
  moves: [
    { page: 9, fromMs: CHANGED_MS, factor: 2.4 },
    { page: 12, fromMs: CHANGED_MS, factor: 0.4 },
  ],
};

const TOPICS = words(`
  concepts/overview sdk/python guides/webhooks guides/quickstart api/authentication api/errors
  sdk/typescript guides/deploy api/pagination integrations/slack api/rate-limits concepts/projects
  sdk/go reference/cli api/users guides/streaming api/files integrations/zapier concepts/permissions
  api/events reference/configuration guides/testing api/tokens integrations/terraform
`);
const ASPECTS = ['', ...words('create list update delete overview examples limits faq migrate')];
const WEEK_MS = 7 * 86_400_000;
const EPOCH_MS = Date.UTC(2026, 0, 5);
/** The number of top rows from which a site's totals are computed. */
const LEADING = 8;

export function rowCount(site: SiteScript, window: SiteWindow): number {
  return typeof site.rows === 'number' ? site.rows : site.rows(window);
}

/** Returns at most `limit` rows, starting at `offset`. */
export function siteRows(
  site: SiteScript,
  window: SiteWindow,
  offset: number,
  limit: number,
): VisitorRow[] {
  const count = rowCount(site, window);
  const length = Math.max(0, Math.min(limit, count - offset));
  return Array.from({ length }, (_, place) => {
    const index = offset + place;
    return siteRow(
      site,
      window,
      site.order === 'descending' ? index : shuffled(index, count),
      count,
    );
  });
}

/** The site's totals. They are lower than the sum of the rows, because people who read several pages count once. */
export function siteTotals(site: SiteScript, window: SiteWindow): VisitorTotals {
  const count = rowCount(site, window);
  const ranks = Array.from({ length: Math.min(count, LEADING) }, (_, rank) => rank);
  return deduplicated(ranks.map((rank) => siteRow(site, window, rank, count)));
}

/** Totals for rows that share visitors: less than the sum, but at least the largest row. */
export function deduplicated(rows: readonly VisitorTotals[]): VisitorTotals {
  const bound = (field: keyof VisitorTotals): number => {
    const values = rows.map((row) => row[field]);
    const sum = values.reduce((one, other) => one + other, 0);
    return values.reduce((one, other) => Math.max(one, other), Math.round(sum * 0.8));
  };
  const [human, ai] = [bound('human'), bound('ai')];
  const total = Math.max(human, ai, Math.min(human + ai, bound('total')));
  return { human, ai, total };
}

function siteRow(site: SiteScript, window: SiteWindow, rank: number, count: number): VisitorRow {
  const weeks = Math.max(-52, Math.min(104, (window.fromMs - EPOCH_MS) / WEEK_MS));
  const stray =
    1 + site.wobble * (2 * chance(site.seed, Math.floor(window.fromMs / 86_400_000), 5) - 1);
  const usual =
    site.topWeekly * ((window.toMs - window.fromMs) / WEEK_MS) * site.growthPerWeek ** weeks;
  const page = pageAt(site.seed, window, rank, count);
  const factor =
    site.moves.find((move) => move.page === page && window.fromMs >= move.fromMs)?.factor ?? 1;
  const total = Math.max(1, Math.round((factor * (usual * stray)) / (rank + 1) ** 0.8));
  const share = 0.3 * (0.4 + 1.2 * chance(site.seed, page, 1));
  const ai = Math.floor(total * share);
  const overlap = Math.floor(ai * 0.2 * chance(site.seed, page, 2));
  return { path: pathOf(site, window, page), human: total - ai + overlap, ai, total };
}

/** The page at a rank. Only neighbors swap ranks between windows, so any row can be computed without the others. */
function pageAt(seed: number, window: SiteWindow, rank: number, count: number): number {
  if (rank === 0) return 0;
  const [first, second] = rank % 2 === 1 ? [rank, rank + 1] : [rank - 1, rank];
  const isSwapped =
    second < count && chance(seed, first, Math.floor(window.fromMs / 86_400_000)) < 0.5;
  return isSwapped ? first + second - rank : rank;
}

function pathOf(site: SiteScript, window: SiteWindow, page: number): string {
  if (chance(site.seed, page, 4) < site.churn) {
    const day = new Date(window.fromMs);
    return `/changelog/v${day.getUTCMonth() + 1}.${day.getUTCDate()}.${page}`;
  }
  return page === 0 ? '/' : `/${nameOf(page)}`;
}

/** The name of a page: a topic for the first pages, and a topic with an aspect for later ones. All names are different. */
function nameOf(page: number): string {
  const round = Math.floor(page / TOPICS.length);
  const version = Math.floor(round / ASPECTS.length);
  const words = [
    TOPICS[page % TOPICS.length],
    ASPECTS[round % ASPECTS.length],
    version && `v${version + 1}`,
  ];
  return words.filter((word) => word).join('/');
}

/** The place of a row in a shuffled list. Steps of a large prime reach every row once. */
function shuffled(index: number, count: number): number {
  return (index * 1_000_003) % count;
}

/** A number in [0, 1) that depends only on the arguments. */
function chance(seed: number, a: number, b: number): number {
  let hash =
    Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^
    Math.imul(a + 1, 0xc2b2ae35) ^
    Math.imul(b + 1, 0x27d4eb2f);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return ((hash ^ (hash >>> 15)) >>> 0) / 2 ** 32;
}

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}
