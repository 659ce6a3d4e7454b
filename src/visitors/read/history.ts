import type { Deps } from '../../deps.ts';
import type { VisitorsTotals } from '../../service/schemas.ts';
import { findTotals, findWhole, historyText, parseHistory, withWindow } from './history-lines.ts';
import type { Window } from './period.ts';
import type { WindowRead } from './window-read.ts';

/** The windows that earlier runs and this one read. */
export interface History {
  /** A window that was read whole, with all its rows. */
  find(window: Window): WindowRead | undefined;
  /** A window's totals, if they are known. */
  totalsOf(window: Window): VisitorsTotals | undefined;
  /** Writes a window to the file at once, so that a run that is cancelled later does not lose the requests it spent. */
  keep(read: WindowRead): void;
}

/**
 * Opens the history file; without one, nothing is known and nothing is kept. Another run may write the same file meanwhile, so
 * it is read again right before each write, and gets all windows of this run: only what is written between that reading and
 * the write is lost.
 */
export function openHistory(
  path: string | undefined,
  projectId: string,
  { files, runner }: Pick<Deps, 'files' | 'runner'>,
): History {
  const readFile = () => (path === undefined ? '' : (files.read(path) ?? ''));
  let { history, unreadable, outdated } = parseHistory(readFile(), projectId);
  const kept: WindowRead[] = [];
  if (unreadable.length > 0) {
    runner.warning(`${path}: ${listed(unreadable)} could not be understood; kept as found, and not used`);
  }
  if (outdated.length > 0) {
    runner.warning(
      `${path}: ${listed(outdated)} left out, since a later line has other totals of that window`,
    );
  }
  return {
    find: (window) => findWhole(history, window),
    totalsOf: (window) => findTotals(history, window),
    keep(read) {
      if (path === undefined) return;
      kept.push(read);
      const current = readFile();
      history = kept.reduce(withWindow, parseHistory(current, projectId).history);
      const text = historyText(history);
      if (text !== current) files.write(path, text);
    },
  };
}

/** `line 3`, `lines 3, 4`: the first ten. */
function listed(lines: readonly number[]): string {
  return `${lines.length === 1 ? 'line' : 'lines'} ${lines.slice(0, 10).join(', ')}`;
}
