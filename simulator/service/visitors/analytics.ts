import type { SimClock } from '../../clock/clock.ts';
import { HourlyLimit } from '../hourly-limit.ts';
import type { AnalyticsQuery } from './query.ts';
import { ReaderAnalytics } from './readers.ts';
import {
  deduplicated,
  rowCount,
  type SiteScript,
  type SiteWindow,
  siteRows,
  siteTotals,
  USUAL_SITE,
  type VisitorRow,
  type VisitorTotals,
} from './site.ts';

/** How the endpoint breaks the promises of its document. */
export interface VisitorsQuirks {
  /** How much the totals grow with every request. */
  readonly driftPerRequest: number;
  /** How many rows of the previous page each page repeats, as if rows were added meanwhile. */
  readonly repeatedRows: number;
  /** How many rows a page has, whatever `limit` says. */
  readonly ignoredLimit: number | undefined;
  /** Whether `hasMore` stays true. After the last page, requests return empty pages, or the last page again. */
  readonly endless: 'empty' | 'repeat' | undefined;
}

/** Rows and totals from a test, instead of the made-up ones. */
export interface GivenWindow {
  readonly rows: readonly VisitorRow[];
  readonly totals?: VisitorTotals;
}

/** The visitors of made-up sites, one per project: always the same for the same seed and window. */
export class VisitorAnalytics {
  /** How many requests per hour an organization may send to all analytics endpoints. */
  readonly limit = { requestsPerHour: 100 };
  /** What readers asked for. It counts toward the same limit. */
  readonly readers = new ReaderAnalytics();

  readonly #clock: SimClock;
  readonly #uses = new HourlyLimit();
  #usual: SiteScript = USUAL_SITE;
  readonly #sites = new Map<string, Partial<SiteScript>>();
  #quirks: VisitorsQuirks = {
    driftPerRequest: 0,
    repeatedRows: 0,
    ignoredLimit: undefined,
    endless: undefined,
  };
  #given: ((window: SiteWindow, projectId: string) => GivenWindow | undefined) | undefined;
  #asked = 0;

  constructor(clock: SimClock) {
    this.#clock = clock;
  }

  /** Changes how all sites are made up, or a single project's. */
  script(patch: Partial<SiteScript>, projectId?: string): void {
    if (projectId === undefined) this.#usual = { ...this.#usual, ...patch };
    else this.#sites.set(projectId, { ...this.#sites.get(projectId), ...patch });
  }

  /** Changes how the endpoint misbehaves. */
  misbehave(patch: Partial<VisitorsQuirks>): void {
    this.#quirks = { ...this.#quirks, ...patch };
  }

  /** Replaces the made-up rows: for every window, or for those for which a function returns some. */
  give(
    rows: readonly VisitorRow[] | ((window: SiteWindow, projectId: string) => GivenWindow | undefined),
  ): void {
    this.#given = typeof rows === 'function' ? rows : () => ({ rows });
  }

  /** Counts requests of other users in the organization, who share its limit. */
  useElsewhere(organization: string, requests: number): void {
    for (let made = 0; made < requests; made += 1) this.countUse(organization);
  }

  /** Counts a request; refuses it if the hourly limit has been reached. */
  countUse(organization: string): void {
    const { requestsPerHour: limit } = this.limit;
    const error = `Rate limit exceeded: ${limit} requests per organization per hour`;
    this.#uses.take(organization, this.#clock.now(), { limit, error });
  }

  /** The page of results for a query. */
  page(query: AnalyticsQuery, projectId: string) {
    const toMs = query.toMs ?? this.#clock.now();
    const window = { fromMs: query.fromMs ?? toMs - 30 * 86_400_000, toMs };
    const site = { ...this.#usual, ...this.#sites.get(projectId) };
    const { ignoredLimit, repeatedRows, endless, driftPerRequest } = this.#quirks;
    const limit = ignoredLimit ?? query.limit;
    const given = this.#given?.(window, projectId);
    const count = given?.rows.length ?? rowCount(site, window);
    const start = Math.max(0, query.offset - Math.floor(query.offset / query.limit) * repeatedRows);
    const rowsFrom = (offset: number): readonly VisitorRow[] =>
      given?.rows.slice(offset, offset + limit) ?? siteRows(site, window, offset, limit);
    const isRepeated = endless === 'repeat' && start >= count;
    const visitors = rowsFrom(isRepeated ? Math.max(0, count - limit) : start);
    const totals = given ? (given.totals ?? deduplicated(given.rows)) : siteTotals(site, window);
    const drift = driftPerRequest * this.#asked;
    this.#asked += 1;
    return {
      totals: { human: totals.human + drift, ai: totals.ai, total: totals.total + drift },
      visitors,
      hasMore: endless !== undefined || start + limit < count,
    };
  }
}
