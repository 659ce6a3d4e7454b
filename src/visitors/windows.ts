import type { VisitorsConfig } from '../config/parse.ts';
import type { Deps } from '../deps.ts';
import { ActionError, messageOf } from '../lib/errors.ts';
import { ServiceError } from '../service/errors.ts';
import {
  type Budget,
  type Cut,
  type Predecessor,
  type ReadOptions,
  readWindow,
  type WindowRead,
} from './export.ts';
import { previousWindow, type Window } from './period.ts';
import type { Shelf } from './shelf.ts';

/**
 * Reads the window and the one before it, from the history where it has them. The window comes first, with one request
 * kept back for the totals of the one before; each is kept as soon as it is known.
 *
 * @throws what `readWindow` throws for the window itself; the one before may stay unread.
 */
export async function readWindows(
  window: Window,
  budget: Budget,
  shelf: Shelf,
  { compare }: VisitorsConfig,
  deps: Deps,
): Promise<{ now: WindowRead; predecessor: Predecessor }> {
  const earlier = previousWindow(window);
  const known = compare === 'previous' ? shelf.recall(earlier) : undefined;
  const keepBack = compare === 'previous' && known === undefined ? 1 : 0;
  const read = async (wanted: Window, terms: Pick<ReadOptions, 'keepBack' | 'bearsRefusal'>) => {
    const found = await readWindow(deps.service, wanted, { ...terms, budget, signal: deps.signal });
    warnOfCut(found, deps);
    shelf.keep(found);
    return found;
  };

  const now = shelf.recall(window) ?? (await read(window, { keepBack, bearsRefusal: false }));
  if (compare === 'none') return { now, predecessor: { kind: 'not-asked' } };
  if (known !== undefined) return { now, predecessor: { kind: 'read', read: known } };
  // Whoever is told to stay away does not come back at once.
  if (now.cut?.kind === 'service' && now.cut.reason === 'rate-limited') {
    return { now, predecessor: { kind: 'unread', window: earlier, cut: now.cut } };
  }
  try {
    const before = await read(earlier, { keepBack: 0, bearsRefusal: true });
    return { now, predecessor: { kind: 'read', read: before } };
  } catch (error) {
    // A window that cannot be compared with is no reason to keep back the one that is known.
    const cut = cutOf(error);
    if (cut === undefined) throw error;
    deps.runner.warning(`${earlier.label} could not be read: ${messageOf(error)}`);
    return { now, predecessor: { kind: 'unread', window: earlier, cut } };
  }
}

/** What kept a window from being read, if that was the service or the budget and not this run. */
function cutOf(error: unknown): Cut | undefined {
  if (error instanceof ServiceError) return { kind: 'service', reason: error.reason, message: error.message };
  return error instanceof ActionError && error.reason === 'budget-spent' ? { kind: 'budget' } : undefined;
}

function warnOfCut({ window, cut, rows }: WindowRead, { runner }: Deps): void {
  if (cut === undefined) return;
  const why = cut.kind === 'service' ? cut.message : cut.kind;
  runner.warning(`${window.label} was not read whole; it ended after ${rows.size} pages: ${why}`);
}
