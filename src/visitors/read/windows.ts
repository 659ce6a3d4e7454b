import type { VisitorsConfig } from '../../config/parse.ts';
import type { Deps } from '../../deps.ts';
import type { Budget } from '../../lib/budget.ts';
import { ActionError, messageOf } from '../../lib/errors.ts';
import { ServiceError } from '../../service/errors.ts';
import { readWindow } from './export.ts';
import type { History } from './history.ts';
import { previousWindow, type Window } from './period.ts';
import type { Cut, WindowPair, WindowRead } from './window-read.ts';

/**
 * Takes the window and the one before it from the history where it holds them whole, and reads them from the service else.
 * The window comes first, with one request kept back for the totals of the one before. Each goes into the history as soon
 * as it is read.
 *
 * @throws what `readWindow` throws for the window itself; without the one before there is still a report.
 */
export async function readWindows(
  window: Window,
  history: History,
  budget: Budget,
  { compare }: VisitorsConfig,
  { service, runner, signal }: Deps,
): Promise<WindowPair> {
  const read = async (wanted: Window, keepBack: number) => {
    const found = await readWindow(service, wanted, { keepBack, budget, signal });
    if (found.cut !== undefined) runner.warning(cutWarning(found, found.cut));
    history.keep(found);
    return found;
  };

  const earlier = previousWindow(window);
  const known = compare === 'previous' ? history.find(earlier) : undefined;
  const keepBack = compare === 'previous' && known === undefined ? 1 : 0;
  const now = history.find(window) ?? (await read(window, keepBack));
  if (compare === 'none' || known !== undefined) return { now, before: known, whyNoBefore: undefined };
  // The next request would only meet the same limit.
  if (now.cut?.kind === 'service' && now.cut.reason === 'rate-limited') {
    return { now, before: undefined, whyNoBefore: now.cut };
  }
  try {
    const before = await read(earlier, 0);
    return { now, before, whyNoBefore: undefined };
  } catch (error) {
    const whyNoBefore = whyUnread(error);
    if (whyNoBefore === undefined) throw error;
    runner.warning(`${earlier.label} could not be read: ${messageOf(error)}`);
    return { now, before: undefined, whyNoBefore };
  }
}

/** What kept a window from being read; `undefined` for an error that is neither the service's nor the budget's. */
function whyUnread(error: unknown): Cut | undefined {
  if (error instanceof ServiceError) return { kind: 'service', reason: error.reason, message: error.message };
  return error instanceof ActionError && error.reason === 'budget-spent' ? { kind: 'budget' } : undefined;
}

function cutWarning({ window, rows }: WindowRead, cut: Cut): string {
  const why = cut.kind === 'service' ? cut.message : cut.kind;
  return `${window.label} was not read whole; it ended after ${rows.size} pages: ${why}`;
}
