import type { Budget } from '../../core/budget.ts';
import type { DocsService, VisitorsQuery } from '../../service/client.ts';
import { ServiceError } from '../../service/errors.ts';
import type { VisitorsPage } from '../../service/schemas.ts';

/** How often one request is tried, as long as the budget allows it. */
const triesPerPage = 4;

/** After so many requests in a row that got no answer, with all their tries, the service is left alone. */
const mostSilences = 2;

/** The requests of a run to all its projects: they share one budget, and the hourly limit of their organisation. */
export class Requests {
  readonly #budget: Budget;
  readonly #signal: AbortSignal;
  /** Why nothing more is asked: any other request would only meet the same. */
  #end: ServiceError | undefined;
  #silences = 0;

  constructor(budget: Budget, signal: AbortSignal) {
    this.#budget = budget;
    this.#signal = signal;
  }

  get left(): number {
    return this.#budget.left;
  }

  /**
   * Asks for a page of rows, as often as it takes, and at least once.
   *
   * @param keepBack requests to leave over for others.
   * @throws ServiceError, at once where asking is of no use any more; ActionError `budget-spent` when no request is left at all;
   *   the signal's reason.
   */
  async page(service: DocsService, query: VisitorsQuery, keepBack: number): Promise<VisitorsPage> {
    if (this.#end !== undefined) throw this.#end;
    const tries = Math.max(1, Math.min(triesPerPage, this.left - keepBack));
    try {
      const beforeSend = () => this.#budget.spend();
      const page = await service.getVisitors(query, { signal: this.#signal, tries, beforeSend });
      this.#silences = 0;
      return page;
    } catch (error) {
      if (error instanceof ServiceError) this.#learn(error);
      throw error;
    }
  }

  #learn(error: ServiceError): void {
    const { reason } = error;
    this.#silences = reason === 'unreachable' || reason === 'timeout' ? this.#silences + 1 : 0;
    const isForAll = reason === 'rate-limited' || reason === 'unauthorized';
    if (isForAll || this.#silences >= mostSilences) this.#end = error;
  }
}
