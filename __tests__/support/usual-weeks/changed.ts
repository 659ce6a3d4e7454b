import {
  type Column,
  columnOf,
  excessOf,
  mean,
  medianOf,
  passing,
  tails,
  withoutOdd,
} from './model.ts';
import { countOf, type Random, swingOf } from './random.ts';

/* Pages that changed, and the rule for them once more: docs/visitors-method.md, in the manner of a table calculation. */

/** People and AI of each page, week by week, oldest first. */
export interface Site {
  readonly people: readonly Column[];
  readonly ai: readonly Column[];
}

/** A page, and the week in which it changed. */
export type Change = readonly [page: number, week: number];

/** Whether each page has more (1) or fewer (-1) readers than before it changed; 0 if that isn't clear. */
export function marksOf(site: Site, changes: readonly Change[]): number[] {
  return verdictsOf(site, changes).map(({ mark }) => mark);
}

/** The same, with the visitors a week before and since; not for changes with fewer than four weeks before. */
export function verdictsOf({ people, ai }: Site, changes: readonly Change[]) {
  const all = people.map((week, at) => week.map((count, page) => count + (ai[at]?.[page] ?? 0)));
  const last = all.length - 1;
  const pages = all[0]?.keys().toArray() ?? [];
  const nowOf = (page: number) => all[last]?.[page] ?? 0;
  const large = pages.filter(
    (page) => mean(columnOf(all.slice(0, last), page)) >= 50 && nowOf(page) >= 1,
  );
  const level = all.map((week) =>
    large.length < 10
      ? 1
      : medianOf(large.map((page) => nowOf(page) / Math.max(1, week[page] ?? 0))),
  );
  const rowsOf = (weeks: readonly Column[], isLeveled: boolean) =>
    weeks.map((week, at) => week.map((count) => count * (isLeveled ? (level[at] ?? 1) : 1)));
  /** Every page's means before a change in week `n` and since, and how unlikely the difference is. */
  const compared = (n: number, isLeveled: boolean) => {
    const k = Math.min(4, last - n);
    const weeks = rowsOf(all, isLeveled);
    const rows = pages.map((page) => {
      const column = columnOf(weeks, page);
      const before = withoutOdd(column.slice(0, n));
      const [base, since, plain] = [mean(before), column.slice(-k), mean(column.slice(0, n))];
      const isOld = column.slice(0, n - 3).some((count) => count > 0);
      return { base, since, plain, value: mean(since), ...excessOf(before), isOld };
    });
    const isJudged = rows.map(({ plain, value, isOld }) => isOld && Math.max(plain, value) >= 20);
    const excess = medianOf(rows.filter((_, page) => isJudged[page]).map((row) => row.excess));
    const spread = Math.max(large.length < 10 ? 0.01 : 0, excess / 0.9);
    return rows.map(({ base, since, value, own, noise }, page) => {
      const v = Math.max(noise, (8 * (noise + spread * base ** 2) + (n - 1) * own) / (n + 7));
      const d = value - base;
      const t = Math.abs(d) / Math.sqrt(v * (1 / n + Math.max(1, value / noise) / k));
      const [was = 0, is = 0] = since.slice(-2).map((count) => (count - base) * Math.sign(d));
      const holds = Math.abs(d) >= 10 && (k === 1 || (was > 0 && is >= was / 2));
      return {
        base,
        value,
        d,
        tail: holds ? tails(t, n + 7) : 1,
        isJudged: isJudged[page] ?? false,
      };
    });
  };
  const known = new Set(changes.map(([, n]) => n)).values().filter((n) => n >= 4 && n < last);
  const tables = new Map(known.map((n) => [n, [compared(n, true), compared(n, false)]] as const));
  const judged = changes.map(([page, n]) => {
    const none = { base: 0, value: 0, d: 0, tail: 1, isJudged: false };
    const [one = none, raw = none] = (tables.get(n) ?? []).map((table) => table[page]);
    const human = columnOf(rowsOf(people, true), page);
    const rise = mean(human.slice(-Math.min(4, last - n))) - mean(withoutOdd(human.slice(0, n)));
    const isCrawled = one.d > 0 && rise < 0.1 * one.d;
    const isSure = large.length < 10 || (raw.tail <= 0.008 && raw.d * one.d > 0);
    const isMarked = nowOf(page) >= 1 && one.tail <= 0.05 && isSure && !isCrawled;
    return { ...one, tail: isMarked ? one.tail : 1 };
  });
  const marked = passing(judged, 0.15);
  return judged.map(({ d, base, value }, row) => ({
    mark: marked.includes(row) ? Math.sign(d) : 0,
    before: base,
    since: value,
  }));
}

