/*
 * The rule of docs/visitors-method.md once more, in the manner of a table calculation: whole columns, no names for pages, and
 * its own Student's t. It shares no code with the product, and agrees with the simulations that the rule was chosen by.
 */

export type Column = readonly number[];

const sum = (values: Column) => values.reduce((a, b) => a + b, 0);
export const mean = (values: Column) => sum(values) / values.length;
const spreadOf = (values: Column) =>
  sum(values.map((value) => (value - mean(values)) ** 2)) / (values.length - 1);
export const columnOf = (rows: readonly Column[], page: number) =>
  rows.map((row) => row[page] ?? 0);

export function medianOf(values: Column): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return ((sorted[half] ?? 0) + (sorted[sorted.length % 2 === 1 ? half : half - 1] ?? 0)) / 2;
}

/** Both tails of Student's t: the power series of the incomplete beta function, with the larger part as its complement. */
export function tails(t: number, degrees: number): number {
  const x = degrees / (degrees + t * t);
  return x < 0.5 ? beta(x, degrees / 2, 0.5) : 1 - beta(1 - x, 0.5, degrees / 2);
}

function beta(x: number, a: number, b: number): number {
  let term = x ** a / a;
  let total = term;
  for (let n = 1; n < 400 && Math.abs(term) > total * 1e-16; n += 1) {
    term *= ((n - b) / n) * x * ((a + n - 1) / (a + n));
    total += term;
  }
  return total / area(a, b);
}

/** B(a, b), where one is a half and the other is a multiple of it. */
function area(a: number, b: number): number {
  const larger = Math.max(a, b);
  if (larger === 0.5) return Math.PI;
  return larger === 1 ? 2 : (area(larger - 1, 0.5) * (larger - 1)) / (larger - 0.5);
}

function limit(tail: number, degrees: number): number {
  let [low, high] = [0, 400];
  for (let step = 0; step < 50; step += 1) {
    const middle = (low + high) / 2;
    [low, high] = tails(middle, degrees) > tail ? [middle, high] : [low, middle];
  }
  return low;
}

/** What a report names, by column: pages, and sections of pages. `before` has at least four weeks; the last is right before `now`. */
export function named(now: Column, before: readonly Column[], sectionOf: Column, share = 0.15) {
  const every = now.map((_, page) => page);
  const large = every.filter((page) => mean(columnOf(before, page)) >= 50 && (now[page] ?? 0) >= 1);
  const isLeveled = large.length >= 10;
  const level = before.map((week) =>
    isLeveled ? medianOf(large.map((page) => (now[page] ?? 0) / Math.max(1, week[page] ?? 0))) : 1,
  );
  const pages = tested(now, before, level, isLeveled);
  const sections = [...new Set(sectionOf)].toSorted((a, b) => a - b);
  const sumIn = (week: Column, section: number) =>
    sum(every.map((page) => (sectionOf[page] === section ? (week[page] ?? 0) : 0)));
  const sumsOf = (week: Column) => sections.map((section) => sumIn(week, section));
  const whole = tested(sumsOf(now), before.map(sumsOf), level, isLeveled);
  for (const [row, { k, d }] of whole.entries()) {
    const ofPages = pages
      .filter((_, page) => sectionOf[page] === sections[row])
      .map((page) => page.d);
    const isOnePage = ofPages.some(
      (own) => (own[k - 1] ?? 0) * Math.sign(d[k - 1] ?? 0) >= Math.abs(d[k - 1] ?? 0) / 2,
    );
    if (isOnePage) whole[row] = { ...(whole[row] ?? { isJudged: false, k, d }), tail: 1 };
  }
  const inSections = (rows: Column) => rows.map((row) => sections[row] ?? 0);
  return { pages: passing(pages, share), sections: inSections(passing(whole, 0.05)) };
}

/** Every row's smallest tail, for how many weeks that is, and its differences for one and two weeks. */
function tested(now: Column, before: readonly Column[], level: Column, isLeveled: boolean) {
  const leveled = before.map((week, index) => week.map((count) => count * (level[index] ?? 1)));
  const isJudged = now.map((count, row) => {
    const isOld = columnOf(before.slice(0, -3), row).some((visitors) => visitors > 0);
    return isOld && Math.max(count, mean(columnOf(leveled, row))) >= 20;
  });
  const differences = (weeks: readonly Column[], k: 1 | 2) => {
    const n = weeks.length + 1 - k;
    const rows = now.map((count, row) => {
      const used = withoutOdd(columnOf(weeks.slice(0, n), row));
      const last = columnOf(weeks, row).at(-1) ?? 0;
      return {
        base: mean(used),
        ...excessOf(used),
        last,
        value: k === 1 ? count : (count + last) / 2,
        count,
      };
    });
    const excess = rows.filter((_, row) => isJudged[row]).map((row) => row.excess);
    const spread = Math.max(isLeveled ? 0 : 0.01, medianOf(excess) / 0.9);
    return rows.map(({ base, own, noise, last, value, count }) => {
      const v = Math.max(noise, (8 * (noise + spread * base ** 2) + (n - 1) * own) / (n + 7));
      const d = value - base;
      const t = Math.abs(d) / Math.sqrt(v * (1 / n + Math.max(1, value / noise) / k));
      const [was, is] = [last - base, count - base].map((change) => change * Math.sign(d));
      const holds = k === 1 || ((was ?? 0) > 0 && (is ?? 0) >= (was ?? 0) / 2);
      return { d, tail: tails(t, n + 7), holds: holds && Math.abs(d) >= 10 };
    });
  };
  const rows = now.map((_, row) => ({
    isJudged: isJudged[row] ?? false,
    tail: 1,
    k: 1 as 1 | 2,
    d: [] as number[],
  }));
  for (const k of [1, 2] as const) {
    const raw = differences(before, k);
    for (const [row, { d, tail, holds }] of differences(leveled, k).entries()) {
      const found = rows[row];
      const other = raw[row];
      if (found === undefined || other === undefined) continue;
      found.d.push(d);
      const isSame = !isLeveled || (other.holds && other.tail <= 0.008 && other.d * d > 0);
      if (!found.isJudged || (now[row] ?? 0) < 1 || !holds || tail > 0.05 || !isSame) continue;
      if (tail < found.tail) Object.assign(found, { tail, k });
    }
  }
  return rows;
}

