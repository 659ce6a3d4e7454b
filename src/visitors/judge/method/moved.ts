import { minWeeks } from '../../read/window-read.ts';
import type { Counts, Page } from './level.ts';
import { rule } from './rule.ts';
import { mean } from './statistics.ts';

/* "New", "No longer visited", and "Moved?" in docs/visitors-method.md. All lists are whole. */

/** Whether a page has enough people now, had fewer the week before, and wasn't listed earlier. */
export function isNew({ counts, isListed }: Page): boolean {
  const [before = 0, now = 0] = counts.slice(-2);
  if (now < rule.minListed || before >= rule.minListed) return false;
  return !isListed.slice(0, -2).includes(true);
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

/** Whether a page had enough people in all but one of the weeks before the last two. */
function wasUsual(before: Counts): boolean {
  const enough = before.filter((count) => count >= rule.minListed).length;
  return before.length >= minWeeks && enough >= before.length - 1;
}

/** A page that took another's place. */
export type Move = Readonly<{ from: Page; to: Page }>;

/** Finds the pages that one page with the same last path segment took the place of. */
export function findMoves(pages: readonly Page[]): Move[] {
  const large = pages.filter((page) => lastSegment(page.path) !== undefined && isLarge(page));
  const hasLeft = ({ isListed }: Page) => isListed.at(-1) === false;
  const hasCome = ({ isListed }: Page) => isListed.at(-1) === true && isListed[0] === false;
  const left = Map.groupBy(large.filter(hasLeft), ({ path }) => lastSegment(path));
  const come = Map.groupBy(large.filter(hasCome), ({ path }) => lastSegment(path));
  const moves: Move[] = [];
  for (const [segment, [from, ...others]] of left) {
    const [to, ...rivals] = come.get(segment) ?? [];
    if (from === undefined || to === undefined || others.length + rivals.length > 0) continue;
    const wait = to.isListed.indexOf(true) - from.isListed.lastIndexOf(true);
    if (wait === 0 || wait === 1) moves.push({ from, to });
  }
  return moves;
}

function lastSegment(path: string): string | undefined {
  return path.split('/').findLast((segment) => segment !== '');
}

/** Whether a page had enough people on average, from the first week in which it was listed on. */
function isLarge({ counts, isListed }: Page): boolean {
  const first = isListed.indexOf(true);
  const last = isListed.lastIndexOf(true);
  return first >= 0 && mean(counts.slice(first, last + 1)) >= rule.minListed;
}