/** What happens to a site in nine weeks, and how many of them are after the week of the change. */
export interface ChangeSetting {
  readonly since: number;
  /** How much pages vary beyond counting noise. */
  readonly spread: number;
  /** The week in which 40 of 120 pages are crawled, and the one in which people are on holiday. */
  readonly crawl?: number | undefined;
  readonly holiday?: number | undefined;
  /** What the pages with 30, 100, and 400 visitors that change are multiplied by; six others change in vain. */
  readonly factor?: number;
}

const sizes = [30, 100, 400, 30, 100, 400, 30, 100, 400];

/** Draws a site of 120 pages, of which the first nine change; only the first three get other readers. */
export function playChanges(
  { since, spread, crawl, holiday, factor = 1 }: ChangeSetting,
  random: Random,
) {
  const means = [...sizes, ...Array.from({ length: 111 }, (_, page) => 500 / (page + 1) ** 0.85)];
  const shares = means.map(() => 0.1 + 0.4 * random());
  const crawled = new Set(Array.from({ length: 40 }, () => Math.floor(120 * random())));
  const merged = 8 - since;
  const site = { people: [] as number[][], ai: [] as number[][] };
  for (let week = 0; week < 9; week += 1) {
    const level = swingOf(0.04 ** 2, random);
    const part = week > merged ? 1 : week === merged ? 0.5 : 0;
    const drawn = means.map((mean, page) => {
      const visitors =
        mean * level * (page < 3 ? 1 + part * (factor - 1) : 1) * swingOf(spread ** 2, random);
      const share = shares[page] ?? 0;
      const people = visitors * (1 - share) * (week === holiday ? 0.6 : 1);
      const extra = week === crawl && crawled.has(page) ? countOf(40, random) : 0;
      return [countOf(people, random), countOf(visitors * share, random) + extra] as const;
    });
    site.people.push(drawn.map(([people]) => people));
    site.ai.push(drawn.map(([, ai]) => ai));
  }
  return { site, changes: sizes.map((_, page): Change => [page, merged]) };
}

/** Of 100 pages that nothing happened to, those that are marked, and of 100 that doubled, by size, those that are found. */
export function shareMarked(
  setting: Pick<ChangeSetting, 'since' | 'spread'>,
  events: readonly ('crawl' | 'holiday')[],
  sites: number,
  random: Random,
  marks = marksOf,
) {
  const [found, sums] = [[0, 0, 0], { wrong: 0, unchanged: 0 }];
  for (let site = 0; site < 2 * sites; site += 1) {
    const weeks = events.map((event) => [event, Math.floor(9 * random())]);
    const played = { ...setting, ...Object.fromEntries(weeks), factor: site < sites ? 1 : 2 };
    const { site: drawn, changes } = playChanges(played, random);
    for (const [page, mark] of marks(drawn, changes).entries()) {
      const isChanged = page < 3 && played.factor !== 1;
      if (isChanged) found[page] = (found[page] ?? 0) + Number(mark > 0);
      else sums.unchanged += 1;
      if (!isChanged && mark !== 0) sums.wrong += 1;
    }
  }
  const [page30 = 0, page100 = 0, page400 = 0] = found.map((count) =>
    Math.round((100 * count) / sites),
  );
  return { wrong: Math.round((1000 * sums.wrong) / sums.unchanged) / 10, page30, page100, page400 };
}
