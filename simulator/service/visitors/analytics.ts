import type { SimClock } from '../../clock/clock.ts';
import { hourlyLimit } from '../hourly-limit.ts';
import type { parseAnalyticsQuery } from './query.ts';
import { ReaderAnalytics } from './readers.ts';
import type { SiteScript, SiteWindow, VisitorRow, VisitorTotals } from './site.ts';
import { deduplicated, rowCount, siteRows, siteTotals, USUAL_SITE } from './site.ts';

/** Ways in which the endpoint breaks its documented promises. */
interface VisitorsQuirks {
  /** The size of every page if the endpoint ignores `limit`. */
  readonly ignoredLimit?: number;
  /** Whether `hasMore` is always true. Pages after the last one repeat it. */
  readonly isEndless?: boolean;
}

/** Rows and totals that a test provides. */
export interface GivenWindow {
  readonly rows: readonly VisitorRow[];
  readonly totals?: VisitorTotals;
}

/** Visitors of simulated sites, one per project. The same seed and window always give the same numbers. */
export class VisitorAnalytics {
  /** The hourly limit for all analytics requests of an organization. */
  readonly limit = { requestsPerHour: 100 };
  /** Searches, feedback, and questions. Requests for them count toward the same limit. */
  readonly readers = new ReaderAnalytics();
  quirks: VisitorsQuirks = {};

  readonly #clock: SimClock;
  readonly #count: ReturnType<typeof hourlyLimit>;
  #usual: SiteScript = USUAL_SITE;
  readonly #sites = new Map<string, Partial<SiteScript>>();
  #given: ((window: SiteWindow) => GivenWindow | undefined) | undefined;

  constructor(clock: SimClock) {
    this.#clock = clock;
    this.#count = hourlyLimit(clock);
  }

  /** Changes the settings of all sites, or of a single project's site. */
  script(patch: Partial<SiteScript>, projectId?: string): void {
    if (projectId === undefined) this.#usual = { ...this.#usual, ...patch };
    else this.#sites.set(projectId, { ...this.#sites.get(projectId), ...patch });
  }

  /** Replaces the simulated rows: in all windows, or in those for which the function returns some. */
  give(rows: readonly VisitorRow[] | ((window: SiteWindow) => GivenWindow | undefined)): void {
    this.#given = typeof rows === 'function' ? rows : () => ({ rows });
  }

  /** Counts requests that others in the organization make. */
  useElsewhere(organization: string, requests: number): void {
    for (let made = 0; made < requests; made += 1) this.countUse(organization);
  }

  countUse(organization: string): void {
    this.#count(organization, this.limit.requestsPerHour);
  }

  page(query: ReturnType<typeof parseAnalyticsQuery>, projectId: string) {
    const toMs = query.toMs ?? this.#clock.now();
    const window = { fromMs: query.fromMs ?? toMs - 30 * 86_400_000, toMs };
    const site = { ...this.#usual, ...this.#sites.get(projectId) };
    const { ignoredLimit, isEndless = false } = this.quirks;
    const limit = ignoredLimit ?? query.limit;
    const given = this.#given?.(window);
    const count = given?.rows.length ?? rowCount(site, window);
    const rowsFrom = (offset: number): readonly VisitorRow[] =>
      given?.rows.slice(offset, offset + limit) ?? siteRows(site, window, offset, limit);
    const visitors = rowsFrom(
      isEndless && query.offset >= count ? Math.max(0, count - limit) : query.offset,
    );
    const totals = given ? (given.totals ?? deduplicated(given.rows)) : siteTotals(site, window);
    return { totals, visitors, hasMore: isEndless || query.offset + limit < count };
  }
}
