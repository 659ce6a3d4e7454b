import type { SimClock } from '../../clock/clock.ts';
import { HourlyLimit, type LimitRules } from '../hourly-limit.ts';
import type { VisitorsQuery } from './query.ts';
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

/** How the endpoint strays from what its document promises. */
export interface VisitorsQuirks {
  /** The totals grow by so much with every request. */
  readonly driftPerRequest: number;
  /** Each result page begins with so many rows of the one before, as when rows are added meanwhile. */
  readonly repeatedRows: number;
  /** Result pages have so many rows, whatever `limit` says. */
  readonly ignoredLimit: number | undefined;
  /** `hasMore` stays true, and beyond the end come empty pages or the last page again. */
  readonly endless: 'empty' | 'repeat' | undefined;
}

/** Rows and totals given by a test instead of a made-up site. */
export interface GivenWindow {
  readonly rows: readonly VisitorRow[];
  readonly totals?: VisitorTotals;
}

export interface VisitorsPage {
  readonly totals: VisitorTotals;
  readonly visitors: readonly VisitorRow[];
  readonly hasMore: boolean;
}

const NO_QUIRKS: VisitorsQuirks = {
  driftPerRequest: 0,
  repeatedRows: 0,
  ignoredLimit: undefined,
  endless: undefined,
};

/** The analytics of a made-up site: the same for the same seed and window, however it is asked. */
export class VisitorAnalytics {
  /** Requests an organisation may make in an hour, over all analytics endpoints. */
  readonly limit: { requestsPerHour: number; retryAfter: LimitRules['retryAfter'] } = {
    requestsPerHour: 100,
    retryAfter: 'seconds',
  };

  readonly #clock: SimClock;
  readonly #uses = new HourlyLimit();
  #site: SiteScript = USUAL_SITE;
  #quirks: VisitorsQuirks = NO_QUIRKS;
  #given: ((window: SiteWindow) => GivenWindow | undefined) | undefined;
  #asked = 0;

  constructor(clock: SimClock) {
    this.#clock = clock;
  }

  /** What the site is like from now on. */
  script(patch: Partial<SiteScript>): void {
    this.#site = { ...this.#site, ...patch };
  }

  /** How the endpoint misbehaves from now on. */
  misbehave(patch: Partial<VisitorsQuirks>): void {
    this.#quirks = { ...this.#quirks, ...patch };
  }

  /** Rows of the test's own, for every window or for those it answers for. */
  give(rows: readonly VisitorRow[] | ((window: SiteWindow) => GivenWindow | undefined)): void {
    this.#given = typeof rows === 'function' ? rows : () => ({ rows });
  }

  /** Counts requests that others in the organisation made; the limit is shared. */
  useElsewhere(organisation: string, requests: number): void {
    for (let made = 0; made < requests; made += 1) this.countUse(organisation);
  }

  /** Counts a request, or refuses it where the hour's are spent. */
  countUse(organisation: string): void {
    const { requestsPerHour: limit, retryAfter } = this.limit;
    const error = `Rate limit exceeded: ${limit} requests per organization per hour`;
    this.#uses.take(organisation, this.#clock.now(), { limit, retryAfter, error });
  }

  /** The result page for a query. */
  page(query: VisitorsQuery): VisitorsPage {
    const window = this.#window(query);
    const { ignoredLimit, repeatedRows, endless, driftPerRequest } = this.#quirks;
    const limit = ignoredLimit ?? query.limit;
    const given = this.#given?.(window);
    const count = given?.rows.length ?? rowCount(this.#site, window);
    const start = Math.max(0, query.offset - Math.floor(query.offset / query.limit) * repeatedRows);
    const rowsFrom = (offset: number): readonly VisitorRow[] =>
      given?.rows.slice(offset, offset + limit) ?? siteRows(this.#site, window, offset, limit);
    const isBeyond = start >= count;
    const visitors =
      isBeyond && endless === 'repeat' ? rowsFrom(Math.max(0, count - limit)) : rowsFrom(start);
    const totals =
      given === undefined ? siteTotals(this.#site, window) : (given.totals ?? deduplicated(given.rows));
    const drift = driftPerRequest * this.#asked;
    this.#asked += 1;
    return {
      totals: { human: totals.human + drift, ai: totals.ai, total: totals.total + drift },
      visitors,
      hasMore: endless !== undefined || start + limit < count,
    };
  }

  #window({ fromMs, toMs }: VisitorsQuery): SiteWindow {
    const end = toMs ?? this.#clock.now();
    return { fromMs: fromMs ?? end - 30 * 86_400_000, toMs: end };
  }
}
