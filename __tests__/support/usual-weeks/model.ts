/*
 * The rule of docs/visitors-method.md once more, in the manner of a table calculation: whole columns, no names for pages, and
 * its own Student's t. It shares no code with the product, and agrees with the simulations that the rule was chosen by.
 */

type Column = readonly number[];

const sum = (values: Column) => values.reduce((a, b) => a + b, 0);
const mean = (values: Column) => sum(values) / values.length;
const spreadOf = (values: Column) =>
  sum(values.map((value) => (value - mean(values)) ** 2)) / (values.length - 1);
const columnOf = (rows: readonly Column[], page: number) => rows.map((row) => row[page] ?? 0);

function medianOf(values: Column): number {
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

/** The pages that a report names, by their column. `before` has at least four weeks, and the last is right before `now`. */
export function namedPages(now: Column, before: readonly Column[]): number[] {
  const every = now.map((_, page) => page);
  const large = every.filter((page) => mean(columnOf(before, page)) >= 50 && (now[page] ?? 0) >= 1);
  const level = before.map((week) =>
    large.length < 10 ? 1 : medianOf(large.map((page) => (now[page] ?? 0) / Math.max(1, week[page] ?? 0))),
  );
  const leveled = before.map((week, index) => week.map((count) => count * (level[index] ?? 1)));
  const old = before.slice(0, -3);
  const judged = every.filter(
    (page) =>
      columnOf(old, page).some((count) => count > 0) &&
      Math.max(now[page] ?? 0, mean(columnOf(leveled, page))) >= 20,
  );
  /** Every judged page's difference and tail, for the mean of the last `k` weeks. */
  const differences = (k: 1 | 2, weeks: readonly Column[], levels: Column) => {
    const n = weeks.length + 1 - k;
    const rows = judged.map((page) => {
      const counts = columnOf(weeks, page);
      const last = counts.slice(n);
      const used = counts.slice(0, n);
      const base = mean(used);
      const noise = Math.max(1, base, mean(used.map((count, week) => count * (levels[week] ?? 1))));
      return {
        value: mean([now[page] ?? 0, ...last]),
        last: mean([base, ...last]) - base,
        base,
        noise,
        own: spreadOf(used),
      };
    });
    const excess = medianOf(rows.map(({ own, noise, base }) => (own - noise) / Math.max(base, 1) ** 2)) / 0.9;
    const spread = Math.max(excess, large.length < 10 ? 0.01 : 0);
    return rows.map(({ value, last, base, noise, own }, row) => {
      const v = Math.max(noise, (8 * (noise + spread * base ** 2) + (n - 1) * own) / (n + 7));
      const d = value - base;
      const t = Math.abs(d) / Math.sqrt(v * (1 / k + 1 / n) + (v / k / Math.max(1, base)) * Math.max(0, d));
      const isBoth = k === 1 || Math.sign(last) === Math.sign((now[judged[row] ?? 0] ?? 0) - base);
      return { d, tail: tails(t, n + 7), isBoth };
    });
  };
  const flat = level.map(() => 1);
  const found = judged.map(() => 1);
  for (const k of [1, 2] as const) {
    const raw = differences(k, before, flat);
    for (const [row, { d, tail, isBoth }] of differences(k, leveled, level).entries()) {
      const { d: rawD, tail: rawTail } = raw[row] ?? { d: 0, tail: 1 };
      const isClear =
        d * rawD > 0 && Math.min(Math.abs(d), Math.abs(rawD)) >= 10 && Math.max(tail, rawTail) <= 0.05;
      if (isClear && isBoth && (now[judged[row] ?? 0] ?? 0) >= 1)
        found[row] = Math.min(found[row] ?? 1, 2 * tail);
    }
  }
  const sorted = [...found].sort((a, b) => a - b);
  const passing = sorted.filter((tail, rank) => tail <= (0.25 * (rank + 1)) / judged.length);
  return judged.filter((_, row) => (found[row] ?? 1) <= Math.max(0, ...passing));
}

/** Whether a total is outside its usual range. `before` has at least six weeks without gaps. */
export function isCalledOut(before: Column, now: number): boolean {
  const k = before.length;
  const y = before.map((count) => Math.log(count + 0.5));
  const noise = 1 / Math.max(1, mean(before));
  /** How far week `at`, or this one, is from the line through the weeks in `use`, and that line's range there. */
  const away = (at: number, value: number, use: Column, tail: number) => {
    const [ys, n] = [use.map((week) => y[week] ?? 0), use.length];
    const [mx, my] = [mean(use), mean(ys)];
    const sxx = sum(use.map((x) => (x - mx) ** 2));
    const slope = sum(use.map((x, index) => (x - mx) * (ys[index] ?? 0))) / sxx;
    const residual = sum(use.map((x, index) => ((ys[index] ?? 0) - my - slope * (x - mx)) ** 2)) / (n - 2);
    const error = Math.sqrt(Math.max(residual, noise) * (1 + 1 / n + (at - mx) ** 2 / sxx));
    return (value - my - slope * (at - mx)) / (limit(tail, n - 2) * error);
  };
  const weeks = y.map((_, week) => week);
  const odd = [...weeks.map((week) => [week]), ...weeks.slice(1).map((week) => [week - 1, week])];
  let use: Column = weeks;
  let worst = 1;
  for (const some of odd) {
    const others = weeks.filter((week) => !some.includes(week));
    const z = some.map((week) => away(week, y[week] ?? 0, others, 0.05 / odd.length));
    const distance = z.every((value) => value * (z[0] ?? 0) > 0) ? Math.min(...z.map(Math.abs)) : 0;
    if (distance > worst) [worst, use] = [distance, others];
  }
  return Math.abs(away(k, Math.log(now + 0.5), use, 0.04)) > 1;
}
