import type { Deps } from '../deps.ts';
import type { VisitorsTotals } from '../service/schemas.ts';
import { firstFew } from '../text/first-few.ts';
import {
  findTotals,
  findWhole,
  type HistoryLine,
  historyLine,
  historyText,
  parseHistory,
  withLine,
} from './history-lines.ts';
import type { Window } from './window.ts';
import type { WindowRead } from './window-read.ts';

/** The windows of all projects that earlier runs and this one have read. */
export interface History {
  /** A window that was read whole, with all its rows. */
  find(project: string, window: Window): WindowRead | undefined;
  /** A window's totals, if they are known. */
  totalsOf(project: string, window: Window): VisitorsTotals | undefined;
  /** Writes a window to the file at once, so that a run that is cancelled later does not lose the requests it spent. */
  keep(project: string, read: WindowRead): void;
}

/**
 * Opens the history file; without one, nothing is known and nothing is kept. Another run may write the same file, so it is read
 * again right before each write, and gets all windows of this run: only what is written in between is lost.
 */
export function openHistory(
  path: string | undefined,
  projects: readonly string[],
  { files, runner }: Pick<Deps, 'files' | 'runner'>,
): History {
  const readFile = () => (path === undefined ? '' : (files.read(path) ?? ''));
  let text = readFile();
  const parsed = parseHistory(text, projects);
  const warn = (lines: readonly number[], what: string) => {
    if (lines.length > 0) runner.warning(`${path}: ${listed(lines)} ${what}`);
  };
  warn(parsed.unreadable, 'could not be understood; kept as found, and not used');
  warn(parsed.outdated, 'left out, since a later line has other totals of that window');
  let { lines } = parsed;
  const kept: HistoryLine[] = [];
  return {
    find: (project, window) => findWhole(lines, project, window),
    totalsOf: (project, { start, end }) => findTotals(lines, { project, start, end }),
    keep(project, read) {
      if (path === undefined) return;
      kept.push(historyLine(project, read));
      const current = readFile();
      // A file that no one else has written to need not be parsed again.
      const others = current === text ? lines : parseHistory(current, projects).lines;
      lines = kept.reduce(withLine, others);
      text = historyText(lines);
      if (text !== current) files.write(path, text);
    },
  };
}

/** `line 3`, `lines 3, 4`: the first ten. */
function listed(lines: readonly number[]): string {
  return `${lines.length === 1 ? 'line' : 'lines'} ${firstFew(lines.map(String), 10).join(', ')}`;
}
