import { minWeeks } from '../../read/window-read.ts';
import type { Counts, Page } from './level.ts';
import { rule } from './rule.ts';
import { mean } from './statistics.ts';

/* "New", "No longer visited", and "Moved?" in docs/visitors-method.md. All lists are whole. */

/** Whether a page has enough people now, had fewer the week before, and wasn't listed earlier. */
export function isNew({ counts, rows }: Page): boolean {
  const [before = 0, now = 0] = counts.slice(-2);
  if (now < rule.minListed || before >= rule.minListed) return false;
  return rows.slice(0, -2).every((row) => row === undefined);
}

/**
 * Whether no one reads a page that had enough people the week before, or some then and enough
 * usually. AI may still read it.
 */
export function hasLostAll({ counts }: Page): boolean {
  const [last = 0, now = 0] = counts.slice(-2);
  const isLost = last > 0 && now < 1;
  return isLost && (last >= rule.minListed || wasUsual(counts.slice(0, -2)));
}

/** The index of the last week in which a page had enough people. */
export function lastLargeWeek({ counts }: Page): number {
  return counts.findLastIndex((count) => count >= rule.minListed);
}

/** Whether a page had enough people in all but one of the weeks before the last two. */
function wasUsual(before: Counts): boolean {
  const enough = before.filter((count) => count >= rule.minListed).length;
  return before.length >= minWeeks && enough >= before.length - 1;
}

/** A page that took another's place. */
export type Move = Readonly<{ from: Page; to: Page }>;

/** Finds the pages that one page with the same last path segment took the place of. */
export function findMoves(pages: readonly Page[]): Move[] {
  const hasLeft = ({ rows }: Page) => rows.at(-1) === undefined;
  const hasCome = ({ rows }: Page) => rows[0] === undefined && rows.at(-1) !== undefined;
  const left = groupLarge(pages.filter(hasLeft));
  const come = groupLarge(pages.filter(hasCome));
  const moves: Move[] = [];
  for (const [segment, [from, ...others]] of left) {
    const [to, ...rivals] = come.get(segment) ?? [];
    if (from === undefined || to === undefined || others.length + rivals.length > 0) continue;
    const wait = firstWeek(to) - lastWeek(from);
    if (wait === 0 || wait === 1) moves.push({ from, to });
  }
  return moves;
}

/** The pages with enough people on average, while they were listed, by their last path segment. */
function groupLarge(pages: readonly Page[]): Map<string, Page[]> {
  const large = pages.filter((page) => {
    return mean(page.counts.slice(firstWeek(page), lastWeek(page) + 1)) >= rule.minListed;
  });
  const groups = Map.groupBy(large, ({ path }) => path.split('/').findLast(Boolean) ?? '');
  groups.delete('');
  return groups;
}

const firstWeek = ({ rows }: Page) => rows.findIndex((row) => row !== undefined);
const lastWeek = ({ rows }: Page) => rows.findLastIndex((row) => row !== undefined);
