/*
 * The report's first rule for unusual pages: a change counts if counting noise can't explain it. The simulation compares the
 * current rule with it.
 */

/** The pages whose change can't be explained by counting noise. */
export function namedByNoiseAlone(
  now: ReadonlyMap<string, number>,
  before: ReadonlyMap<string, number>,
): string[] {
  const pages = [...new Set([...now.keys(), ...before.keys()])].map((path) => ({
    path,
    now: now.get(path) ?? 0,
    before: before.get(path) ?? 0,
  }));
  const site = totalOf(now) / totalOf(before);
  const tested = pages.filter((page) => Math.max(page.now, page.before) >= 20);
  const spreads = Math.max(2, Math.sqrt(2 * Math.log(Math.max(1, tested.length))));
  const named = tested.filter((page) => {
    const [change, ownChange] = [page.now - page.before, page.now - site * page.before];
    return (
      Math.abs(change) >= 10 &&
      change ** 2 >= spreads ** 2 * (page.now + page.before) &&
      ownChange ** 2 >= spreads ** 2 * (page.now + site ** 2 * page.before) &&
      change * ownChange > 0
    );
  });
  return named.map(({ path }) => path);
}

function totalOf(visitors: ReadonlyMap<string, number>): number {
  return [...visitors.values()].reduce((sum, count) => sum + count, 0);
}
