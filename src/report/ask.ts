import type { Budget } from '../core/budget.ts';
import type { DocsService, VisitorsQuery } from '../service/client.ts';
import { ServiceError } from '../service/errors.ts';
import type { VisitorsPage } from '../service/schemas.ts';

/** How often one request is tried, as long as the budget allows it. */
const triesPerPage = 4;

/** After this many requests in a row without an answer, with all their tries, the run stops asking. */
const mostSilences = 2;

/**
 * Asks for a page of a project's rows, with as many tries as the budget allows, and at least one.
 *
 * @param keepBack requests to leave for others.
 * @throws ServiceError; ActionError `budget-spent` if no request is left; the signal's reason.
 */
export type AskForPage = (projectId: string, query: VisitorsQuery, keepBack: number) => Promise<VisitorsPage>;

/** How a run asks for the pages of all its projects: they share one budget, and the hourly limit of their organization. */
export function createAsk(service: DocsService, budget: Budget, signal: AbortSignal): AskForPage {
  let silences = 0;
  /** Why nothing more is asked: any other request would meet the same error. */
  let end: ServiceError | undefined;
  const learn = (error: ServiceError) => {
    const { reason } = error;
    silences = reason === 'unreachable' || reason === 'timeout' ? silences + 1 : 0;
    if (reason === 'rate-limited' || reason === 'unauthorized' || silences >= mostSilences) end = error;
  };
  return async (projectId, query, keepBack) => {
    if (end !== undefined) throw end;
    const tries = Math.max(1, Math.min(triesPerPage, budget.left - keepBack));
    const beforeSend = () => budget.spend();
    try {
      const page = await service.forProject(projectId).getVisitors(query, { signal, tries, beforeSend });
      silences = 0;
      return page;
    } catch (error) {
      if (error instanceof ServiceError) learn(error);
      throw error;
    }
  };
}
