import type { VisitorsRow } from '../../../src/service/schemas.ts';
import { judgeChanges } from '../../../src/visitors/judge/changes/changed-pages.ts';
import { compareWindows, type Findings } from '../../../src/visitors/judge/findings.ts';
import { areWhole } from '../../../src/visitors/judge/page-lists.ts';
import {
  chooseWindow,
  type PeriodKind,
  shiftWindow,
  type Window,
} from '../../../src/visitors/read/window.ts';
import type { WindowRead } from '../../../src/visitors/read/window-read.ts';
import { plain } from '../plain.ts';

/* Judges the made-up weeks of `generate.py`, and puts what is said about them into its form. */

/** A line of `generate.py`. */
export type Case = Readonly<{
  kind: PeriodKind;
  paths: readonly string[];
  windows: readonly (readonly [people: number, rows: number, byPage: readonly number[]] | null)[];
  changed: readonly (readonly [path: string, window: number])[];
  says: Said;
}>;

/** What is said about a case; only the first line if the last two weeks can't be compared. */
type Said = Readonly<{
  usual: readonly [low: number, high: number, side: string] | null;
  /** How many pages were judged, by how many weeks, and the level of the week before. */
  judged?: number;
  weeks?: number;
  whole?: boolean;
  level?: number;
  named?: readonly (readonly [kind: string, path: string, side: string, ...shown: number[]])[];
  /** Only if all lists are whole. */
  new?: readonly string[] | null;
  gone?: readonly string[];
  moves?: readonly (readonly [from: string, to: string])[];
  changed?: readonly (readonly [path: string, became: string, before: number, since: number])[];
}>;

const createdAt = Date.parse('2026-11-17T06:10:00Z');

/** As in `generate.py`. */
function aiOf(people: number, page: number, window: number): number {
  const extra = page % 11 === 10 ? 40 : 0;
  return Math.floor(people / 3) + ((page * 7 + window * 3) % 5) + extra;
}

/** What the report's rule says about a case. */
export function judgeCase(given: Case): Said {
  const reads = readWindows(given);
  const now = reads.at(-1);
  if (now === undefined) throw new Error('the case has no windows');
  const earlier = reads.slice(0, -1);
  const settings = { pages: [], sectionDepth: 1 };
  const findings = compareWindows({ now, before: earlier.at(-1), earlier }, settings);
  const { human } = findings.usual;
  const usual = human ? ([human.low, human.high, human.side] as const) : null;
  const { lists, judgment } = findings.compared;
  if (lists.reads.length < 2) return { usual };
  const said = {
    usual,
    judged: judgment.judgedPages.length,
    level: Math.round(1e9 * (judgment.levels.at(-2) ?? 1)) / 1e9,
    named: findings.standingOut.map(rowOf).sort(byName),
    whole: areWhole(lists),
    weeks: lists.reads.length - 2,
  };
  if (!said.whole) return said;
  const moves = lists.moves.map(({ from, to }) => [from.path, to.path] as const);
  return {
    ...said,
    new: findings.appeared ? pathsOf(findings.appeared) : null,
    gone: pathsOf(findings.gone ?? []),
    moves: moves.sort(byName),
    changed: changedIn(given, reads, findings).sort(byName),
  };
}

/** What was read of a case's windows, oldest first. */
export function readWindows({ kind, paths, windows }: Case): WindowRead[] {
  return windows.map((given, index) => {
    const window = windowOf(kind, windows.length - 1 - index);
    if (given === null) return unreadWindow(window);
    const [human, rows, byPage] = given;
    const all = byPage.map((people, page): VisitorsRow => {
      const ai = aiOf(people, page, index);
      return { path: plain(paths[page] ?? ''), human: people, ai, total: people + ai };
    });
    const listed = all.filter(({ human: people = -1 }) => people >= 0);
    listed.sort((a, b) => b.total - a.total);
    return {
      window,
      totals: { human, ai: 10, total: human + 10 },
      rows: new Map(listed.map((row) => [row.path, row])),
      cut: rows > 0 ? { kind: 'budget' } : undefined,
    };
  });
}

const known = new Map<string, Window>();

/** A window of that kind, and that many before the last one. Naming its days takes long. */
function windowOf(kind: PeriodKind, age: number): Window {
  const last = () => chooseWindow({ period: kind, timeZone: 'UTC' }, createdAt);
  const window = known.get(`${kind} ${age}`) ?? shiftWindow(last(), -age);
  known.set(`${kind} ${age}`, window);
  return window;
}

function unreadWindow(window: Window): WindowRead {
  return { window, totals: {}, rows: new Map(), cut: { kind: 'budget' } };
}

function rowOf({ path, pages, side, weeks, low, high }: Findings['standingOut'][number]) {
  const kind = pages === undefined ? 'page' : 'section';
  return [kind, path, side, ...weeks, low, high] as const;
}

function changedIn(given: Case, reads: readonly WindowRead[], findings: Findings) {
  const pulls = given.changed.map(([path, window], index) => ({
    number: index,
    url: 'https://github.com/octo-org/docs/pull/1',
    isBot: false,
    date: reads[window]?.window.start ?? '',
    paths: [`${path.slice(1).replace(/\/$/, '')}.mdx`],
    isWhole: true,
  }));
  const changes = { pulls, tree: ['docs.json'], unread: 0, isLeast: false };
  const { rows = [] } = judgeChanges(changes, findings, () => true) ?? {};
  return rows.map(({ path, became, before, since }) => {
    return [path, became, before.human, since.human] as const;
  });
}

function pathsOf(pages: readonly { readonly path: string }[]): string[] {
  return pages.map(({ path }) => path).sort();
}

function byName(a: readonly unknown[], b: readonly unknown[]): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}