export function withoutOdd(counts: Column): Column {
  const median = medianOf(counts);
  const odd = counts.filter((count) => count > 3 * median + 20);
  return odd.length === 1 ? counts.map((count) => (count === odd[0] ? median : count)) : counts;
}

/** A row's counting noise, its variance from week to week, and how much larger that is. */
export function excessOf(counts: Column) {
  const [own, noise] = [spreadOf(counts), Math.max(1, mean(counts))];
  return { own, noise, excess: (own - noise) / noise ** 2 };
}

/** The rows with the smallest tails: Benjamini and Hochberg. */
export function passing(
  rows: readonly { readonly isJudged: boolean; readonly tail: number }[],
  share: number,
): number[] {
  const sorted = rows
    .flatMap(({ isJudged, tail }) => (isJudged ? tail : []))
    .toSorted((a, b) => a - b);
  const unit = share / Math.max(14, sorted.length);
  const most = Math.max(0, ...sorted.filter((tail, rank) => tail <= unit * (rank + 1)));
  return rows.flatMap(({ isJudged, tail }, row) =>
    isJudged && tail <= most && tail < 1 ? row : [],
  );
}

/** The columns of the most-read pages of these weeks, now last, and their counts: a page that a list lacks has its last row's. */
export function firstRows(weeks: readonly Column[], rows: number) {
  const last = weeks.map((week) => [...week].sort((a, b) => b - a)[rows - 1] ?? 0);
  const isSeen = (page: number, week: number) => (weeks[week]?.[page] ?? 0) > (last[week] ?? 0);
  const now = weeks.length - 1;
  const kept = [...(weeks[0]?.keys() ?? [])].filter((page) => {
    const times = weeks.filter((_, week) => week < now && isSeen(page, week)).length;
    return times === now || (times === 0 && isSeen(page, now));
  });
  return {
    kept,
    weeks: weeks.map((week, at) => kept.map((page) => Math.max(week[page] ?? 0, last[at] ?? 0))),
  };
}

/** Whether a total is outside its usual range. `before` has at least six weeks without gaps. */
export function isCalledOut(before: Column, now: number): boolean {
  const { middle, half } = rangeOfTotal(before);
  return Math.abs(Math.log(now + 0.5) - middle) > half;
}

/** Whether a total changed over four weeks. */
export function isSlow(before: Column, now: number): boolean {
  const y = [...before, now].slice(-8).map((count) => Math.log(count + 0.5));
  return Math.abs(medianOf(y.slice(4)) - medianOf(y.slice(0, 4))) > rangeOfTotal(before).half;
}

/** The middle of the usual range and half its width, in logarithms. */
function rangeOfTotal(before: Column) {
  const k = before.length;
  const y = before.map((count) => Math.log(count + 0.5));
  const noise = 1 / Math.max(1, mean(before));
  /** The line through the weeks in `use` at week `at`, and half its range there. */
  const predict = (at: number, use: Column, tail: number) => {
    const [ys, n] = [use.map((week) => y[week] ?? 0), use.length];
    const [mx, my] = [mean(use), mean(ys)];
    const sxx = sum(use.map((x) => (x - mx) ** 2));
    const slope = sum(use.map((x, index) => (x - mx) * (ys[index] ?? 0))) / sxx;
    const residual =
      sum(use.map((x, index) => ((ys[index] ?? 0) - my - slope * (x - mx)) ** 2)) / (n - 2);
    const error = Math.sqrt(Math.max(residual, noise) * (1 + 1 / n + (at - mx) ** 2 / sxx));
    return { middle: my + slope * (at - mx), half: limit(tail, n - 2) * error };
  };
  const weeks = y.map((_, week) => week);
  const odd = [...weeks.map((week) => [week]), ...weeks.slice(1).map((week) => [week - 1, week])];
  let use: Column = weeks;
  let worst = 1;
  for (const some of odd) {
    const others = weeks.filter((week) => !some.includes(week));
    const z = some.map((week) => {
      const { middle, half } = predict(week, others, 0.05 / odd.length);
      return ((y[week] ?? 0) - middle) / half;
    });
    const distance = z.every((value) => value * (z[0] ?? 0) > 0) ? Math.min(...z.map(Math.abs)) : 0;
    if (distance > worst) [worst, use] = [distance, others];
  }
  return predict(k, use, 0.04);
}
