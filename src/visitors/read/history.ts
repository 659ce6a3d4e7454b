import type { Projects } from '../../core/inputs/projects.ts';
import type { Deps } from '../../deps.ts';
import type { VisitorsTotals } from '../../service/schemas.ts';
import { firstFew } from '../../text/first-few.ts';
import { findTotals, findWhole, historyText, parseHistory, withWindow } from './history-lines.ts';
import type { Window } from './period.ts';
import type { WindowRead } from './window-read.ts';

/** The windows of a project that earlier runs and this one read. */
export interface History {
  /** A window that was read whole, with all its rows. */
  find(window: Window): WindowRead | undefined;
  /** A window's totals, if they are known. */
  totalsOf(window: Window): VisitorsTotals | undefined;
  /** Writes a window to the file at once, so that a run that is cancelled later does not lose the requests it spent. */
  keep(read: WindowRead): void;
}

/**
 * Opens the history file, which all projects share, and gives the history of each; without a file, nothing is known and nothing
 * is kept. Another run may write the same file meanwhile, so it is read again right before each write, and gets all windows of
 * this run: only what is written between that reading and the write is lost.
 */
export function openHistory(
  path: string | undefined,
  projects: Projects,
  { files, runner }: Pick<Deps, 'files' | 'runner'>,
): (projectId: string) => History {
  const [first, ...others] = projects;
  const readFile = () => (path === undefined ? '' : (files.read(path) ?? ''));
  const parse = (text: string) => parseHistory(text, first.id, ...others.map(({ id }) => id));
  let text = readFile();
  const { history, unreadable, outdated } = parse(text);
  let { lines } = history;
  const kept: { readonly project: string; readonly read: WindowRead }[] = [];
  if (unreadable.length > 0) {
    runner.warning(`${path}: ${listed(unreadable)} could not be understood; kept as found, and not used`);
  }
  if (outdated.length > 0) {
    runner.warning(
      `${path}: ${listed(outdated)} left out, since a later line has other totals of that window`,
    );
  }
  const keep = (project: string, read: WindowRead) => {
    if (path === undefined) return;
    kept.push({ project, read });
    const current = readFile();
    // A file that nobody else has written to need not be understood again.
    const isKnown = current === text;
    lines = (isKnown ? kept.slice(-1) : kept).reduce(
      (all, one) => withWindow({ project: one.project, lines: all }, one.read).lines,
      isKnown ? lines : parse(current).history.lines,
    );
    text = historyText({ project, lines });
    if (text !== current) files.write(path, text);
  };
  return (project) => ({
    find: (window) => findWhole({ project, lines }, window),
    totalsOf: (window) => findTotals({ project, lines }, window),
    keep: (read) => keep(project, read),
  });
}

/** `line 3`, `lines 3, 4`: the first ten. */
function listed(lines: readonly number[]): string {
  return `${lines.length === 1 ? 'line' : 'lines'} ${firstFew(lines.map(String), 10).join(', ')}`;
}
