import type { Deps } from '../deps.ts';
import type { TrendPoint } from './chart.ts';
import type { WindowRead } from './export.ts';
import { historyText, parseHistory, recall, recallTotals, remember } from './history.ts';
import { previousWindow, type Window } from './period.ts';

/** Windows a trend has at most: more labels would not fit beside each other. */
const trendWindows = 8;

/** The history of one run: what was read before, and what is read now. */
export interface Shelf {
  /** A window that was read whole before. */
  recall(window: Window): WindowRead | undefined;
  /** Keeps a window, on disk at once: what was paid for with requests outlives a cancelled run. */
  keep(read: WindowRead): void;
  /** The report's window and those before it whose totals are known, oldest first. */
  trend(now: WindowRead, before: WindowRead | undefined): TrendPoint[];
}

/** Opens the history file; without one, nothing is known and nothing is kept. */
export function openHistory(
  path: string | undefined,
  projectId: string,
  { files, runner }: Pick<Deps, 'files' | 'runner'>,
): Shelf {
  const text = path === undefined ? undefined : files.read(path);
  let { history, strange } = parseHistory(text ?? '', projectId);
  if (strange.length > 0) {
    const lines = `${strange.length === 1 ? 'line' : 'lines'} ${strange.slice(0, 10).join(', ')}`;
    runner.warning(`${path}: ${lines} could not be understood; kept as found, and not used`);
  }
  return {
    recall(window) {
      return recall(history, window);
    },
    keep(read) {
      if (path === undefined) return;
      const next = remember(history, read);
      if (next === history) return;
      history = next;
      files.write(path, historyText(history));
    },
    trend(now, before) {
      const points: TrendPoint[] = [{ label: now.window.slug, totals: now.totals }];
      let window = now.window;
      for (let back = 1; back < trendWindows; back += 1) {
        window = previousWindow(window);
        const totals = before?.window.start === window.start ? before.totals : recallTotals(history, window);
        if (totals !== undefined) points.unshift({ label: window.slug, totals });
      }
      return points;
    },
  };
}
